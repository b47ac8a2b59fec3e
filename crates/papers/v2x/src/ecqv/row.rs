//! A cell of a table of ours: by row and column, a formula's number or a measured one.

use super::machine::Time;
use waywarden_paper_tables::{Cell, Class, Unit};

/// A time of a machine.
pub(super) fn time(place: &str, row: &str, column: &str, time: Time) -> Cell {
    let unit = Unit::Milliseconds;
    cell(place, row, column, unit, time.millis(), time.class)
}

/// A number of a class.
pub(super) fn cell(
    place: &str,
    row: &str,
    column: &str,
    unit: Unit,
    number: f64,
    class: Class,
) -> Cell {
    let is_measured = class == Class::Measured;
    Cell {
        formula: (!is_measured).then_some(number),
        measured: is_measured.then_some(number),
        class: Some(class),
        ..Cell::new(place, format!("{row}: {column}"), unit)
    }
}
