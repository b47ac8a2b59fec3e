//! Cells that people read as a table: rows and columns by the two parts of their names.

use std::collections::BTreeMap;

use crate::{Cell, CellVerdict, short};

/// Cells of one place, by row and column.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperTable<'a> {
    /// The place of all its cells.
    pub place: &'a str,
    /// Row names in order: the part of the cells' names before the colon.
    pub rows: Vec<String>,
    /// Column names in order: the part of the cells' names after the colon. They have the unit, or
    /// the rows have it where columns have more than one.
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

/// Splits a cell's name into row and column. The unit stands with the column, or with the row where
/// columns have more than one.
fn names(cell: &Cell, is_by_row: bool) -> (String, String) {
    let (row, column) = cell.cell.split_once(": ").unwrap_or((&cell.cell, ""));
    let unit = cell.unit.name();
    match is_by_row {
        true => (format!("{row} ({unit})"), column.to_owned()),
        false => (row.to_owned(), format!("{column} ({unit})")),
    }
}

/// Returns true if each row has one unit and some column more than one.
fn has_units_by_row(cells: &[&Cell]) -> bool {
    let part = |cell: &Cell, is_row: bool| {
        let (row, column) = cell.cell.split_once(": ").unwrap_or((&cell.cell, ""));
        if is_row {
            row.to_owned()
        } else {
            column.to_owned()
        }
    };
    let is_mixed = |is_row: bool| {
        let mut units = BTreeMap::new();
        cells.iter().any(|cell| {
            let unit = units.entry(part(cell, is_row)).or_insert(cell.unit);
            *unit != cell.unit
        })
    };
    is_mixed(false) && !is_mixed(true)
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
    let is_by_row = has_units_by_row(cells);
    let names = |cell: &Cell| names(cell, is_by_row);
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
    fn units_stand_where_there_is_one() {
        let cell = |name: &str, unit| Cell::new("Table IV", name.to_owned(), unit);
        let by_row = [
            cell("vehicles: rush", Unit::Vehicles),
            cell("vehicles: normal", Unit::Vehicles),
            cell("messages: rush", Unit::Messages),
        ];
        let (_, tables) = split(&by_row, |_| true);
        assert_eq!(
            tables[0].rows,
            ["vehicles (vehicles)", "messages (messages)"]
        );
        assert_eq!(tables[0].columns, ["rush", "normal"]);
        let by_column = [
            cell("plain: send", Unit::Milliseconds),
            cell("plain: frames", Unit::Frames),
            cell("tagged: send", Unit::Milliseconds),
        ];
        let (_, tables) = split(&by_column, |_| true);
        assert_eq!(tables[0].rows, ["plain", "tagged"]);
        assert_eq!(tables[0].columns, ["send (ms)", "frames (frames)"]);
    }

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
