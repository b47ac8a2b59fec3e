//! A whole file as tracks.

use std::io::BufRead;

use crate::collect::{NamedTrack, Tracks};
use crate::error::{Cause, ReadError};
use crate::fcd::{TimeSteps, Vehicle};
use crate::format::{Format, detect};
use crate::input::decompressed;
use crate::local::Origin;
use crate::sample::Sample;
use crate::{delimited, gpx, nmea};

/// Reads a file of any of the formats, compressed by gzip or not; vehicles are in the order in
/// which they appear. `origin` is where 0,0 of floating car data in metres lies; without it, they
/// must be in degrees.
///
/// # Errors
/// [`ReadError`] for all that is damaged or out of range, for a vehicle whose time does not rise or
/// that jumps, for more than [`SAMPLES_MAX`](crate::SAMPLES_MAX) samples, and if there are none.
pub fn read(input: impl BufRead, origin: Option<Origin>) -> Result<Vec<NamedTrack>, ReadError> {
    let first = |cause: Cause| ReadError::at_line(1, cause);
    let mut input = decompressed(input).map_err(|error| first(error.into()))?;
    let begin = input.fill_buf().map_err(|error| first(error.into()))?;
    let format = detect(begin).ok_or_else(|| first(Cause::Unknown))?;
    let mut tracks = Tracks::default();
    match format {
        Format::Gpx => gpx::read(input, &mut tracks)?,
        Format::Nmea => nmea::read(input, &mut tracks)?,
        Format::Delimited => delimited::read(input, &mut tracks)?,
        Format::SumoXml | Format::SumoDelimited => {
            let mut steps = TimeSteps::of(format, input)?;
            floating_car_data(&mut steps, origin, &mut tracks)?;
        }
    }
    tracks.finish()
}

fn floating_car_data(
    steps: &mut TimeSteps<'_>,
    origin: Option<Origin>,
    tracks: &mut Tracks,
) -> Result<(), ReadError> {
    while let Some(step) = steps.next() {
        let step = step?;
        let location = steps.location();
        for vehicle in &step.vehicles {
            let name = steps.name(vehicle.number).unwrap_or_default();
            let sample = sample(step.time_s, vehicle, origin);
            let added = sample.and_then(|sample| tracks.add(name, sample));
            added.map_err(|cause| ReadError { location, cause })?;
        }
    }
    Ok(())
}

fn sample(time_s: f64, vehicle: &Vehicle, origin: Option<Origin>) -> Result<Sample, Cause> {
    let &Vehicle { x, y, .. } = vehicle;
    let (latitude, longitude) = origin.map_or((y, x), |origin| origin.degrees(x, y));
    if !(latitude.abs() <= 90.0 && longitude.abs() <= 180.0) {
        return Err(Cause::Plane { x, y });
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
