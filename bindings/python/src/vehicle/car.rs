//! Class `Vehicle`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyType};
use waywarden_vehicle_file::{VehicleFile, to_text};
use waywarden_vehicle_lab::bounds::{BoundChoices, Bounding};
use waywarden_vehicle_report::runs::RunId;
use waywarden_work::Duration;

use super::bound::Bounds;
use super::compare::{self, Comparison};
use super::fit::{self, Fit};
use super::run::Run;
use super::runs::{self, Runs};
use super::simulation::{Car, Keep, lowered};
use super::{composed, named_files};
use crate::can::log_file;
use crate::error::{Failure, excerpt};
use crate::watch::Watch;
use crate::{arguments, text};

/// A vehicle: buses, ECUs, messages, their protection and attackers.
///
/// Parameters
/// ----------
/// vehicle : str or mapping
///     The text of a vehicle file, or its tables as nested dicts and lists:
///     ``{"vehicle": {"name": "car"}, "bus": [{"name": "main", "bitrate": "500k"}], ...}``.
/// name : str
///     Name of the vehicle in messages.
/// folder : path, optional
///     Folder that the paths of boards and logs start from; the working directory by default.
///
/// Raises
/// ------
/// VehicleError
///     For a vehicle with faults; ``problems`` lists all of them, each with its place and remedy.
#[pyclass(module = "waywarden.vehicle", frozen)]
pub(crate) struct Vehicle {
    pub(super) car: Arc<Car>,
}

#[pymethods]
impl Vehicle {
    #[new]
    #[pyo3(signature = (vehicle, *, name="vehicle", folder=None))]
    fn new(vehicle: &Bound<'_, PyAny>, name: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        let folder = folder.unwrap_or_default();
        if let Ok(text) = vehicle.cast::<PyString>() {
            let text = text.to_str()?;
            // A path in the place of a text is the likeliest mistake, and its TOML no help.
            if !text.trim().is_empty() && !text.contains(['\n', '=', '[']) {
                let remedy = "Vehicle.from_file reads a file";
                let shown = excerpt(text);
                let why = format_args!("{shown}: no text of a vehicle file; {remedy}");
                return Err(Failure::new("VehicleError", why).remedy(remedy).into());
            }
            return Self::read(name.to_owned(), text.to_owned(), folder);
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

    /// Reads a vehicle file; boards and logs that it names are relative to its folder.
    ///
    /// Raises
    /// ------
    /// VehicleError
    ///     For a file that cannot be read, or has faults; ``problems`` lists all of them.
    #[classmethod]
    fn from_file(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let text = text::read(&path);
        let text = text.map_err(|why| named_files::listed(vec![why]))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::read(path.display().to_string(), text, folder)
    }

    /// Name of the vehicle, as `[vehicle]` has it.
    #[getter]
    fn name(&self) -> &str {
        &self.car.file.name
    }

    /// The vehicle as the text of a vehicle file.
    #[getter]
    fn text(&self) -> &str {
        &self.car.text
    }

    /// The file's own seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.car.file.seed
    }

    /// The file's own duration of a run, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.car.file.duration.as_nanos() as f64 * 1e-9
    }

    /// Names of the buses.
    #[getter]
    fn buses(&self) -> Vec<&str> {
        let buses = self.car.file.buses.iter();
        buses.map(|bus| bus.name.value.as_str()).collect()
    }

    /// Names of the ECUs.
    #[getter]
    fn ecus(&self) -> Vec<&str> {
        let ecus = self.car.file.ecus.iter();
        ecus.map(|ecu| ecu.name.value.as_str()).collect()
    }

    /// Names of the streams, the messages that are sent again and again.
    #[getter]
    fn streams(&self) -> Vec<&str> {
        let streams = self.car.file.streams.iter();
        streams.map(|stream| stream.name.value.as_str()).collect()
    }

    /// Makes the vehicle ready for a run, and runs nothing.
    ///
    /// Returns
    /// -------
    /// list of str
    ///     Valid settings that are probably a mistake, each with its place.
    ///
    /// Raises
    /// ------
    /// VehicleError
    ///     For what only the preparation of a run finds: missing files, keys without room.
    fn check(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let setting = self.setting(py, self.id(None), None)?;
        let found = py.detach(|| {
            let lowered = lowered(&setting.file, &setting.resources, setting.id.seed)?;
            Ok::<_, Failure>(setting.warnings(&lowered))
        });
        Ok(found?)
    }

