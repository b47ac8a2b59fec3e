//! Rows of a table, one a vehicle, gathered into time steps.

use super::{FcdVehicle, TimeStep};
use crate::error::{Location, ReadError};

/// A row; an empty time step has one without a vehicle.
pub(super) struct Row {
    pub(super) location: Location,
    pub(super) time_s: f64,
    pub(super) vehicle: Option<FcdVehicle>,
}

/// Gathers the rows of one time.
#[derive(Default)]
pub(super) struct Grouping {
    /// The first row of the next time step.
    next: Option<Row>,
}

impl Grouping {
    /// Returns the next time step and where it ends; `None` after the last one. `row` reads the
    /// next row.
    pub(super) fn next(
        &mut self,
        mut row: impl FnMut() -> Result<Option<Row>, ReadError>,
    ) -> Result<Option<(Location, Option<TimeStep>)>, ReadError> {
        let first = match self.next.take() {
            Some(first) => Some(first),
            None => row()?,
        };
        let Some(first) = first else { return Ok(None) };
        let mut location = first.location;
        let mut step = TimeStep {
            time_s: first.time_s,
            vehicles: first.vehicle.into_iter().collect(),
        };
        while let Some(other) = row()? {
            if other.time_s != step.time_s {
                self.next = Some(other);
                break;
            }
            location = other.location;
            step.vehicles.extend(other.vehicle);
        }
        Ok(Some((location, Some(step))))
    }
}
