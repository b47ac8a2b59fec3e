//! Numbers and times as text, within their ranges.

use chrono::DateTime;

use crate::error::{Cause, value};
use crate::local::turned;

/// Reads a finite number.
pub(crate) fn finite(name: &str, text: &str) -> Result<f64, Cause> {
    let number: Option<f64> = text.trim().parse().ok();
    let number = number.filter(|number| number.is_finite());
    number.ok_or_else(|| value(name, text, "a number"))
}

fn within(name: &str, text: &str, most: f64, expected: &'static str) -> Result<f64, Cause> {
    let number = finite(name, text)?;
    match number.abs() <= most {
        true => Ok(number),
        false => Err(value(name, text, expected)),
    }
}

/// Reads a latitude.
pub(crate) fn latitude(name: &str, text: &str) -> Result<f64, Cause> {
    within(name, text, 90.0, "degrees from -90 to 90")
}

/// Reads a longitude.
pub(crate) fn longitude(name: &str, text: &str) -> Result<f64, Cause> {
    within(name, text, 180.0, "degrees from -180 to 180")
}

/// Reads a height.
pub(crate) fn altitude(name: &str, text: &str) -> Result<f64, Cause> {
    within(name, text, 100_000.0, "metres from -100,000 to 100,000")
}

/// Tells whether a number is a speed, in metres a second or another unit.
pub(crate) fn is_speed(number: f64) -> bool {
    (0.0..=1_000.0).contains(&number)
}

/// Tells whether a number is a direction in degrees, at most two turns from north.
pub(crate) fn is_heading(degrees: f64) -> bool {
    degrees.abs() <= 720.0
}

/// Reads a speed.
pub(crate) fn speed(name: &str, text: &str) -> Result<f64, Cause> {
    let number = finite(name, text)?;
    match is_speed(number) {
        true => Ok(number),
        false => Err(value(name, text, "a speed from 0 to 1,000")),
    }
}

/// Reads a direction, and brings it to 0 to below 360.
pub(crate) fn heading(name: &str, text: &str) -> Result<f64, Cause> {
    let number = finite(name, text)?;
    match is_heading(number) {
        true => Ok(turned(number)),
        false => Err(value(name, text, "degrees from -720 to 720")),
    }
}

/// Reads seconds, or a date and time of RFC 3339, as seconds.
pub(crate) fn time(name: &str, text: &str) -> Result<f64, Cause> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let seconds = Some(seconds).filter(|seconds| seconds.is_finite());
        return seconds.ok_or_else(|| value(name, text, "seconds"));
    }
    let time = DateTime::parse_from_rfc3339(text);
    let expected = "seconds, or a time like 2026-06-01T08:00:00Z";
    let time = time.map_err(|_| value(name, text, expected))?;
    Ok(time.timestamp_micros() as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_kept() {
        assert!(latitude("lat", "90").is_ok() && latitude("lat", "90.1").is_err());
        assert!(longitude("lon", "-180").is_ok() && longitude("lon", "181").is_err());
        assert!(speed("speed", "-1").is_err() && speed("speed", "NaN").is_err());
        assert!(finite("x", "inf").is_err() && finite("x", " 1.5 ").is_ok());
        assert_eq!(heading("h", "-90").ok(), Some(270.0));
    }

    #[test]
    fn times_are_seconds_or_dates() {
        assert_eq!(time("t", "12.5").ok(), Some(12.5));
        let date = time("time", "2026-06-01T08:00:00.250Z").unwrap();
        let zone = time("time", "2026-06-01T10:00:00+02:00").unwrap();
        assert_eq!((date - zone, zone), (0.25, 1_780_300_800.0));
        let error = time("time", "yesterday").unwrap_err().to_string();
        assert!(error.contains("yesterday") && error.contains("seconds"));
    }
}
