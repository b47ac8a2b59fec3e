//! Function `import_matrix`: a database of messages becomes a vehicle.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use waywarden_can::Id;
use waywarden_input_files::files;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::matrix::{
    self, DbcOptions, MessageMatrix, ReadOptions, Written, write,
};

use super::log_file::warn;
use super::rates::bit_rate;
use super::recorded::RecordedBus;
use crate::arguments;
use crate::error::Failure;

/// The most parts that a warning names; the rest are counted.
const SHOWN_MAX: usize = 5;

/// Makes the text of a vehicle file of a database of messages: DBC, AUTOSAR ARXML, KCD or PEAK SYM.
///
/// Cycle times come from the database where it has them, else from a log of the same bus, else from
/// ``assume``; messages without any stand in the text as comments. Offsets that it does not state
/// are "unknown". Each CAN cluster of an ARXML or KCD file is a bus. Secured I-PDUs of an ARXML
/// file become ``[[authentication]]``.
///
/// Parameters
/// ----------
/// path : path
///     The database; its content tells the format.
/// log : path, optional
///     A log of the bus, for the periods that the database does not state.
/// channel : str, optional
///     The channel of the log that is this bus; by default the one with most of the identifiers,
///     which a warning names.
/// assume : float, str or timedelta, optional
///     Period of messages that have none in either, such as "100ms".
/// fast_cycles : bool
///     Take the period while active (GenMsgCycleTimeFast) of messages that have one.
/// board : str, optional
///     Board of all ECUs; without it computing takes no time.
/// bus : str
///     Name of the bus, where the database has none.
/// bitrate, data_bitrate : int or str, optional
///     Bit rates, whatever the database has.
/// unflagged_as_extended : bool
///     Take identifiers above 11 bits that lack bit 31 as 29 bits.
/// strict : bool
///     Refuse parts that are skipped, and a damaged log.
///
/// Returns
/// -------
/// str
///     For `waywarden.vehicle.Vehicle`. What is skipped is a warning.
///
/// Raises
/// ------
/// LogError
///     For a database that cannot be read, or of which no message becomes a stream.
#[pyfunction]
#[pyo3(signature = (path, *, log=None, channel=None, assume=None, fast_cycles=false, board=None,
                    bus="main", bitrate=None, data_bitrate=None, unflagged_as_extended=false,
                    strict=false))]
#[expect(
    clippy::too_many_arguments,
    reason = "all but the first are named ones in Python"
)]
pub(super) fn import_matrix(
    py: Python<'_>,
    path: PathBuf,
    log: Option<PathBuf>,
    channel: Option<String>,
    assume: Option<Bound<'_, PyAny>>,
    fast_cycles: bool,
    board: Option<String>,
    bus: &str,
    bitrate: Option<Bound<'_, PyAny>>,
    data_bitrate: Option<Bound<'_, PyAny>>,
    unflagged_as_extended: bool,
    strict: bool,
) -> PyResult<String> {
    let stem = path.file_stem().unwrap_or_default();
    let rates = (bitrate, data_bitrate);
    let options = options(stem.to_string_lossy().into_owned(), bus, rates, assume)?;
    let options = DbcOptions {
        board,
        fast_cycles,
        ..options
    };
    let imported = py.detach(|| {
        let (matrix, mut remarks) = read(&path, unflagged_as_extended, strict)?;
        let bus = log.as_deref().map(|log| RecordedBus {
            log,
            channel: channel.as_deref(),
            is_strict: strict,
        });
        let text = with_log(&path, &matrix, options, bus.as_ref(), &mut remarks)?;
        Ok::<_, Failure>((text, remarks))
    });
    let (text, remarks) = imported?;
    warn(py, &remarks)?;
    Ok(text)
}

/// Returns the options of an import from arguments that all imports have: the bus, its bit rates in
/// both phases, and the period of messages that have none.
pub(super) fn options(
    vehicle: String,
    bus: &str,
    (bitrate, data_bitrate): (Option<Bound<'_, PyAny>>, Option<Bound<'_, PyAny>>),
    assume: Option<Bound<'_, PyAny>>,
) -> PyResult<DbcOptions> {
    let rate =
        |name, rate: Option<Bound<'_, PyAny>>| rate.map(|rate| bit_rate(name, &rate)).transpose();
    Ok(DbcOptions {
        vehicle,
        bus: bus.to_owned(),
        bit_rate: rate("bitrate", bitrate)?,
        data_bit_rate: rate("data_bitrate", data_bitrate)?,
        board: None,
        fast_cycles: false,
        observed: HashMap::new(),
        assumed: assume
            .map(|period| arguments::duration("assume", &period))
            .transpose()?,
    })
}

