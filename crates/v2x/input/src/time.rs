//! Times as users write and read them.

use std::ops::RangeInclusive;
use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_v2x_security::time::{CivilTime, from_unix};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Time at which messages are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The moment of judging.
    Now,
    /// A fixed time.
    Time(Time64),
    /// The time of capture, or else now.
    Capture,
    /// The generation time in the message, or else now.
    Generation,
}

/// Returns this moment.
pub fn now() -> Time64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let unix = since.map_or(0, |since| since.as_micros());
    i64::try_from(unix)
        .ok()
        .and_then(from_unix)
        .unwrap_or(Time64(0))
}

/// Reads `--at`.
pub fn parse_at(text: &str) -> Result<At, String> {
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

/// Reads a time.
pub fn parse_time(text: &str) -> Result<Time64, String> {
    parse(text).ok_or_else(|| {
        format!(
            "{text:?}: give a time such as 2026-03-01T12:00:00Z (UTC), or a number of microseconds \
             since 2004 (TAI)"
        )
    })
}

fn parse(text: &str) -> Option<Time64> {
    if let Some(number) = digits(text, 1..=20) {
        return Some(Time64(number));
    }
    CivilTime::parse(text)?.time()
}

/// A number of so many decimal digits, and nothing else: no sign.
fn digits(text: &str, count: RangeInclusive<usize>) -> Option<u64> {
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match are_digits && count.contains(&text.len()) {
        true => text.parse().ok(),
        false => None,
    }
}

/// Writes a time.
pub fn show(time: Time64) -> String {
    CivilTime::of(time).map_or_else(|| time.0.to_string(), |date| date.to_string())
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
            "+5",
            "-5",
            "+2026-03-01T12:00:00Z",
            "2026-+3-01T12:00:00Z",
            "2026-3-1T12:00:00Z",
            "2026-03-01T+1:00:00Z",
            "2026-03-01T12:00:00.Z",
            "2026-03-01T12:00:00.+5Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
