//! The file `leap-seconds.list` of the IERS, NIST and the time zone database.
//!
//! A line has seconds since 1900 and TAI - UTC from then on. Of the comments `#$` is the last
//! change of the file, `#@` its expiry, and `#h` the SHA-1 of all these digits in their order: five
//! words in hexadecimal. The hash finds a damaged file; it proves nothing about who wrote it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use sha1::{Digest, Sha1};

use super::leap::{EPOCH, LeapSecond, LeapSeconds};

/// The longest file that is read, in bytes. That of 2025 has 5 KiB.
pub const FILE_BYTES_MAX: usize = 64 * 1024;

/// The most entries that are read. There have been 28 from 1972 to 2026.
const ENTRIES_MAX: usize = 200;

/// 1970 in seconds since 1900: 70 years with 17 leap days.
const NTP_1970: i64 = (70 * 365 + 17) * 86_400;

/// TAI - UTC in 2004.
const TAI_MINUS_UTC_2004: i32 = 32;

/// An error in a list of leap seconds. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeapSecondsError {
    /// It is longer than [`FILE_BYTES_MAX`].
    TooLong,
    /// It is not UTF-8.
    NotText,
    /// A line is neither a comment nor two numbers.
    Line(usize),
    /// An entry is not after the one before it, or not at midnight.
    Order(usize),
    /// An entry does not change TAI - UTC by one second.
    Step(usize),
    /// There are more entries than 200.
    TooMany(usize),
    /// A number after `#$` or `#@` is not one, or there are two of them.
    Number(usize),
    /// The line `#@` is missing.
    NoExpiry,
    /// The expiry is before the last entry.
    ExpiryTooEarly,
    /// TAI - UTC in 2004 is not 32 s.
    Wrong2004,
    /// The line `#h` is missing.
    NoHash,
    /// A line `#h` is not five words in hexadecimal, or there are two.
    HashWords(usize),
    /// The digits do not have the hash of the line `#h`.
    HashDiffers,
}

impl fmt::Display for LeapSecondsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, what) = match self {
            Self::Line(line) => (*line, "expected seconds since 1900 and TAI - UTC"),
            Self::Order(line) => (*line, "the entry is not at a midnight after the one before"),
            Self::Step(line) => (*line, "the entry does not change TAI - UTC by one second"),
            Self::TooMany(line) => (*line, "there are more than 200 entries"),
            Self::Number(line) => (*line, "expected one number, once"),
            Self::HashWords(line) => (*line, "expected five words in hexadecimal, once"),
            Self::TooLong => (0, "the file is longer than 64 KiB"),
            Self::NotText => (0, "the file is not UTF-8"),
            Self::NoExpiry => (0, "the line `#@` with the expiry is missing"),
            Self::ExpiryTooEarly => (0, "the expiry is before the last entry"),
            Self::Wrong2004 => (0, "TAI - UTC in 2004 is not 32 s"),
            Self::NoHash => (0, "the line `#h` with the hash is missing"),
            Self::HashDiffers => (0, "the hash in the line `#h` is another one"),
        };
        if line > 0 {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{what}; use an unchanged leap-seconds.list of the IERS")
    }
}

impl core::error::Error for LeapSecondsError {}

/// Fields read so far.
#[derive(Default)]
struct File {
    updated: Option<String>,
    expiry: Option<(String, i64)>,
    hash: Option<[u32; 5]>,
    /// Seconds since 1970 and TAI - UTC.
    entries: Vec<(i64, i32)>,
    digits: String,
}

impl LeapSeconds {
    /// Reads the file `leap-seconds.list`.
    ///
    /// # Errors
    ///
    /// [`LeapSecondsError`] says what is wrong, and in which line.
    pub fn parse(bytes: &[u8]) -> Result<Self, LeapSecondsError> {
        if bytes.len() > FILE_BYTES_MAX {
            return Err(LeapSecondsError::TooLong);
        }
        let text = core::str::from_utf8(bytes).map_err(|_| LeapSecondsError::NotText)?;
        let mut file = File::default();
        for (index, line) in text.lines().enumerate() {
            file.line(index + 1, line)?;
        }
        file.finish()
    }
}

