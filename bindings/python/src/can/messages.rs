//! Classes `MessageReader` and `MessageWriter`: logs message by message, for python-can.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString, PyTuple};
use waywarden_can::{Format, Frame};
use waywarden_can_log::{
    Channel, Channels, Direction, ErrorFrame, LogEntry, LogWriter, Record, WrittenFormat,
};

use super::convert::{format, lost};
use super::file_object::FileObject;
use super::log_file::{LogFile, failure, warn};
use crate::arguments::refused;
use crate::error::Failure;
use crate::frame;

/// The most records of a call.
const RECORDS_MAX: usize = 1 << 20;

/// Bits of an error frame's classes.
const CLASSES: u32 = 0x1FFF_FFFF;

type Output = BufWriter<FileObject>;

/// Reads a log as fields of messages.
///
/// Parameters
/// ----------
/// name : path
///     Path of the log, and its name in messages.
/// file : binary file object, optional
///     The log, in place of the file at the path.
/// strict : bool, optional
///     Refuse a damaged log.
///
/// Raises
/// ------
/// waywarden.errors.LogError
///     For a log that cannot be read.
#[pyclass(module = "waywarden._native.can", frozen)]
pub(super) struct MessageReader {
    state: Mutex<Reading>,
}

struct Reading {
    log: Option<LogFile>,
    is_over: bool,
}

/// A record, and the name of its channel.
struct Row {
    at_s: f64,
    channel: String,
    entry: LogEntry,
}

#[pymethods]
impl MessageReader {
    #[new]
    #[pyo3(signature = (name, file=None, *, strict=false))]
    fn new(name: PathBuf, file: Option<Bound<'_, PyAny>>, strict: bool) -> PyResult<Self> {
        let log = match file {
            Some(file) => LogFile::of_object(&name, FileObject::readable(&file)?, strict)?,
            None => LogFile::open(&name, strict)?,
        };
        let state = Mutex::new(Reading {
            log: Some(log),
            is_over: false,
        });
        Ok(MessageReader { state })
    }

    /// Returns the next messages, none at the end: tuples of seconds, identifier, 29 bits, remote,
    /// error, FD, BRS, ESI, length, data, channel, and True if it was received. A warning tells at
    /// the end what was left out.
    fn next<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        py.check_signals()?;
        let count = count.clamp(1, RECORDS_MAX);
        let (rows, remarks) = py.detach(|| locked(&self.state).next(count))?;
        warn(py, &remarks)?;
        rows.iter().map(|row| fields(py, row)).collect()
    }

    /// Closes the log. A second call does nothing.
    fn close(&self, py: Python<'_>) {
        // Without the interpreter's lock: a thread that reads has the log, and may wait for it.
        py.detach(|| locked(&self.state).log = None);
    }
}

/// A panic of another thread leaves a log between two records.
fn locked<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reading {
    fn next(&mut self, count: usize) -> Result<(Vec<Row>, Vec<String>), Failure> {
        let mut rows = Vec::new();
        let Some(log) = self.log.as_mut().filter(|_| !self.is_over) else {
            return Ok((rows, Vec::new()));
        };
        while rows.len() < count {
            let Some(record) = log.next()? else {
                self.is_over = true;
                let remarks = match log.is_empty() {
                    true => Vec::new(),
                    false => log.remarks()?,
                };
                return Ok((rows, remarks));
            };
            let start_ns = log.start_ns().unwrap_or(0);
            rows.push(Row {
                at_s: record.at_ns.saturating_add(start_ns) as f64 / 1e9,
                channel: log.channels().name(record.channel).to_owned(),
                entry: record.entry,
            });
        }
        Ok((rows, Vec::new()))
    }
}

