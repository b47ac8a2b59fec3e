//! Function `convert`: a log in one format becomes the same log in another.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use waywarden_can_log::{
    Channels, Losses, Record, asc, blf, candump, mf4, pcapng, python_can_csv, trc,
};

use super::log_file::{LogFile, failure, warn};
use crate::arguments::refused;
use crate::error::Failure;
use crate::watch::Watch;

/// Records between two looks for signals.
const PACE: u64 = 1 << 12;

type Output = BufWriter<File>;

/// The format that is written.
enum Writer {
    Candump(candump::Writer<Output>),
    Asc(asc::Writer<Output>),
    Blf(blf::Writer<Output>),
    Trc(trc::Writer<Output>),
    Csv(python_can_csv::Writer<Output>),
    Pcapng(pcapng::Writer<Output>),
    Mf4(Box<mf4::Writer<Output>>),
}

/// Names of the formats that are written, by the ending of a file.
const FORMATS: [(&str, &str); 8] = [
    ("log", "candump"),
    ("candump", "candump"),
    ("asc", "asc"),
    ("blf", "blf"),
    ("trc", "trc"),
    ("csv", "csv"),
    ("pcapng", "pcapng"),
    ("mf4", "mf4"),
];

/// Writes a log in another format: candump, ASC, BLF, TRC, python-can's CSV, pcapng or MF4.
///
/// The file appears when it is complete. What the format has no place for is a warning.
///
/// Parameters
/// ----------
/// source : path
///     The log, of any format that `read_log` reads.
/// target : path
///     The log to write, which replaces a file of that name; its ending names the format: .log,
///     .asc, .blf, .trc, .csv, .pcapng or .mf4.
/// to : str, optional
///     The format, whatever the ending says: "candump", "asc", "blf", "trc", "csv", "pcapng" or
///     "mf4".
/// strict, progress
///     As `read_log`.
///
/// Returns
/// -------
/// int
///     Number of records.
///
/// Raises
/// ------
/// LogError
///     For a log that cannot be read or written; the target is then as it was.
#[pyfunction]
#[pyo3(signature = (source, target, *, to=None, strict=false, progress=None))]
pub(super) fn convert(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    to: Option<&str>,
    strict: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<u64> {
    let format = format(&target, to)?;
    if target.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(failure(&target, &"is no regular file; name one to write").into());
    }
    let mut watch = Watch::new(progress.as_ref())?;
    let mut log = LogFile::open(&source, strict)?;
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = target.with_file_name(name);
    let written = py.detach(|| write(&mut log, &part, format, &mut watch));
    let stopped = watch.finish(py);
    let placed = written.and_then(|written| {
        let is_whole = stopped.is_ok();
        let placed = is_whole.then(|| fs::rename(&part, &target)).transpose();
        placed.map_err(|error| failure(&target, &error))?;
        Ok(written)
    });
    if placed.is_err() || stopped.is_err() {
        // The rest of the part is of no use, and the first error counts.
        let _ = fs::remove_file(&part);
    }
    stopped?;
    let (records, mut remarks) = placed?;
    remarks.extend(log.remarks()?);
    warn(py, &remarks)?;
    Ok(records)
}

fn format(target: &Path, to: Option<&str>) -> PyResult<&'static str> {
    let ending = target.extension().unwrap_or_default().to_string_lossy();
    let ending = ending.to_ascii_lowercase();
    let found = match to {
        Some(name) => FORMATS.iter().find(|(_, own)| *own == name),
        None => FORMATS.iter().find(|(own, _)| *own == ending),
    };
    found.map(|(_, format)| *format).ok_or_else(|| {
        let found = match to {
            Some(name) => format!("to {name:?}: no format that is written"),
            None => format!("{}: the ending tells no log format", target.display()),
        };
        refused(
            found,
            "one of candump (.log), asc, blf, trc, csv, pcapng, mf4",
        )
    })
}

