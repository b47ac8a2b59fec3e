//! Tables of signals: the values in the frames of a log, by a message matrix, as CSV or Parquet.

#[cfg(feature = "parquet")]
mod parquet_table;

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use waywarden_can::Id;
use waywarden_can_dbc::{Number, SignalMatrix, SignalValue};
use waywarden_can_log::{Channels, Record};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::{self, OutputFile};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::formatting::count;
use waywarden_vehicle_file::matrix::{self, MatrixFormat, ReadOptions};

use crate::file_kind::{self, Expected};
use crate::logs::ending;

/// The most parts of a matrix that are named when they are left out; the rest are counted.
const SHOWN_MAX: usize = 5;

/// The layout of a table of signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SignalLayout {
    /// A row for each signal of each frame, with its unit and the name of its value.
    #[default]
    Rows,
    /// A row for each frame, and a column for each signal.
    Columns,
}

/// A table of signals being written.
pub(crate) struct SignalTable {
    path: PathBuf,
    matrix: Rc<SignalMatrix>,
    layout: SignalLayout,
    /// The first column of each message, where each signal has a column.
    first: Vec<usize>,
    columns: usize,
    rows: Rows,
    values: Vec<Option<SignalValue>>,
    counts: Counts,
    /// Added to each time.
    date_ns: u64,
}

/// Numbers of frames and signals, for the report.
#[derive(Default)]
struct Counts {
    /// Frames with signals.
    decoded: u64,
    /// Data frames of no message of the matrix.
    unknown: u64,
    /// Signals that lie behind the end of their frame.
    behind: u64,
}

/// The form of the table.
enum Rows {
    Csv(Box<csv::Writer<OutputFile>>, Vec<String>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet_table::ParquetTable>),
}

/// A frame of a row.
pub(crate) struct FrameColumns<'a> {
    time_ns: u64,
    channel: &'a str,
    id: Id,
    message: &'a str,
}

/// Reads the signals of a message matrix, and reports those that are left out.
pub(crate) fn read(path: &Path) -> Result<Rc<SignalMatrix>, Failure> {
    let bytes = files::bytes_of_kind(path, matrix::TEXT_MAX, |head| {
        file_kind::refusal(path, head, Expected::Matrix)
    })?;
    let shown = path.display();
    if let Some(format @ (MatrixFormat::Arxml | MatrixFormat::Kcd | MatrixFormat::Sym)) =
        MatrixFormat::of_bytes(&bytes)
    {
        let label = format.label();
        return Err(Failure::new(format_args!(
            "{shown}: this is {label}; signals are decoded by a DBC matrix: export it as DBC"
        )));
    }
    let matrix = SignalMatrix::read(&matrix::decode(&bytes), ReadOptions::default());
    let matrix = matrix.map_err(|error| match error.line() {
        Some(line) => Failure::new(format_args!("{shown}:{line}: {error}")),
        None => Failure::new(format_args!("{shown}: {error}")),
    })?;
    for what in matrix.skipped.iter().take(SHOWN_MAX) {
        messages::warning(plain_lines(&format!("{shown}: {what}")));
    }
    if matrix.skipped.len() > SHOWN_MAX {
        let all = matrix.skipped.len();
        messages::warning(format_args!("{shown}: {all} parts are left out in all"));
    }
    if matrix
        .messages()
        .iter()
        .all(|message| message.signals.is_empty())
    {
        let why = "no message has a signal, so there is nothing to decode";
        return Err(Failure::new(format_args!("{shown}: {why}")));
    }
    Ok(Rc::new(matrix))
}

impl SignalTable {
    /// Returns true if the name of a file asks for a table of signals: `.parquet`.
    pub(crate) fn is_named(path: &Path) -> bool {
        ending(path).as_deref() == Some("parquet")
    }