fn fields<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyTuple>> {
    let (id, is_extended, is_remote, is_error, data) = match &row.entry {
        LogEntry::ErrorFrame(error) => (error.class, true, false, true, &error.data[..]),
        LogEntry::Frame { frame, .. } => {
            let is_remote = frame.format() == Format::Remote;
            let id = frame.id();
            (id.raw(), id.is_extended(), is_remote, false, frame.data())
        }
    };
    let frame = row.entry.frame();
    let (is_fd, brs, esi) = match frame.map(Frame::format) {
        Some(Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        }) => (true, bit_rate_switch, error_state_indicator),
        _ => (false, false, false),
    };
    let length = match frame {
        Some(frame) if is_remote => usize::from(frame.dlc().min(8)),
        _ => data.len(),
    };
    let sent = Some(Direction::Tx);
    let is_rx = !matches!(&row.entry, LogEntry::Frame { direction, .. } if *direction == sent);
    let flags = [is_extended, is_remote, is_error, is_fd, brs, esi];
    let values = [
        row.at_s.into_pyobject(py)?.into_any(),
        id.into_pyobject(py)?.into_any(),
    ];
    let flags = flags.map(|flag| {
        flag.into_pyobject(py)
            .map(|flag| flag.to_owned().into_any())
    });
    let rest = [
        length.into_pyobject(py)?.into_any(),
        PyBytes::new(py, data).into_any(),
        PyString::new(py, &row.channel).into_any(),
        is_rx.into_pyobject(py)?.to_owned().into_any(),
    ];
    let mut all = Vec::from(values);
    for flag in flags {
        all.push(flag?);
    }
    all.extend(rest);
    PyTuple::new(py, all)
}

/// Writes messages as a log.
///
/// Parameters
/// ----------
/// name : path
///     Path of the log: its ending names the format, messages name it.
/// file : binary file object
///     The file that is written; BLF and MF4 need one with ``seek``.
/// to : str, optional
///     The format, whatever the ending says: "candump", "asc", "blf", "trc", "csv", "pcapng" or
///     "mf4".
/// nanoseconds : bool, optional
///     Keep nanoseconds in candump and TRC, which other programs may not read.
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     For a format that is not written.
#[pyclass(module = "waywarden._native.can", frozen)]
pub(super) struct MessageWriter {
    name: PathBuf,
    state: Mutex<Option<Writing>>,
}

struct Writing {
    writer: LogWriter<Output>,
    channels: Channels,
    /// True for a format that has no more digits.
    in_microseconds: bool,
}

#[pymethods]
impl MessageWriter {
    #[new]
    #[pyo3(signature = (name, file, *, to=None, nanoseconds=false))]
    fn new(
        name: PathBuf,
        file: Bound<'_, PyAny>,
        to: Option<&str>,
        nanoseconds: bool,
    ) -> PyResult<Self> {
        let format = format(&name, to)?;
        let output = BufWriter::with_capacity(1 << 16, FileObject::new(&file));
        let writing = Writing {
            writer: LogWriter::new(output, format, nanoseconds),
            channels: Channels::default(),
            in_microseconds: !nanoseconds
                && matches!(format, WrittenFormat::Candump | WrittenFormat::Trc),
        };
        let state = Mutex::new(Some(writing));
        Ok(MessageWriter { name, state })
    }

    /// Writes a ``can.Message``; ``channel`` is the name of its channel if it has none.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.ParameterError
    ///     For a message that no frame carries, a time before 1970 or after 2554, or a channel that
    ///     has no name of 1 to 64 printable ASCII characters.
    /// waywarden.errors.LogError
    ///     For a file that cannot be written.
    fn write(&self, py: Python<'_>, message: &Bound<'_, PyAny>, channel: &str) -> PyResult<()> {
        let at_ns = time(&message.getattr("timestamp")?)?;
        let entry = entry(message)?;
        let own = message.getattr("channel")?;
        let name = channel_name(&own, channel)?;
        let written = py.detach(|| {
            locked(&self.state).as_mut().map(|state| {
                let channel = state.channel(&name).map_err(Fault::Channel)?;
                let record = Record {
                    at_ns,
                    channel,
                    entry,
                };
                state.write(record).map_err(Fault::File)
            })
        });
        match written {
            None => Err(self.closed()),
            Some(Ok(())) => Ok(()),
            Some(Err(Fault::File(error))) => Err(self.failure(&error)),
            Some(Err(Fault::Channel(why))) => Err(refused(format_args!("channel {name:?}"), &why)),
        }
    }

