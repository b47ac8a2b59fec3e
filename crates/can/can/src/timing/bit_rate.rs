//! Bit rates as people write them: `500k`, `2M`, `83.333k`, `125000`.

use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

/// A bit rate in whole bits per second, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(NonZeroU32);

/// Reason that a text or a number is no bit rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BitRateError {
    /// Nothing but spaces.
    Empty,
    /// Something that is neither digit, point nor one of the suffixes `k` and `M`.
    Character(char),
    /// A point without digits on both sides, or a second one.
    Point,
    /// A fraction of a bit per second.
    Fraction,
    /// Zero bits per second.
    Zero,
    /// More than 4,294,967,295 bits per second.
    TooHigh,
}

impl BitRate {
    /// Makes a bit rate.
    ///
    /// # Errors
    /// [`BitRateError::Zero`].
    pub const fn new(bits_per_second: u32) -> Result<Self, BitRateError> {
        match NonZeroU32::new(bits_per_second) {
            Some(rate) => Ok(BitRate(rate)),
            None => Err(BitRateError::Zero),
        }
    }

    /// Makes a bit rate; in a constant, zero is found at compile time.
    ///
    /// # Panics
    /// For zero.
    #[must_use]
    pub const fn constant(bits_per_second: u32) -> Self {
        match BitRate::new(bits_per_second) {
            Ok(rate) => rate,
            Err(_) => panic!("a bit rate is never zero"),
        }
    }

    /// Returns the bits per second.
    #[must_use]
    pub const fn bits_per_second(self) -> u32 {
        self.0.get()
    }

    /// Returns the time of one bit, to the nearest picosecond.
    pub(super) const fn bit_picoseconds(self) -> u64 {
        let rate = self.0.get() as u64;
        (1_000_000_000_000 + rate / 2) / rate
    }
}

/// Reads digits, an optional fraction, and an optional suffix `k` (thousand) or `M` (million).
impl FromStr for BitRate {
    type Err = BitRateError;

    fn from_str(text: &str) -> Result<Self, BitRateError> {
        let text = text.trim();
        let (number, unit) = match text.strip_suffix(['k', 'K']) {
            Some(number) => (number, 1_000),
            None => match text.strip_suffix('M') {
                Some(number) => (number, 1_000_000),
                None => (text, 1),
            },
        };
        let (whole, fraction) = match number.split_once('.') {
            Some((whole, fraction)) if !whole.is_empty() && !fraction.is_empty() => {
                (whole, fraction)
            }
            Some(_) => return Err(BitRateError::Point),
            None if number.is_empty() => return Err(BitRateError::Empty),
            None => (number, ""),
        };
        let mut rate: u64 = 0;
        for digit in digits(whole) {
            rate = rate * 10 + digit? as u64 * unit;
            if rate > u32::MAX as u64 {
                return Err(BitRateError::TooHigh);
            }
        }
        let mut place = unit;
        for digit in digits(fraction) {
            let digit = digit? as u64;
            if digit != 0 && place < 10 {
                return Err(BitRateError::Fraction);
            }
            place /= 10;
            rate += digit * place;
        }
        let rate = u32::try_from(rate).map_err(|_| BitRateError::TooHigh)?;
        BitRate::new(rate)
    }
}

fn digits(text: &str) -> impl Iterator<Item = Result<u32, BitRateError>> {
    text.chars().map(|character| match character {
        '.' => Err(BitRateError::Point),
        _ => character
            .to_digit(10)
            .ok_or(BitRateError::Character(character)),
    })
}

/// Prints with the suffix that leaves no zeros: `500k`, `2M`, `83.333k`, `999`. Reading it gives
/// the same rate.
impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.0.get() as u64;
        let (unit, suffix) = match rate {
            0..1_000 => (1, ""),
            1_000..1_000_000 => (1_000, "k"),
            _ => (1_000_000, "M"),
        };
        write_decimal(f, rate, unit)?;
        f.write_str(suffix)
    }
}

/// Writes `value / unit`, `unit` a power of ten, with as many decimals as are needed.
pub(super) fn write_decimal(f: &mut fmt::Formatter<'_>, value: u64, unit: u64) -> fmt::Result {
    write!(f, "{}", value / unit)?;
    let (mut rest, mut unit) = (value % unit, unit);
    if rest > 0 {
        f.write_str(".")?;
    }
    while rest > 0 {
        unit /= 10;
        write!(f, "{}", rest / unit)?;
        rest %= unit;
    }
    Ok(())
}

impl fmt::Display for BitRateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self {
            BitRateError::Empty => "a bit rate is missing",
            BitRateError::Character(character) => {
                write!(f, "{character:?}")?;
                " does not belong in a bit rate"
            }
            BitRateError::Point => "a point needs digits on both sides, and is the only one",
            BitRateError::Fraction => "a bit rate is a whole number of bits per second",
            BitRateError::Zero => "a bit rate is never zero",
            BitRateError::TooHigh => "a bit rate is below 4.295 Gbit/s",
        };
        write!(f, "{cause} (such as 500k, 2M, 83.333k or 125000)")
    }
}

impl core::error::Error for BitRateError {}
