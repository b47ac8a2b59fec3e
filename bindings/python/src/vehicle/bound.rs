//! Class `Bounds`: worst-case response times by analysis, beside a simulation.

use pyo3::prelude::*;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_lab::bounds::{
    BoundChoices, Bounding, Bounds as Figures, BoundsError, DOCUMENT,
};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use super::simulation::refused;
use crate::arguments;
use crate::arrow::{Table, table};
use crate::document;
use crate::error::Failure;
use crate::watch::Watch;

/// Worst-case response times of a vehicle's streams.
///
/// It is true if every bound exists and is within its deadline.
#[pyclass(module = "waywarden.vehicle", frozen)]
pub(crate) struct Bounds {
    figures: Figures,
}

impl Bounds {
    pub(super) fn make(
        py: Python<'_>,
        (bounding, resources): (Bounding, Resources),
        (choices, simulate): (BoundChoices, bool),
        mut watch: Watch,
    ) -> PyResult<Self> {
        let file = bounding.file().clone();
        let figures = py.detach(|| {
            let seen = match simulate {
                true => Some(bounding.simulate(&resources, &mut |share| watch.go_on(share))?),
                false => None,
            };
            bounding.bounds(&resources, &choices, seen.as_deref())
        });
        watch.finish(py)?;
        let figures = figures.map_err(|error| match error {
            BoundsError::Lower(error) => refused(&file, &error),
            BoundsError::Derive(error) => Failure::new("VehicleError", error),
            BoundsError::Run(error) => Failure::new("SimulationError", error),
        })?;
        Ok(Bounds { figures })
    }
}

#[pymethods]
impl Bounds {
    /// The document of ``waywarden bus bound --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.figures)
    }

    /// True if every bound exists and is within its deadline.
    #[getter]
    fn ok(&self) -> bool {
        self.figures.all_met
    }

    /// A row for each stream and bus.
    #[getter]
    fn streams(&self) -> PyResult<Table> {
        table(Rows::of(&self.figures.streams))
    }

    /// Assumptions of the bounds, and what they leave out, a sentence each.
    #[getter]
    fn assumptions(&self) -> Vec<String> {
        self.figures.assumptions.clone()
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let rows = self.figures.streams.len();
        format!("Bounds({:?}: {rows} bounds)", self.figures.vehicle)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.streams()?.html(py)
    }
}

/// Returns the errors of a bus as an analysis has them: a number at once, picoseconds apart.
pub(super) fn errors(every: Option<&Bound<'_, PyAny>>, burst: u32) -> PyResult<Option<(u64, u64)>> {
    let read = |every| arguments::duration("error_every", every);
    let every = every.map(read).transpose()?;
    if burst == 0 || every == Some(Duration::ZERO) {
        let found = "error_every and error_burst are above zero";
        return Err(arguments::refused(found, "leave them out for no errors"));
    }
    let interval = every.map(|every| every.as_nanos().saturating_mul(1_000));
    Ok(interval.map(|interval| (u64::from(burst), interval)))
}
