//! Running a vehicle: the simulation goes on in steps, the trace is measured as it passes.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::json::Lines;
use waywarden_can_sim::{Simulation, SimulationError, config};

use crate::facts::{Event, JudgedFact, Judging, Prose, TraceSink};
use crate::lower::Lowered;
use crate::measure::Measure;

/// In how many steps a run reports its progress.
const STEPS: u64 = 200;

/// A run that is over.
pub struct Outcome {
    /// What was measured.
    pub measure: Measure,
    /// The names of buses and ECUs, attackers among them, by index.
    pub names: Names,
    /// When it ended.
    pub end: Time,
    /// The board of each ECU.
    pub boards: Vec<Arc<Board>>,
    /// The names behind the numbers of facts.
    pub prose: Prose,
}

/// The names of buses and ECUs by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// Of buses.
    pub buses: Vec<String>,
    /// Of ECUs, then replays, then attackers that send.
    pub ecus: Vec<String>,
}

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The configuration is none; the vehicle file let something through.
    #[error("{0}")]
    Config(#[from] config::ConfigError),
    /// The simulation cannot go on.
    #[error("{0}")]
    Simulation(#[from] SimulationError),
}

/// Measures and passes on.
struct Both<'a> {
    measure: &'a mut Measure,
    also: &'a mut dyn TraceSink,
}

impl TraceSink for Both<'_> {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        self.measure.record(at, event);
        self.also.record(at, event);
    }
}

/// Runs a vehicle to its end. `also` gets the trace, `progress` the share that is done, 0 to 1.
///
/// # Errors
/// [`RunError`] by cause.
pub fn run(
    lowered: Lowered,
    also: &mut dyn TraceSink,
    progress: &mut dyn FnMut(f64),
) -> Result<Outcome, RunError> {
    run_while(lowered, also, &mut |share, _, _| {
        progress(share);
        true
    })
}

/// Runs a vehicle to its end, or until `go_on` has had enough: it is asked a few hundred times,
/// given the share that is done, the time, and what was measured so far.
///
/// # Errors
/// [`RunError`] by cause.
pub fn run_while(
    lowered: Lowered,
    also: &mut dyn TraceSink,
    go_on: &mut dyn FnMut(f64, Time, &Measure) -> bool,
) -> Result<Outcome, RunError> {
    let Lowered {
        config,
        mut truth,
        prose,
        mut measure,
        duration,
        boards,
        key_times: _,
        warnings: _,
    } = lowered;
    let names = Names {
        buses: config.buses.iter().map(|bus| bus.name.clone()).collect(),
        ecus: config.ecus.iter().map(|ecu| ecu.name.clone()).collect(),
    };
    let mut simulation = Simulation::new(config)?;
    let whole = Time::from_nanos(duration.as_nanos());
    let mut end = whole;
    for step in 1..=STEPS {
        let until = u128::from(whole.as_picos()) * u128::from(step) / u128::from(STEPS);
        let until = Time::from_picos(until as u64);
        let mut sink = Both {
            measure: &mut measure,
            also: &mut *also,
        };
        let mut judging = Judging {
            truth: &mut truth,
            next: &mut sink,
        };
        simulation.run_until(until, &mut judging)?;
        if !go_on(step as f64 / STEPS as f64, until, &measure) {
            end = until;
            break;
        }
    }
    measure.finish(end);
    Ok(Outcome {
        measure,
        names,
        end,
        boards,
        prose,
    })
}

/// Writes the trace of a run as JSON Lines.
#[derive(Clone, Debug)]
pub struct TraceLines {
    lines: Lines,
    prose: Prose,
}

impl TraceLines {
    /// Returns what writes the trace of this run.
    #[must_use]
    pub fn of(lowered: &Lowered) -> Self {
        TraceLines {
            lines: Lines::naming(&lowered.config),
            prose: lowered.prose.clone(),
        }
    }

    /// Returns an event as one line, with its line feed; none for a fact that its frame shows.
    #[must_use]
    pub fn line(&self, at: Time, event: &Event<'_>) -> Option<String> {
        let describe = |_, fact: &JudgedFact<'_>| self.prose.describe(fact);
        self.lines.line_with(at, event, describe)
    }
}
