//! The records of one data group in their order, each with its data bytes.

use std::collections::VecDeque;
use std::io::{Read, Seek};

use super::data::{Data, Limits};
use super::frame::{DATA_MAX, Head};
use super::layout::{DataGroup, DataPlace, GroupKind};
use super::{Mf4Cause, Unfinished};
use crate::bytes::{u32_at, u64_at};
use crate::error::{LogError, LogLocation};
use crate::numbered::NumberedChannels;
use crate::record::Record;
use crate::seekable::File;

/// The most frames that wait for their data bytes, and values that wait for their frame.
const WAITING_MAX: usize = 1 << 12;

/// The most times that signal data is read from its beginning again.
const REWINDS_MAX: u32 = 256;

/// A data group being read.
#[derive(Debug)]
pub(super) struct Records {
    group: DataGroup,
    data: Data,
    /// Data bytes in a block of signal data, one stream a channel group.
    signals: Vec<Option<Signal>>,
    /// Data bytes in records of other channel groups, one queue a channel group.
    values: Vec<Values>,
    waiting: VecDeque<Waiting>,
    /// Records that a sorted group still has, as far as it says so.
    left: Option<u64>,
    /// True if offsets of values mean nothing, because they were not completed.
    by_order: bool,
    ended: bool,
    /// Records that were no frames.
    pub(super) others: u64,
    /// CAN FD frames that were padded.
    pub(super) padded: u64,
}

/// A frame that waits for its data bytes.
#[derive(Debug)]
struct Waiting {
    place: LogLocation,
    head: Result<Head, Mf4Cause>,
    /// The channel group of its data bytes and the place in it; none if it has them.
    values: Option<(usize, u64)>,
    value: Value,
}

/// Data bytes.
#[derive(Clone, Copy, Debug)]
struct Value {
    length: u32,
    bytes: [u8; DATA_MAX],
}

/// Values that came in records of their own.
#[derive(Debug, Default)]
struct Values {
    /// Place of the next value in the signal data that they stand for.
    next: u64,
    values: VecDeque<(u64, Value)>,
}

/// A stream of signal data.
#[derive(Debug)]
struct Signal {
    data: Data,
    rewinds: u32,
}

impl Records {
    pub(super) fn new<S: Read + Seek>(
        file: &File<S>,
        group: DataGroup,
        (limits, unfinished): (Limits, Unfinished),
    ) -> Self {
        let data = Data::new(file, group.data, limits);
        let is_counted = group.id_size == 0 && !unfinished.counts;
        let left = is_counted.then(|| group.channels.first().map_or(0, |group| group.records));
        let signal = |link| Signal {
            data: Data::new(file, link, limits),
            rewinds: 0,
        };
        let signals = group.channels.iter().map(|group| match &group.kind {
            GroupKind::Frames(frame) => match frame.data {
                DataPlace::Signal { link, .. } => Some(signal(link)),
                _ => None,
            },
            _ => None,
        });
        Records {
            data,
            signals: signals.collect(),
            values: group.channels.iter().map(|_| Values::default()).collect(),
            waiting: VecDeque::new(),
            left,
            by_order: unfinished.offsets,
            ended: false,
            others: 0,
            padded: 0,
            group,
        }
    }

