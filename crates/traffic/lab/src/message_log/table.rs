//! Rows of typed values, as CSV or Parquet.

use std::io::{self, BufWriter, Write};

use super::column::{Column, Value};
use super::parquet_table::ParquetTable;

/// File format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated values, with a line of names.
    Csv,
    /// Parquet, compressed by Zstandard.
    Parquet,
}

type Output = Box<dyn Write + Send>;

/// Writes rows.
pub(super) enum TableWriter {
    Csv(BufWriter<Output>),
    Parquet(Box<ParquetTable<Output>>),
}

impl TableWriter {
    pub(super) fn new(out: Output, format: TableFormat, columns: &[Column]) -> io::Result<Self> {
        if format == TableFormat::Parquet {
            return Ok(Self::Parquet(Box::new(ParquetTable::new(out, columns)?)));
        }
        let mut out = BufWriter::new(out);
        let names: Vec<_> = columns.iter().map(|column| column.name).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(Self::Csv(out))
    }

    pub(super) fn row(&mut self, values: &[Value<'_>]) -> io::Result<()> {
        let out = match self {
            Self::Parquet(table) => return table.row(values),
            Self::Csv(out) => out,
        };
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            match value {
                Value::Seconds(seconds) => write!(out, "{seconds:.9}")?,
                Value::Number(number) => write!(out, "{number:.2}")?,
                Value::Count(count) => write!(out, "{count}")?,
                Value::Text(text) => quoted(out, text)?,
                Value::Boolean(is_so) => write!(out, "{is_so}")?,
            }
        }
        out.write_all(b"\n")
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Csv(mut out) => out.flush(),
            Self::Parquet(table) => table.finish(),
        }
    }
}

/// Writes text with quotes where CSV needs them.
fn quoted(out: &mut impl Write, text: &str) -> io::Result<()> {
    match text.contains([',', '"', '\n', '\r']) {
        true => write!(out, "\"{}\"", text.replace('"', "\"\"")),
        false => out.write_all(text.as_bytes()),
    }
}
