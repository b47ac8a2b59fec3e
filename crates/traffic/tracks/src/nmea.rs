//! What receivers of satellites write \[NMEA 0183\]: RMC has time, place, speed and course, GGA the
//! height.

use std::io::BufRead;

use chrono::{NaiveDate, NaiveTime};
use nmea::{ParseResult, parse_str};

use crate::collect::Tracks;
use crate::error::{Cause, ReadError};
use crate::input::Counted;
use crate::local::turned;
use crate::sample::Sample;

/// A knot in m/s.
const KNOT_M_S: f64 = 1_852.0 / 3_600.0;
/// The receiver.
const NAME: &str = "receiver";

/// A height, and when it was measured.
struct Height {
    time: NaiveTime,
    altitude_m: f64,
}

/// Reads a track: one sample for each RMC with a fix. What is no sentence is passed over before the
/// first one only; a receiver that is connected while it sends begins in the middle.
pub(crate) fn read(input: impl BufRead, tracks: &mut Tracks) -> Result<(), ReadError> {
    let mut input = Counted::new(input);
    let (mut bytes, mut height, mut is_begun) = (Vec::new(), None, false);
    loop {
        let line = input.line();
        let fault = |cause| ReadError::at_line(line, cause);
        let is_there = input.read_line(&mut bytes);
        if !is_there.map_err(|error| fault(error.into()))? {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        let is_sentence = text.starts_with('$');
        if text.is_empty() || text.starts_with(['#', '!']) || !(is_sentence || is_begun) {
            continue;
        }
        is_begun = true;
        sentence(text, &mut height, tracks).map_err(fault)?;
    }
}

fn damaged(why: &str) -> Cause {
    Cause::Sentence(why.to_owned())
}

fn sentence(text: &str, height: &mut Option<Height>, tracks: &mut Tracks) -> Result<(), Cause> {
    // Others are longer or unknown, and say nothing that is needed.
    let kind = text.get(3..6);
    if text.starts_with('$') && !matches!(kind, Some("RMC" | "GGA")) {
        return Ok(());
    }
    let parsed = parse_str(text).map_err(|error| damaged(&error.to_string()))?;
    match parsed {
        ParseResult::GGA(gga) => {
            let measured = gga.fix_time.zip(gga.altitude);
            *height = measured.map(|(time, altitude)| Height {
                time,
                altitude_m: f64::from(altitude),
            });
            Ok(())
        }
        ParseResult::RMC(rmc) => {
            let (Some(date), Some(time)) = (rmc.fix_date, rmc.fix_time) else {
                return Ok(());
            };
            let (Some(latitude), Some(longitude)) = (rmc.lat, rmc.lon) else {
                return Ok(());
            };
            if rmc.status_of_fix == nmea::sentences::rmc::RmcStatusOfFix::Invalid {
                return Ok(());
            }
            if !(-90.0..=90.0).contains(&latitude) || !(-180.0..=180.0).contains(&longitude) {
                return Err(damaged("a place that is not on Earth"));
            }
            let own = height.as_ref().filter(|height| height.time == time);
            let number = |value: Option<f32>| value.map(f64::from).filter(|one| one.is_finite());
            tracks.add(
                NAME,
                Sample {
                    time_s: seconds(date, time),
                    latitude,
                    longitude,
                    altitude_m: own.map(|height| height.altitude_m),
                    speed_m_s: number(rmc.speed_over_ground).map(|knots| knots.abs() * KNOT_M_S),
                    heading_degrees: number(rmc.true_course).map(turned),
                },
            )
        }
        _ => Ok(()),
    }
}

fn seconds(date: NaiveDate, time: NaiveTime) -> f64 {
    date.and_time(time).and_utc().timestamp_micros() as f64 / 1e6
}
