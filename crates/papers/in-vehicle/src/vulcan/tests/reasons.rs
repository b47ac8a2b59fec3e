//! Verdicts and the causes of differences, on the paper's data and on modified data.

use waywarden_paper_tables::{CellVerdict, Class, Unit};

use super::{assert_says, cells, find, measured_cells, ms, printed, study};
use crate::cell_checks::assert_classes_fit;
use crate::vulcan::data::ClaimOf;
use crate::vulcan::ours::PROTECTED;
use crate::vulcan::quantity::{VulcanMetric, VulcanRun};
use crate::vulcan::study::VulcanStudy;
use crate::vulcan::why::FROM_MEMORY;

#[test]
fn figures_of_the_board_and_rows_it_is_fitted_to_never_agree() {
    let cells = measured_cells();
    let mac = "MAC Computation";
    let rows = [
        (
            mac,
            "Sancus unit, vatiCAN, one MAC",
            Unit::Cycles,
            Class::Input,
        ),
        (
            mac,
            "Sancus unit, LeiA, one MAC",
            Unit::Cycles,
            Class::Input,
        ),
        (mac, "software vatiCAN, one MAC", Unit::Cycles, Class::Input),
        // The clock is made of this time, and of no other.
        (
            mac,
            "Sancus unit, vatiCAN, one MAC",
            Unit::Milliseconds,
            Class::Fitted,
        ),
        (
            mac,
            "Sancus unit, LeiA, one MAC",
            Unit::Milliseconds,
            Class::Derived,
        ),
        // The driver calls are made of the plain rows.
        (
            "Table 1",
            "legacy, 11-bit identifiers",
            Unit::Milliseconds,
            Class::Fitted,
        ),
        (
            "Table 1",
            "legacy, 29-bit identifiers",
            Unit::Percent,
            Class::Fitted,
        ),
        (
            "Table 2",
            "legacy, 11-bit identifiers",
            Unit::Milliseconds,
            Class::Fitted,
        ),
        ("Table 2", "Sancus+vatiCAN", Unit::Percent, Class::Measured),
    ];
    for (place, name, unit, expected) in rows {
        let cell = find(cells, place, name, unit);
        assert_eq!(cell.class, Some(expected), "{place}, {name}, {unit:?}");
    }
    // 18.997 for 18.
    let extended = find(
        cells,
        "Table 1",
        "legacy, 29-bit identifiers",
        Unit::Percent,
    );
    assert_eq!(extended.verdict, CellVerdict::Rounding);
    assert_classes_fit(cells);
}

#[test]
fn what_is_remembered_is_never_taken_for_verified() {
    let unmeasured = cells(&study());
    for cells in [unmeasured.as_slice(), measured_cells()] {
        for row in &study().data.row {
            let named = cells
                .iter()
                .filter(|cell| cell.place == row.table && cell.cell == row.name);
            let entries = row.entries();
            let mut seen = 0;
            for (cell, entry) in named.zip(&entries) {
                seen += 1;
                assert_eq!(
                    cell.verdict == CellVerdict::FromMemory,
                    !entry.seen,
                    "{}",
                    cell.cell
                );
                assert_eq!(cell.why.starts_with(FROM_MEMORY), !entry.seen);
            }
            assert_eq!(seen, entries.len());
        }
    }
    // Nor does a formula rest on it.
    let mut other = study();
    let formulas =
        |study: &VulcanStudy| cells(study).into_iter().map(|cell| cell.formula).collect();
    let before: Vec<Option<f64>> = formulas(&other);
    for row in &mut other.data.row {
        let memory = &mut row.memory;
        let numbers = [&mut memory.cycles, &mut memory.ms, &mut memory.percent];
        for number in numbers.into_iter().flatten() {
            *number = printed("1");
        }
    }
    let after: Vec<Option<f64>> = formulas(&other);
    assert_eq!(before, after);
}

