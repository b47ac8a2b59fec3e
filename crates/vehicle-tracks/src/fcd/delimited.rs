//! FCD as CSV: `timestep_time;vehicle_id;vehicle_x;vehicle_y;...`, one row a vehicle.

use std::io::BufRead;

use csv::StringRecord;

use super::{Names, Partial, TimeStep, Vehicle};
use crate::delimited::{Rows, column};
use crate::error::{Cause, ReadError};
use crate::number::{finite, heading, speed};

const TIME: &str = "timestep_time";
const ID: &str = "vehicle_id";
const X: &str = "vehicle_x";
const Y: &str = "vehicle_y";
const ROW: &str = "the line of names";

pub(super) struct Steps<R> {
    rows: Rows<R>,
    columns: Columns,
    /// The first row of the next time step.
    next: Option<Row>,
}

struct Columns {
    time: usize,
    id: usize,
    x: usize,
    y: usize,
    z: Option<usize>,
    speed: Option<usize>,
    angle: Option<usize>,
}

/// A row; an empty time step has one without a vehicle.
struct Row {
    line: u64,
    time_s: f64,
    vehicle: Option<Vehicle>,
}

impl<R: BufRead> Steps<R> {
    pub(super) fn new(input: R) -> Result<Self, ReadError> {
        let rows = Rows::new(input)?;
        let find = |name| rows.position(&[name]);
        let needed =
            |name| find(name).ok_or_else(|| rows.fault(Cause::Missing { inside: ROW, name }));
        let columns = Columns {
            time: needed(TIME)?,
            id: needed(ID)?,
            x: needed(X)?,
            y: needed(Y)?,
            z: find("vehicle_z"),
            speed: find("vehicle_speed"),
            angle: find("vehicle_angle"),
        };
        Ok(Self {
            rows,
            columns,
            next: None,
        })
    }

    /// The next time step and its line, if there is one.
    pub(super) fn next(&mut self, names: &mut Names) -> Result<(u64, Option<TimeStep>), ReadError> {
        let first = match self.next.take() {
            Some(row) => Some(row),
            None => self.row(names)?,
        };
        let Some(first) = first else {
            return Ok((self.rows.line(), None));
        };
        let mut line = first.line;
        let mut step = TimeStep {
            time_s: first.time_s,
            vehicles: first.vehicle.into_iter().collect(),
        };
        while let Some(row) = self.row(names)? {
            if row.time_s != step.time_s {
                self.next = Some(row);
                break;
            }
            line = row.line;
            step.vehicles.extend(row.vehicle);
        }
        Ok((line, Some(step)))
    }

    fn row(&mut self, names: &mut Names) -> Result<Option<Row>, ReadError> {
        let Some((line, record)) = self.rows.next()? else {
            return Ok(None);
        };
        let row = self.columns.row(record, line, names);
        row.map(Some).map_err(|cause| ReadError { line, cause })
    }
}

impl Columns {
    fn row(&self, record: &StringRecord, line: u64, names: &mut Names) -> Result<Row, Cause> {
        let text = |at| column(record, at);
        let time = text(self.time).unwrap_or_default();
        let time_s = finite(TIME, time)?;
        let Some(id) = text(self.id) else {
            return Ok(Row {
                line,
                time_s,
                vehicle: None,
            });
        };
        let number = |name, at: Option<usize>, read: fn(&str, &str) -> Result<f64, Cause>| {
            let text = at.and_then(text);
            text.map(|text| read(name, text)).transpose()
        };
        let partial = Partial {
            number: Some(names.number(id)),
            x: number(X, Some(self.x), finite)?,
            y: number(Y, Some(self.y), finite)?,
            z: number("vehicle_z", self.z, finite)?,
            speed_m_s: number("vehicle_speed", self.speed, speed)?,
            heading_degrees: number("vehicle_angle", self.angle, heading)?,
        };
        let vehicle = Some(partial.complete("the row", [ID, X, Y])?);
        Ok(Row {
            line,
            time_s,
            vehicle,
        })
    }
}
