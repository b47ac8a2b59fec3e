//! A vehicle file made a simulation, with what is measured while it runs.

use std::io::Write;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can_sim::config::Config;
use waywarden_vehicle_file::{SourceLocation, VehicleFile, Window};
use waywarden_vehicle_report::lines::TraceLines;
use waywarden_vehicle_report::measure::Measure;
use waywarden_vehicle_report::perfetto::Perfetto;
use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_sim::lower as sim;
use waywarden_vehicle_trace::{Fact, GroundTruth};
use waywarden_work::Duration;

pub use sim::{KeyTimes, LowerError, announcement_key, message_key};

/// A vehicle ready to run.
pub struct Lowered {
    /// Configuration of the simulation.
    pub config: Config<Fact>,
    /// The ground truth of its messages.
    pub truth: GroundTruth,
    /// The measurements made while it runs.
    pub measure: Measure,
    /// The names behind the numbers of facts.
    pub prose: Prose,
    /// Simulated duration of the run.
    pub duration: Duration,
    /// The board of each ECU of the configuration.
    pub boards: Vec<Arc<Board>>,
    /// Time limits of each group's waits, then of each security module's, in the order of the file.
    pub key_times: Vec<KeyTimes>,
    /// Valid but probably unintended settings, each with its place in the file's text.
    pub warnings: Vec<(SourceLocation, String)>,
}

/// Makes a simulation of a vehicle file; `seed` replaces the file's own.
///
/// # Errors
/// [`LowerError`] by cause.
pub fn lower(
    file: &VehicleFile,
    resources: &Resources,
    seed: Option<u64>,
) -> Result<Lowered, LowerError> {
    let simulation = sim::lower(file, resources, seed)?;
    Ok(Lowered {
        measure: Measure::of(file, &simulation.config),
        prose: Prose::of(file),
        config: simulation.config,
        truth: simulation.truth,
        duration: simulation.duration,
        boards: simulation.boards,
        key_times: simulation.key_times,
        warnings: simulation.warnings,
    })
}

impl Lowered {
    /// Returns what writes the trace of this run.
    #[must_use]
    pub fn trace_lines(&self) -> TraceLines {
        TraceLines::new(&self.config, self.prose.clone())
    }

    /// Begins the time line of this run, or of a part of it; see [`Perfetto::during`].
    pub fn perfetto<W: Write>(&self, out: W, window: Option<&Window>) -> Perfetto<W> {
        let whole = Window {
            from: Duration::ZERO,
            until: None,
        };
        let watched = &self.measure.watched;
        let window = window.unwrap_or(&whole);
        Perfetto::during(out, (&self.config, watched), self.prose.clone(), window)
    }
}
