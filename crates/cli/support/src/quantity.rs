//! Quantities on the command line: durations and sizes.

use waywarden_work::Duration;

use crate::exit::Failure;

/// Reads a duration such as `10s`, `250ms`, `50us` or `24h`, as vehicle files have it.
pub fn duration(text: &str) -> Result<Duration, Failure> {
    text.parse()
        .map_err(|error| Failure::new(format_args!("{text}: {error}")))
}

/// Reads a number of bytes such as `65536`, `64KiB`, `1MiB` or `2MB`.
pub fn bytes(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 8] = [
        ("", 1),
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ];
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim_start();
    let unit = UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let wrong = || "a size is a number of bytes such as 65536, 64KiB, 1MiB or 2GB; 0 for none";
    let (_, unit) = unit.ok_or_else(wrong)?;
    let number: usize = digits.parse().map_err(|_| wrong())?;
    number
        .checked_mul(*unit)
        .ok_or_else(|| "more bytes than this machine can address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_bytes() {
        for (text, expected) in [
            ("0", 0),
            ("0MiB", 0),
            ("65536", 65_536),
            ("1 B", 1),
            ("64KiB", 65_536),
            ("1mib", 1 << 20),
            ("2 GiB", 2 << 30),
            ("3kB", 3_000),
            ("5MB", 5_000_000),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "MiB", "-1", "1.5MiB", "1Mi", "0x10", "1MiB ", "1e6"] {
            let error = bytes(text).expect_err(text);
            assert!(error.contains("64KiB"), "{error}");
        }
        for text in ["18446744073709551616", "18446744073709551615KiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
