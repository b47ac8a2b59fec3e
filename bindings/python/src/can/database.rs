//! Function `import_parts`: a database of cantools becomes a vehicle.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_vehicle_file::matrix::{Cluster, DbcOptions, MessageFormat, MessageMatrix};
use waywarden_work::Duration;

use super::log_file::warn;
use super::matrix::{options, read_bytes, with_log};
use super::recorded::RecordedBus;
use crate::arguments::refused;
use crate::error::Failure;

/// Maximum number of buses.
const PARTS_MAX: usize = 256;

/// The longest period of a message in milliseconds: a day.
const PERIOD_MAX_MS: f64 = 86_400_000.0;

/// A bus of a database.
#[derive(FromPyObject)]
pub(super) struct Part {
    /// Its name; none where the database names no bus.
    #[pyo3(item)]
    name: Option<String>,
    /// Its bit rates.
    #[pyo3(item)]
    bitrate: Option<u32>,
    #[pyo3(item)]
    data_bitrate: Option<u32>,
    /// Its messages as a DBC file.
    #[pyo3(item)]
    text: String,
    /// Properties that the text may lack.
    #[pyo3(item)]
    messages: Vec<Properties>,
}

/// Properties of a message: identifier, 29 bits, CAN FD, period in milliseconds.
type Properties = (u32, bool, bool, Option<f64>);

/// Makes the text of a vehicle file of buses; for `waywarden.can.import_database`.
#[pyfunction]
#[pyo3(signature = (name, parts, *, log=None, channel=None, assume=None, fast_cycles=false,
                    board=None, bus="main", bitrate=None, data_bitrate=None, strict=false))]
#[expect(
    clippy::too_many_arguments,
    reason = "all but two are named ones in Python"
)]
pub(super) fn import_parts(
    py: Python<'_>,
    name: String,
    parts: Vec<Part>,
    log: Option<PathBuf>,
    channel: Option<String>,
    assume: Option<Bound<'_, PyAny>>,
    fast_cycles: bool,
    board: Option<String>,
    bus: &str,
    bitrate: Option<Bound<'_, PyAny>>,
    data_bitrate: Option<Bound<'_, PyAny>>,
    strict: bool,
) -> PyResult<String> {
    if parts.len() > PARTS_MAX {
        let found = format_args!("{} buses", parts.len());
        return Err(refused(found, "give a database of at most 256 buses"));
    }
    let rates = (bitrate, data_bitrate);
    let options = options(name, bus, rates, assume)?;
    let options = DbcOptions {
        board,
        fast_cycles,
        ..options
    };
    let imported = py.detach(|| {
        let mut remarks = Vec::new();
        let matrix = gathered(parts, &options.vehicle, strict, &mut remarks)?;
        let bus = log.as_deref().map(|log| RecordedBus {
            log,
            channel: channel.as_deref(),
            is_strict: strict,
        });
        let shown = options.vehicle.clone();
        let shown = Path::new(&shown);
        let text = with_log(shown, &matrix, options, bus.as_ref(), &mut remarks)?;
        Ok::<_, Failure>((text, remarks))
    });
    let (text, remarks) = imported?;
    warn(py, &remarks)?;
    Ok(text)
}

/// Puts the buses together.
fn gathered(
    parts: Vec<Part>,
    name: &str,
    is_strict: bool,
    remarks: &mut Vec<String>,
) -> Result<MessageMatrix, Failure> {
    let mut all = MessageMatrix::default();
    for part in parts {
        let shown = match &part.name {
            Some(bus) => format!("{name}, bus {bus}"),
            None => name.to_owned(),
        };
        let (matrix, said) = read_bytes(&shown, part.text.as_bytes(), false, is_strict)?;
        remarks.extend(said);
        all.skipped.extend(matrix.skipped);
        all.remarks.extend(matrix.remarks);
        for mut cluster in matrix.clusters {
            complete(&mut cluster, &part.messages)?;
            cluster.name = part.name.clone().or(cluster.name);
            cluster.bit_rate = own_rate("bitrate", part.bitrate)?.or(cluster.bit_rate);
            let data = own_rate("data_bitrate", part.data_bitrate)?;
            cluster.data_bit_rate = data.or(cluster.data_bit_rate);
            all.clusters.push(cluster);
        }
    }
    Ok(all)
}

fn own_rate(name: &str, rate: Option<u32>) -> Result<Option<BitRate>, Failure> {
    let rate = rate.filter(|rate| *rate > 0).map(BitRate::new);
    rate.transpose()
        .map_err(|error| Failure::new("ParameterError", format_args!("{name}: {error}")))
}

/// Adds the properties of messages that the text does not state.
fn complete(cluster: &mut Cluster, properties: &[Properties]) -> Result<(), Failure> {
    let mut by_id = HashMap::new();
    for &(raw, is_extended, is_fd, period) in properties {
        let id = match is_extended {
            true => Id::extended(raw).ok(),
            false => u16::try_from(raw)
                .ok()
                .and_then(|raw| Id::standard(raw).ok()),
        };
        let Some(id) = id else {
            let why = format_args!("message 0x{raw:X}: no identifier of a bus");
            return Err(Failure::new("ParameterError", why));
        };
        by_id.insert(id, (is_fd, period));
    }
    for message in &mut cluster.messages {
        let Some(&(is_fd, period)) = by_id.get(&message.id) else {
            continue;
        };
        if is_fd && message.format == MessageFormat::Classic {
            message.format = MessageFormat::Fd {
                bit_rate_switch: true,
            };
        }
        let period = period.filter(|ms| *ms > 0.0 && *ms <= PERIOD_MAX_MS);
        if message.cycle_time.is_none() && message.minimum_distance.is_none() {
            message.cycle_time = period.map(|ms| Duration::from_nanos((ms * 1e6).round() as u64));
        }
    }
    Ok(())
}
