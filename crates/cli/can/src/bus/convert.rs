//! `waywarden bus convert`: a log in one format becomes the same log in another.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::log::Log;
use super::matrix_output::MatrixOutput;
use crate::logs::damage::{LogReadingOptions, warn};
use crate::logs::{LogWriter, TimeDigits, WrittenLogFormat};
use crate::matrix::MatrixChoices;
use crate::signals::{self, SignalLayout, SignalTable};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::places::is_standard;
use waywarden_vehicle_file::formatting::count;

const EXAMPLES: &str = "\
Examples:
  waywarden bus convert drive.trc drive.log           PEAK's trace as candump writes it
  waywarden bus convert gvret.csv drive.blf           for Vector's programs
  waywarden bus convert 00000012.MF4 drive.log        a logger's file for can-utils
  waywarden bus convert drive.pcapng - --to csv       python-can's table on standard output
  candump -L can0 | waywarden bus convert - drive.pcapng
  waywarden bus convert drive.log signals.csv --dbc matrix.dbc
  waywarden bus convert drive.mf4 signals.parquet --dbc matrix.dbc --layout columns
  waywarden bus convert system.arxml matrix.dbc --bus Chassis   a message matrix as DBC";

/// Write a log in another format: candump, ASC, BLF, TRC, python-can's CSV, pcapng or MF4.
///
/// LOG is a log of candump, Vector (ASC, BLF), PEAK (TRC), BUSMASTER, GVRET or SavvyCAN (CSV),
/// python-can (CSV), OVMS (CRTD) or Wireshark (pcap, pcapng), plain or gzip, an MF4 log, or a
/// SQLite database that python-can wrote; its content tells which. The file named by OUT appears
/// when it is complete; damaged lines of LOG are skipped and reported, with --strict they end the
/// conversion and leave nothing. Events and objects that are no frames on the bus are skipped and
/// reported, and so is all that OUT's format has no place for.
///
/// With --dbc the signals in the frames are written instead, as a table of their values in their
/// units.
///
/// A message matrix (DBC, ARXML, KCD or SYM) in place of LOG becomes a DBC file, OUT in .dbc. A DBC
/// file keeps all that is read of it. What of a matrix OUT does not have is a warning each; parts
/// that are skipped are an error with --strict.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Convert {
    /// The log or message matrix to read; - is standard input, for every format of logs but MF4 and
    /// SQLite.
    log: PathBuf,
    /// The log to write; its ending names the format: .log (candump), .asc, .blf, .trc, .csv
    /// (python-can), .pcapng, .mf4; .dbc for a message matrix. - is standard output and needs --to.
    out: PathBuf,
    /// The format to write, whatever the ending says.
    #[arg(long, value_enum)]
    to: Option<WrittenLogFormat>,
    /// Keep length codes 9 to 15 of classic frames in candump, ASC, TRC and CSV. Other programs
    /// take them for data or for CAN FD lengths, so they are written as 8 otherwise. BLF, pcapng
    /// and MF4 keep them.
    #[arg(long)]
    raw_dlc: bool,
    /// Write the signals in the frames by this message matrix, as a table: OUT in .csv or .parquet.
    /// docs/log-formats.md has the columns.
    #[arg(long, value_name = "MATRIX.dbc", conflicts_with = "to")]
    dbc: Option<PathBuf>,
    /// The layout of that table.
    #[arg(long, value_enum, default_value_t, requires = "dbc")]
    layout: SignalLayout,
    /// The bus of a message matrix of several that OUT in .dbc has.
    #[arg(long, value_name = "NAME")]
    bus: Option<String>,
    /// Take identifiers of a DBC matrix above 11 bits that lack bit 31 as 29 bits.
    #[arg(long)]
    unflagged_as_extended: bool,
    #[command(flatten)]
    digits: TimeDigits,
    #[command(flatten)]
    reading: LogReadingOptions,
}

