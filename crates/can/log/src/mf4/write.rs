//! MF4 logs, written: a sorted file, its records packed.
//!
//! The description stands in front of the data, and each packed block is linked once it is written,
//! so that a file whose writing or copying broke off is read as far as it goes.

use std::io::{self, Seek, SeekFrom, Write};

use waywarden_can::{Format, Frame, Id};

use super::layout::FrameKind;
use super::names;
use crate::losses::Losses;
use crate::numbered::ChannelNumbers;
use crate::record::{Channels, Direction, ErrorFrame, LogEntry, Record};

pub(super) mod description;

use description::Places;

const SECOND: u64 = 1_000_000_000;

/// The bytes of records that are packed into one block: what a file that is cut short loses of each
/// group at most.
const PART: usize = 128 << 10;

/// Bytes of a record in front of the data bytes: time, bus channel, ID, then one byte each for IDE,
/// DLC, DataLength, Dir, EDL, BRS and ESI.
pub(super) const HEAD: usize = 21;

/// Writes an MF4 log of version 4.10.
///
/// Classic frames, CAN FD frames, remote frames and error frames each have a data group; times are
/// whole nanoseconds from the start of the measurement. The format does not carry everything: a
/// frame without direction becomes a received one, an error frame loses its details. Channel `can0`
/// becomes 0, `can1` 1 and so on; names that do not end on a free number get the next free one, and
/// the comment of the file has each name.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    /// Length so far; 0 before the identification is written.
    length: u64,
    groups: [Group; 4],
    numbers: ChannelNumbers,
    names: Vec<(u16, String)>,
    /// Number of names that the comment of the file has.
    noted: usize,
    start_ns: u64,
    last_ns: u64,
    date_ns: Option<u64>,
    losses: Losses,
}

/// A data group to be.
#[derive(Debug)]
struct Group {
    kind: FrameKind,
    /// Number of data bytes in each record.
    data: usize,
    records: u64,
    places: Places,
    buffer: Vec<u8>,
    unpacked: u64,
}

