//! One run, with the lock of the interpreter released.

use std::path::PathBuf;

use pyo3::prelude::*;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::{FileErrors, VehicleFile};
use waywarden_vehicle_lab::lower::{LowerError, Lowered, lower};
use waywarden_vehicle_lab::many;
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_lab::run::run_while;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_page::{PageInput, page};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::runs::RunId;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};
use waywarden_work::Duration;

use super::trace::TraceTable;
use crate::arrow::Table;
use crate::error::Failure;
use crate::watch::Watch;

/// A vehicle that was read.
pub(super) struct Car {
    pub(super) text: String,
    pub(super) file: VehicleFile,
    /// The folder that the paths in it start from.
    pub(super) folder: PathBuf,
}

/// A vehicle with all that its runs need.
pub(super) struct Setting {
    /// The vehicle, with the length of the run.
    pub(super) file: VehicleFile,
    pub(super) resources: Resources,
    pub(super) id: RunId,
    /// The file's own length of a run.
    pub(super) own_duration: Duration,
}

/// Parts of a run that are kept besides its figures.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keep {
    pub(super) trace: bool,
    pub(super) html: bool,
}

/// A run that is over.
pub(super) struct Outcome {
    pub(super) report: Report,
    pub(super) trace: Option<Table>,
    pub(super) html: Option<String>,
    pub(super) warnings: Vec<String>,
}

/// Sinks for what is kept.
struct Kept {
    trace: Option<TraceTable>,
    recorder: Option<RunRecorder>,
}

impl TraceSink for Kept {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        if let Some(trace) = &mut self.trace {
            trace.record(at, event);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.record(at, event);
        }
    }
}

impl Setting {
    /// Makes the run; a signal or an exception of the callback ends it.
    pub(super) fn run(&self, py: Python<'_>, keep: Keep, mut watch: Watch) -> PyResult<Outcome> {
        let outcome = py.detach(|| self.simulate(keep, &mut watch));
        watch.finish(py)?;
        outcome
    }

    fn simulate(&self, keep: Keep, watch: &mut Watch) -> PyResult<Outcome> {
        let RunId { seed, phase } = self.id;
        let drawn = in_phase(&self.file, seed, phase);
        let lowered = lowered(&drawn, &self.resources, seed)?;
        let mut warnings = self.warnings(&lowered);
        let mut kept = Kept {
            trace: keep.trace.then(|| TraceTable::new(lowered.trace_lines())),
            recorder: keep
                .html
                .then(|| RunRecorder::new(&drawn, &lowered.config, lowered.prose.clone())),
        };
        let outcome = run_while(lowered, &mut kept, &mut |share, _, _| watch.go_on(share));
        let outcome = outcome.map_err(|error| Failure::new("SimulationError", error))?;
        let (report, no_bound) =
            many::report(&self.file, &drawn, &self.resources, (self.id, &outcome));
        warnings
            .extend(no_bound.map(|error| format!("no bound stands beside the figures: {error}")));
        let recording = kept.recorder.map(RunRecorder::finish);
        let html = recording.map(|recording| {
            page(&PageInput {
                file: &drawn,
                report: &report,
                outcome: &outcome,
                recording: &recording,
            })
        });
        Ok(Outcome {
            report,
            trace: kept.trace.map(TraceTable::finish).transpose()?,
            html,
            warnings,
        })
    }
}

impl Setting {
    /// Returns valid but probably unintended settings, each with its place.
    pub(super) fn warnings(&self, lowered: &Lowered) -> Vec<String> {
        let file = &self.file;
        let name = file.source.file_name();
        // Of a shorter run it is on purpose.
        let late = file.too_late(file.duration.max(self.own_duration));
        let late = late.iter().flat_map(FileErrors::listed);
        let late = late.map(ToString::to_string);
        let unintended = lowered.warnings.iter();
        let unintended = unintended.map(|(place, warning)| format!("{name}:{place}: {warning}"));
        late.chain(unintended).collect()
    }
}

/// Makes a simulation of a vehicle; every error names its place.
pub(super) fn lowered(
    file: &VehicleFile,
    resources: &Resources,
    seed: u64,
) -> Result<Lowered, Failure> {
    lower(file, resources, Some(seed)).map_err(|error| refused(file, &error))
}

/// Says why there is no simulation of a vehicle, and where its file says so.
pub(super) fn refused(file: &VehicleFile, error: &LowerError) -> Failure {
    let name = file.source.file_name();
    match error.place() {
        Some(place) => {
            let failure = Failure::new("VehicleError", format_args!("{name}:{place}: {error}"));
            failure.place(place.to_string())
        }
        None => Failure::new("VehicleError", format_args!("{name}: {error}")),
    }
}
