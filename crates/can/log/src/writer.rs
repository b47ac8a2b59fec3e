//! One writer over all formats that are written.

use std::fmt;
use std::io::{self, Seek, SeekFrom, Write};

use crate::record::{Channels, Record};
use crate::{Losses, asc, blf, candump, mf4, pcapng, python_can_csv, trc};

/// A log format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrittenFormat {
    /// candump's log form.
    Candump,
    /// Vector ASC.
    Asc,
    /// Vector BLF.
    Blf,
    /// PEAK TRC, version 2.1.
    Trc,
    /// python-can's CSV.
    Csv,
    /// pcapng with SocketCAN packets.
    Pcapng,
    /// ASAM MDF 4 bus log.
    Mf4,
}

/// Writes a log in one of the formats.
pub struct LogWriter<W> {
    form: Form<W>,
    /// Added to each time where the format has no date of its own: its times are those since 1970.
    date_ns: u64,
}

enum Form<W> {
    Candump(candump::Writer<W>),
    Asc(asc::Writer<W>),
    Blf(blf::Writer<W>),
    Trc(trc::Writer<W>),
    Csv(python_can_csv::Writer<W>),
    Pcapng(pcapng::Writer<W>),
    Mf4(Box<mf4::Writer<W>>),
}

/// A log whose records are written.
#[derive(Debug)]
pub struct WrittenLog<W> {
    /// The output.
    pub output: W,
    /// Bytes that replace the first ones of the log, of a format whose header has its sizes; a log
    /// without them has a header without sizes, which readers can do without.
    pub start: Option<Vec<u8>>,
}

impl WrittenFormat {
    /// All of them.
    pub const ALL: [WrittenFormat; 7] = [
        WrittenFormat::Candump,
        WrittenFormat::Asc,
        WrittenFormat::Blf,
        WrittenFormat::Trc,
        WrittenFormat::Csv,
        WrittenFormat::Pcapng,
        WrittenFormat::Mf4,
    ];

    /// Returns its name, which is the ending of its files but for candump's `log`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            WrittenFormat::Candump => "candump",
            WrittenFormat::Asc => "asc",
            WrittenFormat::Blf => "blf",
            WrittenFormat::Trc => "trc",
            WrittenFormat::Csv => "csv",
            WrittenFormat::Pcapng => "pcapng",
            WrittenFormat::Mf4 => "mf4",
        }
    }

    /// Returns the format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the format of an ending of files, in small or capital letters.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        let ending = ending.to_ascii_lowercase();
        match ending.as_str() {
            "log" => Some(WrittenFormat::Candump),
            ending => Self::named(ending),
        }
    }

    /// Returns true if other programs read length codes 9 to 15 of classic frames in this format as
    /// what they are, and not as data or as lengths of CAN FD.
    #[must_use]
    pub const fn keeps_length_codes(self) -> bool {
        matches!(
            self,
            WrittenFormat::Pcapng | WrittenFormat::Blf | WrittenFormat::Mf4
        )
    }
}

impl<W: Write + Seek> LogWriter<W> {
    /// Begins a log. Times of candump and TRC have microseconds, which other programs read, unless
    /// `in_nanoseconds`.
    pub fn new(output: W, format: WrittenFormat, in_nanoseconds: bool) -> Self {
        let form = match format {
            WrittenFormat::Candump if in_nanoseconds => Form::Candump(candump::Writer::new(output)),
            WrittenFormat::Candump => Form::Candump(candump::Writer::new(output).in_microseconds()),
            WrittenFormat::Asc => Form::Asc(asc::Writer::new(output)),
            WrittenFormat::Blf => Form::Blf(blf::Writer::new(output)),
            WrittenFormat::Trc if in_nanoseconds => Form::Trc(trc::Writer::new(output)),
            WrittenFormat::Trc => Form::Trc(trc::Writer::new(output).in_microseconds()),
            WrittenFormat::Csv => Form::Csv(python_can_csv::Writer::new(output)),
            WrittenFormat::Pcapng => Form::Pcapng(pcapng::Writer::new(output)),
            WrittenFormat::Mf4 => Form::Mf4(Box::new(mf4::Writer::new(output))),
        };
        LogWriter { form, date_ns: 0 }
    }

    /// Returns the format that it writes.
    #[must_use]
    pub const fn format(&self) -> WrittenFormat {
        match &self.form {
            Form::Candump(_) => WrittenFormat::Candump,
            Form::Asc(_) => WrittenFormat::Asc,
            Form::Blf(_) => WrittenFormat::Blf,
            Form::Trc(_) => WrittenFormat::Trc,
            Form::Csv(_) => WrittenFormat::Csv,
            Form::Pcapng(_) => WrittenFormat::Pcapng,
            Form::Mf4(_) => WrittenFormat::Mf4,
        }
    }

    /// Keeps the date from which the records count, in nanoseconds since 1970: in the header of a
    /// format that has one there, else in each time.
    pub fn set_start(&mut self, date_ns: u64) {
        match &mut self.form {
            Form::Asc(writer) => writer.set_start(date_ns),
            Form::Blf(writer) => writer.set_start(date_ns),
            Form::Trc(writer) => writer.set_start(date_ns),
            Form::Mf4(writer) => writer.set_start(date_ns),
            Form::Candump(_) | Form::Csv(_) | Form::Pcapng(_) => self.date_ns = date_ns,
        }
    }

