//! Tracks as CSV, a line at a time: a quotation mark that is damaged costs its line only.

use std::io::BufRead;
use std::str::FromStr;

use csv::{ReaderBuilder, StringRecord};

use crate::collect::Tracks;
use crate::delimited::{column, is_skipped, separator};
use crate::error::{Location, ReadError, TrackCause, shortened};
use crate::faults::{Faults, TrackFaultKind};
use crate::input::{Counted, CutOff};
use crate::number::{altitude, heading, latitude, longitude, no_zone, speed, time};
use crate::sample::Sample;

const KM_H: f64 = 3.6;
/// The vehicle of a file that names none.
const ALONE: &str = "vehicle";
/// The places of the fields below.
const TIME: usize = 0;
const LATITUDE: usize = 1;
const LONGITUDE: usize = 2;
const ALTITUDE: usize = 3;
const SPEED: usize = 4;
const SPEED_KM_H: usize = 5;
const HEADING: usize = 6;
const VEHICLE: usize = 7;

/// The fields of a sample, and how files name their columns, in small letters. The last ones are
/// those of ms-van3t and of GPSLogger.
const FIELDS: [(&str, &[&str]); 8] = [
    ("time", &["time", "time_s", "timestamp", "timestamp_posix"]),
    ("latitude", &["latitude", "lat", "latitude_deg"]),
    ("longitude", &["longitude", "lon", "lng", "longitude_deg"]),
    (
        "altitude",
        &["altitude", "altitude_m", "alt", "elevation", "ele"],
    ),
    ("speed", &["speed", "speed_m_s", "speed_ms"]),
    ("speed_km_h", &["speed_km_h", "speed_kmh", "speedkph"]),
    (
        "heading",
        &[
            "heading",
            "course",
            "heading_degrees",
            "heading_deg",
            "bearing",
        ],
    ),
    (
        "vehicle",
        &["vehicle", "id", "vehicle_id", "agent_id", "vehid"],
    ),
];

/// The names of columns that are not named as usual: `time=t,latitude=y`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames([Option<String>; FIELDS.len()]);

impl ColumnNames {
    /// Returns true if all columns are named as usual.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl FromStr for ColumnNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut names = Self::default();
        for one in text.split(',') {
            let both = one
                .split_once('=')
                .map(|(field, name)| (field.trim(), name.trim()));
            let both = both.filter(|(_, name)| !name.is_empty());
            let known = both.and_then(|(field, name)| {
                let at = FIELDS.iter().position(|(one, _)| *one == field)?;
                Some((names.0.get_mut(at)?, name))
            });
            let Some((place, name)) = known else {
                let fields = FIELDS.map(|(field, _)| field).join(", ");
                return Err(format!(
                    "{one:?}: FIELD=NAME is expected, several separated by commas; fields: {fields}"
                ));
            };
            if place.replace(name.to_owned()).is_some() {
                return Err(format!("{one:?}: this field is named twice"));
            }
        }
        Ok(names)
    }
}

/// The column of each field.
struct Columns([Option<usize>; FIELDS.len()]);

impl Columns {
    fn of(present: &StringRecord, names: &ColumnNames) -> Result<Self, TrackCause> {
        let mut columns = [None; FIELDS.len()];
        let all = columns.iter_mut().zip(&names.0).zip(FIELDS).enumerate();
        for (at, ((column, own), (field, usual))) in all {
            let is_it = |name: &str| {
                let name = name.trim().trim_start_matches('\u{feff}');
                match own {
                    Some(own) => name.eq_ignore_ascii_case(own),
                    None => usual.contains(&name.to_ascii_lowercase().as_str()),
                }
            };
            *column = present.iter().position(is_it);
            if column.is_none() && (own.is_some() || at <= LONGITUDE) {
                let names: Vec<&str> = present.iter().map(str::trim).collect();
                return Err(TrackCause::Column {
                    field,
                    named: own
                        .as_deref()
                        .map_or(String::new(), |own| format!(" {own:?}")),
                    present: names.join(", ").chars().take(300).collect(),
                });
            }
        }
        Ok(Self(columns))
    }

