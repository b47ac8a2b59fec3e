//! Function `fit`: a file fitted as the command does it, and vehicles that are fitted.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::matrix::DbcOptions;
use waywarden_vehicle_lab::fit::MatrixVehicle;
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use super::fit::{Fit, Input};
use super::fit_choices::{Choices, optional_rate};
use super::named_files;
use super::simulation::{Car, Setting};
use crate::arguments;
use crate::can::{log_file, matrix};
use crate::error::Failure;
use crate::vehicle_text::{self, faults};
use crate::watch::Watch;

/// Answers if SecOC fits the bus of a file, as the command ``waywarden fit`` does.
///
/// Parameters
/// ----------
/// path : path
///     A vehicle file, which ends in .toml, or a database of messages: DBC, AUTOSAR ARXML, KCD or
///     PEAK SYM.
/// assume : float, str or timedelta, optional
///     Period of the messages of a database that have none there and in the log; without it, they
///     are left out with a warning.
/// protect, share, profiles, truncations, carriers, bitrate, data_bitrate, log, channel, strict,
/// board, attack_rate, risk, seed, duration, jobs, progress
///     As `Vehicle.fit`.
///
/// Returns
/// -------
/// Fit
///     With the figures of the command, byte for byte.
///
/// Raises
/// ------
/// VehicleError
///     For a vehicle file with faults.
/// LogError
///     For a database or a log that cannot be read, and for a database without a period.
/// ParameterError
///     For a choice that there is not.
#[pyfunction]
#[pyo3(signature = (path, *, protect=Vec::new(), share=None, profiles=Vec::new(),
                    truncations=Vec::new(), carriers=Vec::new(), bitrate=None, data_bitrate=None,
                    log=None, channel=None, strict=false, assume=None, board=None,
                    attack_rate=None, risk=0.01, seed=None, duration=None, jobs=None,
                    progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "all but one are named ones in Python"
)]
pub(super) fn fit(
    py: Python<'_>,
    path: PathBuf,
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
    assume: Option<Bound<'_, PyAny>>,
    board: Option<String>,
    attack_rate: Option<f64>,
    risk: f64,
    seed: Option<u64>,
    duration: Option<Bound<'_, PyAny>>,
    jobs: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Fit> {
    let watch = Watch::new(progress.as_ref())?;
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
    let length = duration.as_ref().map(arguments::run_length).transpose()?;
    let assumed = assume.map(|period| arguments::duration("assume", &period));
    let assumed = assumed.transpose()?;
    let mut remarks = Vec::new();
    let input = py.detach(|| match is_vehicle(&path) {
        true if assumed.is_some() => Err(Failure::new(
            "ParameterError",
            "assume is for databases of messages: each stream of a vehicle file has a `period`",
        )),
        true => of_vehicle(&path, &choices, &mut remarks),
        false => of_matrix(&path, &choices, assumed, &mut remarks),
    })?;
    log_file::warn(py, &remarks)?;
    let input = Input {
        seed,
        duration: length,
        ..input
    };
    Fit::make(py, input, &choices, (jobs, watch))
}

fn is_vehicle(path: &Path) -> bool {
    let ending = path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

fn of_vehicle(path: &Path, choices: &Choices, remarks: &mut Vec<String>) -> Result<Input, Failure> {
    let text = vehicle_text::read(path)?;
    let name = path.display().to_string();
    let file = VehicleFile::parse(&name, &text).map_err(|errors| faults(&errors))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (resources, said) = named_files::load(&file, folder)?;
    remarks.extend(said);
    Ok(Input {
        recording: choices.recording_of(&file, remarks)?,
        name,
        text,
        resources,
        without_period: Vec::new(),
        seed: None,
        duration: None,
    })
}

fn of_matrix(
    path: &Path,
    choices: &Choices,
    assumed: Option<Duration>,
    remarks: &mut Vec<String>,
) -> Result<Input, Failure> {
    let (messages, said) = matrix::read(path, false, choices.strict)?;
    remarks.extend(said);
    let recording = choices.recording(&matrix::carrier(&messages), remarks)?;
    let options = DbcOptions {
        vehicle: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        bit_rate: choices.bitrate,
        data_bit_rate: choices.data_bitrate,
        observed: recording
            .as_ref()
            .map(|all| all.periods.clone())
            .unwrap_or_default(),
        assumed,
        ..DbcOptions::default()
    };
    let made = MatrixVehicle::of(&messages, &options);
    let name = path.display().to_string();
    if let Some(remark) = made.remark() {
        let remedy = "log takes periods from a recording, assume gives these messages one, and \
                      GenMsgCycleTime states them in the file";
        let text = format!("{name}: {remark}; {remedy}");
        if made.is_without_periods() {
            return Err(Failure::new("LogError", text).remedy(remedy));
        }
        remarks.push(format!("{text}; they are left out"));
    }
    Ok(Input {
        name,
        text: made.text,
        resources: Resources::default(),
        recording,
        without_period: made.without_period,
        seed: None,
        duration: None,
    })
}

/// Returns the vehicle as it is fitted.
pub(super) fn of_car(
    py: Python<'_>,
    car: &Car,
    setting: Setting,
    choices: &Choices,
) -> PyResult<Input> {
    let mut remarks = Vec::new();
    let recording = py.detach(|| choices.recording_of(&car.file, &mut remarks))?;
    log_file::warn(py, &remarks)?;
    Ok(Input {
        name: car.file.source.file_name().to_owned(),
        text: car.text.clone(),
        resources: setting.resources,
        recording,
        without_period: Vec::new(),
        seed: Some(setting.id.seed),
        duration: Some(setting.file.duration),
    })
}
