//! The tables on traffic: times by number of messages, and differences with their reasons.

use waywarden_paper_tables::{Cell, CellVerdict};

use super::{cells, study};
use crate::cell_checks::{assert_says, find};

#[test]
fn every_difference_on_the_road_has_its_reason() {
    for cell in cells(&study()) {
        let is_other = matches!(
            cell.verdict,
            CellVerdict::Differs | CellVerdict::Rounding | CellVerdict::TooCoarse
        );
        assert!(!is_other || cell.why.len() > 12, "{}", cell.cell);
    }
}

/// Cells of Tables IV to XIV that follow from others, by table and verdict.
fn of_traffic(cells: &[Cell], table: &str, verdict: CellVerdict) -> usize {
    let own = cells.iter().filter(|cell| cell.place == table);
    own.filter(|cell| cell.formula.is_some() && cell.verdict == verdict)
        .count()
}

#[test]
fn times_on_the_road_are_messages_times_what_one_takes() {
    let cells = cells(&study());
    let count = |table: &str| {
        let all = [
            CellVerdict::Agrees,
            CellVerdict::Rounding,
            CellVerdict::TooCoarse,
            CellVerdict::Differs,
        ];
        all.map(|verdict| of_traffic(&cells, table, verdict))
    };
    let sum = |table: &str| count(table).iter().sum::<usize>();
    // Boards by rows by columns.
    let sizes = [
        "Table VII",
        "Table VIII",
        "Table X",
        "Table XII",
        "Table XIV",
    ]
    .map(sum);
    assert_eq!(sizes, [6 * 8, 4 * 8, 4 * 4 * 8, 4 * 5 * 8, 4 * 6 * 8]);
    let differ = |table: &str| of_traffic(&cells, table, CellVerdict::Differs);
    let differing = [
        "Table VII",
        "Table VIII",
        "Table X",
        "Table XII",
        "Table XIV",
    ]
    .map(differ);
    assert_eq!(differing, [0, 1, 0, 1, 55]);
    assert_eq!(
        (count("Table IV"), count("Table IX")),
        ([4, 0, 0, 0], [8, 0, 0, 0])
    );
    // With those of Tables II and III: 60.
    let before = ["Table II", "Table III"].map(|table| {
        of_traffic(&cells, table, CellVerdict::Differs)
            + of_traffic(&cells, table, CellVerdict::Rounding)
    });
    assert_eq!(before, [2, 1]);
}

#[test]
fn slips_of_the_pen_are_found_by_their_digits() {
    let cells = cells(&study());
    let slip = find(
        &cells,
        "Table XII",
        "ARM11, 100 ms, ellipse of 25 m by 1000 m: Highway rush",
    );
    assert_says(slip, &["9 messages of 31.94 ms", "287 has the same digits"]);
    let other = find(&cells, "Table VIII", "ARM11, 100 ms, most: Campus rush");
    assert_says(other, &["69 messages", "Table X prints 2204 for as many"]);
    // Means that are not whole: 13 are printed, and the four boards have the times of 13.27.
    let mean = find(
        &cells,
        "Table XIV",
        "ARM11, 100 ms, sector of 90 degrees: Grapes rush",
    );
    assert_says(mean, &["of all 4 boards", "a mean"]);
    let none = cells
        .iter()
        .filter(|cell| cell.why.contains("no number of messages"));
    assert_eq!(none.count(), 0);
}
