//! `waywarden bus convert`: a log in one format becomes the same log in another.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::exit::{Answer, Failure};
use crate::files;
use crate::logs::{LogFormat, LogWriter};
use crate::places::is_standard;

/// Write a log in another format: candump, ASC or pcapng.
///
/// LOG is a candump, ASC or BLF log, plain or gzip. The file named by OUT appears when it is
/// complete; a fault in LOG ends the conversion and leaves nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Convert {
    /// The log to read.
    log: PathBuf,
    /// The log to write; its ending names the format: .log (candump), .asc, .pcapng. - is standard
    /// output and needs --to.
    out: PathBuf,
    /// The format to write, whatever the ending says.
    #[arg(long, value_enum)]
    to: Option<LogFormat>,
}

impl Convert {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let format = match self.to {
            Some(format) => format,
            None if is_standard(&self.out) => {
                let why = "-: standard output has no ending; name the format with --to";
                return Err(Failure::new(why));
            }
            None => LogFormat::of(&self.out)?,
        };
        let mut reader = files::log(&self.log)?;
        let mut writer = LogWriter::create(&self.out, format)?;
        let mut count = 0_u64;
        while let Some(record) = reader.next() {
            let record = record.map_err(|error| files::log_fault(&self.log, &error))?;
            writer
                .write(&record, reader.channels())
                .map_err(Failure::writing)?;
            count += 1;
        }
        writer.finish()?;
        if !is_standard(&self.out) {
            writeln!(
                io::stdout().lock(),
                "{}: {count} records",
                self.out.display()
            )?;
        }
        Ok(Answer::Yes)
    }
}