impl File {
    fn line(&mut self, number: usize, line: &str) -> Result<(), LeapSecondsError> {
        if let Some(rest) = line.strip_prefix("#$") {
            let (digits, _) = seconds(rest).ok_or(LeapSecondsError::Number(number))?;
            is_first(
                self.updated.replace(digits),
                LeapSecondsError::Number(number),
            )
        } else if let Some(rest) = line.strip_prefix("#@") {
            let expiry = seconds(rest).ok_or(LeapSecondsError::Number(number))?;
            is_first(
                self.expiry.replace(expiry),
                LeapSecondsError::Number(number),
            )
        } else if let Some(rest) = line.strip_prefix("#h") {
            let hash = words(rest).ok_or(LeapSecondsError::HashWords(number))?;
            is_first(self.hash.replace(hash), LeapSecondsError::HashWords(number))
        } else {
            let line = line.split('#').next().unwrap_or_default();
            match line.trim().is_empty() {
                true => Ok(()),
                false => self.entry(number, line),
            }
        }
    }

    fn entry(&mut self, number: usize, line: &str) -> Result<(), LeapSecondsError> {
        let wrong = || LeapSecondsError::Line(number);
        let mut parts = line.split_ascii_whitespace();
        let (at, offset) = (
            parts.next().ok_or_else(wrong)?,
            parts.next().ok_or_else(wrong)?,
        );
        let (digits, at) = seconds(at).ok_or_else(wrong)?;
        let value: i32 = offset.parse().map_err(|_| wrong())?;
        if parts.next().is_some() {
            return Err(wrong());
        }
        if let Some(&(before, offset)) = self.entries.last() {
            if at <= before {
                return Err(LeapSecondsError::Order(number));
            }
            if value.abs_diff(offset) != 1 {
                return Err(LeapSecondsError::Step(number));
            }
        }
        if at.rem_euclid(86_400) != 0 {
            return Err(LeapSecondsError::Order(number));
        }
        if self.entries.len() == ENTRIES_MAX {
            return Err(LeapSecondsError::TooMany(number));
        }
        self.entries.push((at, value));
        self.digits.push_str(&digits);
        self.digits.push_str(offset);
        Ok(())
    }

    fn finish(self) -> Result<LeapSeconds, LeapSecondsError> {
        let (expiry_digits, expiry) = self.expiry.ok_or(LeapSecondsError::NoExpiry)?;
        let hash = self.hash.ok_or(LeapSecondsError::NoHash)?;
        let mut sha1 = Sha1::new();
        sha1.update(self.updated.unwrap_or_default());
        sha1.update(expiry_digits);
        sha1.update(self.digits);
        let digest = sha1.finalize();
        let is_same = digest
            .chunks(4)
            .zip(hash)
            .all(|(a, b)| *a == b.to_be_bytes());
        if !is_same {
            return Err(LeapSecondsError::HashDiffers);
        }
        let in_2004 = self.entries.iter().rfind(|(at, _)| *at <= EPOCH);
        if in_2004.is_none_or(|(_, offset)| *offset != TAI_MINUS_UTC_2004) {
            return Err(LeapSecondsError::Wrong2004);
        }
        if self.entries.last().is_some_and(|(at, _)| *at > expiry) {
            return Err(LeapSecondsError::ExpiryTooEarly);
        }
        let since = self.entries.iter().filter(|(at, _)| *at > EPOCH);
        let table = since.map(|&(at, offset)| LeapSecond {
            at,
            offset: offset - TAI_MINUS_UTC_2004,
        });
        Ok(LeapSeconds::checked(table.collect(), expiry))
    }
}

fn is_first<T>(before: Option<T>, error: LeapSecondsError) -> Result<(), LeapSecondsError> {
    before.map_or(Ok(()), |_| Err(error))
}

/// The digits of a number of at most 12, and the seconds since 1970 that they mean since 1900.
fn seconds(text: &str) -> Option<(String, i64)> {
    let text = text.trim();
    let is_number = (1..=12).contains(&text.len()) && text.bytes().all(|one| one.is_ascii_digit());
    let value: i64 = is_number.then(|| text.parse().ok())??;
    Some((text.into(), value - NTP_1970))
}

/// Five words in hexadecimal, whose leading zeros some editions leave out.
fn words(text: &str) -> Option<[u32; 5]> {
    let mut parts = text.split_ascii_whitespace();
    let mut words = [0; 5];
    for word in &mut words {
        let part = parts.next()?;
        let is_plain = part.bytes().all(|one| one.is_ascii_hexdigit());
        *word = is_plain.then(|| u32::from_str_radix(part, 16).ok())??;
    }
    parts.next().is_none().then_some(words)
}
