//! Times of the formulas against numbers that were checked by hand.

use waywarden_paper_tables::Unit;

use super::{assert_ms, ms, study};
use crate::gke::model::{FrameTimes, GkeBus, GkeScheme};
use crate::gke::quantity::{GkeQuantity, GkeSuite};
use crate::gke::study::run_frames;

#[test]
fn group_times_on_tc297_with_fourq() {
    // n; then T_gkex, T_SoECU and their sum for each scheme.
    let rows = [
        (2, [71.5, 8.1, 79.6, 47.7, 5.4, 53.1, 58.2, 5.4, 63.6]),
        (
            4,
            [144.1, 18.9, 163.0, 72.6, 10.8, 83.4, 107.1, 10.8, 117.9],
        ),
        (
            8,
            [266.6, 40.5, 307.1, 99.7, 21.6, 121.3, 205.0, 21.6, 226.6],
        ),
        (
            16,
            [488.8, 83.7, 572.5, 131.3, 43.2, 174.5, 400.8, 43.2, 444.0],
        ),
        (
            32,
            [910.6, 170.1, 1080.7, 171.6, 86.4, 258.0, 792.3, 86.4, 878.7],
        ),
    ];
    let schemes = [GkeScheme::Main, GkeScheme::Without, GkeScheme::Symmetric];
    for (n, expected) in rows {
        for (scheme, expected) in schemes.into_iter().zip(expected.chunks(3)) {
            let time = study().group(scheme, n, "tc297", GkeSuite::FourQ, GkeBus::CanFd);
            let time = time.unwrap();
            let what = format!("{scheme} {n}");
            assert_ms(time.exchanges(), expected[0], &what);
            assert_ms(time.orchestration(), expected[1], &what);
            assert_ms(time.total(), expected[2], &what);
            assert_eq!(time.total(), time.bus() + time.computation(), "{what}");
        }
    }
}

#[test]
fn group_times_on_tc297_with_p256() {
    let rows = [
        (GkeScheme::Main, 4475.0, 923.0),
        (GkeScheme::Without, 750.0, 469.0),
        (GkeScheme::Symmetric, 3911.0, 469.0),
    ];
    for (scheme, exchanges, orchestration) in rows {
        let time = study().group(scheme, 32, "tc297", GkeSuite::P256, GkeBus::CanFd);
        let time = time.unwrap();
        assert_eq!(ms(time.exchanges()).round(), exchanges, "{scheme}");
        assert_eq!(ms(time.orchestration()).round(), orchestration, "{scheme}");
    }
}

#[test]
fn two_party_times() {
    let study = study();
    let run = |place: &str, seen_by| {
        let place = place.to_owned();
        study.formula(&GkeQuantity::Run { place, seen_by }).unwrap()
    };
    let pair = |board: &str, suite| {
        let boards = [board.to_owned(), board.to_owned()];
        let bus = GkeBus::CanFd;
        let of = GkeQuantity::TwoParty { boards, suite, bus };
        study.formula(&of).unwrap()
    };
    let rows = [
        (run("Table VI", 0), 232.777),
        (run("Table VI", 1), 232.777),
        (run("Table VII", 0), 38.05),
        (run("Table VII", 1), 43.94),
        (pair("tc297", GkeSuite::FourQ), 23.84),
        (pair("tc224", GkeSuite::FourQ), 60.24),
        (pair("sam-v71", GkeSuite::P256), 124.6),
    ];
    for (amount, expected) in rows {
        let value = amount.in_unit(Unit::Milliseconds);
        let half = if expected == 124.6 { 0.05 } else { 0.005 };
        assert!((value - expected).abs() <= half, "{value}, not {expected}");
    }
}

#[test]
fn worst_case_bus_time() {
    let bus_time = |bus| {
        let time = study().group(GkeScheme::Main, 32, "tc297", GkeSuite::FourQ, bus);
        time.unwrap().exchange_bus
    };
    assert_ms(bus_time(GkeBus::Can), 211.7, "CAN");
    assert_ms(bus_time(GkeBus::CanFd), 69.3, "CAN FD");
}

#[test]
fn frame_times_are_those_of_the_runs() {
    let study = study();
    for run in &study.data.run {
        for board in &run.boards {
            let times: FrameTimes = study.frame_times(board, GkeBus::CanFd).unwrap();
            assert_eq!(times, run_frames(run).unwrap(), "{board}");
        }
    }
}
