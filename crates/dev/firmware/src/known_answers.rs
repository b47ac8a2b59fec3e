//! Known answers: the records and seeds of ECUs, and the frames that they send.

use std::collections::BTreeMap;
use std::fmt;

use waywarden_can::{FdFlags, Format, Frame, Id};
use waywarden_testkit::{bytes_of, hex_of};
use waywarden_work::Instant;

/// The ECUs of one bus.
///
/// The text has a line for each value: `ecu` with its name; its `record` and its `seed`; and each
/// `frame` as candump writes it. Where frames depend on time, the boot stands behind the name, and
/// the end of a frame on the bus before it, in nanoseconds of one clock. Lines that begin with `#`
/// say what the values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswers {
    /// The ECUs, in the order of their boots.
    pub parties: Vec<KnownParty>,
}

/// An ECU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownParty {
    /// Its name.
    pub name: String,
    /// The time at which it boots, if its frames depend on time.
    pub boot: Option<Instant>,
    /// Bytes of its record.
    pub record: Vec<u8>,
    /// The seed of its boot.
    pub seed: [u8; 32],
    /// The frames that it sends: those with identifiers of 29 bits in their order, and those of
    /// each other identifier in theirs.
    pub frames: Vec<KnownFrame>,
}

/// A frame on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFrame {
    /// The end of the frame on the bus, if frames depend on time.
    pub sent: Option<Instant>,
    /// The frame.
    pub frame: Frame,
}

impl KnownAnswers {
    /// Reads a text.
    ///
    /// # Panics
    /// If a line is none of known answers.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut parties: Vec<KnownParty> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            match (&words[..], parties.last_mut()) {
                (["ecu", name, boot @ ..], _) => parties.push(KnownParty {
                    name: (*name).to_owned(),
                    boot: boot.first().map(|boot| instant_of(boot)),
                    record: Vec::new(),
                    seed: [0; 32],
                    frames: Vec::new(),
                }),
                (["record", digits], Some(party)) => party.record = bytes_of(digits),
                (["seed", digits], Some(party)) => {
                    let seed = bytes_of(digits).try_into();
                    party.seed = seed.unwrap_or_else(|_| panic!("no seed: {digits}"));
                }
                (["frame", sent @ .., frame], Some(party)) => party.frames.push(KnownFrame {
                    sent: sent.first().map(|sent| instant_of(sent)),
                    frame: frame_of(frame).unwrap_or_else(|| panic!("no frame: {frame}")),
                }),
                _ => panic!("no known answer: {line}"),
            }
        }
        KnownAnswers { parties }
    }

    /// Leaves the times out, where frames do not depend on them.
    #[must_use]
    pub fn without_times(mut self) -> Self {
        for party in &mut self.parties {
            party.boot = None;
            party.frames.iter_mut().for_each(|known| known.sent = None);
        }
        self
    }

    /// Returns the frames of all ECUs in the order in which the bus carries them, each with the
    /// place of its sender.
    ///
    /// # Panics
    /// If a frame has no time.
    #[must_use]
    pub fn in_order(&self) -> Vec<(Instant, usize, Frame)> {
        let of_party = |(place, party): (usize, &'_ KnownParty)| {
            let frames = party.frames.clone().into_iter();
            frames.map(move |known| (known.sent.expect("a time"), place, known.frame))
        };
        let all = self.parties.iter().enumerate().flat_map(of_party);
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|(sent, ..)| *sent);
        all
    }
}

impl KnownParty {
    /// Compares what an ECU has sent with the frames on record, as [`by_stream`] sorts both: it has
    /// to have sent these, and may go on with others.
    ///
    /// # Panics
    /// If it has not, with the frames of both.
    pub fn assert_sent(&self, sent: &[Frame]) {
        let sent = by_stream(sent.iter());
        for (stream, expected) in self.by_stream() {
            let own = sent.get(&stream).map(Vec::as_slice).unwrap_or_default();
            let own = &own[..own.len().min(expected.len())];
            assert_eq!(own, expected, "frames of {}, {stream:x?}", self.name);
        }
    }

