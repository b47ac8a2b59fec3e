//! Assertions on cells, shared by the tests of each paper.

use waywarden_paper_tables::{Cell, Printed};

/// Returns the cell of a place and name.
///
/// # Panics
///
/// Where there is none.
pub(crate) fn find<'a>(cells: &'a [Cell], place: &str, name: &str) -> &'a Cell {
    let mut all = cells.iter();
    all.find(|cell| cell.place == place && cell.cell == name)
        .unwrap_or_else(|| panic!("{place}: {name}"))
}

/// Asserts that the reason of a verdict has all parts.
pub(crate) fn assert_says(cell: &Cell, parts: &[&str]) {
    for part in parts {
        assert!(cell.why.contains(part), "`{part}` not in: {}", cell.why);
    }
}

/// Reads a number as a paper prints it.
pub(crate) fn printed(text: &str) -> Printed {
    Printed::try_from(text.to_owned()).unwrap()
}
