//! Tables of ours: section 5.2 and the neighbours of section 6 on the machine at hand.

use super::cells::{MILLIS, cell};
use super::quantity::{CAM_BYTES, Measured, Operation, Path, Quantity};
use crate::{Cell, Class, Unit};

pub(super) const TIMES: &str = "§5.2 on this host, mean time of a CAM";
pub(super) const NEIGHBOURS: &str = "§6 on this host, neighbours verified";

/// Tells whether people read the cells of a place as a table.
pub(crate) fn is_tabular(place: &str) -> bool {
    [TIMES, NEIGHBOURS].contains(&place)
}

/// What was measured; nothing if nothing was.
pub(super) fn host(measured: &Measured<'_>, rate: f64) -> Vec<Cell> {
    let mut cells = Vec::new();
    let rows = Operation::ALL.iter().flat_map(|operation| {
        let sizes = CAM_BYTES.iter();
        sizes.map(move |bytes| (*operation, *bytes))
    });
    for (operation, bytes) in rows.clone() {
        for path in Path::ALL {
            let of = Quantity {
                operation,
                path,
                bytes,
            };
            cells.extend(millis(measured, &of).map(|time| {
                let name = format!("{}, {bytes} B: {}", operation.name(), path.name());
                shown(TIMES, name, Unit::Milliseconds, time)
            }));
        }
    }
    for (operation, bytes) in rows.filter(|(operation, _)| *operation != Operation::Sign) {
        for path in Path::ALL {
            let of = Quantity {
                operation,
                path,
                bytes,
            };
            cells.extend(millis(measured, &of).map(|time| {
                let name = format!("{}, {bytes} B: {}", operation.name(), path.name());
                let neighbours = (MILLIS / time / rate).floor();
                shown(NEIGHBOURS, name, Unit::Vehicles, neighbours)
            }));
        }
    }
    cells
}

fn millis(measured: &Measured<'_>, of: &Quantity) -> Option<f64> {
    Some(measured(of)?.amount.in_unit(Unit::Milliseconds))
}

fn shown(place: &str, name: String, unit: Unit, number: f64) -> Cell {
    Cell {
        measured: Some(number),
        class: Some(Class::Measured),
        ..cell(place, name, unit)
    }
}
