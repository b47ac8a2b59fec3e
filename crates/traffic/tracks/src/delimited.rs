//! CSV with a line of names: separated by semicolons, commas or tabs, whichever the names have.

use std::io::BufRead;

use csv::{Reader, ReaderBuilder, StringRecord};

use crate::error::{ReadError, TrackCause};
use crate::input::Counted;

/// The rows of a file, with the lines that they begin in.
pub(crate) struct Rows<R> {
    reader: Reader<Counted<R>>,
    names: StringRecord,
    record: StringRecord,
    /// The line of names.
    passed: u64,
}

/// Returns the separator of a line of names.
pub(crate) fn separator(line: &[u8]) -> u8 {
    let count = |one: u8| line.iter().filter(|byte| **byte == one).count();
    let separators = [b',', b';', b'\t'].into_iter();
    separators.max_by_key(|one| count(*one)).unwrap_or(b',')
}

/// A sign that makes a line a remark.
const REMARK: char = '#';

fn is_remark(line: &str) -> bool {
    line.starts_with(REMARK)
}

/// Returns true if a line has no row: it is empty, or a remark.
pub(crate) fn is_skipped(line: &str) -> bool {
    line.trim().is_empty() || is_remark(line)
}

impl<R: BufRead> Rows<R> {
    /// Reads the line of names.
    pub(crate) fn new(input: R) -> Result<Self, ReadError> {
        let mut input = Counted::new(input);
        let mut names = Vec::new();
        let line = loop {
            let line = input.line();
            let read = input.read_line(&mut names);
            let is_there = read.map_err(|error| ReadError::at_line(line, error.into()))?;
            let text = String::from_utf8_lossy(&names);
            if !is_there || !is_skipped(&text) {
                break line;
            }
        };
        let separator = separator(&names);
        let reader = |from_names: bool| {
            let mut builder = ReaderBuilder::new();
            builder.delimiter(separator).has_headers(from_names);
            // Remarks have as many fields as they like.
            builder.flexible(true);
            builder
        };
        let mut first = reader(true).from_reader(&names[..]);
        let first = first.headers();
        Ok(Self {
            names: first
                .map_err(|error| ReadError::at_line(line, fault(error)))?
                .clone(),
            reader: reader(false).from_reader(input),
            record: StringRecord::new(),
            passed: line,
        })
    }

    /// The place of a column that has one of these names, in small letters.
    pub(crate) fn position(&self, names: &[&str]) -> Option<usize> {
        let is_one = |name: &str| {
            let name = name.trim().trim_start_matches('\u{feff}');
            names.contains(&name.to_ascii_lowercase().as_str())
        };
        self.names.iter().position(is_one)
    }

    pub(crate) fn line(&self) -> u64 {
        self.passed + self.reader.position().line()
    }

    /// A fault in the line of names.
    pub(crate) fn fault(&self, cause: TrackCause) -> ReadError {
        let line = self.passed;
        ReadError::at_line(line, cause)
    }

    /// Reads the next row that is no remark.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &StringRecord)>, ReadError> {
        loop {
            self.reader.get_mut().pause();
            let line = self.line();
            let read = self.reader.read_record(&mut self.record);
            let cause = |error| ReadError::at_line(line, fault(error));
            if !read.map_err(cause)? {
                return Ok(None);
            }
            if !self.record.get(0).is_some_and(is_remark) {
                return Ok(Some((line, &self.record)));
            }
        }
    }
}

fn fault(error: csv::Error) -> TrackCause {
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => TrackCause::Input(error),
        _ => TrackCause::Csv(text),
    }
}

/// A field that is not empty.
pub(crate) fn column(record: &StringRecord, at: usize) -> Option<&str> {
    let text = record.get(at)?.trim();
    (!text.is_empty()).then_some(text)
}
