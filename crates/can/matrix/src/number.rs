//! Numbers as the formats write them.

use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

/// Longest text of a number.
const LETTERS_MAX: usize = 64;

/// Reads a whole number: decimal, or hexadecimal or binary by its prefix.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.len() > LETTERS_MAX {
        return None;
    }
    let prefixed = |prefix: [&str; 2], radix| {
        let digits = prefix.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        Some(u64::from_str_radix(digits, radix).ok())
    };
    prefixed(["0x", "0X"], 16)
        .or_else(|| prefixed(["0b", "0B"], 2))
        .unwrap_or_else(|| text.parse().ok().or_else(|| whole_float(text)))
}

/// Reads a whole number of AUTOSAR: like [`whole`], and octal behind a zero.
pub(crate) fn autosar(text: &str) -> Option<u64> {
    let digits = text.trim();
    let is_octal = digits.len() > 1
        && digits.len() < LETTERS_MAX
        && digits.starts_with('0')
        && digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
    match is_octal {
        true => u64::from_str_radix(digits, 8).ok(),
        false => whole(digits),
    }
}

/// Takes a number such as 500000.0 as the whole one that it is.
fn whole_float(text: &str) -> Option<u64> {
    let number: f64 = text.parse().ok()?;
    let is_whole = number.fract() == 0.0 && (0.0..9.0e15).contains(&number);
    is_whole.then_some(number as u64)
}

/// Reads a number that may have a fraction, and is finite.
pub(crate) fn real(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() > LETTERS_MAX {
        return None;
    }
    let number = match whole(text) {
        Some(number) => number as f64,
        None => text.parse().ok()?,
    };
    number.is_finite().then_some(number)
}

/// Returns a time of some seconds. Zero stands for "none"; less than a microsecond or a day and
/// more is none.
pub(crate) fn seconds(number: f64) -> Option<Duration> {
    let nanos = (number * 1e9).round();
    (1e3..86_400e9)
        .contains(&nanos)
        .then(|| Duration::from_nanos(nanos as u64))
}

/// Returns a bit rate of this many bit/s.
pub(crate) fn bit_rate(bits: u64) -> Option<BitRate> {
    u32::try_from(bits)
        .ok()
        .and_then(|bits| BitRate::new(bits).ok())
}

/// Turns a bit that is counted from the most significant one of the first byte on into DBC's
/// number of it, and back.
pub(crate) const fn sawtooth(bit: u32) -> u32 {
    bit - bit % 8 + (7 - bit % 8)
}
