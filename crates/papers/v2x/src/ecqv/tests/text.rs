//! Statements of sections IV to VII: shares, ranges, cores and claims against numbers computed by
//! hand, and rules on data that were tampered with.

use super::super::limits::GRAY;
use super::super::study::EcqvStudy;
use super::{cells, study};
use crate::cell_checks::{assert_says, find, printed};
use waywarden_paper_tables::{Cell, CellVerdict};

fn number(cells: &[Cell], place: &str, name: &str) -> f64 {
    find(cells, place, name).formula.unwrap()
}

/// The claims that do not hold as they are printed.
fn wrong_claims(study: &EcqvStudy) -> Vec<String> {
    let mut cells = Vec::new();
    study.claims(&mut cells).unwrap();
    let wrong = cells.iter().filter(|cell| cell.formula == Some(0.0));
    wrong.map(|cell| cell.cell.clone()).collect()
}

#[test]
fn shares_of_circles_fit_the_areas_without_grapes() {
    let cells = cells(&study());
    // By hand, means over eight columns: 27.07, 60.15, 68.02.
    for (radius, ours) in [(150, 27.07), (250, 60.15), (300, 68.02)] {
        let name = format!("share of the messages, 100 ms, circle of {radius} m");
        let cell = find(&cells, "§VI-A", &name);
        assert!((cell.formula.unwrap() - ours).abs() < 0.01, "{cell:?}");
        assert_eq!(cell.verdict, CellVerdict::Differs);
        let fitting = "mean share over the columns without Grapes, of the 100 ms, circle of \
                       1000 m: 26.3, 59.0, 66.9";
        assert_says(cell, &["3 give 26, 59, 66 to less than one off", fitting]);
    }
}

#[test]
fn shares_of_ellipses_are_those_of_the_rows_below() {
    let cells = cells(&study());
    let name = "share of the messages, 100 ms, ellipse of 25 m by 150 m";
    let cell = find(&cells, "§VI-B", name);
    let words = [
        "13.8, 16.8, 17.5",
        "1 give 17, 18, 20 to the digit",
        "each a row further down: 16.8, 17.5, 20.3",
    ];
    assert_says(cell, &words);
}

#[test]
fn shares_of_sectors_within_100_ms_fit_and_those_within_20_ms_fit_nothing() {
    let cells = cells(&study());
    let of = |ms: u32, degrees: u32| {
        let name = format!("share of the messages, {ms} ms, sector of {degrees} degrees");
        find(&cells, "§VI-C", &name).clone()
    };
    assert_eq!(of(100, 90).verdict, CellVerdict::Agrees);
    assert_eq!(of(100, 135).verdict, CellVerdict::Agrees);
    assert_eq!(of(100, 180).verdict, CellVerdict::Rounding);
    assert_says(&of(100, 180), &["3 give 6, 8, 36 to the digit"]);
    for degrees in [90, 135, 180] {
        assert_eq!(of(20, degrees).verdict, CellVerdict::Differs);
        assert_says(&of(20, degrees), &["none of 56 readings gives 3, 4, 6"]);
    }
}

#[test]
fn another_printed_share_is_tested_on_all_readings() {
    let mut study = study();
    study.text.share[0].percent = ["27", "60", "68"].map(printed).to_vec();
    let right = cells(&study);
    let name = "share of the messages, 100 ms, circle of 250 m";
    assert_eq!(find(&right, "§VI-A", name).verdict, CellVerdict::Agrees);
    study.text.share[0].percent = ["1", "2", "99"].map(printed).to_vec();
    let wrong = cells(&study);
    let cell = find(&wrong, "§VI-A", name);
    assert_says(cell, &["none of 112 readings gives 1, 2, 99"]);
}

#[test]
fn reductions_by_up_to_are_exceeded() {
    let cells = cells(&study());
    let own: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.cell.starts_with("fewer signatures"))
        .collect();
    // 1 - 8/38 and 1 - 1/38.
    let ours: Vec<f64> = own.iter().filter_map(|cell| cell.formula).collect();
    assert!((ours[0] - 78.947).abs() < 0.001 && (ours[1] - 97.368).abs() < 0.001);
    assert_says(own[0], &["2 of 8 numbers", "Highway normal 78.9 %"]);
    assert_says(own[1], &["16 of 24 numbers"]);
}

#[test]
fn ranges_of_section_v_are_the_ends_of_its_tables() {
    let mut study = study();
    let own = |study: &EcqvStudy| {
        let cells = cells(study);
        let own = cells.iter().filter(|cell| cell.place == "§V-B");
        own.map(|cell| cell.verdict).collect::<Vec<_>>()
    };
    let verdicts = own(&study);
    // Both least rows are 1 in every column: who receives nothing is not counted.
    for (at, verdict) in verdicts.iter().enumerate() {
        let expected = match at {
            4 | 5 | 10 | 11 => CellVerdict::ByConstruction,
            _ => CellVerdict::Agrees,
        };
        assert_eq!(*verdict, expected, "{at}");
    }
    assert_eq!(verdicts.len(), 12);
    study.text.range[1].ends = [printed("6"), printed("12")];
    assert_eq!(own(&study)[2], CellVerdict::Differs);
}

