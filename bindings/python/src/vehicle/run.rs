//! Class `Run`.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use waywarden_vehicle_report::report::{DOCUMENT, Report};
use waywarden_vehicle_report::tables::RunTable;

use super::simulation::{Keep, Setting};
use crate::arrow::{Table, table};
use crate::can::log_file;
use crate::document;
use crate::error::{Failure, excerpt, missing};
use crate::watch::Watch;

/// A run of a vehicle: figures, verdicts, tables, and on demand its trace and its page.
///
/// It is true if every requirement is met: ``if not vehicle.run(): ...``.
#[pyclass(module = "waywarden.vehicle", frozen)]
pub(crate) struct Run {
    setting: Arc<Setting>,
    report: Report,
    trace: OnceLock<Py<Table>>,
    html: OnceLock<String>,
}

impl Run {
    pub(super) fn make(
        py: Python<'_>,
        setting: Setting,
        keep: Keep,
        watch: Watch,
    ) -> PyResult<Self> {
        let outcome = setting.run(py, keep, watch)?;
        log_file::warn(py, &outcome.warnings)?;
        let run = Run {
            setting: Arc::new(setting),
            report: outcome.report,
            trace: OnceLock::new(),
            html: OnceLock::new(),
        };
        if let Some(trace) = outcome.trace {
            let _ = run.trace.set(Py::new(py, trace)?);
        }
        if let Some(html) = outcome.html {
            let _ = run.html.set(html);
        }
        Ok(run)
    }

    fn html(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(html) = self.html.get() {
            return Ok(html.clone());
        }
        let keep = Keep {
            html: true,
            trace: false,
        };
        let again = self.setting.run(py, keep, Watch::new(None)?)?;
        let html = again.html.unwrap_or_default();
        let _ = self.html.set(html.clone());
        Ok(html)
    }
}

#[pymethods]
impl Run {
    /// The run in figures: the document of ``waywarden run --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.report)
    }

    /// True if every requirement is met.
    #[getter]
    fn ok(&self) -> bool {
        self.report.is_met()
    }

    /// Seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.setting.id.seed
    }

    /// Draw of the unknown offsets; in phase 0 all are 0.
    #[getter]
    fn phase(&self) -> u64 {
        self.setting.id.phase
    }

    /// Verdicts by requirement: bound, measured value, cause of a miss.
    #[getter]
    fn requirements(&self) -> PyResult<Table> {
        table(RunTable::Requirements.of(&self.report))
    }

    /// All tables by name, such as ``streams``, ``ecus``, ``buses``, ``attacks``: those of
    /// ``waywarden run --format csv --table NAME``.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for one in RunTable::ALL {
            tables.set_item(one.name(), Py::new(py, table(one.of(&self.report))?)?)?;
        }
        Ok(tables)
    }

    /// Returns one of these tables.
    ///
    /// Raises
    /// ------
    /// MissingError
    ///     For a name that is no table.
    fn table(&self, name: &str) -> PyResult<Table> {
        let found = RunTable::ALL.into_iter().find(|one| one.name() == name);
        let found = found.ok_or_else(|| {
            let names = RunTable::ALL.map(RunTable::name).join(", ");
            missing(format_args!("no table {}", excerpt(name)), "a run", &names)
        })?;
        table(found.of(&self.report))
    }

    /// The trace: a row for each event, with its time ``t`` in nanoseconds since the start.
    ///
    /// The columns are the fields of ``waywarden run --trace``; what few events have is in
    /// ``details``, as JSON. Without ``trace=True`` the same run is made again for it.
    #[getter]
    fn trace(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        if let Some(trace) = self.trace.get() {
            return Ok(trace.clone_ref(py));
        }
        let keep = Keep {
            trace: true,
            html: false,
        };
        let again = self.setting.run(py, keep, Watch::new(None)?)?;
        let trace = again
            .trace
            .ok_or_else(|| Failure::new("Error", "no trace"))?;
        let trace = Py::new(py, trace)?;
        let _ = self.trace.set(trace.clone_ref(py));
        Ok(trace)
    }

    /// Returns the report with pictures: one self-contained HTML page.
    ///
    /// Without ``html=True`` the same run is made again for it.
    fn report_html(&self, py: Python<'_>) -> PyResult<String> {
        self.html(py)
    }

    /// Shows the report with pictures in a notebook.
    ///
    /// Parameters
    /// ----------
    /// height : int
    ///     Height of the frame, in pixels.
    #[pyo3(signature = (*, height=800))]
    fn show(&self, py: Python<'_>, height: u32) -> PyResult<()> {
        let display = py.import("IPython.display")?;
        let page = self.html(py)?.replace('&', "&amp;").replace('"', "&quot;");
        let frame = format!(
            "<iframe srcdoc=\"{page}\" style=\"width:100%;height:{height}px;border:0\"></iframe>"
        );
        let html = display.call_method1("HTML", (frame,))?;
        display.call_method1("display", (html,)).map(drop)
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let (met, all) = self.met();
        format!(
            "Run({:?}, seed {}, {} ms: {met} of {all} requirements met)",
            self.report.vehicle, self.report.seed, self.report.duration_ms
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let (met, all) = self.met();
        let name = self
            .report
            .vehicle
            .replace('&', "&amp;")
            .replace('<', "&lt;");
        let table = self.requirements()?.html(py)?;
        Ok(format!(
            "<p><b>{name}</b>, seed {}, {} ms: {met} of {all} requirements met</p>{table}",
            self.report.seed, self.report.duration_ms
        ))
    }
}

impl Run {
    /// Returns how many requirements are met, and how many there are.
    fn met(&self) -> (usize, usize) {
        let all = &self.report.requirements;
        (all.iter().filter(|one| one.met).count(), all.len())
    }
}