impl<W: Write + Seek> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        let group = |kind, data| Group {
            kind,
            data,
            records: 0,
            places: Places::default(),
            buffer: Vec::new(),
            unpacked: 0,
        };
        Writer {
            output,
            length: 0,
            groups: [
                group(FrameKind::Data, 8),
                group(FrameKind::Data, 64),
                group(FrameKind::Remote, 0),
                group(FrameKind::Error, 8),
            ],
            numbers: ChannelNumbers::default(),
            names: Vec::new(),
            noted: 0,
            start_ns: 0,
            last_ns: 0,
            date_ns: None,
            losses: Losses::default(),
        }
    }

    /// Sets the start of the measurement for records that count from it, as those of ASC and BLF
    /// logs do: nanoseconds since the Unix epoch. Nothing changes once a record is written.
    pub fn set_start(&mut self, date_ns: u64) {
        self.date_ns = Some(date_ns);
    }

    /// Returns how much of what was left out.
    #[must_use]
    pub const fn losses(&self) -> Losses {
        self.losses
    }

    /// Writes a record, its channel named by the table it belongs to.
    ///
    /// # Errors
    /// The error of the output's writer; [`io::ErrorKind::InvalidInput`] for a record 292 years
    /// from the first one.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        if self.length == 0 {
            // Without a date the start is the whole second of the first record.
            self.start_ns = match self.date_ns {
                Some(_) => 0,
                None => record.at_ns / SECOND * SECOND,
            };
            self.begin()?;
        }
        self.losses.order += u64::from(record.at_ns < self.last_ns);
        self.last_ns = record.at_ns;
        let time = i128::from(record.at_ns) - i128::from(self.start_ns);
        let time = i64::try_from(time).map_err(|_| {
            let why = "a time more than 292 years from the first one has no place in MF4";
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })?;
        let (number, is_new) = self.numbers.number(record.channel, channels);
        let number = number.saturating_sub(1);
        if is_new {
            self.names
                .push((number, channels.name(record.channel).to_owned()));
        }
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&time.to_le_bytes());
        head[8..10].copy_from_slice(&number.to_le_bytes());
        let (index, data): (usize, &[u8]) = match &record.entry {
            LogEntry::Frame { frame, direction } => {
                head[17] = u8::from(*direction == Some(Direction::Tx));
                (frame_head(frame, &mut head), frame.data())
            }
            LogEntry::ErrorFrame(error) => {
                self.losses.error_details += u64::from(*error != ErrorFrame::BUS_ERROR);
                (3, &[])
            }
        };
        let group = &mut self.groups[index];
        group.buffer.extend_from_slice(&head);
        group.buffer.extend_from_slice(data);
        group
            .buffer
            .resize(group.buffer.len() + group.data - data.len(), 0);
        group.records += 1;
        match group.buffer.len() >= PART {
            true => self.pack(index),
            false => Ok(()),
        }
    }

    /// Writes what is left, completes the description of the file, flushes and returns the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(mut self) -> io::Result<W> {
        if self.length == 0 {
            self.begin()?;
        }
        for index in 0..self.groups.len() {
            self.pack(index)?;
        }
        self.note_names()?;
        // Groups without records are left out, from the last to the first.
        let mut next = 0;
        for index in (0..self.groups.len()).rev() {
            let Group {
                records, places, ..
            } = self.groups[index];
            if records > 0 {
                self.put(places.next_group, next)?;
                self.put(places.count, records)?;
                next = places.group;
            }
        }
        self.put(description::FIRST_GROUP, next)?;
        self.output.seek(SeekFrom::Start(0))?;
        self.output.write_all(&identification(true))?;
        self.output.seek(SeekFrom::End(0))?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Writes the identification and the description, which has no records yet.
    fn begin(&mut self) -> io::Result<()> {
        let start_ns = self.date_ns.unwrap_or(0) + self.start_ns;
        let mut bytes = identification(false).to_vec();
        let kinds = self.groups.each_ref().map(|group| (group.kind, group.data));
        let places = description::describe(&mut bytes, kinds, start_ns);
        for (group, places) in self.groups.iter_mut().zip(places) {
            group.places = places;
        }
        self.output.write_all(&bytes)?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    /// Puts a number at a place that is written already.
    fn put(&mut self, at: u64, number: u64) -> io::Result<()> {
        self.output.seek(SeekFrom::Start(at))?;
        self.output.write_all(&number.to_le_bytes())?;
        self.output.seek(SeekFrom::End(0)).map(|_| ())
    }

    /// Writes the comment of the file again if there are more names.
    fn note_names(&mut self) -> io::Result<()> {
        if self.noted == self.names.len() {
            return Ok(());
        }
        self.noted = self.names.len();
        let mut block = Vec::new();
        let comment = names::comment(&self.names);
        description::append(&mut block, *b"MD", &[], &comment);
        self.output.write_all(&block)?;
        self.put(description::COMMENT, self.length)?;
        self.length += block.len() as u64;
        Ok(())
    }

    /// Packs the records of a group so far into a block, and a list of it behind the lists before.
    fn pack(&mut self, index: usize) -> io::Result<()> {
        self.note_names()?;
        let group = &mut self.groups[index];
        if group.buffer.is_empty() {
            return Ok(());
        }
        let width = HEAD + group.data;
        let columns = columns(&group.buffer, width);
        let mut data = Vec::with_capacity(group.buffer.len() / 4);
        data.extend_from_slice(b"DT");
        data.extend_from_slice(&[1, 0]);
        data.extend_from_slice(&(width as u32).to_le_bytes());
        data.extend_from_slice(&(group.buffer.len() as u64).to_le_bytes());
        data.extend_from_slice(&[0; 8]);
        let mut encoder = flate2::write::ZlibEncoder::new(data, flate2::Compression::fast());
        encoder.write_all(&columns)?;
        let mut data = encoder.finish()?;
        let packed = (data.len() - 24) as u64;
        data[16..24].copy_from_slice(&packed.to_le_bytes());
        let list = self.length;
        let mut blocks = Vec::with_capacity(data.len() + 96);
        description::append_list(&mut blocks, list, group.unpacked);
        description::append(&mut blocks, *b"DZ", &[], &data);
        group.unpacked += group.buffer.len() as u64;
        group.buffer.clear();
        let before = std::mem::replace(&mut group.places.next_list, list + description::NEXT_LIST);
        self.length += blocks.len() as u64;
        self.output.write_all(&blocks)?;
        self.put(before, list)
    }
}

/// The first block of a file that is complete, or lacks the numbers of its records.
fn identification(is_complete: bool) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..16].copy_from_slice(match is_complete {
        true => b"MDF     4.10    ",
        false => b"UnFinMF 4.10    ",
    });
    bytes[16..24].copy_from_slice(b"waywardn");
    bytes[28..30].copy_from_slice(&410_u16.to_le_bytes());
    bytes[60] = u8::from(!is_complete);
    bytes
}

/// Turns rows into columns, which pack better.
fn columns(rows: &[u8], width: usize) -> Vec<u8> {
    let height = rows.len() / width;
    let mut columns = vec![0; rows.len()];
    for (row, values) in rows.chunks_exact(width).enumerate() {
        for (column, value) in values.iter().enumerate() {
            columns[column * height + row] = *value;
        }
    }
    columns
}

/// Fills in the parts of a frame in front of its data bytes; returns its group.
fn frame_head(frame: &Frame, head: &mut [u8; HEAD]) -> usize {
    let (id, is_extended) = match frame.id() {
        Id::Standard(id) => (u32::from(id.raw()), false),
        Id::Extended(id) => (id.raw(), true),
    };
    head[10..14].copy_from_slice(&id.to_le_bytes());
    head[14] = u8::from(is_extended);
    head[15] = frame.dlc();
    head[16] = frame.data_len() as u8;
    match frame.format() {
        Format::Classic => 0,
        Format::Remote => {
            head[16] = frame.dlc().min(8);
            2
        }
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => {
            head[18] = 1;
            head[19] = u8::from(bit_rate_switch);
            head[20] = u8::from(error_state_indicator);
            1
        }
    }
}
