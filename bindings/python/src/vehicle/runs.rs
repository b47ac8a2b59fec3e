//! Class `Runs`: many runs of a vehicle, folded.

use std::sync::Arc;

use pyo3::prelude::*;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_lab::many::{self, OneRunError, RangeError};
use waywarden_vehicle_report::runs::{DOCUMENT, Runs as Folded};

use super::jobs::{self, Stop};
use super::named_files;
use super::simulation::{Car, Setting, lowered, refused};
use crate::arrow::{Table, table};
use crate::can::log_file;
use crate::error::Failure;
use crate::watch::Watch;
use crate::{arguments, document};

/// Many runs of a vehicle, folded: worst cases, and the runs that showed them.
///
/// It is true if every run met every requirement.
#[pyclass(module = "waywarden.vehicle", frozen)]
pub(crate) struct Runs {
    runs: Folded,
}

impl Runs {
    pub(super) fn new(runs: Folded) -> PyResult<Self> {
        Ok(Runs { runs })
    }
}

#[pymethods]
impl Runs {
    /// The runs in figures: the document of ``waywarden run --phases N --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.runs)
    }

    /// True if every run met every requirement.
    #[getter]
    fn ok(&self) -> bool {
        self.runs.met
    }

    /// Worst run by requirement.
    #[getter]
    fn requirements(&self) -> PyResult<Table> {
        table(Rows::of(&self.runs.requirements))
    }

    /// Figures by stream: best, median and worst of the runs, and the bound by analysis.
    #[getter]
    fn streams(&self) -> PyResult<Table> {
        table(Rows::of(&self.runs.streams))
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.runs.runs).unwrap_or(usize::MAX)
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        format!(
            "Runs({:?}: {} of {} runs met every requirement)",
            self.runs.vehicle, self.runs.runs_met, self.runs.runs
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.runs.vehicle.replace('&', "&amp;").replace('<', "&lt;");
        let table = self.streams()?.html(py)?;
        Ok(format!(
            "<p><b>{name}</b>: {} of {} runs met every requirement</p>{table}",
            self.runs.runs_met, self.runs.runs
        ))
    }
}

/// Makes the runs of so many seeds and phases.
pub(super) fn fold(
    py: Python<'_>,
    (car, setting): (&Car, Setting),
    (seeds, phases): (u64, u64),
    (jobs, watch): (Option<usize>, Watch),
) -> PyResult<Folded> {
    let first = setting.id.seed;
    let range = many::range(&setting.file, first, (seeds, phases)).map_err(|error| {
        let remedy = match error {
            RangeError::None => "give 1 or more",
            RangeError::TooMany { .. } => "at most a million runs",
            RangeError::BeyondLastSeed { .. } => "begin with a lower seed",
        };
        arguments::refused(error, remedy)
    })?;
    let count = (range.seeds * range.phases) as usize;
    let number = arguments::jobs(jobs, count)?;
    // Once before all, for its warnings and errors.
    let warnings = setting.warnings(&lowered(&setting.file, &setting.resources, first)?);
    log_file::warn(py, &warnings)?;
    let digest = named_files::fingerprint(&setting.file, &car.text, &car.folder)?;
    let mut runs = Folded::new(&setting.file, digest, range);
    let setting = Arc::new(setting);
    let own = Arc::clone(&setting);
    let work = move |at: usize, stop: &Stop| {
        let id = many::run_of(range, at as u64);
        let mut go_on = || !stop.load(std::sync::atomic::Ordering::Relaxed);
        (id, many::one(&own.file, &own.resources, id, &mut go_on))
    };
    let mut failure = None;
    jobs::fold(
        py,
        (count, number),
        watch,
        work,
        |_, (id, result)| match result {
            Ok(report) => runs.add(id, &report),
            Err(error) => {
                failure.get_or_insert(error);
            }
        },
    )?;
    if let Some(error) = failure {
        return Err(match error {
            OneRunError::Lower(error) => refused(&setting.file, &error),
            other => Failure::new("SimulationError", other),
        }
        .into());
    }
    let no_bound = py.detach(|| many::finish(&mut runs, &setting.file, &setting.resources));
    let remark = no_bound.map(|error| format!("no bound stands beside the figures: {error}"));
    log_file::warn(py, &remark.into_iter().collect::<Vec<_>>())?;
    Ok(runs)
}