#[test]
fn remembered_rows_are_held_against_each_other() {
    let cells = cells(&study());
    let cycles = |table, name| find(&cells, table, name, Unit::Cycles);
    let fits = [
        (
            "Table 1",
            "legacy, 11-bit identifiers",
            "the text has 0.41, which fits",
        ),
        (
            "Table 1",
            "legacy, 29-bit identifiers",
            "the text has 18, which fits",
        ),
        (
            "Table 1",
            "software vatiCAN (extrapolated)",
            "are 1 times 47600 - 4222",
        ),
        (
            "Table 1",
            "Sancus+vatiCAN, protected modules",
            "466 cycles more than without",
        ),
        (
            "Table 2",
            "software vatiCAN (extrapolated)",
            "are 2 times 47600 - 4222",
        ),
        ("Table 2", "Sancus+vatiCAN", "the text has 74, which fits"),
        ("Table 2", "Sancus+LeiA", "the text has 112, which fits"),
    ];
    for (table, name, words) in fits {
        assert_says(cycles(table, name), &[words]);
    }
    let all = cells.iter().filter(|cell| cell.unit == Unit::Cycles);
    for cell in all {
        assert!(!cell.why.contains("does not fit"), "{}", cell.why);
    }
    let mut other = study();
    other.data.row[0].memory.cycles = Some(printed("8400"));
    let cells = super::cells(&other);
    let plain = find(
        &cells,
        "Table 1",
        "legacy, 11-bit identifiers",
        Unit::Cycles,
    );
    assert_says(plain, &["the text has 0.41, which does not fit"]);
}

#[test]
fn per_cent_of_protected_modules_are_points() {
    let study = study();
    let cells = cells(&study);
    for claim in study
        .data
        .claim
        .iter()
        .filter(|claim| matches!(claim.of, ClaimOf::Protected(_)))
    {
        let cell = find(&cells, &claim.place, &claim.cell, Unit::Percent);
        let sends = claim.of == ClaimOf::Protected(VulcanMetric::Send);
        let (class, verdict, ours) = match sends {
            // The call is fitted to the text's 5 to 6 %.
            true => (Class::Fitted, CellVerdict::NotTested, 5.514),
            false => (Class::Derived, CellVerdict::Agrees, 4.476),
        };
        assert_eq!(
            (cell.class, cell.verdict),
            (Some(class), verdict),
            "{cell:?}"
        );
        assert!((cell.formula.unwrap() - ours).abs() < 1e-3, "{cell:?}");
        assert_says(
            cell,
            &[
                "before its data frame, 22.6 us by the board's figure",
                "beside that frame it would be 0 % with LeiA as published, outside",
                "of itself, outside",
                "of a plain one, within",
                FROM_MEMORY,
            ],
        );
    }
    assert_eq!(study.data.protected_bounds(VulcanMetric::Send), [5.0, 6.0]);
    assert_eq!(
        study.data.protected_bounds(VulcanMetric::RoundTrip),
        [3.0, 6.0]
    );
    let named = |name: &str| {
        find(&cells, PROTECTED, name, Unit::Milliseconds)
            .formula
            .unwrap()
    };
    let bare = named("vatiCAN as published, send: without");
    let most = named("vatiCAN as published, send: most of itself");
    assert!((most / bare - 1.06).abs() < 1e-6);
    let plain = ms(&study, VulcanRun::PLAIN, VulcanMetric::Send);
    let least = named("vatiCAN as published, send: least of legacy");
    assert!((least - bare - 0.05 * plain).abs() < 1e-6);
}

#[test]
fn with_other_numbers_the_reasons_are_others() {
    let mut study = study();
    let reported = |study: &VulcanStudy, place, name, unit| {
        let cells = cells(study);
        find(&cells, place, name, unit).clone()
    };
    let name = "software vatiCAN, one MAC";
    let at = study
        .data
        .claim
        .iter()
        .position(|claim| claim.cell == name && claim.unit == Unit::Milliseconds);
    study.data.claim[at.unwrap()].printed = printed("2.38");
    assert_says(
        &reported(&study, "MAC Computation", name, Unit::Milliseconds),
        &["at 20 MHz are 2.38 ms, as printed"],
    );
    study.data.claim[at.unwrap()].printed = printed("2.975");
    let cell = reported(&study, "MAC Computation", name, Unit::Milliseconds);
    assert_eq!(cell.verdict, CellVerdict::Agrees);
    let gain = study
        .data
        .claim
        .iter()
        .position(|claim| claim.of == ClaimOf::Gain)
        .unwrap();
    study.data.claim[gain].printed = printed("560");
    let name = study.data.claim[gain].cell.clone();
    let cell = reported(&study, "Message Transmission", &name, Unit::Percent);
    assert_eq!(cell.verdict, CellVerdict::Differs);
    assert_says(&cell, &["which does not round to the printed 0.41"]);
}
