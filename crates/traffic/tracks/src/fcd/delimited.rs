//! FCD as CSV: `timestep_time;vehicle_id;vehicle_x;vehicle_y;...`, one row a vehicle.

use std::io::BufRead;

use csv::StringRecord;

use super::rows::{Grouping, Row};
use super::{Names, Partial, TimeStep};
use crate::delimited::{Rows, column};
use crate::error::{Location, ReadError, TrackCause};
use crate::number::{finite, heading, speed};

pub(super) const TIME: &str = "timestep_time";
pub(super) const ID: &str = "vehicle_id";
pub(super) const X: &str = "vehicle_x";
pub(super) const Y: &str = "vehicle_y";
const ROW: &str = "the line of names";

pub(super) struct Steps<R> {
    rows: Rows<R>,
    columns: Columns,
    grouping: Grouping,
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

impl<R: BufRead> Steps<R> {
    pub(super) fn new(input: R) -> Result<Self, ReadError> {
        let rows = Rows::new(input)?;
        let find = |name| rows.position(&[name]);
        let needed =
            |name| find(name).ok_or_else(|| rows.fault(TrackCause::Missing { inside: ROW, name }));
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
            grouping: Grouping::default(),
        })
    }

    /// The next time step, if there is one, and where it ends.
    pub(super) fn next(
        &mut self,
        names: &mut Names,
    ) -> Result<(Location, Option<TimeStep>), ReadError> {
        let Self {
            rows,
            columns,
            grouping,
        } = self;
        let step = grouping.next(|| {
            let Some((line, record)) = rows.next()? else {
                return Ok(None);
            };
            let row = columns.row(record, line, names);
            row.map(Some)
                .map_err(|cause| ReadError::at_line(line, cause))
        })?;
        Ok(step.unwrap_or((Location::Line(self.rows.line()), None)))
    }
}

impl Columns {
    fn row(&self, record: &StringRecord, line: u64, names: &mut Names) -> Result<Row, TrackCause> {
        let text = |at| column(record, at);
        let time = text(self.time).unwrap_or_default();
        let time_s = finite(TIME, time)?;
        let Some(id) = text(self.id) else {
            if text(self.x).is_some() || text(self.y).is_some() {
                let inside = "the row";
                return Err(TrackCause::Missing { inside, name: ID });
            }
            return Ok(Row {
                location: Location::Line(line),
                time_s,
                vehicle: None,
            });
        };
        let number = |name, at: Option<usize>, read: fn(&str, &str) -> Result<f64, TrackCause>| {
            let text = at.and_then(text);
            text.map(|text| read(name, text)).transpose()
        };
        let partial = Partial {
            number: Some(names.number(id, time_s)?),
            x: number(X, Some(self.x), finite)?,
            y: number(Y, Some(self.y), finite)?,
            z: number("vehicle_z", self.z, finite)?,
            speed_m_s: number("vehicle_speed", self.speed, speed)?,
            heading_degrees: number("vehicle_angle", self.angle, heading)?,
        };
        let vehicle = Some(partial.complete("the row", [ID, X, Y])?);
        Ok(Row {
            location: Location::Line(line),
            time_s,
            vehicle,
        })
    }
}
