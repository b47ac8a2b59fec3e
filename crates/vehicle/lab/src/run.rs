//! Running a vehicle: the simulation goes on in steps, the trace is measured as it passes.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::{Simulation, SimulationError, config};

use waywarden_vehicle_report::measure::Measure;
use waywarden_vehicle_trace::{JudgingSink, TraceSink, VehicleEvent};

use crate::lower::Lowered;

pub use waywarden_vehicle_report::{RunOutcome, VehicleNames};

/// The least number of steps after which a run reports its progress.
const STEPS_MIN: u64 = 200;

/// The longest step in simulated time, in milliseconds: a run of a day stops as soon as a short one
/// does. A day has less than two million of them.
const STEP_MAX_MS: u64 = 50;

/// Reason for a stopped run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The configuration is invalid; the check of the vehicle file missed something.
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
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
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
) -> Result<RunOutcome, RunError> {
    run_while(lowered, also, &mut |share, _, _| {
        progress(share);
        true
    })
}

/// Runs a vehicle to its end, or until `go_on` has had enough: it is asked at least a few hundred
/// times, and after each 50 ms of simulated time, given the share that is done, the time, and what
/// was measured so far.
///
/// # Errors
/// [`RunError`] by cause.
pub fn run_while(
    lowered: Lowered,
    also: &mut dyn TraceSink,
    go_on: &mut dyn FnMut(f64, Time, &Measure) -> bool,
) -> Result<RunOutcome, RunError> {
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
    let names = VehicleNames {
        buses: config.buses.iter().map(|bus| bus.name.clone()).collect(),
        ecus: config.ecus.iter().map(|ecu| ecu.name.clone()).collect(),
    };
    let mut simulation = Simulation::new(config)?;
    let whole = Time::from_nanos(duration.as_nanos());
    let mut end = whole;
    let steps = STEPS_MIN.max(duration.as_nanos() / (STEP_MAX_MS * 1_000_000));
    for step in 1..=steps {
        let until = u128::from(whole.as_picos()) * u128::from(step) / u128::from(steps);
        let until = Time::from_picos(until as u64);
        let mut sink = Both {
            measure: &mut measure,
            also: &mut *also,
        };
        let mut judging = JudgingSink {
            truth: &mut truth,
            next: &mut sink,
        };
        simulation.run_until(until, &mut judging)?;
        if !go_on(step as f64 / steps as f64, until, &measure) {
            end = until;
            break;
        }
    }
    measure.finish(end, &truth);
    Ok(RunOutcome {
        measure,
        names,
        end,
        boards,
        prose,
        truth,
    })
}
