//! Bytes, frames and times of the formulas against numbers that were counted by hand.

use waywarden_paper_tables::{CellVerdict, Unit};

use super::{POST, PRE, assert_says, cells, find, number, seconds, study};
use crate::lasan::quantity::{Metric, Part, State};

#[test]
fn the_published_code_sends_what_was_counted() {
    let study = study();
    // Bytes once and in all, frames once and in all.
    let runs = [
        (PRE, [179.0, 442.0, 23.0, 59.0]),
        (POST, [6892.0, 15_645.0, 863.0, 1959.0]),
    ];
    for (suite, expected) in runs {
        let run = study.testbed(suite);
        let counts = [Metric::Bytes, Metric::Frames]
            .into_iter()
            .flat_map(|what| {
                [Part::Once, Part::All].map(|part| number(&study, &run.count(what.clone(), part)))
            });
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{suite}");
    }
    let cells = cells();
    let name = "pre-quantum, total";
    let parts = ["2 x 109 certificate + 1 x 70 start-up message + 2 x 33 share + 2 x 44"];
    assert_says(find(cells, "Published code", name, Unit::Bytes), &parts);
    assert_eq!(2 * 109 + 70 + 2 * 33 + 2 * 44, 442);
}

#[test]
fn today_s_standards_in_the_published_order() {
    let study = study();
    let rows = [
        ("ml-kem-768+ml-dsa-44", 14_546.0, 1820.0),
        ("ml-kem-768+ml-dsa-65", 18_493.0, 2315.0),
    ];
    for (suite, bytes, frames) in rows {
        let run = study.testbed(suite);
        assert_eq!(number(&study, &run.count(Metric::Bytes, Part::All)), bytes);
        assert_eq!(
            number(&study, &run.count(Metric::Frames, Part::All)),
            frames
        );
    }
}

#[test]
fn communication_is_pauses_to_the_frame() {
    let study = study();
    let once = |suite| {
        let of = Metric::State(State::Communication);
        seconds(&study, &study.testbed(suite).count(of, Part::Once))
    };
    assert_eq!((once(PRE), once(POST)), (0.0115, 0.4315));
    let cells = cells();
    let name = "post-quantum, non-amortised, communication";
    let cell = find(cells, "Initial Benchmarks", name, Unit::Seconds);
    assert_eq!(cell.verdict, CellVerdict::Differs);
    assert_says(
        cell,
        &[
            "1433 frames, 337 more",
            "337 full frames of a bare signature",
        ],
    );
    let mut slower = study.clone();
    slower.data.testbed.pacing_us = 1000;
    let of = Metric::State(State::Communication);
    let of = slower.testbed(POST).count(of, Part::Once);
    assert_eq!(seconds(&slower, &of), 0.863);
}

#[test]
fn the_bus_itself_takes_far_less() {
    let cells = cells();
    let rows = [
        ("pre-quantum, total", 0.0135, 0.032),
        ("post-quantum, total", 0.448, 1.148),
    ];
    for (name, expected, paper) in rows {
        let cell = find(cells, "Bus time of the published code", name, Unit::Seconds);
        let ours = cell.formula.unwrap();
        assert!((ours / expected - 1.0).abs() < 0.005, "{name}: {ours}");
        assert_eq!(cell.paper, Some(paper));
    }
}
