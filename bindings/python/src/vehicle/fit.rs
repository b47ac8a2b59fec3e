//! Class `Fit`: does SecOC fit the buses of a vehicle.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_file::matrix::DATA_BIT_RATE;
use waywarden_vehicle_lab::fit::{
    CandidateChoices, DOCUMENT, Fit as Fitted, FitError, FitSetting, FitVehicle, PROFILES,
    Preparation, Selection, Truncation, page,
};

use super::jobs;
use super::simulation::{Car, Setting, faults};
use crate::arguments::{self, refused};
use crate::arrow::{Table, table};
use crate::document;
use crate::error::Failure;
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

/// Choices of a fit.
pub(super) struct Choices {
    pub(super) protect: Vec<String>,
    pub(super) share: Option<f64>,
    pub(super) profiles: Vec<String>,
    pub(super) truncations: Vec<String>,
    pub(super) attack_rate: Option<f64>,
    pub(super) risk: f64,
}

impl Choices {
    fn selection(&self) -> PyResult<Selection> {
        match self.share {
            Some(share) if !(share > 0.0 && share <= 1.0) => Err(refused(
                format_args!("share {share}: out of range"),
                "above 0 and at most 1",
            )),
            Some(_) if !self.protect.is_empty() => {
                Err(refused("protect and share", "give one of them"))
            }
            Some(share) => Ok(Selection::Share(share)),
            None if self.protect.is_empty() => Ok(Selection::All),
            None => Ok(Selection::Named(self.protect.clone())),
        }
    }

    fn candidates(&self) -> PyResult<CandidateChoices> {
        let mut all = CandidateChoices::default();
        if !self.profiles.is_empty() {
            let mut chosen = Vec::new();
            for name in &self.profiles {
                let known = PROFILES.iter().copied().find(|one| one == name);
                let remedy = format!("give one of {}", PROFILES.join(", "));
                let missing = || refused(format_args!("profiles: no {name:?}"), &remedy);
                chosen.push(known.ok_or_else(missing)?);
            }
            all.profiles = chosen;
        }
        if !self.truncations.is_empty() {
            let read = self.truncations.iter().map(|text| {
                let read = text.parse::<Truncation>();
                read.map_err(|error| {
                    refused(
                        format_args!("truncations {text:?}: {error}"),
                        "such as 8/56",
                    )
                })
            });
            all.truncations = read.collect::<PyResult<_>>()?;
        }
        Ok(all)
    }

    fn setting(&self) -> PyResult<FitSetting> {
        let rate = self.attack_rate;
        if rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
            return Err(refused(
                "attack_rate: out of range",
                "messages per second above 0",
            ));
        }
        if !(self.risk > 0.0 && self.risk <= 1.0) {
            let found = format_args!("risk {}: out of range", self.risk);
            return Err(refused(found, "above 0 and at most 1"));
        }
        Ok(FitSetting {
            data_bit_rate: DATA_BIT_RATE.bits_per_second(),
            attack_rate: rate,
            risk: self.risk,
        })
    }
}

impl Fit {
    pub(super) fn make(
        py: Python<'_>,
        (car, setting): (&Car, Setting),
        choices: &Choices,
        (jobs, watch): (Option<usize>, Watch),
    ) -> PyResult<Self> {
        let name = car.file.source.file_name();
        let preparation = Preparation {
            selection: choices.selection()?,
            recorded: HashMap::new(),
            without_period: Vec::new(),
            bit_rate: None,
            board: None,
            seed: Some(setting.id.seed),
            duration: Some(setting.file.duration),
        };
        if i64::try_from(setting.id.seed).is_err() {
            let found = format_args!("seed {}: out of range", setting.id.seed);
            return Err(refused(found, "give 0 to 2**63 - 1"));
        }
        let vehicle = FitVehicle::read(name, &car.text, &preparation);
        let vehicle = vehicle.map_err(|error| match error {
            FitError::File(errors) => faults(&errors),
            FitError::Choice(text) => {
                Failure::new("ParameterError", format_args!("{name}: {text}"))
            }
        })?;
        let candidates = vehicle.candidates(&choices.candidates()?);
        let own_setting = choices.setting()?;
        let vehicle = Arc::new(vehicle);
        let (own, resources) = (Arc::clone(&vehicle), setting.resources);
        let count = candidates.len();
        let number = arguments::jobs(jobs, count)?;
        let work = move |at: usize, _: &jobs::Stop| {
            let candidate = candidates.get(at).copied();
            candidate.map(|candidate| own.run(candidate, &own_setting, &resources))
        };
        let mut trials = Vec::with_capacity(count);
        jobs::fold(py, (count, number), watch, work, |at, trial| {
            trials.extend(trial.map(|trial| (at, trial)));
        })?;
        trials.sort_by_key(|(at, _)| *at);
        let trials = trials.into_iter().map(|(_, trial)| trial).collect();
        Ok(Fit {
            fitted: Fitted::new(&vehicle, &own_setting, trials),
            vehicle,
            setting: own_setting,
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
