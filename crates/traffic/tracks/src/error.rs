//! Errors of files of tracks: fault, place, and expected content.

use std::{fmt, io};

use crate::track::TrackError;

/// A fault in a file, and where it is.
#[derive(Debug, thiserror::Error)]
#[error("{location}: {cause}")]
pub struct ReadError {
    /// Place of the fault; for a compressed file in the decompressed content.
    pub location: Location,
    /// Fault of the file.
    pub cause: TrackCause,
}

impl ReadError {
    pub(crate) fn at_line(line: u64, cause: TrackCause) -> Self {
        Self {
            location: Location::Line(line),
            cause,
        }
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line of text, counted from 1.
    Line(u64),
    /// A row of a Parquet file, counted from 1; 0 is its description.
    Row(u64),
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(out, "line {line}"),
            Self::Row(row) => write!(out, "row {row}"),
        }
    }
}

/// Fault of a file.
#[derive(Debug, thiserror::Error)]
pub enum TrackCause {
    /// The bytes do not arrive, or are damaged on their way.
    #[error("{0}")]
    Input(#[from] io::Error),
    /// It is none of the formats.
    #[error("neither GPX, NMEA 0183, CSV with a line of names, nor floating car data of SUMO")]
    Unknown,
    /// It is not XML.
    #[error("not XML: {0}")]
    Xml(String),
    /// It is not CSV.
    #[error("not CSV: {0}")]
    Csv(String),
    /// It is not Parquet, or Parquet of a kind that is not read.
    #[error("not Parquet: {0}")]
    Parquet(String),
    /// An element or a column is not there.
    #[error("{inside} has no {name}")]
    Missing {
        /// Element or file that should have it.
        inside: &'static str,
        /// Name of the missing element or column.
        name: &'static str,
    },
    /// A value is no number, or out of its range.
    #[error("{name}={value:?}: {expected} is expected")]
    Value {
        /// The name of the attribute or the column.
        name: String,
        /// The text there, shortened.
        value: String,
        /// Description of the expected value.
        expected: &'static str,
    },
    /// An element stands where none of its kind may.
    #[error("<{element}> {place}")]
    Misplaced {
        /// Name of the element.
        element: &'static str,
        /// Place in which it may not stand.
        place: &'static str,
    },
    /// A sentence of NMEA 0183 is damaged.
    #[error("NMEA sentence: {0}")]
    Sentence(String),
    /// Time does not go on.
    #[error("the time {time_s} s follows on {last_s} s: it has to rise from step to step")]
    Order {
        /// The later time in the file, in seconds.
        time_s: f64,
        /// The time before it.
        last_s: f64,
    },
    /// A vehicle stands twice in a time step.
    #[error("vehicle {0:?} stands twice in a time step")]
    Twice(String),
    /// The file ends too early.
    #[error("the file ends inside <{0}>: it was cut off while it was written")]
    CutOff(&'static str),
    /// Samples of a vehicle do not make a track.
    #[error("{name}: {cause}")]
    Track {
        /// Name of the vehicle.
        name: String,
        /// Reason of the rejection.
        cause: TrackError,
    },
    /// There are more samples than one file may have.
    #[error("more than {0} samples; cut the file into parts")]
    TooMany(usize),
    /// All sentences of a receiver are without a fix.
    #[error("no sentence has a fix, a time and a date: {0} say that there is no fix")]
    NoFix(u64),
    /// A time has no zone.
    #[error("{name}={value:?}: a time without a zone; it ends in Z for UTC, or in +02:00")]
    NoZone {
        /// The name of the element or the column.
        name: String,
        /// The text there, shortened.
        value: String,
    },
    /// A column is not there.
    #[error(
        "the line of names has no {field}{named}; it has {present}. Say which one it is with \
         --columns {field}=NAME"
    )]
    Column {
        /// The field that the column has.
        field: &'static str,
        /// The name that the caller gives it, after a space.
        named: String,
        /// The names that are there.
        present: String,
    },
    /// A position has the time of the one before.
    #[error("the time {0} s is that of the position before")]
    SameTime(f64),
    /// There is no sample at all, with what one needs.
    #[error("no vehicle has a position and a time; expected: {0}")]
    Empty(&'static str),
    /// There is no byte at all.
    #[error("the file is empty: GPX, NMEA 0183, CSV or floating car data of SUMO is expected")]
    NoBytes,
    /// Compressed data end early, or are damaged.
    #[error("the compressed data end early or are damaged from here on: {0}")]
    Compressed(String),
    /// A network without a road.
    #[error("there is no road for cars in it: a network of SUMO (.net.xml) is expected")]
    NoRoad,
    /// Coordinates are metres on a plane whose place is not known.
    #[error(
        "x={x} y={y}: not degrees; write them with `sumo --fcd-output.geo`, or say with --origin \
         where the network's 0,0 lies"
    )]
    Plane {
        /// The first coordinate.
        x: f64,
        /// The second one.
        y: f64,
    },
}

impl TrackCause {
    pub(crate) fn twice(name: &str) -> Self {
        Self::Twice(shortened(name))
    }
}

/// The longest piece of a broken file that an error quotes, in characters.
const QUOTE_MAX: usize = 40;

/// Names a value that is wrong.
pub(crate) fn value(name: &str, value: &str, expected: &'static str) -> TrackCause {
    TrackCause::Value {
        name: shortened(name),
        value: shortened(value),
        expected,
    }
}

/// The first characters of a piece of a file.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(QUOTE_MAX).collect()
}
