//! Function `check_log`: a verdict on each frame of a protected log.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use waywarden_can_auth_log::{
    AuthenticationPlan, CheckSummary, CheckedRecord, DOCUMENT, LogChecker, LogSurvey, StreamCounts,
    VerdictRow,
};
use waywarden_documents::table::{Columns, Fields, Table as Rows, fields};

use super::log_file::{LogFile, warn};
use super::plan::PlanSource;
use crate::arguments::refused;
use crate::arrow::{Table, table};
use crate::document;
use crate::error::Failure;
use crate::watch::Watch;

/// Records between two looks for signals.
const PACE: u64 = 1 << 12;

/// Verdicts on a protected log. It is true if every frame of the streams is authentic.
#[pyclass(module = "waywarden.can", frozen)]
pub(super) struct LogCheck {
    summary: CheckSummary,
    verdicts: Option<Rows>,
}

/// Judges a protected log: is it authentic?
///
/// Frames are judged as a log, with hindsight: it may begin at any counter and have gaps.
///
/// Parameters
/// ----------
/// path : path
///     The log, of any format that `read_log` reads.
/// config : path, optional
///     Tables of authentication that stand alone, with keys (docs/auth.md).
/// vehicle : path, optional
///     A vehicle file, whose streams and simulated keys count; give this or ``config``.
/// channels : mapping, optional
///     Bus of the vehicle by channel of the log; without it buses have the names of channels.
/// matrix : path, optional
///     The message matrix whose names ``config`` uses.
/// epoch : int
///     Number of the senders' start since the keys are in use, from 1.
/// counters : mapping, optional
///     Counter of the first message by stream (name or identifier such as "0x120").
/// fd : bool
///     Classic frames of SecOC become CAN FD frames, as if all tables said ``fd = true``.
/// as_ecu : bool
///     Judge as a receiver that starts with the log would.
/// verdicts : bool
///     Keep the verdict on each frame, for `LogCheck.verdicts`.
/// strict, progress
///     As `read_log`.
///
/// Raises
/// ------
/// LogError, VehicleError, ParameterError
///     For a log, tables or arguments that are not understood.
#[pyfunction]
#[pyo3(signature = (path, *, config=None, vehicle=None, channels=None, matrix=None, epoch=1,
                    counters=None, fd=false, as_ecu=false, verdicts=false, strict=false,
                    progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "all but the first are named ones in Python"
)]
pub(super) fn check_log(
    py: Python<'_>,
    path: PathBuf,
    config: Option<PathBuf>,
    vehicle: Option<PathBuf>,
    channels: Option<BTreeMap<String, String>>,
    matrix: Option<PathBuf>,
    epoch: u32,
    counters: Option<BTreeMap<String, u64>>,
    fd: bool,
    as_ecu: bool,
    verdicts: bool,
    strict: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<LogCheck> {
    let epoch =
        NonZeroU32::new(epoch).ok_or_else(|| refused("epoch 0: out of range", "give 1 or more"))?;
    let source = PlanSource {
        config,
        vehicle,
        channels: channels.unwrap_or_default(),
        matrix,
        epoch,
        fd,
    };
    let mut watch = Watch::new(progress.as_ref())?;
    let (plan, remarks) = py.detach(|| source.plan(counters.unwrap_or_default()))?;
    warn(py, &remarks)?;
    let mut job = Job {
        plan: Arc::new(plan),
        path,
        is_strict: strict,
        as_ecu,
        rows: verdicts.then(Vec::new),
        watch: &mut watch,
    };
    let judged = py.detach(|| job.run());
    let rows = job.rows.take();
    watch.finish(py)?;
    let (summary, remarks) = judged?;
    warn(py, &remarks)?;
    let verdicts = rows.map(gathered);
    Ok(LogCheck { summary, verdicts })
}

struct Job<'a> {
    plan: Arc<AuthenticationPlan>,
    path: PathBuf,
    is_strict: bool,
    as_ecu: bool,
    /// The verdict on each frame, where they are kept.
    rows: Option<Vec<Fields>>,
    watch: &'a mut Watch,
}

impl Job<'_> {
    fn run(&mut self) -> Result<(CheckSummary, Vec<String>), Failure> {
        let mut checker = self.checker()?;
        let mut log = LogFile::open(&self.path, self.is_strict)?;
        let (mut checked, mut records) = (Vec::new(), 0_u64);
        while let Some(record) = log.next()? {
            records += 1;
            if records.is_multiple_of(PACE) && !self.watch.go_on(0.0) {
                break;
            }
            let result = checker.check(&record, log.channels(), &mut checked);
            result.map_err(|error| log.fault(error))?;
            for one in checked.drain(..) {
                self.keep(&one, checker.streams())?;
            }
        }
        let remarks = log.remarks()?;
        let summary = checker.finish(&mut checked);
        for one in checked.drain(..) {
            self.keep(&one, &summary.streams)?;
        }
        if summary.is_about_nothing() {
            return Err(log.about(self.plan.nothing_found(log.channels())));
        }
        Ok((summary, remarks))
    }

    /// Makes the checker; after a first pass where freshness is announced.
    fn checker(&mut self) -> Result<LogChecker, Failure> {
        let plan = || Arc::clone(&self.plan);
        if self.as_ecu {
            return Ok(LogChecker::as_ecu(plan()));
        }
        let mut survey = LogSurvey::new(plan());
        if self.plan.has_announcements() {
            let mut log = LogFile::open(&self.path, self.is_strict)?;
            let mut records = 0_u64;
            // Faults are for the second pass to report.
            while let Ok(Some(record)) = log.next() {
                records += 1;
                if records.is_multiple_of(PACE) && !self.watch.go_on(0.0) {
                    break;
                }
                if survey.look(&record, log.channels()).is_err() {
                    break;
                }
            }
        }
        Ok(LogChecker::with_hindsight(plan(), survey.finish()))
    }

    fn keep(&mut self, one: &CheckedRecord, streams: &[StreamCounts]) -> Result<(), Failure> {
        let (Some(rows), Some(frame)) = (&mut self.rows, one.record.entry.frame()) else {
            return Ok(());
        };
        let counts = one.stream.and_then(|at| streams.get(at));
        let row = fields(&VerdictRow::new(one, frame.id(), counts));
        rows.push(row.map_err(|error| Failure::new("Error", error))?);
        Ok(())
    }
}

/// Gathers rows by column.
fn gathered(rows: Vec<Fields>) -> Rows {
    let mut columns = Columns::of::<VerdictRow<'_>>();
    if let Some(first) = rows.first() {
        columns.arrange(first);
    }
    Rows::of_fields(&columns, &rows)
}

#[pymethods]
impl LogCheck {
    /// True if every frame of the streams is authentic.
    #[getter]
    fn ok(&self) -> bool {
        self.summary.refused == 0 && !self.summary.nothing_right
    }

    /// The document of ``waywarden auth check --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.summary)
    }

    /// By stream: frames by verdict.
    #[getter]
    fn streams(&self) -> PyResult<Table> {
        table(Rows::of(&self.summary.streams))
    }

    /// A row for each frame with its verdict, if ``verdicts=True`` was given; else None.
    #[getter]
    fn verdicts(&self) -> PyResult<Option<Table>> {
        let rows = self.verdicts.clone();
        rows.map(|rows| table(Ok(rows))).transpose()
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let CheckSummary {
            frames,
            refused,
            unknown,
            ..
        } = &self.summary;
        format!("LogCheck({refused} of {frames} frames refused, {unknown} of no stream)")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.streams()?.html(py)
    }
}