    /// Writes a record, its channel named by the table it belongs to.
    ///
    /// # Errors
    /// The error of the output's writer; `InvalidInput` for a time beyond the year 2554.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        let record = &record.dated(self.date_ns)?;
        match &mut self.form {
            Form::Candump(writer) => writer.write(record, channels),
            Form::Asc(writer) => writer.write(record, channels),
            Form::Blf(writer) => writer.write(record, channels),
            Form::Trc(writer) => writer.write(record, channels),
            Form::Csv(writer) => writer.write(record, channels),
            Form::Pcapng(writer) => writer.write(record, channels),
            Form::Mf4(writer) => writer.write(record, channels),
        }
    }

    /// Hands on what was written so far of a format that readers follow, which is candump's.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Candump(writer) => writer.flush(),
            _ => Ok(()),
        }
    }

    /// Returns how much the format had no place for up to now.
    #[must_use]
    pub fn losses(&self) -> Losses {
        match &self.form {
            Form::Candump(writer) => Losses {
                time_digits: writer.rounded(),
                ..Losses::default()
            },
            Form::Asc(writer) => writer.losses(),
            Form::Blf(writer) => writer.losses(),
            Form::Trc(writer) => writer.losses(),
            Form::Csv(writer) => writer.losses(),
            Form::Mf4(writer) => writer.losses(),
            Form::Pcapng(_) => Losses::default(),
        }
    }

    /// Writes the rest, flushes and returns the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(self) -> io::Result<WrittenLog<W>> {
        let output = match self.form {
            Form::Candump(writer) => writer.finish()?,
            Form::Asc(writer) => writer.finish()?,
            Form::Blf(writer) => {
                let finished = writer.finish()?;
                return Ok(WrittenLog {
                    output: finished.output,
                    start: Some(finished.header.to_vec()),
                });
            }
            Form::Trc(writer) => writer.finish()?,
            Form::Csv(writer) => writer.finish()?,
            Form::Pcapng(writer) => writer.finish()?,
            Form::Mf4(writer) => writer.finish()?,
        };
        Ok(WrittenLog {
            output,
            start: None,
        })
    }
}

impl<W: Write + Seek> WrittenLog<W> {
    /// Replaces the first bytes, of an output that begins with the log, and flushes it.
    ///
    /// # Errors
    /// The error of the output.
    pub fn complete(mut self) -> io::Result<W> {
        if let Some(start) = &self.start {
            self.output.seek(SeekFrom::Start(0))?;
            self.output.write_all(start)?;
            self.output.seek(SeekFrom::End(0))?;
        }
        self.output.flush()?;
        Ok(self.output)
    }
}

impl<W: Write + Seek> fmt::Debug for LogWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWriter")
            .field("format", &self.format())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use waywarden_can::{Frame, Id};

    use super::*;
    use crate::record::{Direction, LogEntry};
    use crate::{LogReader, open_at_any_place};

    #[test]
    fn every_format_is_read_back() {
        for format in WrittenFormat::ALL {
            let mut writer = LogWriter::new(Cursor::new(Vec::new()), format, false);
            assert_eq!(writer.format(), format);
            writer.set_start(1_700_000_000_000_000_000);
            let mut channels = Channels::default();
            let channel = channels.intern(b"can0").unwrap();
            let frame = Frame::classic(Id::standard(0x123).unwrap(), &[1, 2]).unwrap();
            for at_ns in [0, 1_000_000] {
                let direction = Some(Direction::Rx);
                let entry = LogEntry::Frame { frame, direction };
                let record = Record {
                    at_ns,
                    channel,
                    entry,
                };
                writer.write(&record, &channels).unwrap();
            }
            let bytes = writer.finish().unwrap().complete().unwrap().into_inner();
            let reader = open_at_any_place(Cursor::new(bytes), |cursor| cursor);
            let mut reader: LogReader<_> = reader.unwrap();
            let times: Vec<u64> = std::iter::from_fn(|| reader.next())
                .map(|record| record.unwrap().at_ns)
                .collect();
            let start = reader.start_ns().unwrap_or(0);
            let [first, second] = times[..] else {
                panic!("{format:?}: {times:?}");
            };
            assert_eq!(first + start, 1_700_000_000_000_000_000, "{format:?}");
            assert_eq!(second - first, 1_000_000, "{format:?}");
        }
    }

    #[test]
    fn endings_and_names_tell_the_format() {
        for format in WrittenFormat::ALL {
            assert_eq!(WrittenFormat::named(format.name()), Some(format));
            let ending = format.name().to_ascii_uppercase();
            assert_eq!(WrittenFormat::of_ending(&ending), Some(format));
        }
        let candump = Some(WrittenFormat::Candump);
        assert_eq!(WrittenFormat::of_ending("log"), candump);
        assert_eq!(WrittenFormat::named("log"), None);
        assert_eq!(WrittenFormat::of_ending("parquet"), None);
    }

    #[test]
    fn a_time_beyond_the_year_2554_is_refused() {
        let mut writer = LogWriter::new(Cursor::new(Vec::new()), WrittenFormat::Pcapng, false);
        writer.set_start(u64::MAX);
        let mut channels = Channels::default();
        let frame = Frame::classic(Id::standard(1).unwrap(), &[]).unwrap();
        let record = Record {
            at_ns: 1,
            channel: channels.intern(b"can0").unwrap(),
            entry: LogEntry::Frame {
                frame,
                direction: None,
            },
        };
        let refused = writer.write(&record, &channels).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    }
}