    /// Returns true if an ECU has sent as many frames of each stream as are on record.
    #[must_use]
    pub fn is_reached(&self, sent: &[Frame]) -> bool {
        let sent = by_stream(sent.iter());
        let expected = self.by_stream();
        let mut counts = expected.iter().map(|(stream, frames)| {
            let own = sent.get(stream).map_or(0, Vec::len);
            own >= frames.len()
        });
        counts.all(|is_reached| is_reached)
    }

    fn by_stream(&self) -> BTreeMap<Option<u32>, Vec<String>> {
        by_stream(self.frames.iter().map(|known| &known.frame))
    }
}

impl fmt::Display for KnownAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for party in &self.parties {
            let boot = party.boot.map(nanoseconds).unwrap_or_default();
            writeln!(f, "{}", format!("ecu {} {boot}", party.name).trim_end())?;
            writeln!(f, "record {}", hex_of(&party.record))?;
            writeln!(f, "seed {}", hex_of(&party.seed))?;
            for KnownFrame { sent, frame } in &party.frames {
                let sent = sent.map(nanoseconds).unwrap_or_default();
                writeln!(f, "frame {sent}{}", frame_text(frame))?;
            }
        }
        Ok(())
    }
}

/// Sorts frames by stream, as text, each in its order. Those with identifiers of 29 bits are of key
/// protocols or LeiA, whose identifiers change from frame to frame, and are together.
///
/// A stream may go on while a key protocol computes, so that the order between them is one of time.
#[must_use]
pub fn by_stream<'a>(
    frames: impl Iterator<Item = &'a Frame>,
) -> BTreeMap<Option<u32>, Vec<String>> {
    let mut sorted: BTreeMap<Option<u32>, Vec<String>> = BTreeMap::new();
    for frame in frames {
        let stream = match frame.id() {
            Id::Standard(id) => Some(u32::from(id.raw())),
            Id::Extended(_) => None,
        };
        sorted.entry(stream).or_default().push(frame_text(frame));
    }
    sorted
}

/// Returns a frame as candump writes it.
#[must_use]
pub fn frame_text(frame: &Frame) -> String {
    let id = match frame.id() {
        Id::Standard(id) => format!("{:03X}", id.raw()),
        Id::Extended(id) => format!("{:08X}", id.raw()),
    };
    match frame.format() {
        Format::Classic => format!("{id}#{}", hex_of(frame.data())),
        Format::Remote => format!("{id}#R{}", frame.dlc()),
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => {
            let flags = u8::from(bit_rate_switch) | u8::from(error_state_indicator) << 1;
            format!("{id}##{flags:X}{}", hex_of(frame.data()))
        }
    }
}

/// Reads a data frame that [`frame_text`] wrote.
fn frame_of(text: &str) -> Option<Frame> {
    let (digits, rest) = text.split_once('#')?;
    let raw = u32::from_str_radix(digits, 16).ok()?;
    let id = match digits.len() {
        3 => Id::standard(raw as u16),
        _ => Id::extended(raw),
    };
    let id = id.ok()?;
    let frame = match rest.strip_prefix('#') {
        None => Frame::classic(id, &bytes_of(rest)),
        Some(rest) => {
            let flags = u8::from_str_radix(rest.get(..1)?, 16).ok()?;
            let flags = FdFlags {
                bit_rate_switch: flags & 1 != 0,
                error_state_indicator: flags & 2 != 0,
            };
            Frame::fd_with(id, &bytes_of(&rest[1..]), flags)
        }
    };
    frame.ok()
}

/// Returns the digits of a time, and a space.
fn nanoseconds(at: Instant) -> String {
    format!("{} ", at.as_nanos())
}

fn instant_of(digits: &str) -> Instant {
    let nanoseconds = digits.parse();
    let nanoseconds = nanoseconds.unwrap_or_else(|error| panic!("a time: {digits}: {error}"));
    Instant::from_nanos(nanoseconds)
}

#[cfg(test)]
mod tests;
