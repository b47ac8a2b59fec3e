//! Function `convert`: a log in one format becomes the same log in another.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use waywarden_can_log::{LogWriter, Losses, WrittenFormat};

use super::log_file::{LogFile, failure, warn};
use crate::arguments::refused;
use crate::error::Failure;
use crate::watch::Watch;

/// Records between two looks for signals.
const PACE: u64 = 1 << 12;

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

/// Returns the format of a name, else of the ending of a file.
pub(super) fn format(target: &Path, to: Option<&str>) -> PyResult<WrittenFormat> {
    let ending = target.extension().unwrap_or_default().to_string_lossy();
    let found = match to {
        Some(name) => WrittenFormat::named(name),
        None => WrittenFormat::of_ending(&ending),
    };
    found.ok_or_else(|| {
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
    format: WrittenFormat,
    watch: &mut Watch,
) -> Result<(u64, Vec<String>), Failure> {
    let fault = |error: io::Error| failure(part, &error);
    let output = BufWriter::with_capacity(1 << 16, File::create(part).map_err(fault)?);
    let mut writer = LogWriter::new(output, format, false);
    let (mut records, mut changed) = (0_u64, 0_u64);
    while let Some(mut record) = log.next()? {
        if records == 0 {
            writer.set_start(log.start_ns().unwrap_or(0));
        }
        if !format.keeps_length_codes() {
            let (plain, is_changed) = record.with_plain_length_code();
            record = plain;
            changed += u64::from(is_changed);
        }
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
    remarks.extend(lost(&writer.losses()));
    let written = writer.finish().map_err(fault)?;
    written.complete().map_err(fault)?;
    Ok((records, remarks))
}

/// Says what the format had no place for, a sentence a kind.
pub(super) fn lost(losses: &Losses) -> Vec<String> {
    let losses = losses.by_name().into_iter().filter(|(_, count)| *count > 0);
    let said = losses
        .map(|(name, count)| format!("the format has no place for {name} of {count} records"));
    said.collect()
}
