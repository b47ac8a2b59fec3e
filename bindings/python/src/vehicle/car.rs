//! Class `Vehicle`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyType;
use waywarden_vehicle_lab::bounds::{BoundChoices, Bounding};
use waywarden_vehicle_report::runs::RunId;

use super::bound::{self, Bounds};
use super::compare::{self, Comparison};
use super::fit::Fit;
use super::fit_choices::{Choices, optional_rate};
use super::run::Run;
use super::simulation::{Car, Keep, lowered};
use super::{fit_file, named_files};
use crate::arguments;
use crate::can::log_file;
use crate::error::Failure;
use crate::vehicle_text;
use crate::watch::Watch;

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
        Self::given(vehicle, name, folder.unwrap_or_default())
    }

    /// Reads a vehicle file; boards and logs that it names are relative to its folder.
    ///
    /// Raises
    /// ------
    /// VehicleError
    ///     For a file that cannot be read, or has faults; ``problems`` lists all of them.
    #[classmethod]
    fn from_file(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let text = vehicle_text::read(&path)?;
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
            let is_one = phase.is_some() || trace || html;
            return self.runs(py, setting, (seeds, phases, is_one), (jobs, watch));
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
        let choices = BoundChoices {
            errors: bound::errors(error_every.as_ref(), error_burst)?,
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
    /// carriers : sequence of str
    ///     Frames that carry both: "in-message", "cryptographic-pdu", "can-fd"; all by default.
    /// bitrate, data_bitrate : int or str, optional
    ///     Bit rate of all buses, whatever the vehicle has; data bit rate of those that become CAN
    ///     FD, 2M by default.
    /// log : path, optional
    ///     A log of the only bus, whose periods and payload lengths replace those of the vehicle.
    /// channel, strict
    ///     As `waywarden.can.import_matrix`.
    /// board : str, optional
    ///     Board of the ECUs that name none.
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
                        truncations=Vec::new(), carriers=Vec::new(), bitrate=None,
                        data_bitrate=None, log=None, channel=None, strict=false, board=None,
                        attack_rate=None, risk=0.01, seed=None, duration=None, jobs=None,
                        progress=None))]
    #[expect(clippy::too_many_arguments, reason = "all are named ones in Python")]
    fn fit(
        &self,
        py: Python<'_>,
        protect: Vec<String>,
        share: Option<f64>,
        profiles: Vec<String>,
        truncations: Vec<String>,
        carriers: Vec<String>,
        bitrate: Option<Bound<'_, PyAny>>,
        data_bitrate: Option<Bound<'_, PyAny>>,
        log: Option<PathBuf>,
        channel: Option<String>,
        strict: bool,
        board: Option<String>,
        attack_rate: Option<f64>,
        risk: f64,
        seed: Option<u64>,
        duration: Option<Bound<'_, PyAny>>,
        jobs: Option<usize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Fit> {
        let watch = Watch::new(progress.as_ref())?;
        let setting = self.setting(py, self.id(seed), duration.as_ref())?;
        let choices = Choices {
            protect,
            share,
            profiles,
            truncations,
            carriers,
            bitrate: optional_rate("bitrate", bitrate.as_ref())?,
            data_bitrate: optional_rate("data_bitrate", data_bitrate.as_ref())?,
            log,
            channel,
            strict,
            board,
            attack_rate,
            risk,
        };
        let input = fit_file::of_car(py, &self.car, setting, &choices)?;
        Fit::make(py, input, &choices, (jobs, watch))
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
