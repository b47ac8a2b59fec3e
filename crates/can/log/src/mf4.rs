//! ASAM MDF 4 bus logs (MF4), read and written.
//!
//! Read are the channel groups with `CAN_DataFrame`, `CAN_RemoteFrame` and `CAN_ErrorFrame`, as
//! asammdf, python-can and CANedge loggers write them: sorted or unsorted, data bytes in the record
//! or apart, packed or plain, completed or not. Everything else is skipped and counted. The parts
//! of a file refer to each other by their place, so it is read at any place.
//! `docs/log-formats.md` has the layout as used here.

mod block;
mod data;
mod field;
mod frame;
mod layout;
mod names;
mod records;
mod write;

use std::fmt;
use std::io::{Read, Seek};

pub use write::Writer;

use crate::bytes::u16_at;
use crate::error::{LogError, LogLocation, Mf4Cause, Quote};
use crate::numbered::{NumberedChannels, note};
use crate::record::{CHANNEL_NAME_MAX, Channels, Record};
use crate::seekable::File;
use data::Limits;
use records::Records;

/// The largest record of a channel group with frames, in bytes.
pub const RECORD_MAX: u64 = 1 << 16;

/// The most data groups with frames that are merged by time.
pub const GROUPS_MAX: usize = 256;

/// The largest packed block, packed and unpacked, in bytes. The standard recommends 4 MiB.
pub const PACKED_MAX: u64 = 32 << 20;

/// Bound of all packed blocks together that are in memory at one time, in bytes.
const PACKED_TOTAL: u64 = 256 << 20;

/// The first bytes of a complete file, and of one that its writer did not complete.
pub(crate) const MARKS: [&[u8]; 2] = [b"MDF     4", b"UnFinMF 4"];

/// Reads an MF4 file record by record, in the order of time over its data groups.
///
/// A broken frame is an error of its own and the caller may go on. A broken data block ends its
/// data group, and the others go on.
pub struct Reader<S> {
    file: Result<File<S>, Option<LogError>>,
    groups: Option<Vec<Group>>,
    channels: NumberedChannels,
    start_ns: u64,
    others: u64,
}

/// A data group and its next record.
#[derive(Debug)]
struct Group {
    records: Records,
    next: Option<Result<Record, LogError>>,
}

/// Parts that the writer of a file did not complete.
#[derive(Clone, Copy, Debug)]
struct Unfinished {
    /// Numbers of records.
    counts: bool,
    /// Places of values of variable length.
    offsets: bool,
}

impl<S: Read + Seek> Reader<S> {
    /// Makes a reader of a plain file; nothing but its length is asked for yet.
    pub fn new(input: S) -> Self {
        Reader {
            file: File::new(input).map_err(Some),
            groups: None,
            channels: NumberedChannels::new(),
            start_ns: 0,
            others: 0,
        }
    }

    /// Returns the channels seen so far: bus channel 0 as `can0`, 1 as `can1` and so on.
    #[must_use]
    pub fn channels(&self) -> &Channels {
        self.channels.channels()
    }

    /// Returns how many records so far were no frames: those of data groups without frames count
    /// as soon as the first record is read.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        let groups = self.groups.iter().flatten();
        let skipped = groups.map(|group| group.records.others).sum::<u64>();
        self.others.saturating_add(skipped)
    }

    /// Returns how many CAN FD frames so far had a count of bytes that no such frame has, and were
    /// padded with zeros.
    #[must_use]
    pub fn padded(&self) -> u64 {
        let groups = self.groups.iter().flatten();
        groups.map(|group| group.records.padded).sum()
    }

    fn step(&mut self) -> Option<Result<Record, LogError>> {
        let file = match &mut self.file {
            Ok(file) => file,
            Err(error) => return error.take().map(Err),
        };
        let groups = match &mut self.groups {
            Some(groups) => groups,
            None => {
                let opened = open(file, &mut self.channels).map(|(layout, groups)| {
                    (self.start_ns, self.others) = (layout.start_ns, layout.others);
                    groups
                });
                let groups = match opened {
                    Ok(groups) => groups,
                    Err(error) => {
                        self.file = Err(None);
                        return Some(Err(error));
                    }
                };
                let groups = self.groups.insert(groups);
                for group in groups.iter_mut() {
                    group.next = group.records.next(file, self.start_ns, &mut self.channels);
                }
                groups
            }
        };
        // A fault goes first, so that it is near the records before it.
        let at = |group: &Group| match &group.next {
            Some(Ok(record)) => record.at_ns.saturating_add(1),
            Some(Err(_)) => 0,
            None => u64::MAX,
        };
        let first = match groups.as_mut_slice() {
            [only] => only,
            groups => groups.iter_mut().min_by_key(|group| at(group))?,
        };
        let following = match first.next {
            Some(_) => first.records.next(file, self.start_ns, &mut self.channels),
            None => None,
        };
        std::mem::replace(&mut first.next, following)
    }
}