/// Makes the text of a vehicle file of a matrix; periods that it lacks come from a log of its bus.
pub(super) fn with_log(
    path: &Path,
    matrix: &MessageMatrix,
    options: DbcOptions,
    log: Option<&RecordedBus<'_>>,
    remarks: &mut Vec<String>,
) -> Result<String, Failure> {
    let observed = match log {
        Some(bus) => bus.messages(&carrier(matrix), remarks)?.periods,
        None => HashMap::new(),
    };
    let options = DbcOptions {
        observed,
        ..options
    };
    imported(path, matrix, &options, remarks)
}

/// Returns a function that knows the identifiers of a database's messages.
pub(crate) fn carrier(matrix: &MessageMatrix) -> impl Fn(Id) -> bool {
    |id| matrix.messages().any(|message| message.is_carried_by(id))
}

/// Reads a database, with remarks on what is skipped or taken otherwise than written.
pub(crate) fn read(
    path: &Path,
    unflagged_are_extended: bool,
    is_strict: bool,
) -> Result<(MessageMatrix, Vec<String>), Failure> {
    let bytes = files::bytes(path, matrix::TEXT_MAX);
    let bytes = bytes.map_err(|problem| Failure::of("LogError", &problem))?;
    let shown = path.display().to_string();
    read_bytes(&shown, &bytes, unflagged_are_extended, is_strict)
}

/// Reads the bytes of a database; `shown` names it.
pub(super) fn read_bytes(
    shown: &str,
    bytes: &[u8],
    unflagged_are_extended: bool,
    is_strict: bool,
) -> Result<(MessageMatrix, Vec<String>), Failure> {
    let options = ReadOptions {
        unflagged_are_extended,
    };
    let matrix = matrix::read(bytes, options).map_err(|error| match error.line() {
        Some(line) => Failure::new("LogError", format_args!("{shown}:{line}: {error}"))
            .place(line.to_string()),
        None => Failure::new("LogError", format_args!("{shown}: {error}")),
    })?;
    let skipped = matrix.skipped.iter().map(|skipped| {
        let line = skipped.line.unwrap_or_default();
        format!("{shown}:{line}: {skipped}")
    });
    let skipped: Vec<String> = skipped.collect();
    if is_strict && !skipped.is_empty() {
        let count = skipped.len();
        let end = format!("{shown}: {count} parts are no part of a bus; strict=True refuses that");
        let lines: Vec<String> = skipped.into_iter().take(SHOWN_MAX).chain([end]).collect();
        return Err(Failure::new("LogError", lines.join("\n")).problems(lines));
    }
    let of_messages = matrix.messages().flat_map(|message| {
        let remarks = message.remarks.iter();
        remarks.map(|remark| format!("{shown}: message {}: {remark}", message.name))
    });
    let mut remarks = first(skipped, &format!("{shown}: parts skipped"));
    remarks.extend(
        matrix
            .remarks
            .iter()
            .map(|remark| format!("{shown}: {remark}")),
    );
    remarks.extend(first(
        of_messages.collect(),
        &format!("{shown}: remarks on messages"),
    ));
    Ok((matrix, remarks))
}

/// Returns the first of them, and how many there are if there are more.
fn first(mut texts: Vec<String>, what: &str) -> Vec<String> {
    let all = texts.len();
    if all > SHOWN_MAX {
        texts.truncate(SHOWN_MAX);
        texts.push(format!("{what}: {all} in all"));
    }
    texts
}

fn imported(
    path: &Path,
    matrix: &MessageMatrix,
    options: &DbcOptions,
    remarks: &mut Vec<String>,
) -> Result<String, Failure> {
    let shown = path.display();
    let count = matrix.messages().count();
    if count == 0 {
        let remedy = match matrix.skipped.iter().any(|skipped| skipped.may_be_extended) {
            true => "unflagged_as_extended=True takes identifiers without bit 31 as 29 bits",
            false => "give a database with messages of a CAN bus",
        };
        let why = format_args!("{shown}: has no message to import; {remedy}");
        return Err(Failure::new("LogError", why).remedy(remedy));
    }
    let Written { text, acknowledged } = write(matrix, options);
    let file = VehicleFile::parse("the vehicle", &text).map_err(|errors| {
        let problems = errors.listed().iter().map(ToString::to_string).collect();
        let remedy = "give other bitrate, data_bitrate, board or assume";
        Failure::new("LogError", format_args!("{errors}\n{remedy}"))
            .problems(problems)
            .remedy(remedy)
    })?;
    if file.streams.is_empty() {
        let remedy = "log takes periods from a recording of the bus, assume gives all messages one";
        let why = format_args!(
            "{shown}: none of its {count} messages has a period and fits one frame; {remedy}"
        );
        return Err(Failure::new("LogError", why).remedy(remedy));
    }
    remarks.extend(acknowledged.iter().map(|bus| {
        format!(
            "{shown}: bus {bus} has one ECU only, whose frames nothing would acknowledge: the \
             vehicle has another one, acknowledging-ecu; give it its real name, or add the other \
             ECUs"
        )
    }));
    Ok(text)
}
