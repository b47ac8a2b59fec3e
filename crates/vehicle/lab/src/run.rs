//! Running a vehicle: the simulation goes on in steps, the trace is measured as it passes.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::{Simulation, SimulationError, config};

use waywarden_vehicle_report::measure::Measure;
use waywarden_vehicle_trace::{JudgingSink, TraceSink, VehicleEvent};

use crate::lower::Lowered;

pub use waywarden_vehicle_report::{RunOutcome, VehicleNames};

/// Number of steps after which a run reports its progress.
const STEPS: u64 = 200;

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

/// Runs a vehicle to its end, or until `go_on` has had enough: it is asked a few hundred times,
/// given the share that is done, the time, and what was measured so far.
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
    for step in 1..=STEPS {
        let until = u128::from(whole.as_picos()) * u128::from(step) / u128::from(STEPS);
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
        if !go_on(step as f64 / STEPS as f64, until, &measure) {
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