    /// Begins a table; the ending names its form, `.csv` or `.parquet`.
    pub(crate) fn create(
        path: &Path,
        matrix: Rc<SignalMatrix>,
        layout: SignalLayout,
    ) -> Result<Self, Failure> {
        let mut columns = 0;
        let mut first = Vec::new();
        for message in matrix.messages() {
            first.push(columns);
            columns += message.signals.len();
        }
        let names = match layout {
            SignalLayout::Rows => Vec::new(),
            SignalLayout::Columns => signal_names(&matrix),
        };
        let rows = match ending(path).as_deref() {
            Some("csv") => {
                let mut writer = csv::Writer::from_writer(OutputFile::create(path)?);
                let fixed = ["time_s", "channel", "id_hex", "extended", "message"];
                let of_rows = ["signal", "value", "unit", "label"];
                let header = fixed.into_iter().chain(
                    match layout {
                        SignalLayout::Rows => &of_rows[..],
                        SignalLayout::Columns => &[],
                    }
                    .iter()
                    .copied(),
                );
                let header = header.chain(names.iter().map(String::as_str));
                writer.write_record(header).map_err(csv_failure)?;
                Rows::Csv(Box::new(writer), Vec::new())
            }
            Some("parquet") => Self::parquet(path, layout, &names)?,
            _ => {
                return Err(Failure::new(format_args!(
                    "{}: signals are written as .csv or .parquet",
                    path.display()
                )));
            }
        };
        Ok(SignalTable {
            path: path.to_owned(),
            matrix,
            layout,
            first,
            columns,
            rows,
            values: Vec::new(),
            counts: Counts::default(),
            date_ns: 0,
        })
    }

    #[cfg(feature = "parquet")]
    fn parquet(path: &Path, layout: SignalLayout, names: &[String]) -> Result<Rows, Failure> {
        let output = OutputFile::create(path)?;
        let table = parquet_table::ParquetTable::new(output, layout, names);
        Ok(Rows::Parquet(Box::new(table.map_err(Failure::writing)?)))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(path: &Path, _: SignalLayout, _: &[String]) -> Result<Rows, Failure> {
        Err(Failure::new(format_args!(
            "{}: this build writes no Parquet; write .csv",
            path.display()
        )))
    }

    /// Has the times of records that count from a date count from 1970.
    pub(crate) fn set_start(&mut self, date_ns: u64) {
        self.date_ns = date_ns;
    }

    /// Returns how many frames have signals, and how many are of no message of the matrix.
    pub(crate) const fn frames(&self) -> (u64, u64) {
        (self.counts.decoded, self.counts.unknown)
    }

    /// Adds the signals of a record, if it is a data frame of a message of the matrix.
    pub(crate) fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        let record = &record.dated(self.date_ns)?;
        let Some(frame) = record.entry.frame().filter(|frame| is_data(frame)) else {
            return Ok(());
        };
        let Some(index) = self.matrix.index(frame.id()) else {
            self.counts.unknown += 1;
            return Ok(());
        };
        let message = &self.matrix.messages()[index];
        self.counts.behind += message.decode(frame.data(), &mut self.values) as u64;
        self.counts.decoded += 1;
        let row = FrameColumns {
            time_ns: record.at_ns,
            channel: channels.name(record.channel),
            id: frame.id(),
            message: &message.name,
        };
        match (&mut self.rows, self.layout) {
            (Rows::Csv(writer, fields), SignalLayout::Rows) => {
                for (signal, value) in message.signals.iter().zip(&self.values) {
                    let Some(value) = value else { continue };
                    row.fields(fields);
                    text(fields, 5, &signal.name);
                    number(fields, 6, value.physical);
                    text(fields, 7, &signal.unit);
                    text(fields, 8, signal.label(value).unwrap_or_default());
                    writer.write_record(&*fields)?;
                }
            }
            (Rows::Csv(writer, fields), SignalLayout::Columns) => {
                row.fields(fields);
                fields.resize(5 + self.columns, String::new());
                fields[5..].iter_mut().for_each(String::clear);
                for (at, value) in self.values.iter().enumerate() {
                    if let Some(value) = value {
                        number(fields, 5 + self.first[index] + at, value.physical);
                    }
                }
                writer.write_record(&*fields)?;
            }
            #[cfg(feature = "parquet")]
            (Rows::Parquet(table), SignalLayout::Rows) => {
                for (signal, value) in message.signals.iter().zip(&self.values) {
                    if let Some(value) = value {
                        let label = signal.label(value).unwrap_or_default();
                        let physical = value.physical.as_f64();
                        table.signal(&row, (&signal.name, &signal.unit, label), physical)?;
                    }
                }
            }
            #[cfg(feature = "parquet")]
            (Rows::Parquet(table), SignalLayout::Columns) => {
                let values = self
                    .values
                    .iter()
                    .map(|value| value.map(|v| v.physical.as_f64()));
                table.frame(&row, self.first[index], values)?;
            }
        }
        Ok(())
    }

