//! CSV with a line of names: separated by semicolons, commas or tabs, whichever the names have.

use std::io::BufRead;

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::collect::Tracks;
use crate::error::{Cause, ReadError};
use crate::input::Counted;
use crate::number::{altitude, heading, latitude, longitude, speed, time};
use crate::sample::Sample;

const KM_H: f64 = 3.6;
/// The vehicle of a file that names none.
const ALONE: &str = "vehicle";

/// The rows of a file, with the lines that they begin in.
pub(crate) struct Rows<R> {
    reader: Reader<Counted<R>>,
    names: StringRecord,
    record: StringRecord,
    /// The line of names.
    passed: u64,
}

/// Tells which separator a line of names has.
fn separator(line: &[u8]) -> u8 {
    let count = |one: u8| line.iter().filter(|byte| **byte == one).count();
    let separators = [b',', b';', b'\t'].into_iter();
    separators.max_by_key(|one| count(*one)).unwrap_or(b',')
}

/// A sign that makes a line a remark.
const REMARK: char = '#';

impl<R: BufRead> Rows<R> {
    /// Reads the line of names.
    pub(crate) fn new(input: R) -> Result<Self, ReadError> {
        let mut input = Counted::new(input);
        let mut names = Vec::new();
        let line = loop {
            let line = input.line();
            let read = input.read_line(&mut names);
            let is_there = read.map_err(|error| ReadError::at_line(line, error.into()))?;
            let text = String::from_utf8_lossy(&names);
            if !is_there || !(text.trim().is_empty() || text.starts_with(REMARK)) {
                break line;
            }
        };
        let separator = separator(&names);
        let reader = |from_names: bool| {
            let mut builder = ReaderBuilder::new();
            builder.delimiter(separator).has_headers(from_names);
            // Remarks have as many fields as they like.
            builder.flexible(true);
            builder
        };
        let mut first = reader(true).from_reader(&names[..]);
        let first = first.headers();
        Ok(Self {
            names: first
                .map_err(|error| ReadError::at_line(line, fault(error)))?
                .clone(),
            reader: reader(false).from_reader(input),
            record: StringRecord::new(),
            passed: line,
        })
    }

    /// The place of a column that has one of these names, in small letters.
    pub(crate) fn position(&self, names: &[&str]) -> Option<usize> {
        let is_one = |name: &str| {
            let name = name.trim().trim_start_matches('\u{feff}');
            names.contains(&name.to_ascii_lowercase().as_str())
        };
        self.names.iter().position(is_one)
    }

    pub(crate) fn line(&self) -> u64 {
        self.passed + self.reader.position().line()
    }

    /// A fault in the line of names.
    pub(crate) fn fault(&self, cause: Cause) -> ReadError {
        let line = self.passed;
        ReadError::at_line(line, cause)
    }

    /// Reads the next row that is no remark.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &StringRecord)>, ReadError> {
        loop {
            self.reader.get_mut().pause();
            let line = self.line();
            let read = self.reader.read_record(&mut self.record);
            let cause = |error| ReadError::at_line(line, fault(error));
            if !read.map_err(cause)? {
                return Ok(None);
            }
            if !self
                .record
                .get(0)
                .is_some_and(|one| one.starts_with(REMARK))
            {
                return Ok(Some((line, &self.record)));
            }
        }
    }
}

fn fault(error: csv::Error) -> Cause {
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Cause::Input(error),
        _ => Cause::Csv(text),
    }
}

/// A field that is not empty.
pub(crate) fn column(record: &StringRecord, at: usize) -> Option<&str> {
    let text = record.get(at)?.trim();
    (!text.is_empty()).then_some(text)
}

/// Where the columns of a track are.
struct Columns {
    time: usize,
    latitude: usize,
    longitude: usize,
    altitude: Option<usize>,
    speed: Option<usize>,
    speed_km_h: Option<usize>,
    heading: Option<usize>,
    name: Option<usize>,
}

impl Columns {
    fn of<R: BufRead>(rows: &Rows<R>) -> Result<Self, ReadError> {
        let needed = |names: &[&'static str]| {
            let name = names.first().copied().unwrap_or_default();
            let inside = "the line of names";
            let missing = || rows.fault(Cause::Missing { inside, name });
            rows.position(names).ok_or_else(missing)
        };
        Ok(Self {
            time: needed(&["time", "time_s", "timestamp"])?,
            latitude: needed(&["latitude", "lat"])?,
            longitude: needed(&["longitude", "lon", "lng"])?,
            altitude: rows.position(&["altitude", "altitude_m", "alt", "elevation", "ele"]),
            speed: rows.position(&["speed", "speed_m_s"]),
            speed_km_h: rows.position(&["speed_km_h", "speed_kmh"]),
            heading: rows.position(&["heading", "course", "heading_degrees"]),
            name: rows.position(&["vehicle", "id", "vehicle_id"]),
        })
    }

    fn sample(&self, record: &StringRecord) -> Result<Sample, Cause> {
        let text = |at: usize| column(record, at).unwrap_or_default();
        let optional = |at: Option<usize>| at.and_then(|at| column(record, at));
        let fast = |text| speed("speed", text);
        let slow = optional(self.speed_km_h).map(|text| Ok(speed("speed_km_h", text)? / KM_H));
        Ok(Sample {
            time_s: time("time", text(self.time))?,
            latitude: latitude("latitude", text(self.latitude))?,
            longitude: longitude("longitude", text(self.longitude))?,
            altitude_m: optional(self.altitude)
                .map(|text| altitude("altitude", text))
                .transpose()?,
            speed_m_s: optional(self.speed).map(fast).or(slow).transpose()?,
            heading_degrees: optional(self.heading)
                .map(|text| heading("heading", text))
                .transpose()?,
        })
    }
}

/// Reads tracks.
pub(crate) fn read(input: impl BufRead, tracks: &mut Tracks) -> Result<(), ReadError> {
    let mut rows = Rows::new(input)?;
    let columns = Columns::of(&rows)?;
    while let Some((line, record)) = rows.next()? {
        let name = columns.name.and_then(|at| column(record, at));
        let sample = columns.sample(record);
        let added = sample.and_then(|sample| tracks.add(name.unwrap_or(ALONE), sample));
        added.map_err(|cause| ReadError::at_line(line, cause))?;
    }
    Ok(())
}