    /// Runs the vehicle on exact buses, and checks its requirements.
    ///
    /// The same file and seed give the same run, byte for byte. The interpreter's lock is released;
    /// Ctrl-C stops the run at once.
    ///
    /// Parameters
    /// ----------
    /// seed : int, optional
    ///     Seed of all random choices, 0 to 2**64 - 1; the file's own by default.
    /// duration : float, str or timedelta, optional
    ///     Length of the run: seconds, or text such as ``"500ms"``; above zero, at most 24 h; the
    ///     file's own by default.
    /// phase : int, optional
    ///     Draw of the offsets that the file states as "unknown"; 0, the default, has all at 0.
    /// seeds, phases : int, optional
    ///     Makes many runs and folds them: so many seeds from ``seed`` on, each with so many
    ///     phases; at most a million runs.
    /// jobs : int, optional
    ///     Number of such runs at a time, 1 to 256; as many as there are processors by default.
    /// progress : callable, bar or True, optional
    ///     Called with the share that is done, 0 to 1; or a bar like ``tqdm(total=1)``; or True for
    ///     a bar of tqdm.
    /// trace, html : bool
    ///     Keep the trace and the page of the run. Without them `Run.trace` and `Run.report_html`
    ///     make the same run again.
    ///
    /// Returns
    /// -------
    /// Run
    ///     Or `Runs`, with ``seeds`` or ``phases``.
    ///
    /// Raises
    /// ------
    /// VehicleError
    ///     As `check`.
    /// ParameterError
    ///     For an argument out of its range.
    /// SimulationError
    ///     For a simulation that cannot go on.
    #[pyo3(signature = (*, seed=None, duration=None, phase=None, seeds=None, phases=None,
                        jobs=None, progress=None, trace=false, html=false))]
    #[expect(clippy::too_many_arguments, reason = "all are named ones in Python")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        seed: Option<u64>,
        duration: Option<Bound<'py, PyAny>>,
        phase: Option<u64>,
        seeds: Option<u64>,
        phases: Option<u64>,
        jobs: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
        trace: bool,
        html: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let watch = Watch::new(progress.as_ref())?;
        let id = RunId {
            phase: phase.unwrap_or(0),
            ..self.id(seed)
        };
        let setting = self.setting(py, id, duration.as_ref())?;
        if seeds.is_some() || phases.is_some() {
            if phase.is_some() || trace || html {
                let found = "phase, trace and html are of one run";
                return Err(arguments::refused(found, "leave out seeds and phases"));
            }
            let range = (seeds.unwrap_or(1), phases.unwrap_or(1));
            let runs = runs::fold(py, (&self.car, setting), range, (jobs, watch))?;
            return Ok(Bound::new(py, Runs::new(runs)?)?.into_any());
        }
        if jobs.is_some() {
            let found = "jobs is of many runs";
            return Err(arguments::refused(found, "give seeds or phases"));
        }
        let run = Run::make(py, setting, Keep { trace, html }, watch)?;
        Ok(Bound::new(py, run)?.into_any())
    }

    /// Bounds the worst-case response time of each stream by analysis, beside a simulation.
    ///
    /// Parameters
    /// ----------
    /// simulate : bool
    ///     Simulate the vehicle without attackers and compare.
    /// error_every : float, str or timedelta, optional
    ///     Shortest time between two errors on a bus; without it no error happens.
    /// error_burst : int
    ///     Number of errors that may come at once, from 1.
    /// every_attempt : bool
    ///     Count a code for each freshness value and message that a receiver may try.
    /// offsets : bool
    ///     Use the offsets of the file for the streams of one sender.
    /// keys : bool
    ///     Count the frames of key exchanges.
    /// progress
    ///     As `run`.
    ///
    /// Raises
    /// ------
    /// VehicleError
    ///     For a vehicle that the analysis does not cover.
    #[pyo3(signature = (*, simulate=true, error_every=None, error_burst=1, every_attempt=false,
                        offsets=false, keys=true, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "all are named ones in Python")]
    fn bound(
        &self,
        py: Python<'_>,
        simulate: bool,
        error_every: Option<Bound<'_, PyAny>>,
        error_burst: u32,
        every_attempt: bool,
        offsets: bool,
        keys: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Bounds> {
        let watch = Watch::new(progress.as_ref())?;
        let read = |every| arguments::duration("error_every", &every);
        let every = error_every.map(read).transpose()?;
        if error_burst == 0 || every == Some(Duration::ZERO) {
            let found = "error_every and error_burst are above zero";
            return Err(arguments::refused(found, "leave them out for no errors"));
        }
        let interval = every.map(|every| every.as_nanos().saturating_mul(1_000));
        let choices = BoundChoices {
            errors: interval.map(|interval| (u64::from(error_burst), interval)),
            every_attempt,
            offsets,
        };
        let bounding = Bounding::new(self.car.file.clone(), keys);
        let folder = &self.car.folder;
        let loaded = py.detach(|| named_files::load(bounding.file(), folder));
        let (resources, remarks) = loaded?;
        log_file::warn(py, &remarks)?;
        Bounds::make(py, (bounding, resources), (choices, simulate), watch)
    }

    /// Compares the vehicle under other keys and other authentication, and ranks the variants.
    ///
    /// Parameters
    /// ----------
    /// keys, authentication : sequence of str
    ///     Names, or beginnings of names, as docs/compare.md has them; all by default.
    /// protect : sequence of str
    ///     Streams to protect; by default those whose latency the file bounds to 100 ms or less.
    /// attacks : "default" or "file"
    ///     Attackers of a second run: the standard ones, or only the file's own.
    /// key_store : "file", "software" or "module"
    ///     Place of the authentication keys.
    /// rank_by : "security", "attacks", "latency", "load" or "start-up"
    ///     First criterion of the ranking.
    /// seed, duration, jobs, progress
    ///     As `run`.
    ///
    /// Raises
    /// ------
    /// ParameterError
    ///     For a choice that there is not.
    #[pyo3(signature = (*, keys=Vec::new(), authentication=Vec::new(), protect=Vec::new(),
                        attacks="default", key_store="file", rank_by="security", seed=None,
                        duration=None, jobs=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "all are named ones in Python")]
    fn compare(
        &self,
        py: Python<'_>,
        keys: Vec<String>,
        authentication: Vec<String>,
        protect: Vec<String>,
        attacks: &str,
        key_store: &str,
        rank_by: &str,
        seed: Option<u64>,
        duration: Option<Bound<'_, PyAny>>,
        jobs: Option<usize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Comparison> {
        let watch = Watch::new(progress.as_ref())?;
        let setting = self.setting(py, self.id(seed), duration.as_ref())?;
        let choices = compare::Choices {
            keys,
            authentication,
            protect,
            attacks: attacks.to_owned(),
            key_store: key_store.to_owned(),
            rank_by: rank_by.to_owned(),
        };
        Comparison::make(py, (&self.car, setting), &choices, (jobs, watch))
    }

    /// Answers if SecOC fits the buses: candidates of profile, truncation and carrier in a table.
    ///
    /// Parameters
    /// ----------
    /// protect : sequence of str
    ///     Streams to protect, with ``*`` for any letters; all by default.
    /// share : float, optional
    ///     Share of the messages to protect, above 0 up to 1: those with the shortest periods.
    /// profiles : sequence of str
    ///     Profiles of SecOC: production, jaspar, autosar-1; all by default.
    /// truncations : sequence of str
    ///     Bits that travel: "profile", bits of the code such as "32", freshness and code such as
    ///     "8/56", or "fill".
    /// attack_rate : float, optional
    ///     Forged messages per second; by default as many as the bus carries.
    /// risk : float
    ///     Accepted probability of a guessed code within a year, above 0 and at most 1.
    /// seed, duration, jobs, progress
    ///     As `run`.
    ///
    /// Raises
    /// ------
    /// ParameterError
    ///     For a choice that there is not.
    #[pyo3(signature = (*, protect=Vec::new(), share=None, profiles=Vec::new(),
                        truncations=Vec::new(), attack_rate=None, risk=0.01, seed=None,
                        duration=None, jobs=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "all are named ones in Python")]
    fn fit(
        &self,
        py: Python<'_>,
        protect: Vec<String>,
        share: Option<f64>,
        profiles: Vec<String>,
        truncations: Vec<String>,
        attack_rate: Option<f64>,
        risk: f64,
        seed: Option<u64>,
        duration: Option<Bound<'_, PyAny>>,
        jobs: Option<usize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Fit> {
        let watch = Watch::new(progress.as_ref())?;
        let setting = self.setting(py, self.id(seed), duration.as_ref())?;
        let choices = fit::Choices {
            protect,
            share,
            profiles,
            truncations,
            attack_rate,
            risk,
        };
        Fit::make(py, (&self.car, setting), &choices, (jobs, watch))
    }

    fn __repr__(&self) -> String {
        let file = &self.car.file;
        format!(
            "Vehicle({:?}: {} buses, {} ECUs, {} streams)",
            file.name,
            file.buses.len(),
            file.ecus.len(),
            file.streams.len()
        )
    }
}
