//! Cells that people read as a table: rows and columns by the two parts of their names.

use crate::Cell;

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
