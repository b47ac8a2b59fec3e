//! Quantities as text with their unit: durations, bit rates, shares, rates, payload bytes.
//!
//! Decimal fractions are read exactly, by integer arithmetic: a file means the same everywhere.

use waywarden_can::timing::BitRate;
use waywarden_work::{Duration, decimal};

use super::model::{Data, FrameRate};

/// A share or probability, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Share(pub(super) f64);

/// A clock rate in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frequency(pub(super) u32);

/// Reads `10ms`, `0.5 s`, `300us`, `2min`, `24h`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    text.parse().ok()
}

/// Reads `500k`, `2M`, `33.3k`, `125000`, with or without `bit/s` behind it: `500 kbit/s`.
pub(super) fn bit_rate(text: &str) -> Option<BitRate> {
    let text = text.trim();
    let number = ["bit/s", "bps"]
        .iter()
        .find_map(|unit| text.strip_suffix(unit))
        .unwrap_or(text)
        .trim_end();
    match number.split_once(' ') {
        Some((digits, unit)) if matches!(unit, "k" | "M") => format!("{digits}{unit}").parse().ok(),
        _ => number.parse().ok(),
    }
}

/// Reads `80MHz`, `600 MHz`, `32.768 kHz`.
pub(super) fn frequency(text: &str) -> Option<Frequency> {
    let number = text.trim().strip_suffix("Hz")?.trim_end();
    let (digits, scale) = match number.strip_suffix('M') {
        Some(digits) => (digits, 1_000_000),
        None => match number.strip_suffix('k') {
            Some(digits) => (digits, 1_000),
            None => (number, 1),
        },
    };
    let hertz = decimal(digits.trim_end(), scale)?;
    u32::try_from(hertz).ok().map(Frequency)
}

/// Reads `60%`.
pub(super) fn share(text: &str) -> Option<Share> {
    let number = text.trim().strip_suffix('%')?.trim_end();
    decimal(number, 1_000_000)?;
    number
        .parse::<f64>()
        .ok()
        .and_then(|per_cent| fraction(per_cent / 100.0))
}

/// Checks that a number is a share.
pub(super) fn fraction(value: f64) -> Option<Share> {
    (0.0..=1.0).contains(&value).then_some(Share(value))
}

/// Reads `2000/s` or `full`.
pub(super) fn frame_rate(text: &str) -> Option<FrameRate> {
    if text.trim() == "full" {
        return Some(FrameRate::Full);
    }
    let number = text.trim().strip_suffix("/s")?.trim_end();
    let rate = number.parse().ok()?;
    (1..=1_000_000)
        .contains(&rate)
        .then_some(FrameRate::PerSecond(rate))
}

/// Reads `counter`, `random`, `zero`, or up to 64 bytes in hexadecimal, spaces allowed.
pub(super) fn data(text: &str) -> Option<Data> {
    match text {
        "counter" => Some(Data::Counter),
        "random" => Some(Data::Random),
        "zero" => Some(Data::Zero),
        _ => bytes(text).map(Data::Fixed),
    }
}

/// Reads 1 to 64 bytes in hexadecimal, spaces allowed.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|letter| *letter != ' ')
        .take(2 * waywarden_can::frame::DATA_MAX + 1)
        .map(|letter| letter.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    let fits = rest.is_empty() && (1..=waywarden_can::frame::DATA_MAX).contains(&pairs.len());
    fits.then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_rates_take_the_trade_s_abbreviations() {
        for (text, rate) in [
            ("500k", 500_000),
            ("500 kbit/s", 500_000),
            ("2M", 2_000_000),
            ("83.333k", 83_333),
            ("125000", 125_000),
            ("33.3kbps", 33_300),
        ] {
            assert_eq!(bit_rate(text), BitRate::new(rate).ok(), "{text}");
        }
        for text in ["", "k", "500x", "5G", "-1k", "0.5", "99999M"] {
            assert_eq!(bit_rate(text), None, "{text}");
        }
    }

    #[test]
    fn shares_lie_between_none_and_all() {
        assert_eq!(share("60%"), Some(Share(0.6)));
        assert_eq!(share("0.5 %"), Some(Share(0.005)));
        assert_eq!(share("101%"), None);
        assert_eq!(share("-1%"), None);
        assert_eq!(share("inf%"), None);
        assert_eq!(share("60"), None);
        assert_eq!(fraction(f64::NAN), None);
    }

    #[test]
    fn payloads_are_hexadecimal_bytes_up_to_64() {
        assert_eq!(data("00 FF a5"), Some(Data::Fixed(vec![0, 0xFF, 0xA5])));
        assert_eq!(data("counter"), Some(Data::Counter));
        assert_eq!(data("0"), None);
        assert_eq!(data(""), None);
        assert_eq!(data("zz"), None);
        assert_eq!(
            data(&"00".repeat(64)).map(|data| data.length()),
            Some(Some(64))
        );
        assert_eq!(data(&"00".repeat(65)), None);
        assert_eq!(data(&"0".repeat(1_000_001)), None);
    }

    #[test]
    fn clock_rates_have_a_unit() {
        for (text, hertz) in [
            ("80MHz", 80_000_000),
            ("600 MHz", 600_000_000),
            ("32.768 kHz", 32_768),
            ("8000000Hz", 8_000_000),
        ] {
            assert_eq!(frequency(text), Some(Frequency(hertz)), "{text}");
        }
        for text in ["", "Hz", "80", "80M", "80GHz", "-1MHz", "0.1Hz", "99999MHz"] {
            assert_eq!(frequency(text), None, "{text}");
        }
    }

    #[test]
    fn frame_rates_are_counted_in_seconds() {
        assert_eq!(frame_rate("2000/s"), Some(FrameRate::PerSecond(2_000)));
        assert_eq!(frame_rate("full"), Some(FrameRate::Full));
        assert_eq!(frame_rate("0/s"), None);
        assert_eq!(frame_rate("2000"), None);
    }
}
