//! A whole car: the compact car of examples/ with its three groups of keys, measured as
//! `waywarden run` measures it, beside the same car before a sink that forgets everything.
//!
//! Figures are CPU time per frame on its buses. One turn is a run of [`SECONDS`] from power-on, so
//! that the exchanges of keys are in it; making the simulation is not.

use anyhow::{Result, anyhow, ensure};
use waywarden_can_sim::Simulation;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_lab::lower::{Lowered, lower};
use waywarden_vehicle_lab::run::run;

use crate::clock::thread_time;
use crate::race::{Case, Contestant};

/// Simulated time of one turn.
const SECONDS: u64 = 5;

/// The car.
const CAR: &str = include_str!("../../examples/compact-car.toml");

fn lowered() -> Result<Lowered> {
    let file = VehicleFile::parse("compact-car.toml", CAR).map_err(|errors| anyhow!("{errors}"))?;
    Ok(lower(&file, &Resources::default(), None)?)
}

/// Frames on all buses of the car in a turn.
fn frames() -> Result<u64> {
    let outcome = run(lowered()?, &mut Discard, &mut |_| {})?;
    Ok(outcome.measure.buses.iter().map(|bus| bus.frames).sum())
}

fn measured(frames: u64) -> Contestant {
    Contestant::timed("waywarden", move || {
        let lowered = lowered()?;
        let start = thread_time();
        let outcome = run(lowered, &mut Discard, &mut |_| {})?;
        let spent = thread_time().saturating_sub(start);
        ensure!(outcome.end == Time::from_nanos(SECONDS * 1_000_000_000));
        Ok(spent.as_nanos() as f64 / frames as f64)
    })
}

fn unwatched(frames: u64) -> Contestant {
    Contestant::timed("simulation alone", move || {
        let mut simulation = Simulation::new(lowered()?.config)?;
        let start = thread_time();
        simulation.run_until(Time::from_nanos(SECONDS * 1_000_000_000), &mut Discard)?;
        let spent = thread_time().saturating_sub(start);
        Ok(spent.as_nanos() as f64 / frames as f64)
    })
}

/// All cases.
///
/// # Errors
/// If the car cannot be run.
pub(crate) fn cases() -> Result<Vec<Case>> {
    let frames = frames()?;
    Ok(vec![Case {
        name: "run-compact-car",
        what: "the compact car with all figures and verdicts; figures are per frame",
        ours: measured(frames),
        peers: vec![unwatched(frames)],
    }])
}