    /// Returns the next frame, or the fault of one.
    pub(super) fn next<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        start_ns: u64,
        channels: &mut NumberedChannels,
    ) -> Option<Result<Record, LogError>> {
        loop {
            if let Some(first) = self.waiting.front() {
                if first.values.is_none() {
                    let first = self.waiting.pop_front()?;
                    return Some(first.finish(&mut self.padded));
                }
                if self.ended || self.waiting.len() > WAITING_MAX {
                    let first = self.waiting.pop_front()?;
                    let (_, offset) = first.values.unwrap_or_default();
                    return Some(Err(first.fault(Mf4Cause::Values(offset))));
                }
            }
            if self.ended {
                return None;
            }
            match self.step(file, start_ns, channels) {
                Ok(Some(record)) => return Some(record),
                Ok(None) => {}
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
    }

    /// Reads one record: a frame that has its data bytes is returned at once.
    fn step<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
        start_ns: u64,
        channels: &mut NumberedChannels,
    ) -> Result<Option<Result<Record, LogError>>, LogError> {
        let place = self.data.place();
        let fault = |cause: Mf4Cause| LogError {
            place,
            cause: cause.into(),
        };
        if self.left == Some(0) {
            self.ended = true;
            return Ok(None);
        }
        let Some(index) = self.record_group(file)? else {
            self.ended = true;
            return match (self.left, self.group.channels.first()) {
                (Some(missing), Some(group)) => {
                    let stated = group.records;
                    Err(fault(Mf4Cause::Records { missing, stated }))
                }
                _ => Ok(None),
            };
        };
        self.left = self.left.map(|left| left - 1);
        let group = &self.group.channels[index];
        let frame = match &group.kind {
            GroupKind::Values => {
                self.value(file, index)?;
                return Ok(None);
            }
            GroupKind::Other => {
                self.others += 1;
                self.data.skip(file, group.size)?;
                return Ok(None);
            }
            GroupKind::Frames(frame) => frame,
        };
        let Some(record) = self.data.take(file, group.size as usize)? else {
            return Err(fault(Mf4Cause::Truncated));
        };
        let head = frame.head(record, start_ns, channels);
        let (offset, value) = match frame.data {
            DataPlace::Values { offset, group } => {
                let at = offset.raw(record).unwrap_or(0);
                self.wait(place, head, (group, at));
                return Ok(None);
            }
            DataPlace::Signal { offset, .. } => (offset.raw(record).unwrap_or(0), None),
            _ => (0, Some(frame.inner(record))),
        };
        if let (Some(data), true) = (value, self.waiting.is_empty()) {
            let record = head.and_then(|head| head.record(data, &mut self.padded));
            return Ok(Some(record.map_err(fault)));
        }
        let value = match (value, self.signals.get_mut(index)) {
            (None, Some(Some(signal))) => signal.value(file, offset)?,
            (value, _) => Value::new(value.unwrap_or_default()),
        };
        self.waiting.push_back(Waiting {
            place,
            head,
            values: None,
            value,
        });
        Ok(None)
    }

    /// Returns the channel group of the next record; none at the end.
    fn record_group<S: Read + Seek>(
        &mut self,
        file: &mut File<S>,
    ) -> Result<Option<usize>, LogError> {
        let place = self.data.place();
        let size = self.group.id_size;
        if size == 0 {
            let is_there = !self.data.peek(file, 1)?.is_empty();
            return Ok(is_there.then_some(0));
        }
        let Some(bytes) = self.data.take(file, size)? else {
            return Ok(None);
        };
        let id = u64_at(bytes, 0);
        let found = self
            .group
            .channels
            .iter()
            .position(|group| group.record_id == id);
        match found {
            Some(index) => Ok(Some(index)),
            None => Err(LogError {
                place,
                cause: Mf4Cause::RecordId(id).into(),
            }),
        }
    }

    /// Reads a value in a record of its own, and gives it to the frame that waits for it.
    fn value<S: Read + Seek>(&mut self, file: &mut File<S>, index: usize) -> Result<(), LogError> {
        let truncated = || LogError {
            place: LogLocation::Offset(0),
            cause: Mf4Cause::Truncated.into(),
        };
        let length = self.data.take(file, 4)?.map(|bytes| u32_at(bytes, 0));
        let length = length.ok_or_else(truncated)?;
        let kept = (length as usize).min(DATA_MAX);
        let mut value = Value::new(self.data.take(file, kept)?.ok_or_else(truncated)?);
        value.length = length;
        self.data.skip(file, u64::from(length) - kept as u64)?;
        let Some(values) = self.values.get_mut(index) else {
            return Ok(());
        };
        let at = values.next;
        values.next = at.saturating_add(4 + u64::from(length));
        let by_order = self.by_order;
        let waits = |waiting: &&mut Waiting| match waiting.values {
            Some((group, offset)) => group == index && (by_order || offset == at),
            None => false,
        };
        match self.waiting.iter_mut().find(waits) {
            Some(waiting) => {
                waiting.value = value;
                waiting.values = None;
            }
            None => {
                values.values.push_back((at, value));
                if values.values.len() > WAITING_MAX {
                    values.values.pop_front();
                }
            }
        }
        Ok(())
    }

    /// Keeps a frame until its data bytes come, or takes those that came before it.
    fn wait(
        &mut self,
        place: LogLocation,
        head: Result<Head, Mf4Cause>,
        (index, at): (usize, u64),
    ) {
        let by_order = self.by_order;
        let found = self.values.get_mut(index).and_then(|values| {
            let found = match by_order || values.values.front().is_some_and(|(o, _)| *o == at) {
                true => 0,
                false => values
                    .values
                    .binary_search_by_key(&at, |(offset, _)| *offset)
                    .ok()?,
            };
            values.values.remove(found)
        });
        self.waiting.push_back(Waiting {
            place,
            head,
            values: found.is_none().then_some((index, at)),
            value: found.map_or(Value::new(&[]), |(_, value)| value),
        });
    }
}

impl Waiting {
    fn fault(&self, cause: Mf4Cause) -> LogError {
        LogError {
            place: self.place,
            cause: cause.into(),
        }
    }

    fn finish(&self, padded: &mut u64) -> Result<Record, LogError> {
        let data = self.value.bytes.get(..self.value.length as usize);
        let too_long = Mf4Cause::DataLength(u64::from(self.value.length));
        let record = match (&self.head, data) {
            (Ok(head), Some(data)) => head.record(data, padded),
            (Ok(_), None) => Err(too_long),
            (Err(cause), _) => Err(cause.clone()),
        };
        record.map_err(|cause| self.fault(cause))
    }
}

impl Value {
    fn new(data: &[u8]) -> Self {
        let mut bytes = [0; DATA_MAX];
        let length = data.len().min(DATA_MAX);
        bytes[..length].copy_from_slice(&data[..length]);
        Value {
            length: length as u32,
            bytes,
        }
    }
}

impl Signal {
    /// Reads the value at a place of the signal data.
    fn value<S: Read + Seek>(&mut self, file: &mut File<S>, at: u64) -> Result<Value, LogError> {
        if at < self.data.offset() {
            self.rewinds += 1;
            if self.rewinds > REWINDS_MAX {
                return Err(LogError {
                    place: self.data.place(),
                    cause: Mf4Cause::Order(REWINDS_MAX).into(),
                });
            }
            self.data.rewind(file);
        }
        self.data.skip(file, at - self.data.offset())?;
        let truncated = LogError {
            place: self.data.place(),
            cause: Mf4Cause::Values(at).into(),
        };
        let Some(length) = self.data.take(file, 4)?.map(|bytes| u32_at(bytes, 0)) else {
            return Err(truncated);
        };
        let kept = (length as usize).min(DATA_MAX);
        let mut value = Value::new(self.data.take(file, kept)?.ok_or(truncated)?);
        value.length = length;
        self.data.skip(file, u64::from(length) - kept as u64)?;
        Ok(value)
    }
}