impl<S> fmt::Debug for Reader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("groups", &self.groups)
            .finish_non_exhaustive()
    }
}

impl<S: Read + Seek> Iterator for Reader<S> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step()
    }
}

/// Reads the description of the file, and begins each data group that has frames.
fn open<S: Read + Seek>(
    file: &mut File<S>,
    channels: &mut NumberedChannels,
) -> Result<(layout::Layout, Vec<Group>), LogError> {
    let mut layout = layout::read(file)?;
    let mut found = std::mem::take(&mut layout.groups);
    for (number, name) in &layout.names {
        // Bus channel 0 is number 1 of other formats.
        let _ = channels.read_note(note(number.saturating_add(1), name).as_bytes());
    }
    name_sources(&mut found, channels);
    if found.len() > GROUPS_MAX {
        return Err(fault(64, Mf4Cause::DataGroups(found.len(), GROUPS_MAX)));
    }
    // A bit for each part that was not completed.
    let flag = |bit: u16| layout.unfinished >> bit & 1 == 1;
    let limits = Limits {
        block: (PACKED_TOTAL / found.len().max(1) as u64).min(PACKED_MAX),
        open_end: flag(2),
    };
    let unfinished = Unfinished {
        counts: flag(0),
        offsets: flag(6),
    };
    let groups = found.into_iter().map(|group| Group {
        records: Records::new(file, group, (limits, unfinished)),
        next: None,
    });
    let groups = groups.collect();
    Ok((layout, groups))
}

/// Gives sources that have a name and no number the highest bus channels, one for each name.
fn name_sources(groups: &mut [layout::DataGroup], channels: &mut NumberedChannels) {
    let mut known: Vec<String> = Vec::new();
    let channel_groups = groups.iter_mut().flat_map(|group| &mut group.channels);
    for group in channel_groups {
        let layout::GroupKind::Frames(frame) = &mut group.kind else {
            continue;
        };
        let Some(source) = frame.source.take() else {
            continue;
        };
        let is_graphic = |c: char| if c.is_ascii_graphic() { c } else { '_' };
        let name: String = source
            .chars()
            .map(is_graphic)
            .take(CHANNEL_NAME_MAX)
            .collect();
        let index = known.iter().position(|other| *other == name);
        let index = index.unwrap_or_else(|| {
            known.push(name);
            known.len() - 1
        });
        // There are at most as many groups as bus channels.
        frame.channel = 255 - index.min(255) as u16;
        let _ = channels.read_note(note(frame.channel + 1, &known[index]).as_bytes());
    }
}

/// Reads the identification of the file and returns what its writer did not complete.
fn identification<S: Read + Seek>(file: &mut File<S>) -> Result<u16, LogError> {
    let bytes = file.bytes(0, 64)?;
    let version = u16_at(bytes, 28);
    if !MARKS.iter().any(|mark| bytes.starts_with(mark)) || !(400..=420).contains(&version) {
        let shown = bytes.get(8..16).unwrap_or_default().trim_ascii_end();
        return Err(fault(0, Mf4Cause::Version(Quote::new(shown))));
    }
    match bytes.starts_with(b"Un") {
        true => Ok(u16_at(bytes, 60)),
        false => Ok(0),
    }
}

/// The error of a file that stores each channel by itself.
fn columns() -> Mf4Cause {
    Mf4Cause::Unsupported {
        channel: "of a frame",
        form: "a column of its own (MDF 4.2)".to_owned(),
        remedy: "save it by records, as asammdf does by default",
    }
}

fn fault(at: u64, cause: Mf4Cause) -> LogError {
    LogError {
        place: LogLocation::Offset(at),
        cause: cause.into(),
    }
}

#[cfg(test)]
mod tests;