#[test]
fn the_traffic_index_is_vehicles_over_kilometres_in_every_column() {
    let cells = cells(&study());
    // By hand; section V-A prints those of rush hours.
    for (column, ours, is_printed) in [
        ("Grapes rush", 328.0 / 12.0, true),
        ("Grapes normal", 167.0 / 12.0, false),
        ("Highway rush", 778.0 / 54.0, true),
        ("MASA rush", 144.0 / 34.0, true),
        ("MASA normal", 77.0 / 34.0, false),
    ] {
        let name = format!("traffic index, vehicles a km: {column}");
        let cell = find(&cells, "Table IV", &name);
        assert_eq!(
            (cell.formula, cell.paper.is_some()),
            (Some(ours), is_printed)
        );
        assert_eq!(cell.verdict == CellVerdict::Agrees, is_printed, "{column}");
    }
}

#[test]
fn four_cores_are_enough_for_20_ms_and_not_for_100_ms() {
    let cells = cells(&study());
    let over = |name: &str| number(&cells, "Table VII over the cores (§V-C)", name);
    assert_eq!(over("A72, 4 cores: Grapes rush"), 9.0);
    // Twelve messages on four cores are three each; five are two on one of them.
    let whole = over("A53, 4 cores, whole messages: Grapes rush");
    assert!((whole - 3.0 * 6.39).abs() < 1e-9);
    let whole = over("A72, 4 cores, whole messages: Grapes normal");
    assert!((whole - 2.0 * 3.02).abs() < 1e-9);
    assert_eq!(over("ARM11, 1 core: Grapes rush"), 383.0);

    let above = |name: &str| number(&cells, GRAY, name);
    for (board, alone, cores) in [("A72", 1.0, 0.0), ("A53", 5.0, 0.0)] {
        let column = "Table VII, 20 ms, of 8";
        assert_eq!(above(&format!("{board}: {column}")), alone);
        let name = format!("{board}, 4 cores, whole messages: {column}");
        assert_eq!(above(&name), cores);
    }
    assert_eq!(above("A72: Table VIII, 100 ms, of 8"), 7.0);
    let name = "A53, 4 cores, whole messages: Table VIII, 100 ms, of 8";
    assert_eq!(above(name), 5.0);
    assert_eq!(above("ARM11: Table X, 100 ms, of 32"), 32.0);
    assert_eq!(above("A53: Table XII, 100 ms, of 32"), 8.0);
    let gray = find(&cells, GRAY, "A72: Table VIII, 100 ms, of 8");
    assert_says(gray, &["all but", "MASA normal 82 ms"]);
}

#[test]
fn four_claims_do_not_hold_as_they_are_printed() {
    let study = study();
    let expected = [
        "Table VIII: boards with times above 4000 ms are left out",
        "Table VIII: only the A72 verifies all messages of normal traffic",
        "Table VIII: x86_64 verifies all messages of all scenarios",
        "Table XII: of the automotive boards only the A72 satisfies Grapes normal within 100 ms",
    ];
    assert_eq!(wrong_claims(&study), expected);
    let cells = cells(&study);
    let repeated = find(&cells, "§V-C", expected[1]);
    let words = [
        "A72 in Table VIII: 1 of 4 within the time",
        "\"of Table VII, where the same sentence stands\" it holds",
    ];
    assert_says(repeated, &words);
    let ellipse = find(&cells, "§VI-B", expected[3]);
    assert_says(ellipse, &["Grapes normal takes 89 ms of 100"]);
    let cores = find(
        &cells,
        "§VII",
        "even powerful boards do not verify all messages in time",
    );
    assert_says(cores, &["\"of Table VII with all cores\" it does not hold"]);
}

#[test]
fn a_claim_follows_the_times_of_its_table() {
    let mut study = study();
    let times = study.traffic.times.iter_mut();
    for time in times.filter(|time| time.table == "Table X" && time.board == "ARM11") {
        time.values[3] = Some(printed("99"));
    }
    let wrong = wrong_claims(&study);
    assert!(wrong.contains(&"Table X: the ARM11 satisfies no scenario".to_owned()));
}

#[test]
fn every_expectation_of_a_claim_has_cells() {
    let study = study();
    let timed = study.timed_cells().unwrap();
    for claim in &study.claims.claim {
        for one in claim.reading.iter().flat_map(|reading| &reading.expect) {
            for board in &one.boards {
                assert!(timed.iter().any(|cell| one.has(cell, board)), "{one:?}");
            }
        }
    }
}
