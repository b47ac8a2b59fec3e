//! Cells that people read as a table: rows and columns by the two parts of their names.

use crate::{Cell, CellVerdict, short};

/// Cells of one place, by row and column.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperTable<'a> {
    /// The place of all its cells.
    pub place: &'a str,
    /// Row names in order: the part of the cells' names before the colon.
    pub rows: Vec<&'a str>,
    /// Column names with units, in order: the part of the cells' names after the colon.
    pub columns: Vec<String>,
    /// The cells, row by row; none where there is nothing.
    pub cells: Vec<Vec<Option<&'a Cell>>>,
}

impl PaperTable<'_> {
    /// Returns true if the paper prints a number of the table.
    #[must_use]
    pub fn is_printed(&self) -> bool {
        let mut all = self.cells.iter().flatten().flatten();
        all.any(|cell| cell.paper.is_some())
    }
}

/// Returns the words that explain the entries of tables.
pub const LEGEND: &str = "the paper's number, then ours: measured, or [by formula]; != differs";

/// Words a cell of a table: the paper's number and ours, measured or by formula in brackets, with a
/// sign between them where they differ. A number that is not there is a dash, unless nothing is
/// printed.
#[must_use]
pub fn entry(cell: &Cell, is_printed: bool) -> String {
    let ours = match (cell.measured, cell.formula) {
        (Some(number), _) => Some(short(number)),
        (None, Some(number)) => Some(format!("[{}]", short(number))),
        (None, None) => None,
    };
    let dash = || "-".to_owned();
    match (cell.paper, ours) {
        (None, ours) if !is_printed => ours.unwrap_or_else(dash),
        (None, ours) => format!("- {}", ours.unwrap_or_else(dash)),
        (Some(paper), None) => paper.to_string(),
        (Some(paper), Some(ours)) => {
            let sign = match cell.verdict {
                CellVerdict::Differs => "!= ",
                _ => "",
            };
            format!("{paper} {sign}{ours}")
        }
    }
}

/// Splits a cell's name into row and column.
fn names(cell: &Cell) -> (&str, String) {
    let (row, column) = cell.cell.split_once(": ").unwrap_or((&cell.cell, ""));
    (row, format!("{column} ({})", cell.unit.name()))
}

/// Takes the places that are tables out of the cells; returns the other cells, and the tables.
pub fn split(
    cells: &[Cell],
    is_tabular: impl Fn(&str) -> bool,
) -> (Vec<&Cell>, Vec<PaperTable<'_>>) {
    let (tabular, alone): (Vec<&Cell>, Vec<&Cell>) =
        cells.iter().partition(|cell| is_tabular(&cell.place));
    let places = tabular.chunk_by(|a, b| a.place == b.place);
    (alone, places.map(table).collect())
}

fn table<'a>(cells: &[&'a Cell]) -> PaperTable<'a> {
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for cell in cells {
        let (row, column) = names(cell);
        if !rows.contains(&row) {
            rows.push(row);
        }
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let mut places = vec![vec![None; columns.len()]; rows.len()];
    for &cell in cells {
        let (row, column) = names(cell);
        let row = rows.iter().position(|name| *name == row);
        let column = columns.iter().position(|name| *name == column);
        if let (Some(row), Some(column)) = (row, column) {
            places[row][column] = Some(cell);
        }
    }
    PaperTable {
        place: cells.first().map_or("", |cell| cell.place.as_str()),
        rows,
        columns,
        cells: places,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Printed, Unit};

    #[test]
    fn entries_have_both_numbers() {
        let cell = || Cell::new("Table XII", "A72: MASA rush".to_owned(), Unit::Milliseconds);
        let printed = |text: &str| Printed::try_from(text.to_owned()).unwrap();
        assert_eq!(entry(&cell().own(15.1), false), "[15.1]");
        assert_eq!(entry(&cell().own(15.1), true), "- [15.1]");
        assert_eq!(entry(&cell().stated(&printed("12")), true), "12");
        let beside = |text: &str| cell().derived(287.5, &printed(text), |_| String::new());
        assert_eq!(entry(&beside("278"), true), "278 != [287.5]");
        assert_eq!(entry(&beside("287"), true), "287 [287.5]");
        let measured = Cell {
            measured: Some(3.0),
            class: Some(Class::Measured),
            ..beside("287")
        };
        assert_eq!(entry(&measured, true), "287 3");
        assert_eq!(entry(&cell(), false), "-");
    }
}
