//! Numbers and times as text, within their ranges.

use chrono::{DateTime, NaiveDateTime};

use crate::error::{TrackCause, shortened, value};
use crate::local::turned;

/// Reads a finite number.
pub(crate) fn finite(name: &str, text: &str) -> Result<f64, TrackCause> {
    let number: Option<f64> = text.trim().parse().ok();
    let number = number.filter(|number| number.is_finite());
    number.ok_or_else(|| value(name, text, "a number"))
}

fn within(name: &str, text: &str, most: f64, expected: &'static str) -> Result<f64, TrackCause> {
    let number = finite(name, text)?;
    match number.abs() <= most {
        true => Ok(number),
        false => Err(value(name, text, expected)),
    }
}

/// Reads a latitude.
pub(crate) fn latitude(name: &str, text: &str) -> Result<f64, TrackCause> {
    within(name, text, 90.0, "degrees from -90 to 90")
}

/// Reads a longitude.
pub(crate) fn longitude(name: &str, text: &str) -> Result<f64, TrackCause> {
    within(name, text, 180.0, "degrees from -180 to 180")
}

/// Reads a height.
pub(crate) fn altitude(name: &str, text: &str) -> Result<f64, TrackCause> {
    within(name, text, 100_000.0, "metres from -100,000 to 100,000")
}

/// Returns true if a number is a speed, in metres a second or another unit.
pub(crate) fn is_speed(number: f64) -> bool {
    (0.0..=1_000.0).contains(&number)
}

/// Returns true if a number is a direction in degrees, at most two turns from north.
pub(crate) fn is_heading(degrees: f64) -> bool {
    degrees.abs() <= 720.0
}

/// Reads a speed.
pub(crate) fn speed(name: &str, text: &str) -> Result<f64, TrackCause> {
    let number = finite(name, text)?;
    match is_speed(number) {
        true => Ok(number),
        false => Err(value(name, text, "a speed from 0 to 1,000")),
    }
}

/// Reads a direction, and brings it to 0 to below 360.
pub(crate) fn heading(name: &str, text: &str) -> Result<f64, TrackCause> {
    let number = finite(name, text)?;
    match is_heading(number) {
        true => Ok(turned(number)),
        false => Err(value(name, text, "degrees from -720 to 720")),
    }
}

/// The end of the year 9999, in seconds since 1970. Times beyond it are milliseconds.
const SECONDS_MAX: f64 = 253_402_300_800.0;

/// A time of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Time {
    /// Seconds, of a date since 1970 UTC.
    pub(crate) seconds: f64,
    /// True if the file leaves no doubt: it says the zone, or it counts seconds.
    pub(crate) has_zone: bool,
}

/// Reads seconds, or a date and time of ISO 8601. One without a zone counts as UTC.
pub(crate) fn time(name: &str, text: &str) -> Result<Time, TrackCause> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let seconds = Some(seconds).filter(|seconds| seconds.abs() <= SECONDS_MAX);
        let expected = "seconds, of a date since 1970, up to the year 9999";
        let seconds = seconds.ok_or_else(|| value(name, text, expected))?;
        return Ok(Time {
            seconds,
            has_zone: true,
        });
    }
    let seconds = |micros: i64| micros as f64 / 1e6;
    let zoned = DateTime::parse_from_rfc3339(text)
        .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"));
    if let Ok(time) = zoned {
        return Ok(Time {
            seconds: seconds(time.timestamp_micros()),
            has_zone: true,
        });
    }
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"].into_iter();
    let mut times = forms.filter_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let time = times.next().ok_or_else(|| {
        let expected = "seconds, or a time like 2026-06-01T08:00:00Z";
        value(name, text, expected)
    })?;
    Ok(Time {
        seconds: seconds(time.and_utc().timestamp_micros()),
        has_zone: false,
    })
}

/// The fault of a time without a zone.
pub(crate) fn no_zone(name: &str, text: &str) -> TrackCause {
    TrackCause::NoZone {
        name: shortened(name),
        value: shortened(text),
    }
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
        let seconds = |text: &str| time("time", text).map(|time| time.seconds);
        assert_eq!(seconds("12.5").ok(), Some(12.5));
        let millis = time("time", "1780300800000").unwrap_err().to_string();
        assert!(millis.contains("seconds, of a date since 1970"), "{millis}");
        let date = seconds("2026-06-01T08:00:00.250Z").unwrap();
        let zone = seconds("2026-06-01T10:00:00+02:00").unwrap();
        assert_eq!((date - zone, zone), (0.25, 1_780_300_800.0));
        assert_eq!(seconds("2026-06-01T10:00:00+0200").ok(), Some(zone));
        let error = time("time", "yesterday").unwrap_err().to_string();
        assert!(error.contains("yesterday") && error.contains("seconds"));
        // The second 60 is the first one of the next day.
        let leap = seconds("2016-12-31T23:59:60.500Z").ok();
        assert_eq!(leap, Some(1_483_228_800.5));
    }

    #[test]
    fn a_time_without_a_zone_is_utc_and_says_so() {
        for text in ["2026-06-01T08:00:00", "2026-06-01 08:00:00.000"] {
            let time = time("time", text).unwrap();
            assert_eq!((time.seconds, time.has_zone), (1_780_300_800.0, false));
        }
        assert!(time("time", "2026-06-01T08:00:00Z").unwrap().has_zone);
    }
}