    fn text<'a>(&self, record: &'a StringRecord, field: usize) -> Option<&'a str> {
        let at = self.0.get(field).copied().flatten();
        at.and_then(|at| column(record, at))
    }

    fn take(
        &self,
        record: &StringRecord,
        location: Location,
        tracks: &mut Tracks,
    ) -> Result<(), ReadError> {
        let needed = |field| self.text(record, field).unwrap_or_default();
        let read = || {
            let place = (
                latitude("latitude", needed(LATITUDE))?,
                longitude("longitude", needed(LONGITUDE))?,
            );
            Ok((time("time", needed(TIME))?, place))
        };
        let faults = &mut tracks.faults;
        let (time, (latitude, longitude)) = match read() {
            Ok(read) => read,
            Err(cause) => {
                let kind = match needed(TIME).is_empty() {
                    true => TrackFaultKind::NoTime,
                    false => TrackFaultKind::Damaged,
                };
                return faults.add(kind, location, cause);
            }
        };
        if !time.has_zone {
            faults.add(
                TrackFaultKind::NoZone,
                location,
                no_zone("time", needed(TIME)),
            )?;
        }
        let sample = Sample {
            time_s: time.seconds,
            latitude,
            longitude,
            altitude_m: self.optional(record, ALTITUDE, altitude, location, faults)?,
            speed_m_s: match self.optional(record, SPEED, speed, location, faults)? {
                Some(speed) => Some(speed),
                None => self
                    .optional(record, SPEED_KM_H, speed, location, faults)?
                    .map(|speed| speed / KM_H),
            },
            heading_degrees: self.optional(record, HEADING, heading, location, faults)?,
        };
        let name = self.text(record, VEHICLE).unwrap_or(ALONE);
        tracks.add(name, sample, location)
    }

    fn optional(
        &self,
        record: &StringRecord,
        field: usize,
        read: fn(&str, &str) -> Result<f64, TrackCause>,
        location: Location,
        faults: &mut Faults,
    ) -> Result<Option<f64>, ReadError> {
        let Some(text) = self.text(record, field) else {
            return Ok(None);
        };
        let name = FIELDS.get(field).map_or("", |(name, _)| name);
        match read(name, text) {
            Ok(number) => Ok(Some(number)),
            Err(cause) => {
                faults.add(TrackFaultKind::LeftOut, location, cause)?;
                Ok(None)
            }
        }
    }
}

/// Splits a line into its fields.
fn split(line: &str, separator: u8, record: &mut StringRecord) -> Result<(), TrackCause> {
    record.clear();
    if !line.contains('"') {
        record.extend(line.split(char::from(separator)));
        return Ok(());
    }
    let mut builder = ReaderBuilder::new();
    builder
        .delimiter(separator)
        .has_headers(false)
        .buffer_capacity(line.len() + 1);
    let read = builder.from_reader(line.as_bytes()).read_record(record);
    read.map_err(|_| TrackCause::Csv(shortened(line)))?;
    Ok(())
}

/// Reads tracks. Where compressed data are cut, numbers of the last line may be, too: it is left
/// out.
pub(crate) fn read(
    input: impl BufRead,
    names: &ColumnNames,
    tracks: &mut Tracks,
    cut: &CutOff,
) -> Result<(), ReadError> {
    let mut input = Counted::new(input);
    let (mut bytes, mut record) = (Vec::new(), StringRecord::new());
    let mut known: Option<(u8, Columns)> = None;
    loop {
        let line = input.line();
        let is_there = input.read_line(&mut bytes);
        if !is_there.map_err(|error| ReadError::at_line(line, error.into()))? {
            return Ok(());
        }
        let has_end = input.line() > line;
        if !has_end && cut.borrow().is_some() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&bytes);
        if is_skipped(&text) {
            continue;
        }
        let own = known
            .as_ref()
            .map_or_else(|| separator(&bytes), |(own, _)| *own);
        let is_split = split(&text, own, &mut record);
        let Some((_, columns)) = &known else {
            is_split.map_err(|cause| ReadError::at_line(line, cause))?;
            if bytes.contains(&b'\r') {
                let why = "a carriage return alone ends its lines: save it with line feeds";
                return Err(ReadError::at_line(line, TrackCause::Csv(why.to_owned())));
            }
            let columns = Columns::of(&record, names);
            known = Some((
                own,
                columns.map_err(|cause| ReadError::at_line(line, cause))?,
            ));
            continue;
        };
        let location = Location::Line(line);
        match is_split {
            Ok(()) => columns.take(&record, location, tracks)?,
            Err(cause) => tracks
                .faults
                .add(TrackFaultKind::Damaged, location, cause)?,
        }
    }
}
