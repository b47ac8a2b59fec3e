//! Text with a unit to whole numbers: `1.92 ms`, `133 MHz`, `4 MiB`, `16 bit`.
//!
//! Exact: decimals are shifted, never rounded through a float. What does not come out as a whole
//! number of the smallest unit is refused.

/// A unit table: each unit's name and how many of the smallest unit it holds (a power of ten for
/// decimal units, so that decimals stay exact).
type Units = &'static [(&'static str, u64)];

const TIME: Units = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];
const FREQUENCY: Units = &[
    ("Hz", 1),
    ("kHz", 1_000),
    ("MHz", 1_000_000),
    ("GHz", 1_000_000_000),
];
const MEMORY: Units = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
const LENGTH: Units = &[("bit", 1), ("bits", 1), ("byte", 8), ("bytes", 8)];

/// Expected forms of a text, for errors.
pub(crate) const TIME_FORM: &str = "a time such as \"1.92 ms\" (units: ns, us, ms, s)";
pub(crate) const FREQUENCY_FORM: &str =
    "a frequency such as \"133 MHz\" (units: Hz, kHz, MHz, GHz)";
pub(crate) const MEMORY_FORM: &str = "a size such as \"728 KiB\" (units: B, KiB, MiB, GiB)";
pub(crate) const LENGTH_FORM: &str =
    "a length such as \"16 bit\" or \"64 bytes\", at least one bit";

/// Reads a time in nanoseconds.
pub(crate) fn nanos(text: &str) -> Option<u64> {
    whole(text, TIME)
}

/// Reads a frequency in hertz; zero is refused.
pub(crate) fn hertz(text: &str) -> Option<u64> {
    whole(text, FREQUENCY).filter(|&hz| hz > 0)
}

/// Reads a memory size in bytes.
pub(crate) fn memory(text: &str) -> Option<u64> {
    whole(text, MEMORY)
}

/// Reads a message length in bits; zero and lengths beyond 32 bits are refused.
pub(crate) fn bits(text: &str) -> Option<u32> {
    let bits = u32::try_from(whole(text, LENGTH)?).ok()?;
    (bits > 0).then_some(bits)
}

/// Reads `digits[.digits] unit` as a whole number of the smallest unit.
fn whole(text: &str, units: Units) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let factor = u128::from(units.iter().find(|(name, _)| *name == unit.trim())?.1);
    let (integer, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // 18 digits keep every product below 10^18 * 10^10 < 2^128.
    if !digits(integer) || !digits(fraction) || integer.len() + fraction.len() > 18 {
        return None;
    }
    let scale = 10u128.pow(u32::try_from(fraction.len()).ok()?);
    let scaled = integer.parse::<u128>().ok()? * scale + fraction.parse::<u128>().ok()?;
    let product = scaled * factor;
    (product % scale == 0).then(|| u64::try_from(product / scale).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        assert_eq!(nanos("1.92 ms"), Some(1_920_000));
        assert_eq!(nanos("2.8676 ms"), Some(2_867_600));
        assert_eq!(nanos("0 ns"), Some(0));
        assert_eq!(hertz("0.632 MHz"), Some(632_000));
        assert_eq!(memory("728 KiB"), Some(745_472));
        assert_eq!(bits("16 bit"), Some(16));
        assert_eq!(bits("64 bytes"), Some(512));
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in [
            "",
            "5",
            "ms",
            "5ms",
            "-5 ms",
            "1.2.3 ms",
            ". ms",
            "1. ms",
            "5 fortnights",
            "0.5 ns",
            "99999999999999999999 s",
            "18446744073709551615 s",
            "1e3 ms",
            "5 µs",
        ] {
            assert_eq!(nanos(text), None, "{text:?}");
        }
        assert_eq!(hertz("0 MHz"), None);
        assert_eq!(bits("0 bytes"), None);
        assert_eq!(bits("4294967296 bits"), None);
    }
}
