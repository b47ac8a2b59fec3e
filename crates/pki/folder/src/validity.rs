//! Periods of validity, as users write and read them.

use waywarden_v2x_pki::ValidityGrid;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64};

use waywarden_v2x_input::time;

/// The most years for which a certificate is valid.
pub const YEARS_MAX: u16 = 100;

const SECOND: u64 = 1_000_000;

/// Reads a duration: a number and `s`, `min`, `h`, `d`, `w` or `y`.
pub fn duration(text: &str) -> Result<Duration, String> {
    read(text, "a certificate is valid for")
}

/// Reads after which time the next list is due, in the same form.
pub fn until_next(text: &str) -> Result<Duration, String> {
    read(text, "the next list is due after")
}

/// Reads the length of the cells on which certificates of stations begin and end.
pub fn grid(text: &str) -> Result<ValidityGrid, String> {
    let cell = duration(text)?;
    ValidityGrid::new(cell).ok_or_else(|| format!("{text:?}: give whole seconds, 1s at least"))
}

/// Reads a duration; `what` begins the sentence with the bounds.
fn read(text: &str, what: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?}: give a duration such as 30min, 168h, 7d or 3y");
    let at = text.find(|letter: char| !letter.is_ascii_digit());
    let (number, unit) = text.split_at(at.ok_or_else(wrong)?);
    let number: u32 = number.parse().map_err(|_| wrong())?;
    let (count, of): (Option<u32>, fn(u16) -> Duration) = match unit {
        "s" => (Some(number), Duration::Seconds),
        "min" => (Some(number), Duration::Minutes),
        "h" => (Some(number), Duration::Hours),
        "d" => (number.checked_mul(24), Duration::Hours),
        "w" => (number.checked_mul(168), Duration::Hours),
        "y" if number > u32::from(YEARS_MAX) => {
            return Err(format!(
                "{text:?}: {what} at most {YEARS_MAX} years; give 1y to {YEARS_MAX}y"
            ));
        }
        "y" => (Some(number), Duration::Years),
        _ => return Err(wrong()),
    };
    let count = count.and_then(|count| u16::try_from(count).ok());
    let count = count.filter(|count| *count > 0).ok_or_else(|| {
        format!("{text:?}: {what} 1 to 65535 of a unit; give more than 0, or take another unit")
    })?;
    Ok(of(count))
}

/// Returns the whole second from which a certificate is valid.
pub fn start(time: Time64) -> Result<Time32, String> {
    let seconds = u32::try_from(time.0 / SECOND);
    seconds.map(Time32).map_err(|_| {
        let time = time::show(time);
        format!("{time}: certificates begin before 2140")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: [&str; 13] = [
        "",
        "5",
        "0h",
        "65536h",
        "3000d",
        "h",
        "-1h",
        "1.5h",
        "5 m",
        "101y",
        "65535y",
        "4294967296y",
        "99999999999s",
    ];

    #[test]
    fn durations_have_a_unit_and_fit_a_certificate() {
        for (text, expected) in [
            ("90s", Duration::Seconds(90)),
            ("30min", Duration::Minutes(30)),
            ("168h", Duration::Hours(168)),
            ("7d", Duration::Hours(168)),
            ("1w", Duration::Hours(168)),
            ("10y", Duration::Years(10)),
            ("100y", Duration::Years(100)),
        ] {
            assert_eq!(duration(text), Ok(expected));
        }
        for text in REFUSED {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
