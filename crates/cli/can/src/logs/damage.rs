//! Damaged logs: what is skipped unless that is refused, and a report of all that was left out.

use std::fmt::{Display, Write as _};
use std::io::Read;
use std::path::{Path, PathBuf};

use waywarden_can_log::blf::type_name;
use waywarden_can_log::{LogError, LogFormat, LogReader};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;

/// Maximum number of damaged lines that are shown; the rest are counted.
const SHOWN_MAX: u64 = 5;

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
    lines: u64,
}

impl SkippedDamage {
    /// Begins with nothing skipped.
    pub fn new(path: &Path, reading: Option<LogReadingOptions>) -> Self {
        SkippedDamage {
            path: path.to_owned(),
            reading,
            lines: 0,
        }
    }

    /// Skips a fault of the log, and reports it.
    ///
    /// # Errors
    /// For one that cannot be skipped, or need not be.
    pub fn skip(&mut self, error: &LogError) -> Result<(), Failure> {
        let Some(reading) = self.reading.filter(|_| error.is_skippable()) else {
            return Err(log_fault(&self.path, error));
        };
        if reading.strict {
            return Err(Failure::new(format_args!(
                "{}:{error} (correct the log there, or skip what is damaged: leave --strict out)",
                self.path.display()
            )));
        }
        self.lines += 1;
        if self.lines <= SHOWN_MAX {
            warn("warning", format_args!("{}:{error}", self.path.display()));
        }
        Ok(())
    }

    /// Returns how many damaged lines or messages were skipped.
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// Reports at the end of a log of so many records what was left out.
    ///
    /// # Errors
    /// For a log without a frame, or without a line that can be read.
    pub fn finish<R: Read>(&self, reader: &LogReader<R>, records: u64) -> Result<(), Failure> {
        let path = self.path.display();
        if records == 0 && self.lines > 0 {
            let why = "nothing in the log can be read, so nothing was skipped";
            return Err(Failure::new(format_args!("{path}: {why}")));
        }
        if records == 0 && reader.skipped() > 0 {
            let (what, count) = (Self::types(reader), reader.skipped());
            return Err(Failure::new(format_args!(
                "{path}: no frame on the bus remains: all {count} events or objects are others\
                 {what}"
            )));
        }
        if records == 0 {
            return Err(Failure::new(format_args!("{path}: the log has no frame")));
        }
        let (line, thing) = match reader.format() {
            LogFormat::Blf => ("message", "object"),
            LogFormat::Capture => ("packet", "packet"),
            LogFormat::Mf4 => ("record", "record"),
            LogFormat::Sqlite => ("row", "row"),
            _ => ("line", "event"),
        };
        let plural = |count| if count == 1 { "" } else { "s" };
        if self.lines > 0 {
            let (count, shown) = (self.lines, self.lines.min(SHOWN_MAX));
            let line = format_args!(
                "{path}: skipped {count} damaged {line}{}, {shown} of them shown",
                plural(count)
            );
            warn("warning", line);
        }
        let padded = reader.padded();
        if padded > 0 {
            let line = format_args!(
                "{path}: padded {padded} CAN FD frame{} with zeros to the next length that CAN FD \
                 has, as controllers do",
                plural(padded)
            );
            warn("note", line);
        }
        let skipped = reader.skipped();
        if skipped > 0 {
            let mut text = format!(
                "{path}: skipped {skipped} {thing}{}, not frames on the bus",
                plural(skipped)
            );
            text += &Self::types(reader);
            warn("note", text);
        }
        Ok(())
    }

    /// Lists the types of what is no frame on the bus; empty for a format without types.
    fn types<R: Read>(reader: &LogReader<R>) -> String {
        let mut text = String::new();
        for (at, (kind, count)) in reader.skipped_types().iter().enumerate() {
            let mark = if at == 0 { ":" } else { "," };
            let _ = write!(text, "{mark} {count} of type {kind}");
            if let Some(name) = type_name(*kind) {
                let _ = write!(text, " ({name})");
            }
        }
        text
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
