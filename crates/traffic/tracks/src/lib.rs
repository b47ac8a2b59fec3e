//! Positions of vehicles over time: recorded tracks (GPX, NMEA 0183, CSV) and the floating car data
//! (FCD) of the traffic simulator SUMO.
//!
//! Bytes come in through readers that the caller opened; nothing here opens a file or reads a
//! clock. [`read()`] keeps the tracks of a whole file and counts what it skips,
//! [`fcd::TimeSteps`] streams FCD in the memory of one time step. [`read_buildings`] and
//! [`read_network`] read what stands around roads, and the roads. Every reader names the line or
//! the row of what it refuses, and never panics. Read `docs/vehicle-tracks.md` first.
#![forbid(unsafe_code)]

mod buildings;
mod collect;
mod delimited;
mod error;
mod faults;
pub mod fcd;
mod format;
mod gpx;
mod input;
mod local;
mod markup;
mod network;
mod nmea;
mod number;
mod read;
mod sample;
mod select;
mod table;
mod text;
mod track;
mod xml;

pub use buildings::{CORNERS_MAX, Outline, read_buildings};
pub use collect::{NamedTrack, SAMPLES_MAX};
pub use error::{Location, ReadError, TrackCause};
pub use faults::{TrackFault, TrackFaultKind};
pub use format::{TrackFormat, detect};
pub use input::{LINE_MAX, decompressed};
pub use local::PlaneOrigin;
pub use network::{Edge, read_network};
pub use read::{TrackRecording, TrackSettings, read};
pub use sample::Sample;
pub use table::ColumnNames;
pub use track::{GAP_S, MotionState, SPEED_MAX_M_S, Track, TrackError};
