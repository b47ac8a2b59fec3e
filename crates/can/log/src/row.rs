//! Text logs with a record in each row, in a layout that the rows before it tell: ASC, PEAK TRC,
//! BUSMASTER, CRTD, and the CSV files of GVRET and python-can.

use std::fmt::Debug;
use std::io::BufRead;

use crate::error::{LogCause, LogError, LogLocation, RowCause};
use crate::input::Lines;
use crate::record::{Channels, Record};
use crate::text::{NumberFault, scaled};

/// The layout of the rows of one format, and what the rows so far told.
pub(crate) trait Layout: Debug + Send + Sync {
    /// Reads one line that is not blank, without blanks around it.
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause>;

    /// Returns the channels seen so far.
    fn channels(&self) -> &Channels;

    /// Returns the date from which the records count, where the file states one.
    fn start_ns(&self) -> Option<u64> {
        None
    }

    /// Returns how many CAN FD frames were padded.
    fn padded(&self) -> u64 {
        0
    }
}

impl Layout for Box<dyn Layout> {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        (**self).read(line)
    }

    fn channels(&self) -> &Channels {
        (**self).channels()
    }

    fn start_ns(&self) -> Option<u64> {
        (**self).start_ns()
    }

    fn padded(&self) -> u64 {
        (**self).padded()
    }
}

/// The content of one line.
#[derive(Debug)]
pub(crate) enum Row {
    /// A frame or error frame.
    Record(Record),
    /// An event that is no frame on the bus.
    Event,
    /// A header or comment.
    Comment,
}

/// Reads a text log row by row. A broken line is an error of its own; the caller may go on.
#[derive(Debug)]
pub(crate) struct Reader<R, L> {
    lines: Lines<R>,
    layout: L,
    skipped: u64,
}

impl<R: BufRead, L: Layout> Reader<R, L> {
    pub(crate) fn new(input: R, layout: L) -> Self {
        Reader {
            lines: Lines::new(input),
            layout,
            skipped: 0,
        }
    }

    pub(crate) const fn layout(&self) -> &L {
        &self.layout
    }

    pub(crate) fn line(&self) -> u64 {
        self.lines.number()
    }

    pub(crate) const fn skipped(&self) -> u64 {
        self.skipped
    }
}

impl<R: BufRead, L: Layout> Iterator for Reader<R, L> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line.trim_ascii(),
                Err(error) => return Some(Err(error)),
            };
            if line.is_empty() {
                continue;
            }
            match self.layout.read(line) {
                Ok(Row::Record(record)) => return Some(Ok(record)),
                Ok(Row::Event) => self.skipped += 1,
                Ok(Row::Comment) => {}
                Err(cause) => {
                    let place = LogLocation::Line(self.lines.number());
                    return Some(Err(LogError { place, cause }));
                }
            }
        }
    }
}

/// Reads a time as nanoseconds, of which one unit has ten to the power of `digits`.
#[inline]
pub(crate) fn time(text: &[u8], digits: u32, right: &'static str) -> Result<u64, RowCause> {
    scaled(text, digits).map_err(|fault| match fault {
        NumberFault::Form => RowCause::field("time", text, right),
        NumberFault::Range => RowCause::field("time", text, "less than 2^64 nanoseconds"),
    })
}
