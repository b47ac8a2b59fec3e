//! A log being read by `waywarden bus`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use waywarden_can_log::{Channels, LogReader, Record};

use crate::logs::damage::{Reading, Skipped};
use crate::logs::input;
use waywarden_command_line::exit::Failure;

/// A log being read.
pub(super) struct Log {
    reader: LogReader<BufReader<File>>,
    skipped: Skipped,
    records: u64,
}

impl Log {
    /// Opens a log, plain or gzip, of any format.
    pub(super) fn open(path: &Path, reading: Reading) -> Result<Self, Failure> {
        Ok(Log {
            reader: input::open(path)?,
            skipped: Skipped::new(path, Some(reading)),
            records: 0,
        })
    }

    /// Returns the next record; at the end of the log reports what was left out.
    ///
    /// # Errors
    /// For the first fault, or one that cannot be skipped, and for a log without a line that can
    /// be read.
    pub(super) fn next(&mut self) -> Result<Option<Record>, Failure> {
        loop {
            match self.reader.next() {
                Some(Ok(record)) => {
                    self.records += 1;
                    return Ok(Some(record));
                }
                Some(Err(error)) => self.skipped.skip(&error)?,
                None => {
                    self.skipped.finish(&self.reader, self.records)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Returns the channels seen so far.
    pub(super) fn channels(&self) -> &Channels {
        self.reader.channels()
    }

    /// Returns the date from which the records count, where the log has one in its header; known
    /// once the first record is read.
    pub(super) fn start_ns(&self) -> Option<u64> {
        self.reader.start_ns()
    }

    /// Returns how many damaged lines or messages were skipped.
    pub(super) const fn skipped_lines(&self) -> u64 {
        self.skipped.lines()
    }

    /// Returns how many events or objects were left out that are no frames on the bus.
    pub(super) fn skipped_events(&self) -> u64 {
        self.reader.skipped()
    }
}
