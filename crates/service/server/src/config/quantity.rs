//! Values as text with their unit, and whole numbers within a range.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error as _};
use waywarden_v2x_wire::application::application;
use waywarden_v2x_wire::ieee1609dot2::Psid;

/// Units of time, in nanoseconds. A longer name stands before one that it ends with.
const TIMES: [(&str, u64); 6] = [
    ("us", 1_000),
    ("ms", 1_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Units of size, in bytes.
const SIZES: [(&str, u64); 4] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("B", 1),
];

/// Reads a duration such as `250ms`, `2s`, `5min`, `1h` or `7d`: a whole number and its unit.
///
/// # Errors
/// In words, what would be right.
pub fn duration(text: &str) -> Result<Duration, String> {
    scaled(text, &TIMES)
        .map(Duration::from_nanos)
        .ok_or_else(|| {
            format!(
                "{text:?} is no duration; write one such as \"250ms\", \"2s\", \"5min\", \"1h\" or \
                 \"7d\""
            )
        })
}

/// Reads a number of bytes such as `64KiB`, `1MiB`, `2GiB` or `500B`.
///
/// # Errors
/// In words, what would be right.
pub fn size(text: &str) -> Result<u64, String> {
    scaled(text, &SIZES).ok_or_else(|| {
        format!("{text:?} is no size; write one such as \"64KiB\", \"1MiB\", \"2GiB\" or \"500B\"")
    })
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (digits, unit) = text.split_at(end);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    digits.parse::<u64>().ok()?.checked_mul(*scale)
}

/// Reads a duration between two bounds, in microseconds.
pub(super) fn time_between<'de, const MIN: u64, const MAX: u64, D: Deserializer<'de>>(
    input: D,
) -> Result<Duration, D::Error> {
    let text = String::deserialize(input)?;
    let value = duration(&text).map_err(D::Error::custom)?;
    let (least, most) = (Duration::from_micros(MIN), Duration::from_micros(MAX));
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(D::Error::custom(format!(
            "{text} is out of range; {least:?} to {most:?}"
        ))),
    }
}

/// The same, where the key may be missing.
pub(super) fn some_time_between<'de, const MIN: u64, const MAX: u64, D: Deserializer<'de>>(
    input: D,
) -> Result<Option<Duration>, D::Error> {
    time_between::<MIN, MAX, D>(input).map(Some)
}

/// Reads a size between two bounds, in bytes.
pub(super) fn size_between<'de, const MIN: u64, const MAX: u64, D: Deserializer<'de>>(
    input: D,
) -> Result<u64, D::Error> {
    let text = String::deserialize(input)?;
    let value = size(&text).map_err(D::Error::custom)?;
    match (MIN..=MAX).contains(&value) {
        true => Ok(value),
        false => Err(D::Error::custom(format!(
            "{text} is out of range; {MIN} to {MAX} bytes"
        ))),
    }
}

/// Reads a whole number between two bounds.
pub(super) fn number_between<'de, const MIN: u64, const MAX: u64, T, D>(
    input: D,
) -> Result<T, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    let value = i64::deserialize(input)?;
    let within = u64::try_from(value).ok();
    let within = within.filter(|value| (MIN..=MAX).contains(value));
    let within = within.and_then(|value| T::try_from(value).ok());
    within.ok_or_else(|| D::Error::custom(format!("{value} is out of range; {MIN} to {MAX}")))
}

/// The same, where the key may be missing.
pub(super) fn some_number_between<'de, const MIN: u64, const MAX: u64, T, D>(
    input: D,
) -> Result<Option<T>, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    number_between::<MIN, MAX, T, D>(input).map(Some)
}

/// Reads what has a reader of its own from text.
pub(super) fn parsed<'de, T, D>(input: D) -> Result<T, D::Error>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(input)?;
    text.parse().map_err(D::Error::custom)
}

/// An application by its name or number.
#[derive(serde::Deserialize)]
#[serde(
    untagged,
    expecting = "an application: its number, or a name such as \"CAM\""
)]
enum Application {
    Number(u64),
    Name(String),
}

impl Application {
    fn psid<E: serde::de::Error>(self) -> Result<Psid, E> {
        match self {
            Self::Number(number) => Ok(Psid(number)),
            Self::Name(name) => application(&name)
                .map_err(|error| E::custom(format!("{name:?} is no application; {error}"))),
        }
    }
}

/// Reads a list of applications.
pub(super) fn psids<'de, C, D>(input: D) -> Result<C, D::Error>
where
    C: FromIterator<Psid>,
    D: Deserializer<'de>,
{
    let all = Vec::<Application>::deserialize(input)?;
    all.into_iter().map(Application::psid).collect()
}

/// Reads a list of applications, where the key may be missing.
pub(super) fn some_psids<'de, C, D>(input: D) -> Result<Option<C>, D::Error>
where
    C: FromIterator<Psid>,
    D: Deserializer<'de>,
{
    psids(input).map(Some)
}

/// Reads applications by name.
pub(super) fn named_psids<'de, D>(input: D) -> Result<BTreeMap<String, Psid>, D::Error>
where
    D: Deserializer<'de>,
{
    let all = BTreeMap::<String, Application>::deserialize(input)?;
    let all = all.into_iter().map(|(name, one)| Ok((name, one.psid()?)));
    all.collect()
}

/// Reads an application, where the key may be missing.
pub(super) fn some_psid<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Psid>, D::Error> {
    Application::deserialize(input)?.psid().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_have_a_unit() {
        for (text, expected) in [("5us", 5), ("250ms", 250_000), ("2s", 2_000_000)] {
            assert_eq!(duration(text), Ok(Duration::from_micros(expected)));
        }
        assert_eq!(duration("5min"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1d"), Ok(Duration::from_secs(86_400)));
        for text in ["", "5", "s", "-1s", "1.5s", "5 s", "99999999999d"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(size("64KiB"), Ok(65_536));
        for text in ["64", "KiB", "-1B", "1.5MiB", "18446744073709551615GiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
