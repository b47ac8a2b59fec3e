//! Assertions on cells, shared by the tests of each paper.

use waywarden_paper_tables::{Cell, CellVerdict, Class, Printed, Unit};

/// Returns the cell of a place, name and unit.
///
/// # Panics
///
/// Where there is none.
pub(crate) fn find<'a>(cells: &'a [Cell], place: &str, name: &str, unit: Unit) -> &'a Cell {
    let mut all = cells.iter();
    all.find(|cell| cell.place == place && cell.cell == name && cell.unit == unit)
        .unwrap_or_else(|| panic!("{place}: {name}"))
}

/// Asserts that the reason of a verdict has all parts.
pub(crate) fn assert_says(cell: &Cell, parts: &[&str]) {
    for part in parts {
        assert!(cell.why.contains(part), "`{part}` not in: {}", cell.why);
    }
}

/// Asserts that only cells whose class can agree do, and that those of a class have a formula and
/// others have none.
pub(crate) fn assert_classes_fit(cells: &[Cell]) {
    for cell in cells {
        let can_agree = cell.class.is_some_and(Class::can_agree);
        let agrees = cell.verdict == CellVerdict::Agrees;
        assert!(can_agree || !agrees, "{}, {}", cell.place, cell.cell);
        assert_eq!(cell.class.is_none(), cell.formula.is_none());
    }
}

/// Reads a number as a paper prints it.
pub(crate) fn printed(text: &str) -> Printed {
    Printed::try_from(text.to_owned()).unwrap()
}
