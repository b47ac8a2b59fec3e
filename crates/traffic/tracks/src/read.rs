//! A whole file as tracks.

use std::io::{BufRead, BufReader};

use crate::collect::{NamedTrack, Tracks};
use crate::error::{Location, ReadError, TrackCause};
use crate::faults::{TrackFault, TrackFaultKind};
use crate::fcd::{FcdVehicle, TimeSteps};
use crate::format::{TrackFormat, detect};
use crate::input::{UpToCut, decompressed};
use crate::local::PlaneOrigin;
use crate::sample::Sample;
use crate::table::{self, ColumnNames};
use crate::text::{begin, decoded};
use crate::{gpx, nmea};

/// Settings of a reader.
#[derive(Clone, Debug, Default)]
pub struct TrackSettings {
    /// The place of 0,0 of floating car data in metres; without it, they must be in degrees.
    pub origin: Option<PlaneOrigin>,
    /// True to refuse a file for its first fault.
    pub is_strict: bool,
    /// The columns of CSV.
    pub columns: ColumnNames,
}

/// The tracks of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackRecording {
    /// The vehicles, in the order in which they appear.
    pub tracks: Vec<NamedTrack>,
    /// The faults that did not cost the whole, by kind, in the order in which they appear.
    pub faults: Vec<TrackFault>,
}

/// Reads a file of any of the formats, compressed by gzip or not, in UTF-8 or UTF-16. What is
/// damaged in a recording is skipped and counted, unless the reader is strict. Floating car data
/// come from a program: their faults are always refused.
///
/// # Errors
/// [`ReadError`] for a file in which nothing can be read, for lines and files that are too long,
/// for a vehicle most of whose samples jump, and for faults if the reader is strict.
pub fn read(input: impl BufRead, settings: &TrackSettings) -> Result<TrackRecording, ReadError> {
    let first = |cause: TrackCause| ReadError::at_line(1, cause);
    let fault = |error: std::io::Error| first(error.into());
    let (input, cut) = UpToCut::new(decompressed(input).map_err(fault)?);
    let input = decoded(BufReader::new(input)).map_err(fault)?;
    let (begin, input) = begin(input).map_err(fault)?;
    // The cut is the fault if it comes so early that no format is recognized.
    let cut_or = |cause| match cut.take() {
        Some((line, error)) => ReadError::at_line(line, TrackCause::Compressed(error.to_string())),
        None => first(cause),
    };
    if begin.is_empty() {
        return Err(cut_or(TrackCause::NoBytes));
    }
    let named = (!settings.columns.is_empty()).then_some(TrackFormat::Delimited);
    let format = named.or_else(|| detect(&begin));
    let format = format.ok_or_else(|| cut_or(TrackCause::Unknown))?;
    let mut tracks = Tracks::new(settings.is_strict || format.is_fcd());
    match format {
        TrackFormat::Gpx => gpx::read(input, &mut tracks)?,
        TrackFormat::Nmea => nmea::read(input, &mut tracks)?,
        TrackFormat::Delimited => table::read(input, &settings.columns, &mut tracks, &cut)?,
        TrackFormat::SumoXml | TrackFormat::SumoDelimited => {
            let mut steps = TimeSteps::of(format, input)?;
            floating_car_data(&mut steps, settings.origin, &mut tracks)?;
        }
    }
    if let Some((line, error)) = cut.take() {
        let cause = TrackCause::Compressed(error.to_string());
        let faults = &mut tracks.faults;
        faults.add(TrackFaultKind::CutOff, Location::Line(line), cause)?;
    }
    let (tracks, faults) = tracks.finish(format.position())?;
    Ok(TrackRecording {
        tracks,
        faults: faults.into_kinds(),
    })
}

fn floating_car_data(
    steps: &mut TimeSteps<'_>,
    origin: Option<PlaneOrigin>,
    tracks: &mut Tracks,
) -> Result<(), ReadError> {
    while let Some(step) = steps.next() {
        let step = step?;
        let location = steps.location();
        for vehicle in &step.vehicles {
            let name = steps.name(vehicle.number).unwrap_or_default();
            let sample = sample(step.time_s, vehicle, origin);
            let sample = sample.map_err(|cause| ReadError { location, cause })?;
            tracks.add(name, sample, location)?;
        }
    }
    Ok(())
}

fn sample(
    time_s: f64,
    vehicle: &FcdVehicle,
    origin: Option<PlaneOrigin>,
) -> Result<Sample, TrackCause> {
    let &FcdVehicle { x, y, .. } = vehicle;
    let (latitude, longitude) = origin.map_or((y, x), |origin| origin.degrees(x, y));
    if !(latitude.abs() <= 90.0 && longitude.abs() <= 180.0) {
        return Err(TrackCause::Plane { x, y });
    }
    Ok(Sample {
        time_s,
        latitude,
        longitude,
        altitude_m: vehicle.z,
        speed_m_s: vehicle.speed_m_s,
        heading_degrees: vehicle.heading_degrees,
    })
}
