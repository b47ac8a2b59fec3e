//! Stations where vehicles were.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_station::Motion;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};
use waywarden_vehicle_tracks::{MotionState, NamedTrack, TrackFault, TrackSettings, read};

use super::StationCommand;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;

/// Recorded tracks, a vehicle each.
#[derive(Clone)]
pub(super) struct Tracks {
    tracks: Arc<[NamedTrack]>,
    faults: Arc<[TrackFault]>,
    /// Time at which the first vehicle appears: the start of the run, in seconds.
    begin_s: f64,
}

impl Tracks {
    pub(super) fn open(options: &StationCommand, path: &Path) -> Result<Self, Failure> {
        let failed = |what: String| {
            let path = path.display().to_string();
            Failure::new(format_args!("{}: {}", plain(&path), plain(&what)))
        };
        let settings = TrackSettings {
            origin: options.origin,
            is_strict: options.strict,
            columns: options.columns.clone().unwrap_or_default(),
        };
        let recording = read(BufReader::new(files::open(path)?), &settings);
        let recording = recording.map_err(|error| failed(error.to_string()))?;
        note(path, &recording.tracks, &recording.faults);
        let tracks = recording.tracks;
        let stations = usize::from(options.stations);
        if stations > tracks.len() {
            return Err(failed(format!(
                "--stations {stations}: it has {} vehicles",
                tracks.len()
            )));
        }
        let begins = tracks.iter().map(|one| one.track.begin_s());
        Ok(Self {
            begin_s: begins.fold(f64::INFINITY, f64::min),
            tracks: tracks.into(),
            faults: recording.faults.into(),
        })
    }

    /// Returns what was taken of the file and what was not.
    pub(super) fn read(&self) -> RecordingRead {
        let faults = self.faults.iter().map(|fault| FaultCount {
            kind: fault.kind.name(),
            is_fault: fault.kind.is_fault(),
            count: fault.count,
            first: fault.first.to_string().replace(' ', "-"),
            first_cause: fault.cause.clone(),
        });
        RecordingRead {
            positions: positions(&self.tracks),
            faults: faults.collect(),
        }
    }

    /// The latitude and the longitude of the first sample.
    pub(super) fn begin(&self) -> (f64, f64) {
        let first = self
            .tracks
            .first()
            .and_then(|one| one.track.samples().next());
        first.map_or((0.0, 0.0), |one| (one.latitude, one.longitude))
    }

    /// Returns the time until the last of the first `stations` vehicles has left.
    pub(super) fn duration(&self, stations: usize) -> Duration {
        let own = self.tracks.iter().take(stations);
        let end_s = own
            .map(|one| one.track.end_s())
            .fold(self.begin_s, f64::max);
        Duration::try_from_secs_f64(end_s - self.begin_s).unwrap_or_default()
    }

    /// Returns a station's motion at `elapsed` after the start. A hostile station follows the first
    /// one. Before its first sample a station has no position: `Err`.
    pub(super) fn motion(
        &self,
        station: usize,
        elapsed: Duration,
        time: Time64,
    ) -> Result<Option<Motion>, NotThere> {
        let own = self.tracks.get(station).or(self.tracks.first());
        let track = &own.ok_or(NotThere)?.track;
        let time_s = self.begin_s + elapsed.as_secs_f64();
        match time_s < track.begin_s() {
            true => Err(NotThere),
            false => Ok(track.at(time_s).map(|state| motion(&state, time))),
        }
    }
}

/// Says on standard error what was skipped. Sentences that are no faults are named beside faults
/// only, for every recording of a receiver has some.
fn note(path: &Path, tracks: &[NamedTrack], faults: &[TrackFault]) {
    if !faults.iter().any(|fault| fault.kind.is_fault()) {
        return;
    }
    let path = path.display().to_string();
    let path = plain(&path);
    let taken = positions(tracks);
    for fault in faults {
        eprintln!("note: {path}: {}", plain(&fault.to_string()));
    }
    eprintln!("note: {path}: {taken} positions taken; --strict refuses a file with faults");
}

fn positions(tracks: &[NamedTrack]) -> usize {
    tracks.iter().map(|one| one.track.samples().len()).sum()
}

/// Counts of the recording of `--position track:FILE`.
#[derive(Serialize, JsonSchema)]
pub(super) struct RecordingRead {
    /// Positions that were taken.
    positions: usize,
    /// Pieces that were skipped or changed, or that are no positions, by kind.
    faults: Vec<FaultCount>,
}

/// Pieces of a recording of one kind.
#[derive(Serialize, JsonSchema)]
struct FaultCount {
    /// Their kind, such as `damaged`.
    kind: &'static str,
    /// True if `--strict` refuses them.
    is_fault: bool,
    /// Their number.
    count: u64,
    /// Place of the first one, such as `line-7`.
    first: String,
    /// Cause of the first one; empty if the kind says it all.
    first_cause: String,
}

/// A vehicle that has not appeared yet.
pub(super) struct NotThere;

/// The movement in the units of messages.
fn motion(state: &MotionState, time: Time64) -> Motion {
    let height = state
        .altitude_m
        .map(|metres| (metres * 10.0).round() as i32);
    let elevation = height.and_then(Elevation::from_decimetres);
    // One step less than -180 degrees is not in the standard's range.
    let east = ((state.longitude * 1e7).round() as i32).max(-1_799_999_999);
    let location = ThreeDLocation {
        latitude: Latitude((state.latitude * 1e7).round() as i32),
        longitude: Longitude(east),
        // As for gpsd: on the ellipsoid, where the height is not known.
        elevation: elevation.unwrap_or(Elevation(4_096)),
    };
    let tenths = |degrees: f64| (degrees * 10.0).round() as u16 % 3_600;
    Motion {
        heading_decidegrees: state.heading_degrees.map(tenths),
        // The conversion from floating point saturates.
        speed_cm_s: Some((state.speed_m_s * 100.0).round() as u16),
        acceleration_cm_s2: Some((state.acceleration_m_s2 * 100.0).round() as i16),
        yaw_rate_centidegrees_s: Some((state.yaw_rate_degrees_s * 100.0).round() as i16),
        ..Motion::at(location, time)
    }
}
