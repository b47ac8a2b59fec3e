//! Times as users write and read them.

use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_v2x_security::time::{Civil, from_unix};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// When messages are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Now.
    Now,
    /// At this time.
    Time(Time64),
    /// When they were captured, or else now.
    Capture,
    /// When they say that they were made, or else now.
    Generation,
}

/// Returns this moment.
pub(crate) fn now() -> Time64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let unix = since.map_or(0, |since| since.as_micros());
    i64::try_from(unix)
        .ok()
        .and_then(from_unix)
        .unwrap_or(Time64(0))
}

/// Reads `--at`.
pub(crate) fn parse_at(text: &str) -> Result<At, String> {
    match text {
        "now" => Ok(At::Now),
        "capture" => Ok(At::Capture),
        "generation" => Ok(At::Generation),
        _ => parse(text).map(At::Time).ok_or_else(|| {
            "a time such as 2026-03-01T12:00:00Z (UTC), a number of microseconds since 2004 (TAI), \
             now, capture or generation"
                .to_owned()
        }),
    }
}

fn parse(text: &str) -> Option<Time64> {
    if let Ok(number) = text.parse() {
        return Some(Time64(number));
    }
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let [year, month, day] = three(date, '-')?;
    let [hour, minute, second] = three(clock, ':')?;
    let digits = fraction.len() <= 6 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let microsecond = digits.then(|| format!("{fraction:0<6}").parse().ok())??;
    let civil = Civil {
        year: year.parse().ok()?,
        month: month.parse().ok()?,
        day: day.parse().ok()?,
        hour: hour.parse().ok()?,
        minute: minute.parse().ok()?,
        second: second.parse().ok()?,
        microsecond,
    };
    civil.time()
}

fn three(text: &str, by: char) -> Option<[&str; 3]> {
    let mut parts = text.split(by);
    let three = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(three)
}

/// Writes a time.
pub(crate) fn show(time: Time64) -> String {
    Civil::of(time).map_or_else(|| time.0.to_string(), |date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for text in ["2026-03-01T12:00:00Z", "2018-11-14T08:09:10.250000Z"] {
            assert_eq!(parse(text).map(show).as_deref(), Some(text));
        }
        assert_eq!(parse("0"), Some(Time64(0)));
        assert_eq!(
            parse("2026-03-01T12:00:00.5Z"),
            parse("2026-03-01T12:00:00.500000Z")
        );
        for text in [
            "2026-03-01",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "T:Z",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