    /// Writes what is left, and warns of what the format has no place for. A second call does
    /// nothing. The file object stays open.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let finished = py.detach(|| locked(&self.state).take().map(Writing::finish));
        match finished {
            None => Ok(()),
            Some(Ok(remarks)) => {
                let name = self.name.display();
                let remarks: Vec<_> = remarks.iter().map(|one| format!("{name}: {one}")).collect();
                warn(py, &remarks)
            }
            Some(Err(error)) => Err(self.failure(&error)),
        }
    }
}

enum Fault {
    Channel(String),
    File(io::Error),
}

impl MessageWriter {
    fn closed(&self) -> PyErr {
        let why = "the log is complete; open another one";
        failure(&self.name, &why).into()
    }

    fn failure(&self, error: &io::Error) -> PyErr {
        failure(Path::new(&self.name), error).into()
    }
}

impl Writing {
    fn channel(&mut self, name: &str) -> Result<Channel, String> {
        let channel = self.channels.intern(name.as_bytes());
        channel.map_err(|error| error.to_string())
    }

    fn write(&mut self, record: Record) -> io::Result<()> {
        let keeps = self.writer.format().keeps_length_codes();
        let record = match self.in_microseconds {
            // Below them a float has rounding alone.
            true => Record {
                at_ns: record.at_ns.saturating_add(500) / 1_000 * 1_000,
                ..record
            },
            false => record,
        };
        let record = match keeps {
            true => record,
            false => record.with_plain_length_code().0,
        };
        self.writer.write(&record, &self.channels)
    }

    fn finish(self) -> io::Result<Vec<String>> {
        let remarks = lost(&self.writer.losses());
        self.writer.finish()?.complete()?;
        Ok(remarks)
    }
}

/// Reads seconds since 1970 as nanoseconds.
fn time(seconds: &Bound<'_, PyAny>) -> PyResult<u64> {
    let seconds: f64 = seconds.extract()?;
    let nanos = (seconds * 1e9).round();
    match (0.0..1.8e19).contains(&nanos) {
        true => Ok(nanos as u64),
        false => Err(refused(
            format_args!("timestamp {seconds}: out of range"),
            "give seconds since 1970, from 0 to 1.8e10",
        )),
    }
}

fn entry(message: &Bound<'_, PyAny>) -> PyResult<LogEntry> {
    if frame::is_error(message)? {
        return error_frame(message).map(LogEntry::ErrorFrame);
    }
    let mut frame = frame::extract(message)?;
    if frame.is_fd() && is_set(message, "error_state_indicator")? {
        frame = frame.with_error_state_indicator();
    }
    let is_sent = message
        .getattr_opt("is_rx")?
        .is_some_and(|is_rx| is_rx.is_truthy().is_ok_and(|is_rx| !is_rx));
    let direction = match is_sent {
        true => Direction::Tx,
        false => Direction::Rx,
    };
    Ok(LogEntry::Frame {
        frame,
        direction: Some(direction),
    })
}

fn is_set(message: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    let flag = message.getattr_opt(name)?;
    flag.map_or(Ok(false), |flag| flag.is_truthy())
}

/// Reads the classes of SocketCAN and their details; a frame without any is a bus error.
fn error_frame(message: &Bound<'_, PyAny>) -> PyResult<ErrorFrame> {
    let class: u32 = message.getattr("arbitration_id")?.extract()?;
    if class & CLASSES == 0 {
        return Ok(ErrorFrame::BUS_ERROR);
    }
    let data = message.getattr("data")?;
    let bytes = message.py().get_type::<PyBytes>().call1((data,))?;
    let bytes: Vec<u8> = bytes.extract()?;
    let mut data = [0; 8];
    for (place, byte) in data.iter_mut().zip(bytes) {
        *place = byte;
    }
    Ok(ErrorFrame {
        class: class & CLASSES,
        data,
    })
}

/// Returns the name of a channel: a number is one of `can0`, `can1` and so on.
fn channel_name(channel: &Bound<'_, PyAny>, otherwise: &str) -> PyResult<String> {
    if channel.is_none() {
        return Ok(otherwise.to_owned());
    }
    let text = channel.str()?;
    let text = text.to_str()?;
    Ok(match channel.is_instance_of::<PyInt>() {
        true => format!("can{text}"),
        false => text.to_owned(),
    })
}
