//! Class `Fit`: does SecOC fit the buses of a vehicle.

use std::sync::Arc;

use pyo3::prelude::*;
use waywarden_can::timing::BitRate;
use waywarden_can_log::RecordedMessages;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_lab::fit::{
    DOCUMENT, Fit as Fitted, FitError, FitSetting, FitVehicle, Preparation, RecordedStream, page,
};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use super::fit_choices::Choices;
use super::jobs;
use crate::arguments::{self, refused};
use crate::arrow::{Table, table};
use crate::can::log_file;
use crate::document;
use crate::error::Failure;
use crate::vehicle_text::faults;
use crate::watch::Watch;

/// Candidates of SecOC's profile, truncation and carrier, each simulated and bounded.
///
/// It is true if a candidate fits.
#[pyclass(module = "waywarden.vehicle", frozen)]
pub(crate) struct Fit {
    fitted: Fitted,
    vehicle: Arc<FitVehicle>,
    setting: FitSetting,
}

/// A vehicle that is fitted.
pub(super) struct Input {
    /// Name of the file, for messages.
    pub(super) name: String,
    /// Text of a vehicle file.
    pub(super) text: String,
    pub(super) resources: Resources,
    pub(super) recording: Option<RecordedMessages>,
    /// Messages of a matrix that have no period.
    pub(super) without_period: Vec<String>,
    /// The file's own seed and duration without them.
    pub(super) seed: Option<u64>,
    pub(super) duration: Option<Duration>,
}

impl Fit {
    pub(super) fn make(
        py: Python<'_>,
        input: Input,
        choices: &Choices,
        (jobs, watch): (Option<usize>, Watch),
    ) -> PyResult<Self> {
        let recording = input.recording.unwrap_or_default();
        let preparation = Preparation {
            selection: choices.selection()?,
            recorded: RecordedStream::of(&recording),
            without_period: input.without_period,
            bit_rate: choices.bitrate.map(BitRate::bits_per_second),
            board: choices.board.clone(),
            seed: input.seed,
            duration: input.duration,
        };
        if let Some(seed) = input.seed.filter(|seed| i64::try_from(*seed).is_err()) {
            let found = format_args!("seed {seed}: out of range");
            return Err(refused(found, "give 0 to 2**63 - 1"));
        }
        let vehicle = FitVehicle::read(&input.name, &input.text, &preparation);
        let vehicle = vehicle.map_err(|error| match error {
            FitError::File(errors) => faults(&errors),
            FitError::Choice(text) => {
                Failure::new("ParameterError", format_args!("{}: {text}", input.name))
            }
        })?;
        log_file::warn(py, &Vec::from_iter(vehicle.unknown_frames(&recording)))?;
        let candidates = vehicle.candidates(&choices.candidates()?);
        let setting = choices.setting()?;
        let vehicle = Arc::new(vehicle);
        let (own, resources) = (Arc::clone(&vehicle), input.resources);
        let count = candidates.len();
        let number = arguments::jobs(jobs, count)?;
        let work = move |at: usize, _: &jobs::Stop| {
            let candidate = candidates.get(at).copied();
            candidate.map(|candidate| own.run(candidate, &setting, &resources))
        };
        let trials = jobs::in_order(py, (count, number), watch, work)?;
        Ok(Fit {
            fitted: Fitted::new(&vehicle, &setting, trials),
            vehicle,
            setting,
        })
    }
}

#[pymethods]
impl Fit {
    /// The document of ``waywarden fit --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.fitted)
    }

    /// The answer in a few sentences.
    #[getter]
    fn conclusion(&self) -> &str {
        &self.fitted.conclusion_text
    }

    /// True if a candidate fits.
    #[getter]
    fn ok(&self) -> bool {
        self.fitted.fits
    }

    /// A row for each candidate.
    #[getter]
    fn candidates(&self) -> PyResult<Table> {
        table(Rows::of(&self.fitted.rows))
    }

    /// The recommendation as the text of a vehicle file; None if no candidate fits.
    #[getter]
    fn best(&self) -> PyResult<Option<String>> {
        let best = self.fitted.best();
        let text = best.map(|best| self.vehicle.toml(best.candidate, &self.setting));
        let text = text.transpose();
        text.map_err(|why| Failure::new("VehicleError", why).into())
    }

    /// Returns the table for a design review: one self-contained HTML page.
    fn report_html(&self) -> String {
        page(&self.fitted)
    }

    fn __bool__(&self) -> bool {
        self.ok()
    }

    fn __repr__(&self) -> String {
        let rows = self.fitted.rows.len();
        format!("Fit({:?}: {rows} candidates)", self.fitted.vehicle)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.candidates()?.html(py)
    }
}