impl Convert {
    /// Writes the log in the other format.
    ///
    /// # Errors
    /// Bad input, and a file that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        if let Some(matrix) = &self.dbc {
            return self.signals(matrix);
        }
        if self.to.is_none() && MatrixOutput::is_named(&self.out) {
            let output = MatrixOutput {
                matrix: &self.log,
                out: &self.out,
                bus: self.bus.as_deref(),
                choices: MatrixChoices {
                    unflagged_are_extended: self.unflagged_as_extended,
                    is_strict: self.reading.is_strict(),
                },
            };
            return output.write();
        }
        if self.bus.is_some() || self.unflagged_as_extended {
            return Err(Failure::new(format_args!(
                "{}: --bus and --unflagged-as-extended are for a message matrix; name OUT .dbc",
                self.out.display()
            )));
        }
        if SignalTable::is_named(&self.out) {
            return Err(Failure::new(format_args!(
                "{}: a Parquet file has signals, not frames; name their message matrix with --dbc",
                self.out.display()
            )));
        }
        let format = self.format()?;
        let keeps_codes = self.raw_dlc || format.format().keeps_length_codes();
        let mut log = Log::open_or_standard_input(&self.log, self.reading)?;
        let mut writer = LogWriter::create(&self.out, format, Some(self.digits))?;
        let (mut records, mut changed) = (0_u64, 0_u64);
        let mut next = log.next()?;
        if let Some(date_ns) = log.start_ns() {
            writer.set_start(date_ns);
        }
        while let Some(mut record) = next {
            if !keeps_codes {
                let (plain, is_changed) = record.with_plain_length_code();
                record = plain;
                changed += u64::from(is_changed);
            }
            writer
                .write(&record, log.channels())
                .map_err(Failure::writing)?;
            records += 1;
            next = log.next()?;
        }
        writer.finish()?;
        self.tell_changed_codes(changed);
        if !is_standard(&self.out) {
            writeln!(
                io::stdout().lock(),
                "{}: {records} records",
                self.out.display()
            )?;
        }
        Ok(Answer::Yes)
    }

    /// Returns the format to write.
    fn format(&self) -> Result<WrittenLogFormat, Failure> {
        match self.to {
            Some(format) => Ok(format),
            None if is_standard(&self.out) => {
                let why = "-: standard output has no ending; name the format with --to";
                Err(Failure::new(why))
            }
            None => WrittenLogFormat::of(&self.out),
        }
    }

    /// Says how many length codes were changed, if any.
    fn tell_changed_codes(&self, changed: u64) {
        let frames = match changed {
            0 => return,
            1 => "frame has",
            _ => "frames have",
        };
        let line = format_args!(
            "{}: {changed} classic {frames} a length code above 8, written as 8; --raw-dlc \
             keeps it",
            self.out.display()
        );
        warn("note", line);
    }

    /// Writes the signals of the log as a table.
    fn signals(&self, matrix: &Path) -> Result<Answer, Failure> {
        let matrix = signals::read(matrix)?;
        let mut log = Log::open_or_standard_input(&self.log, self.reading)?;
        let mut table = SignalTable::create(&self.out, matrix, self.layout)?;
        let mut next = log.next()?;
        if let Some(date_ns) = log.start_ns() {
            table.set_start(date_ns);
        }
        while let Some(record) = next {
            let written = table.write(&record, log.channels());
            written.map_err(Failure::writing)?;
            next = log.next()?;
        }
        if let (0, unknown) = table.frames() {
            // Dropped here, the table leaves OUT as it was.
            return Err(Failure::new(format_args!(
                "{}: no frame of the log is a message of the matrix ({} of others); is it the \
                 matrix of this bus? {} is not written",
                self.log.display(),
                count(unknown, "data frame"),
                self.out.display()
            )));
        }
        let count = table.finish()?;
        let out = self.out.display();
        writeln!(io::stdout().lock(), "{out}: signals of {count} frames")?;
        Ok(Answer::Yes)
    }
}
