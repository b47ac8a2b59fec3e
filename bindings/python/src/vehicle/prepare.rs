//! A vehicle read from text, and made ready for runs.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_report::runs::RunId;

use super::car::Vehicle;
use super::named_files;
use super::simulation::{Car, Setting, faults};
use crate::arguments;
use crate::can::log_file;

impl Vehicle {
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
}
