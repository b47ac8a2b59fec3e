//! A log being read by `waywarden bus`.

use std::io::{BufReader, Read};
use std::path::Path;

use waywarden_can_log::{Channels, LogError, LogReader, Record};

use crate::logs::damage::{LogReadingOptions, SkippedDamage};
use crate::logs::{input, live};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;

/// A log being read.
pub(super) struct Log {
    reader: LogReader<BufReader<Box<dyn Read>>>,
    skipped: SkippedDamage,
    records: u64,
}

impl Log {
    /// Opens a log, plain or gzip, of any format.
    pub(super) fn open(path: &Path, reading: LogReadingOptions) -> Result<Self, Failure> {
        input::check_whole(path)?;
        let as_stream = |file| BufReader::with_capacity(1 << 16, Box::new(file) as Box<dyn Read>);
        let reader = waywarden_can_log::open_at_any_place(files::open(path)?, as_stream);
        Self::of(reader, path, reading)
    }

    /// Opens a log, or standard input for `-`, which is read as it comes.
    pub(super) fn open_or_standard_input(
        path: &Path,
        reading: LogReadingOptions,
    ) -> Result<Self, Failure> {
        match path == Path::new("-") {
            true => Self::of_stream(live::standard_input().0, path, reading),
            false if live::is_live(path) => {
                Self::of_stream(live::pipe(files::open(path)?).0, path, reading)
            }
            false => Self::open(path, reading),
        }
    }

    fn of_stream(
        source: Box<dyn Read>,
        path: &Path,
        reading: LogReadingOptions,
    ) -> Result<Self, Failure> {
        let reader = waywarden_can_log::open(BufReader::with_capacity(1 << 16, source));
        Self::of(reader, path, reading)
    }

    fn of(
        reader: Result<LogReader<BufReader<Box<dyn Read>>>, LogError>,
        path: &Path,
        reading: LogReadingOptions,
    ) -> Result<Self, Failure> {
        Ok(Log {
            reader: reader.map_err(|error| input::no_log(path, &error))?,
            skipped: SkippedDamage::new(path, Some(reading)),
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