    /// Hands on what was written so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.rows {
            Rows::Csv(writer, _) => writer.flush(),
            #[cfg(feature = "parquet")]
            Rows::Parquet(_) => Ok(()),
        }
    }

    /// Puts the file in its place, and reports what is not in it. Returns the number of frames that
    /// were decoded.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        let path = self.path.display().to_string();
        let Counts {
            decoded,
            unknown,
            behind,
        } = self.counts;
        match self.rows {
            Rows::Csv(writer, _) => {
                let output = writer.into_inner();
                output
                    .map_err(|error| Failure::writing(error.into_error()))?
                    .finish()?;
            }
            #[cfg(feature = "parquet")]
            Rows::Parquet(table) => table.finish().map_err(Failure::writing)?.finish()?,
        }
        if unknown > 0 {
            messages::note(format_args!(
                "{path}: {} of no message of the matrix {} left out",
                count(unknown, "frame"),
                if unknown == 1 { "is" } else { "are" }
            ));
        }
        if behind > 0 {
            messages::note(format_args!(
                "{path}: {} behind the end of a frame that is shorter than its message: without \
                 a value",
                count(behind, "signal")
            ));
        }
        Ok(decoded)
    }
}

/// Returns the values of a message as text, for a table of people: the first few.
pub(crate) fn shown(matrix: &SignalMatrix, id: Id, data: &[u8], most: usize) -> String {
    let Some(message) = matrix.message(id) else {
        return String::new();
    };
    let (mut values, mut text) = (Vec::new(), String::new());
    message.decode(data, &mut values);
    let there = message
        .signals
        .iter()
        .zip(&values)
        .filter_map(|(s, v)| Some((s, v.as_ref()?)));
    for (at, (signal, value)) in there.enumerate() {
        if at == most {
            text.push_str(" ...");
            break;
        }
        let mark = if at == 0 { "" } else { " " };
        let _ = match signal.label(value) {
            Some(label) => write!(text, "{mark}{}={label}", signal.name),
            None => write!(
                text,
                "{mark}{}={}{}",
                signal.name, value.physical, signal.unit
            ),
        };
    }
    text
}

/// Returns true for a frame that has signals.
pub(crate) fn is_data(frame: &waywarden_can::Frame) -> bool {
    frame.format() != waywarden_can::Format::Remote
}

/// Names each column as message and signal, which together are unique in nearly all matrices.
fn signal_names(matrix: &SignalMatrix) -> Vec<String> {
    let all = matrix.messages().iter();
    let names = all.flat_map(|message| {
        let signals = message.signals.iter();
        signals.map(|signal| format!("{}.{}", message.name, signal.name))
    });
    names.collect()
}

fn text(fields: &mut Vec<String>, at: usize, text: &str) {
    if fields.len() <= at {
        fields.resize(at + 1, String::new());
    }
    fields[at].clear();
    fields[at].push_str(text);
}

fn number(fields: &mut Vec<String>, at: usize, number: Number) {
    text(fields, at, "");
    // Writing to a string does not fail.
    let _ = write!(fields[at], "{number}");
}

fn csv_failure(error: csv::Error) -> Failure {
    Failure::writing(io::Error::from(error))
}

impl FrameColumns<'_> {
    fn fields(&self, fields: &mut Vec<String>) {
        let (seconds, rest) = (self.time_ns / 1_000_000_000, self.time_ns % 1_000_000_000);
        let (id, is_extended) = match self.id {
            Id::Standard(id) => (format!("0x{:03X}", id.raw()), false),
            Id::Extended(id) => (format!("0x{:08X}", id.raw()), true),
        };
        text(fields, 0, "");
        let _ = write!(fields[0], "{seconds}.{rest:09}");
        text(fields, 1, self.channel);
        text(fields, 2, &id);
        text(fields, 3, if is_extended { "true" } else { "false" });
        text(fields, 4, self.message);
    }
}

#[cfg(test)]
mod tests;
