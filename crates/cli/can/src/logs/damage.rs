//! Damaged logs: what is skipped unless that is refused, and a report of all that was left out.

use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};

use waywarden_can_log::damage::{Damage, Unskippable};
use waywarden_can_log::{LogError, LogReader};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;

/// Options for reading a log.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct LogReadingOptions {
    /// Refuse a damaged log. Without it a line that cannot be read (or a message of a BLF file) is
    /// skipped, reported and counted, and a log that ends too early keeps what came before.
    #[arg(long)]
    strict: bool,
}

impl LogReadingOptions {
    /// Returns true if what is damaged is refused.
    pub const fn is_strict(self) -> bool {
        self.strict
    }
}

/// The damage skipped in one log.
pub struct SkippedDamage {
    path: PathBuf,
    /// None for a command that skips nothing.
    reading: Option<LogReadingOptions>,
    damage: Damage,
}

impl SkippedDamage {
    /// Begins with nothing skipped.
    pub fn new(path: &Path, reading: Option<LogReadingOptions>) -> Self {
        SkippedDamage {
            path: path.to_owned(),
            reading,
            damage: Damage::default(),
        }
    }

    /// Skips a fault of the log, and reports it.
    ///
    /// # Errors
    /// For one that cannot be skipped, or need not be.
    pub fn skip(&mut self, error: &LogError) -> Result<(), Failure> {
        let Some(reading) = self.reading else {
            return Err(log_fault(&self.path, error));
        };
        match self.damage.skip(error, reading.strict) {
            Ok(true) => warn("warning", format_args!("{}:{error}", self.path.display())),
            Ok(false) => {}
            Err(Unskippable::Always) => return Err(log_fault(&self.path, error)),
            Err(Unskippable::Strict) => {
                return Err(Failure::new(format_args!(
                    "{}:{error} (correct the log there, or skip what is damaged: leave --strict \
                     out)",
                    self.path.display()
                )));
            }
        }
        Ok(())
    }

    /// Returns how many damaged lines or messages were skipped.
    pub const fn lines(&self) -> u64 {
        self.damage.lines()
    }

    /// Reports at the end of a log of so many records what was left out.
    ///
    /// # Errors
    /// For a log without a frame, or without a line that can be read.
    pub fn finish<R: Read>(&self, reader: &LogReader<R>, records: u64) -> Result<(), Failure> {
        let path = self.path.display();
        let remarks = self.damage.remarks(reader, records);
        let remarks = remarks.map_err(|why| Failure::new(format_args!("{path}: {why}")))?;
        for remark in remarks {
            let kind = if remark.is_warning { "warning" } else { "note" };
            warn(kind, format_args!("{path}: {}", remark.text));
        }
        Ok(())
    }
}

/// Names the log in an error of its reader, and what can be done about one of its records.
fn log_fault(path: &Path, error: &LogError) -> Failure {
    Failure::new(format_args!(
        "{}:{error} (everything before it was read; to go on, correct the log there or cut it off)",
        path.display()
    ))
}

/// Prints a line to standard error: standard output may be the converted log.
pub fn warn(kind: &str, line: impl Display) {
    messages::status(format_args!("{kind}: {}", plain_lines(&line.to_string())));
}