/// Writes the log; returns its number of records, and remarks on what the format has no place for.
fn write(
    log: &mut LogFile,
    part: &Path,
    format: &str,
    watch: &mut Watch,
) -> Result<(u64, Vec<String>), Failure> {
    let fault = |error: io::Error| failure(part, &error);
    let output = BufWriter::with_capacity(1 << 16, File::create(part).map_err(fault)?);
    let mut writer = Writer::new(format, output);
    let (mut records, mut changed, mut date_ns) = (0_u64, 0_u64, 0);
    while let Some(mut record) = log.next()? {
        if records == 0 {
            date_ns = writer.set_start(log.start_ns().unwrap_or(0));
        }
        if !writer.keeps_length_codes() {
            let (plain, is_changed) = record.with_plain_length_code();
            record = plain;
            changed += u64::from(is_changed);
        }
        record.at_ns = record.at_ns.checked_add(date_ns).ok_or_else(|| {
            log.about("the date of the log and the time of a record are beyond the year 2554")
        })?;
        writer.write(&record, log.channels()).map_err(fault)?;
        records += 1;
        if records.is_multiple_of(PACE) && !watch.go_on(0.0) {
            return Ok((records, Vec::new()));
        }
    }
    log.remarks()?;
    let mut remarks = Vec::new();
    if changed > 0 {
        remarks.push(format!(
            "{changed} classic frames have a length code above 8, written as 8"
        ));
    }
    let losses = writer.losses().by_name();
    for (name, count) in losses.into_iter().filter(|(_, count)| *count > 0) {
        remarks.push(format!(
            "the format has no place for {name} of {count} records"
        ));
    }
    writer.finish().map_err(fault)?;
    Ok((records, remarks))
}

impl Writer {
    fn new(format: &str, output: Output) -> Self {
        match format {
            "asc" => Writer::Asc(asc::Writer::new(output)),
            "blf" => Writer::Blf(blf::Writer::new(output)),
            "trc" => Writer::Trc(trc::Writer::new(output).in_microseconds()),
            "csv" => Writer::Csv(python_can_csv::Writer::new(output)),
            "pcapng" => Writer::Pcapng(pcapng::Writer::new(output)),
            "mf4" => Writer::Mf4(Box::new(mf4::Writer::new(output))),
            _ => Writer::Candump(candump::Writer::new(output).in_microseconds()),
        }
    }

    /// Keeps the date from which the records count in the header, where the format has one there;
    /// returns what is to be added to each time else.
    fn set_start(&mut self, date_ns: u64) -> u64 {
        if date_ns == 0 {
            return 0;
        }
        match self {
            Writer::Asc(writer) => writer.set_start(date_ns),
            Writer::Blf(writer) => writer.set_start(date_ns),
            Writer::Trc(writer) => writer.set_start(date_ns),
            Writer::Mf4(writer) => writer.set_start(date_ns),
            Writer::Candump(_) | Writer::Csv(_) | Writer::Pcapng(_) => return date_ns,
        }
        0
    }

    const fn keeps_length_codes(&self) -> bool {
        matches!(self, Writer::Pcapng(_) | Writer::Blf(_) | Writer::Mf4(_))
    }

    fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        match self {
            Writer::Candump(writer) => writer.write(record, channels),
            Writer::Asc(writer) => writer.write(record, channels),
            Writer::Blf(writer) => writer.write(record, channels),
            Writer::Trc(writer) => writer.write(record, channels),
            Writer::Csv(writer) => writer.write(record, channels),
            Writer::Pcapng(writer) => writer.write(record, channels),
            Writer::Mf4(writer) => writer.write(record, channels),
        }
    }

    fn losses(&self) -> Losses {
        match self {
            Writer::Candump(writer) => Losses {
                time_digits: writer.rounded(),
                ..Losses::default()
            },
            Writer::Asc(writer) => writer.losses(),
            Writer::Blf(writer) => writer.losses(),
            Writer::Trc(writer) => writer.losses(),
            Writer::Csv(writer) => writer.losses(),
            Writer::Mf4(writer) => writer.losses(),
            Writer::Pcapng(_) => Losses::default(),
        }
    }

    fn finish(self) -> io::Result<()> {
        let mut output = match self {
            Writer::Candump(writer) => writer.finish()?,
            Writer::Asc(writer) => writer.finish()?,
            Writer::Blf(writer) => {
                let mut finished = writer.finish()?;
                // The sizes in the header are known at the end.
                finished.output.seek(SeekFrom::Start(0))?;
                finished.output.write_all(&finished.header)?;
                finished.output
            }
            Writer::Trc(writer) => writer.finish()?,
            Writer::Csv(writer) => writer.finish()?,
            Writer::Pcapng(writer) => writer.finish()?,
            Writer::Mf4(writer) => writer.finish()?,
        };
        output.flush()
    }
}
