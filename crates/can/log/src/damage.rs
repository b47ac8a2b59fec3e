//! Damaged logs: what a reader skips, and the remarks about all that it left out.

use std::fmt::Write as _;
use std::io::Read;

use crate::blf::type_name;
use crate::error::LogError;
use crate::open::{LogFormat, LogReader};

/// Maximum number of damaged lines that are shown; the rest are counted.
pub const SHOWN_MAX: u64 = 5;

/// Counts the damage skipped in one log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    lines: u64,
}

/// Remark about what was left out of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// True if something that should be in the log is missing.
    pub is_warning: bool,
    /// The remark, without the log's name.
    pub text: String,
}

impl Damage {
    /// Counts a fault that is skipped; returns true if it is one of the first, which are shown.
    ///
    /// # Errors
    /// [`Unskippable`]: a fault that ends the reading.
    pub fn skip(&mut self, error: &LogError, is_strict: bool) -> Result<bool, Unskippable> {
        if !error.is_skippable() {
            return Err(Unskippable::Always);
        }
        if is_strict {
            return Err(Unskippable::Strict);
        }
        self.lines += 1;
        Ok(self.lines <= SHOWN_MAX)
    }

    /// Returns how many damaged lines or messages were skipped.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns the remarks at the end of a log of so many records.
    ///
    /// # Errors
    /// The reason, for a log without a frame, or without a line that can be read.
    pub fn remarks<R: Read>(
        &self,
        reader: &LogReader<R>,
        records: u64,
    ) -> Result<Vec<Remark>, String> {
        if records == 0 && self.lines > 0 {
            return Err("nothing in the log can be read, so nothing was skipped".to_owned());
        }
        if records == 0 && reader.skipped() > 0 {
            let (types, count) = (types(reader), reader.skipped());
            return Err(format!(
                "no frame on the bus remains: all {count} events or objects are others{types}"
            ));
        }
        if records == 0 {
            return Err("the log has no frame".to_owned());
        }
        let (line, thing) = match reader.format() {
            LogFormat::Blf => ("message", "object"),
            LogFormat::Capture => ("packet", "packet"),
            LogFormat::Mf4 => ("record", "record"),
            LogFormat::Sqlite => ("row", "row"),
            _ => ("line", "event"),
        };
        let plural = |count| if count == 1 { "" } else { "s" };
        let mut remarks = Vec::new();
        if self.lines > 0 {
            let (count, shown) = (self.lines, self.lines.min(SHOWN_MAX));
            remarks.push(Remark {
                is_warning: true,
                text: format!(
                    "skipped {count} damaged {line}{}, {shown} of them shown",
                    plural(count)
                ),
            });
        }
        let padded = reader.padded();
        if padded > 0 {
            remarks.push(Remark {
                is_warning: false,
                text: format!(
                    "padded {padded} CAN FD frame{} with zeros to the next length that CAN FD \
                     has, as controllers do",
                    plural(padded)
                ),
            });
        }
        let skipped = reader.skipped();
        if skipped > 0 {
            remarks.push(Remark {
                is_warning: false,
                text: format!(
                    "skipped {skipped} {thing}{}, not frames on the bus{}",
                    plural(skipped),
                    types(reader)
                ),
            });
        }
        Ok(remarks)
    }
}

/// Reason why a fault ends the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unskippable {
    /// Nothing behind it can be read.
    Always,
    /// The reading is strict.
    Strict,
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
