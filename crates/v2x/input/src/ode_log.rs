//! Logs of onboard units as jpo-ode imports them: messages with the time and the place at which
//! they were sent or received.
//!
//! A record is a header in little-endian numbers and a message: an SPDU or a WAVE short message.
//! The header is latitude and longitude in tenths of a microdegree, elevation, speed, heading, the
//! time in seconds since 1970 and milliseconds, a result of the unit's own verification, and the
//! message's length. Logs of messages have an octet with the source before it, logs of distress
//! notifications do not. Some units end a record with a line feed.

use std::io::{self, BufRead};

use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::record::InputRecord;
use super::unread::{FileLocation, UnreadFile};

/// The header without the octet of the source.
const HEADER: usize = 25;

/// Number of sources: roadside unit, satellite, vehicle, SNMP and unknown.
const SOURCES: u8 = 5;

/// Times of records in Unix seconds: 2010 to 2099.
const SECONDS: std::ops::Range<u32> = 1_262_304_000..4_102_444_800;

/// Most octets that are asked for at once.
const STEP: u64 = 64 << 10;

/// Layout of the records of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    has_source: bool,
}

impl Layout {
    /// Finds the layout by the first bytes of a file; `None` if it is no such log.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        let layouts = [true, false].map(|has_source| Self { has_source });
        layouts.into_iter().find(|layout| {
            let message = head.get(layout.header()..);
            layout.read(head).is_some() && message.is_some_and(begins_as_message)
        })
    }

    /// Returns the begin of a record inside of one that takes `whole` octets, if no other one
    /// follows on it: its length is wrong.
    fn record_inside(self, bytes: &[u8], whole: usize) -> Option<usize> {
        let follows = match bytes.get(whole..) {
            None => false,
            Some([] | [b'\n']) => true,
            Some([b'\n', rest @ ..]) if self.read(rest).is_some() => true,
            Some(rest) => self.read(rest).is_some(),
        };
        if follows {
            return None;
        }
        // Not in its own header, where an SPDU in an SPDU can look like one.
        let mut places = self.header()..whole.min(bytes.len());
        let is_record = |at: &usize| {
            let bytes = bytes.get(*at..).unwrap_or_default();
            let message = bytes.get(self.header()..);
            self.read(bytes).is_some() && message.is_some_and(begins_as_message)
        };
        places.find(is_record)
    }

    fn header(self) -> usize {
        HEADER + usize::from(self.has_source)
    }

    /// Reads a header: the length of the message, and the time. `None` if it is none.
    fn read(self, bytes: &[u8]) -> Option<(usize, Time64)> {
        let header = if self.has_source {
            bytes
                .split_first()
                .filter(|(source, _)| **source < SOURCES)?
                .1
        } else {
            bytes
        };
        let word = |at: usize| header.get(at..at + 4)?.first_chunk().copied();
        let half = |at: usize| header.get(at..at + 2)?.first_chunk().copied();
        let degrees = |at, most| {
            let tenths = i32::from_le_bytes(word(at)?);
            (tenths.unsigned_abs() <= most).then_some(())
        };
        degrees(0, 900_000_001)?;
        degrees(4, 1_800_000_001)?;
        let seconds = u32::from_le_bytes(word(16)?);
        let milliseconds = u16::from_le_bytes(half(20)?);
        if !SECONDS.contains(&seconds) || milliseconds >= 1_000 {
            return None;
        }
        let length = usize::from(u16::from_le_bytes(half(23)?));
        let microseconds = i64::from(seconds) * 1_000_000 + i64::from(milliseconds) * 1_000;
        Some((length, from_unix(microseconds)?))
    }
}

/// True for an SPDU, signed or not, and for a WAVE short message.
fn begins_as_message(bytes: &[u8]) -> bool {
    matches!(bytes, [3, 0x80..=0x83 | 0, ..])
}

/// Reads the records of a log. Octets between two records are one broken record.
pub(crate) fn records<E: From<UnreadFile>>(
    name: &str,
    input: Box<dyn BufRead>,
    layout: Layout,
    take: &mut impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut octets = Octets {
        input,
        waiting: Vec::new(),
        begin: 0,
    };
    let mut number = 0;
    loop {
        number += 1;
        let place = FileLocation::Record(number);
        let failed = |error: io::Error| UnreadFile::of(name, place, &error);
        octets.fill(layout.header() + 2).map_err(failed)?;
        let Some((length, captured)) = layout.read(octets.all()) else {
            let skipped = skip(&mut octets, layout).map_err(failed)?;
            if skipped > 0 {
                let broken = format!("no header of a record: {skipped} bytes are skipped");
                take(broken_record(place.of(name), broken))?;
            } else {
                number -= 1;
            }
            if octets.all().is_empty() {
                return Ok(());
            }
            continue;
        };
        let whole = layout.header() + length;
        // The next header, and a line feed before it.
        octets.fill(whole + 1 + layout.header()).map_err(failed)?;
        if let Some(inner) = layout.record_inside(octets.all(), whole) {
            let broken =
                format!("a message of {length} bytes with a record in it, {inner} bytes on");
            take(broken_record(place.of(name), broken))?;
            octets.drop(inner);
            continue;
        }
        let Some(message) = octets.all().get(layout.header()..whole) else {
            return Err(UnreadFile {
                file: name.to_owned(),
                place,
                error: format!("the file ends in a message of {length} bytes"),
                remedy: "what stands before was read; copy the file again",
            }
            .into());
        };
        take(InputRecord {
            captured: Some(captured),
            ..InputRecord::of(place.of(name), message.to_vec())
        })?;
        octets.drop(whole);
    }
}

fn broken_record(place: String, broken: String) -> InputRecord {
    InputRecord {
        broken: Some(broken),
        ..InputRecord::of(place, Vec::new())
    }
}

/// Skips to the next header with a message, or to the end. Returns the number of octets, without a
/// line feed that ends a record.
fn skip(octets: &mut Octets, layout: Layout) -> io::Result<usize> {
    let mut skipped = 0;
    if octets.all().first() == Some(&b'\n') {
        octets.drop(1);
        octets.fill(layout.header() + 2)?;
    }
    loop {
        let all = octets.all();
        let message = all.get(layout.header()..);
        let is_record = layout.read(all).is_some();
        // Right behind a record any message will do; further on it has to look like one.
        let is_found = is_record && (skipped == 0 || message.is_some_and(begins_as_message));
        if all.is_empty() || is_found {
            return Ok(skipped);
        }
        octets.drop(1);
        skipped += 1;
        octets.fill(layout.header() + 2)?;
    }
}

/// Octets of a file that were read and not yet used.
struct Octets {
    input: Box<dyn BufRead>,
    waiting: Vec<u8>,
    begin: usize,
}

impl Octets {
    fn all(&self) -> &[u8] {
        self.waiting.get(self.begin..).unwrap_or_default()
    }

    fn drop(&mut self, octets: usize) {
        self.begin += octets;
    }

    /// Reads until so many octets wait, or the file ends.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        if self.all().len() >= wanted {
            return Ok(());
        }
        self.waiting.drain(..self.begin.min(self.waiting.len()));
        self.begin = 0;
        while self.waiting.len() < wanted {
            let mut part = io::Read::take(&mut self.input, STEP);
            if io::Read::read_to_end(&mut part, &mut self.waiting)? == 0 {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
