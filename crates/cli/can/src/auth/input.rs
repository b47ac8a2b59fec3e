//! The log that is worked on: a file or standard input, with a progress bar on a terminal.

use std::fmt::{self, Display};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_can_log::{Channels, LogReader, Record};

use crate::logs::damage::{LogReadingOptions, SkippedDamage};
use crate::logs::input::{check_whole, no_log};
use crate::logs::interface::Listener;
use crate::logs::live::{self, Polled, SilenceReports};
use crate::logs::source::LogSource;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;

/// A log being read, or an interface.
pub(super) struct Input {
    path: PathBuf,
    reader: Reader,
    skipped: SkippedDamage,
    bar: ProgressBar,
    begun: Instant,
    records: u64,
}

/// The place that records come from.
enum Reader {
    Log(LogReader<BufReader<Box<dyn Read>>>),
    Interface(Box<Listener>),
}

impl Input {
    /// Opens a log or an interface.
    pub(super) fn open(source: &LogSource, reading: LogReadingOptions) -> Result<Self, Failure> {
        let path = source.path();
        match source.interface() {
            None => Self::of_log(path, reading),
            Some(name) => Ok(Input {
                path: path.to_owned(),
                reader: Reader::Interface(Box::new(Listener::open(name)?)),
                skipped: SkippedDamage::new(path, Some(reading)),
                bar: ProgressBar::hidden(),
                begun: Instant::now(),
                records: 0,
            }),
        }
    }

    /// Opens a log; `-` is standard input.
    fn of_log(path: &Path, reading: LogReadingOptions) -> Result<Self, Failure> {
        let file = match path == Path::new("-") {
            true => None,
            false => Some(files::open(path)?),
        };
        let length = file.as_ref().and_then(length);
        let bar = match (messages::shows_progress(), length) {
            (true, Some(length)) => ProgressBar::new(length),
            _ => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} % {elapsed} ({eta})") {
            bar.set_style(style);
        }
        let mut silence = SilenceReports::default();
        let reader = match file {
            Some(file) if length.is_some() => {
                check_whole(path)?;
                let file = bar.wrap_read(file);
                waywarden_can_log::open_at_any_place(file, |file| buffered(Box::new(file)))
            }
            pipe => {
                let (source, reports) = match pipe {
                    Some(file) => live::pipe(file),
                    None => live::standard_input(),
                };
                silence = reports;
                waywarden_can_log::open(buffered(source))
            }
        };
        let reader = reader.map_err(|error| no_log(path, &error))?;
        // What is packed, or has a length in front, is no line that can wait for its rest.
        let is_text = !reader.is_gzip() && reader.format().is_text();
        if is_text {
            silence.enable();
        }
        Ok(Input {
            path: path.to_owned(),
            reader: Reader::Log(reader),
            skipped: SkippedDamage::new(path, Some(reading)),
            bar,
            begun: Instant::now(),
            records: 0,
        })
    }

    /// Returns the next record, or that an interface is silent; at the end of the log reports what
    /// was left out.
    ///
    /// # Errors
    /// For the first fault, or one that cannot be skipped, and for a log without a line that can
    /// be read.
    pub(super) fn poll(&mut self) -> Result<Polled, Failure> {
        let (bar, skipped) = (&self.bar, &mut self.skipped);
        let reader = match &mut self.reader {
            Reader::Log(reader) => reader,
            Reader::Interface(listener) => {
                let polled = listener.poll()?;
                match polled {
                    Polled::Record(_) => self.records += 1,
                    Polled::Silence => {}
                    Polled::End => listener.finish(),
                }
                return Ok(polled);
            }
        };
        loop {
            match reader.next() {
                Some(Ok(record)) => {
                    self.records += 1;
                    return Ok(Polled::Record(record));
                }
                Some(Err(error)) if error.is_silence() => return Ok(Polled::Silence),
                Some(Err(error)) => bar.suspend(|| skipped.skip(&error))?,
                None => {
                    bar.suspend(|| skipped.finish(reader, self.records))?;
                    return Ok(Polled::End);
                }
            }
        }
    }

    /// Returns the next record, as [`poll`](Self::poll) does; waits while an interface is silent.
    pub(super) fn next(&mut self) -> Result<Option<Record>, Failure> {
        loop {
            match self.poll()? {
                Polled::Record(record) => return Ok(Some(record)),
                Polled::Silence => {}
                Polled::End => return Ok(None),
            }
        }
    }

    /// Returns the channels seen so far.
    pub(super) fn channels(&self) -> &Channels {
        match &self.reader {
            Reader::Log(reader) => reader.channels(),
            Reader::Interface(listener) => listener.channels(),
        }
    }

    /// Returns the date from which the records count, where the log has one in its header; known
    /// once the first record is read.
    pub(super) fn start_ns(&self) -> Option<u64> {
        match &self.reader {
            Reader::Log(reader) if self.records == 1 => reader.start_ns(),
            Reader::Log(_) | Reader::Interface(_) => None,
        }
    }

    /// Places what is wrong with the record that was read last.
    pub(super) fn fault(&self, why: impl Display) -> Failure {
        let path = self.path.display();
        let line = match &self.reader {
            Reader::Log(reader) => reader.line(),
            Reader::Interface(_) => None,
        };
        match line {
            Some(line) => Failure::new(format_args!("{path}:{line}: {why}")),
            None => Failure::new(format_args!("{path}: record {}: {why}", self.records)),
        }
    }

    /// Places what is wrong with the whole log.
    pub(super) fn about(&self, why: impl Display) -> Failure {
        self.bar.finish_and_clear();
        Failure::new(format_args!("{}: {why}", self.path.display()))
    }

    /// Ends the reading: says how long it took.
    pub(super) fn finish(self) -> Throughput {
        self.bar.finish_and_clear();
        Throughput {
            records: self.records,
            seconds: self.begun.elapsed().as_secs_f64(),
        }
    }
}

/// Number of processed records, and the time that it took.
pub(super) struct Throughput {
    records: u64,
    seconds: f64,
}

impl Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Throughput { records, seconds } = self;
        let rate = *records as f64 / seconds.max(1e-9);
        write!(f, "{records} frames in {seconds:.3} s, {rate:.0} frames/s")
    }
}

fn buffered(source: Box<dyn Read>) -> BufReader<Box<dyn Read>> {
    BufReader::with_capacity(1 << 16, source)
}

/// The length of a file; a pipe has none.
fn length(file: &File) -> Option<u64> {
    let metadata = file.metadata().ok()?;
    metadata.is_file().then_some(metadata.len())
}
