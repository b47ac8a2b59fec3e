//! A log being read by `waywarden bus`: damaged lines skipped where asked for, and a report of all
//! that was left out.

use std::fmt::{Display, Write as _};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use waywarden_can_log::blf::type_name;
use waywarden_can_log::{Channels, LogError, LogFormat, LogReader, Record};

use crate::exit::Failure;
use crate::files;
use crate::terminal::plain_lines;

/// How many damaged lines are shown; the rest are counted.
const SHOWN_MAX: u64 = 5;

/// How a log is read.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Reading {
    /// Skip what cannot be read in a damaged log (a line, or a message of a BLF file), and report
    /// it. A log that ends too early keeps what came before.
    #[arg(long)]
    skip_bad_lines: bool,
}

/// A log being read.
pub(super) struct Log {
    path: PathBuf,
    reader: LogReader<BufReader<File>>,
    reading: Reading,
    records: u64,
    skipped_lines: u64,
}

impl Log {
    /// Opens a log, plain or gzip, of any format.
    pub(super) fn open(path: &Path, reading: Reading) -> Result<Self, Failure> {
        Ok(Log {
            path: path.to_owned(),
            reader: files::log(path)?,
            reading,
            records: 0,
            skipped_lines: 0,
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
                Some(Err(error)) => self.skip(&error)?,
                None if self.records == 0 && self.skipped_lines > 0 => {
                    let why = "nothing in the log can be read, so nothing was skipped";
                    return Err(self.named(why));
                }
                None => {
                    self.report();
                    return Ok(None);
                }
            }
        }
    }

    /// Returns the channels seen so far.
    pub(super) fn channels(&self) -> &Channels {
        self.reader.channels()
    }

    /// Returns how many damaged lines or messages were skipped.
    pub(super) const fn skipped_lines(&self) -> u64 {
        self.skipped_lines
    }

    /// Returns how many events or objects were left out that are no frames on the bus.
    pub(super) fn skipped_events(&self) -> u64 {
        self.reader.skipped()
    }

    fn skip(&mut self, error: &LogError) -> Result<(), Failure> {
        if !error.is_skippable() {
            return Err(files::log_fault(&self.path, error));
        }
        if !self.reading.skip_bad_lines {
            return Err(Failure::new(format_args!(
                "{}:{error} (correct the log there, or skip what is damaged: --skip-bad-lines)",
                self.path.display()
            )));
        }
        self.skipped_lines += 1;
        if self.skipped_lines <= SHOWN_MAX {
            warn("warning", format_args!("{}:{error}", self.path.display()));
        }
        Ok(())
    }

    fn report(&self) {
        let path = self.path.display();
        let (line, thing) = match self.reader.format() {
            LogFormat::Blf => ("message", "object"),
            LogFormat::Candump | LogFormat::Asc => ("line", "event"),
        };
        let plural = |count| if count == 1 { "" } else { "s" };
        if self.skipped_lines > 0 {
            let (count, shown) = (self.skipped_lines, self.skipped_lines.min(SHOWN_MAX));
            let line = format_args!(
                "{path}: skipped {count} damaged {line}{}, {shown} of them shown",
                plural(count)
            );
            warn("warning", line);
        }
        let skipped = self.skipped_events();
        if skipped > 0 {
            let mut text = format!(
                "{path}: skipped {skipped} {thing}{}, not frames on the bus",
                plural(skipped)
            );
            for (at, (kind, count)) in self.reader.skipped_types().iter().enumerate() {
                let mark = if at == 0 { ":" } else { "," };
                let _ = write!(text, "{mark} {count} of type {kind}");
                if let Some(name) = type_name(*kind) {
                    let _ = write!(text, " ({name})");
                }
            }
            warn("note", text);
        }
    }

    fn named(&self, why: &str) -> Failure {
        Failure::new(format_args!("{}: {why}", self.path.display()))
    }
}

/// Prints a line to standard error: standard output may be the converted log.
pub(super) fn warn(kind: &str, line: impl Display) {
    eprintln!("{kind}: {}", plain_lines(&line.to_string()));
}
