//! A vehicle read from text, and made ready for runs.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use waywarden_vehicle_file::{VehicleFile, to_text};
use waywarden_vehicle_report::runs::RunId;

use super::car::Vehicle;
use super::runs::{self, Runs};
use super::simulation::{Car, Setting};
use super::{composed, named_files};
use crate::arguments;
use crate::can::log_file;
use crate::vehicle_text::faults;
use crate::watch::Watch;

impl Vehicle {
    /// Takes the text of a vehicle file, or its tables as objects.
    pub(super) fn given(vehicle: &Bound<'_, PyAny>, name: &str, folder: PathBuf) -> PyResult<Self> {
        if let Ok(text) = vehicle.cast::<PyString>() {
            return Self::read(name.to_owned(), composed::no_path(text.to_str()?)?, folder);
        }
        if !composed::is_mapping(vehicle) {
            return Err(PyTypeError::new_err(
                "vehicle: give the text of a vehicle file, or a dict of its tables; \
                 Vehicle.from_file reads a file",
            ));
        }
        let table = composed::table(vehicle.cast::<PyMapping>()?)?;
        // Checked as objects first: the places of a text would be of one that the caller never saw.
        VehicleFile::compose(name, &table).map_err(|errors| composed::faults(&errors))?;
        Self::read(name.to_owned(), to_text(&table), folder)
    }

    pub(super) fn read(name: String, text: String, folder: PathBuf) -> PyResult<Self> {
        let file = VehicleFile::parse(&name, &text).map_err(|errors| faults(&errors))?;
        let car = Arc::new(Car { text, file, folder });
        Ok(Vehicle { car })
    }

    /// Returns the run of a seed, else of the file's own, in phase 0.
    pub(super) fn id(&self, seed: Option<u64>) -> RunId {
        RunId {
            seed: seed.unwrap_or(self.car.file.seed),
            phase: 0,
        }
    }

    /// Returns the vehicle with all that its runs need; remarks about its logs are warnings.
    pub(super) fn setting(
        &self,
        py: Python<'_>,
        id: RunId,
        duration: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Setting> {
        let mut file = self.car.file.clone();
        if let Some(duration) = duration {
            file.duration = arguments::run_length(duration)?;
        }
        let loaded = py.detach(|| named_files::load(&file, &self.car.folder));
        let (resources, remarks) = loaded?;
        log_file::warn(py, &remarks)?;
        Ok(Setting {
            file,
            resources,
            id,
            own_duration: self.car.file.duration,
        })
    }

    /// Runs the vehicle many times, with these numbers of seeds and phases; `is_one` if something
    /// that one run has was asked for.
    pub(super) fn runs<'py>(
        &self,
        py: Python<'py>,
        setting: Setting,
        (seeds, phases, is_one): (Option<u64>, Option<u64>, bool),
        (jobs, watch): (Option<usize>, Watch),
    ) -> PyResult<Bound<'py, PyAny>> {
        if is_one {
            let found = "phase, trace and html are of one run";
            return Err(arguments::refused(found, "leave out seeds and phases"));
        }
        let range = (seeds.unwrap_or(1), phases.unwrap_or(1));
        let runs = runs::fold(py, (&self.car, setting), range, (jobs, watch))?;
        Ok(Bound::new(py, Runs::new(runs)?)?.into_any())
    }
}
