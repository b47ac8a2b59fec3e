//! Function `load`: the load of a log on its buses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use waywarden_can::Format;
use waywarden_can::bits::FdVariant;
use waywarden_can::timing::BitTiming;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_report::bus_load::{Bus, DOCUMENT, LoadError, LogClock, Summary};
use waywarden_work::Duration;

use super::log_file::{LogFile, warn};
use super::rates::{Rates, variant};
use crate::arrow::{Table, table};
use crate::document;
use crate::error::Failure;
use crate::watch::Watch;

/// Records between two looks for signals.
const PACE: u64 = 1 << 12;

/// The exact load of a log on its buses. Loads are shares, with intermission.
#[pyclass(module = "waywarden.can", frozen)]
pub(super) struct Load {
    summary: Summary,
}

/// Returns the exact load that a log puts on its buses, frame by frame.
///
/// Each channel of the log is a bus of its own. The bits of each frame are counted; for latencies
/// the log is played onto a simulated bus. Memory does not grow with the log.
///
/// Parameters
/// ----------
/// path : path
///     The log, of any format that `read_log` reads.
/// bitrate : int or str
///     Nominal bit rate: bits per second, or text such as "500k".
/// data_bitrate : int or str, optional
///     Bit rate of the data phase; needed for CAN FD frames with BRS.
/// sample_point, data_sample_point : float, optional
///     Shares of the bit, 0.5 to 0.95; those that CiA recommends by default.
/// channel : str, optional
///     Only this channel.
/// non_iso : bool
///     The CAN FD frame format before ISO 11898-1:2015.
/// strict, progress
///     As `read_log`.
///
/// Raises
/// ------
/// LogError
///     For a log that cannot be read, has no frame, takes no time, or is a load above 100 %.
/// ParameterError
///     For an argument out of its range.
#[pyfunction]
#[pyo3(signature = (path, *, bitrate, data_bitrate=None, sample_point=None,
                    data_sample_point=None, channel=None, non_iso=false, strict=false,
                    progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "all but the first are named ones in Python"
)]
pub(super) fn load(
    py: Python<'_>,
    path: PathBuf,
    bitrate: Bound<'_, PyAny>,
    data_bitrate: Option<Bound<'_, PyAny>>,
    sample_point: Option<f64>,
    data_sample_point: Option<f64>,
    channel: Option<String>,
    non_iso: bool,
    strict: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Load> {
    let rates = Rates {
        bitrate: &bitrate,
        data_bitrate: data_bitrate.as_ref(),
        sample_point,
        data_sample_point,
    };
    let timing = rates.timing()?;
    let mut watch = Watch::new(progress.as_ref())?;
    let mut log = LogFile::open(&path, strict)?;
    let bus = (timing, variant(non_iso));
    let summed = py.detach(|| sum(&mut log, channel.as_deref(), bus, &mut watch));
    watch.finish(py)?;
    let summary = summed?;
    warn(py, &log.remarks()?)?;
    Ok(Load { summary })
}

fn sum(
    log: &mut LogFile,
    only: Option<&str>,
    (timing, variant): (BitTiming, FdVariant),
    watch: &mut Watch,
) -> Result<Summary, Failure> {
    let (mut clock, mut buses) = (LogClock::default(), BTreeMap::<String, Bus>::new());
    let mut records = 0_u64;
    while let Some(record) = log.next()? {
        records += 1;
        if records.is_multiple_of(PACE) && !watch.go_on(0.0) {
            break;
        }
        let Some(frame) = record.entry.frame() else {
            continue;
        };
        clock.advance(record.at_ns);
        let channel = log.channels().name(record.channel);
        if only.is_some_and(|only| only != channel) {
            continue;
        }
        let switches = |format| {
            matches!(
                format,
                Format::Fd {
                    bit_rate_switch: true,
                    ..
                }
            )
        };
        if timing.data.is_none() && switches(frame.format()) {
            return Err(log.about(
                "has CAN FD frames with BRS, whose data phase has a bit rate of its own; give \
                 data_bitrate, such as \"2M\"",
            ));
        }
        let added = match buses.get_mut(channel) {
            Some(bus) => bus.add(clock.length, *frame),
            None => Bus::new(channel, timing, variant).and_then(|mut bus| {
                bus.add(clock.length, *frame)?;
                buses.insert(channel.to_owned(), bus);
                Ok(())
            }),
        };
        added.map_err(|error| log.about(error))?;
    }
    log.remarks()?;
    match only {
        Some(only) if buses.is_empty() => {
            return Err(log.about(format_args!("the log has no frame on channel {only}")));
        }
        None if buses.is_empty() => return Err(log.about("the log has no frame")),
        _ if clock.length == Duration::ZERO => {
            return Err(log.about(
                "all frames have one time stamp, so there is no time to share; a load needs a log \
                 with later frames",
            ));
        }
        _ => {}
    }
    let summary = Summary::new(&clock, buses.into_values(), {
        let (lines, events) = log.skipped();
        (events, lines)
    });
    summary.map_err(|error| match error {
        LoadError::Overloaded { .. } => {
            let remedy = "give bitrate and data_bitrate of the recorded bus";
            log.about(error).remedy(remedy)
        }
        error => log.about(error),
    })
}

#[pymethods]
impl Load {
    /// The document of ``waywarden bus load --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.summary)
    }

    /// Load of the bus, with intermission; None for several channels.
    #[getter]
    fn load(&self) -> Option<f64> {
        self.summary.load
    }

    /// Frames on all channels.
    #[getter]
    fn frames(&self) -> u64 {
        self.summary.frames
    }

    /// Time from the first frame to the last, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.summary.duration_s
    }

    /// By channel: frames, identifiers, load.
    #[getter]
    fn channels(&self) -> PyResult<Table> {
        table(Rows::of(&self.summary.channels))
    }

    /// By channel and identifier: frames, load, worst gap, latencies.
    #[getter]
    fn ids(&self) -> PyResult<Table> {
        table(Rows::of(self.summary.all_ids()))
    }

    fn __repr__(&self) -> String {
        let channels = self.summary.channels.iter();
        let loads = channels.map(|one| format!("{} {:.3} %", one.channel, one.load * 100.0));
        let loads: Vec<String> = loads.collect();
        format!("Load({} frames: {})", self.summary.frames, loads.join(", "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.ids()?.html(py)
    }
}
