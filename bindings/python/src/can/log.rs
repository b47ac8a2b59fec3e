//! Functions `read_log` and `open_log`: logs as tables.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::columns::{Columns, schema};
use super::log_file::{LogFile, warn};
use crate::arguments::refused;
use crate::arrow::{Table, capsule};
use crate::error::Failure;
use crate::watch::Watch;

/// Records of a batch, unless others are asked for; the signature of `open_log` has it, too.
const BATCH: usize = 1 << 16;

/// The most records of a batch.
const BATCH_MAX: usize = 1 << 24;

/// A log that becomes batches.
struct Source {
    log: LogFile,
    columns: Columns,
    only: Option<String>,
    batch: usize,
    is_over: bool,
}

impl Source {
    fn open(
        path: &std::path::Path,
        (is_strict, only, batch): (bool, Option<String>, usize),
    ) -> PyResult<Self> {
        if !(1..=BATCH_MAX).contains(&batch) {
            let found = format_args!("batch {batch}: out of range");
            return Err(refused(found, "give 1 to 16777216 records"));
        }
        Ok(Source {
            log: LogFile::open(path, is_strict)?,
            columns: Columns::new(),
            only,
            batch,
            is_over: false,
        })
    }

    /// Returns the next batch; none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        while !self.is_over && self.columns.rows() < self.batch {
            let Some(record) = self.log.next()? else {
                self.is_over = true;
                break;
            };
            let start_ns = self.log.start_ns().unwrap_or(0);
            let channels = self.log.channels();
            let is_wanted = |only: &String| channels.name(record.channel) == only;
            if self.only.as_ref().is_none_or(is_wanted) {
                self.columns.add(&record, channels, start_ns);
            }
        }
        match self.columns.rows() {
            0 => Ok(None),
            _ => {
                let batch = self.columns.finish();
                batch
                    .map(Some)
                    .map_err(|error| Failure::new("Error", error))
            }
        }
    }
}

/// Reads a log of any format, plain or gzip, at once.
///
/// Formats are known by content: candump, Vector ASC and BLF, PEAK TRC, BUSMASTER, GVRET and
/// SavvyCAN CSV, CRTD, pcap and pcapng, ASAM MF4, and the CSV files and SQLite databases of
/// python-can.
///
/// Parameters
/// ----------
/// path : path
///     The log.
/// channel : str, optional
///     Only this channel.
/// strict : bool
///     Refuse a damaged log. Without it lines that cannot be read are skipped, and a warning tells
///     how many and the first of them.
/// progress : callable, bar or True, optional
///     Asked while the log is read; its share stays 0 until the end, as a log tells no length.
///
/// Returns
/// -------
/// Table
///     A row for each record: ``time_ns`` (since 1970 where the log has a date), ``channel``,
///     ``id``, ``extended``, ``remote``, ``fd``, ``brs``, ``esi``, ``error``, ``dlc``, ``data``,
///     ``direction`` ("rx", "tx" or None). Of an error frame ``id`` has the classes of SocketCAN.
///
/// Raises
/// ------
/// LogError
///     For a log that cannot be read, or has no frame.
#[pyfunction]
#[pyo3(signature = (path, *, channel=None, strict=false, progress=None))]
pub(super) fn read_log(
    py: Python<'_>,
    path: PathBuf,
    channel: Option<String>,
    strict: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let mut watch = Watch::new(progress.as_ref())?;
    let mut source = Source::open(&path, (strict, channel, BATCH))?;
    let read = py.detach(|| {
        let mut batches = Vec::new();
        while watch.go_on(0.0) {
            match source.next() {
                Ok(Some(batch)) => batches.push(batch),
                Ok(None) => break,
                Err(failure) => return Err(failure),
            }
        }
        Ok(batches)
    });
    watch.finish(py)?;
    let table = Table::new(schema(), read?);
    warn(py, &source.log.remarks()?)?;
    Ok(table)
}

/// A log being read, batch by batch: an iterator of tables.
///
/// Memory does not grow with the log. Other libraries take the whole log from it as a stream:
/// ``duckdb.from_arrow(log)``, ``pyarrow.RecordBatchReader.from_stream(log)``.
#[pyclass(module = "waywarden.can", frozen)]
pub(super) struct LogReader {
    source: Arc<Mutex<Source>>,
}

/// Opens a log of any format, to be read batch by batch.
///
/// Parameters
/// ----------
/// path, channel, strict
///     As `read_log`.
/// batch : int
///     Records of a batch, 1 to 16,777,216.
///
/// Raises
/// ------
/// LogError
///     For a log that cannot be read; also while it is read.
#[pyfunction]
#[pyo3(signature = (path, *, channel=None, strict=false, batch=65536))]
pub(super) fn open_log(
    path: PathBuf,
    channel: Option<String>,
    strict: bool,
    batch: usize,
) -> PyResult<LogReader> {
    let source = Source::open(&path, (strict, channel, batch))?;
    Ok(LogReader {
        source: Arc::new(Mutex::new(source)),
    })
}

/// Takes the log for itself. A panic of another user leaves it between two records.
fn locked(source: &Mutex<Source>) -> MutexGuard<'_, Source> {
    source.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl LogReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        py.check_signals()?;
        let (next, remarks) = py.detach(|| {
            let mut source = locked(&self.source);
            let was_over = source.is_over;
            let next = source.next();
            let ends = source.is_over && !was_over;
            (next, ends.then(|| source.log.remarks()))
        });
        if let Some(remarks) = remarks {
            warn(py, &remarks?)?;
        }
        Ok(next?.map(|batch| Table::new(schema(), vec![batch])))
    }

    /// The Arrow C stream interface: the rest of the log.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let source = Arc::clone(&self.source);
        let batches = std::iter::from_fn(move || {
            let next = locked(&source).next();
            let fault = |failure: Failure| ArrowError::ExternalError(failure.message().into());
            next.map_err(fault).transpose()
        });
        // After a fault there is no next batch.
        let mut is_broken = false;
        let batches = batches.take_while(move |batch| {
            let goes_on = !is_broken;
            is_broken |= batch.is_err();
            goes_on
        });
        capsule(py, schema(), Box::new(batches))
    }

    /// Names and types of the columns, as `Table.column_types` of each batch.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = schema();
        fields
            .fields()
            .iter()
            .map(|one| one.name().clone())
            .collect()
    }

    fn __repr__(&self) -> String {
        "LogReader()".to_owned()
    }
}
