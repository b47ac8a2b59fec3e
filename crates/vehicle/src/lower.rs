//! From a vehicle file to a simulation: every ECU becomes a node on a board, every bus exact bits.
//!
//! Each kind of thing that a vehicle file names is lowered in a file of its own; here they come
//! together, with what they share: ports, and the clocks and seeds of nodes.

mod application;
mod attackers;
mod authentication;
mod board;
mod bus;
mod ecu;
mod error;
mod extra;
mod faults;
mod interferers;
mod keys;
mod lives;
mod part;
mod replays;
mod streams;

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::Port;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_work::{Duration, Instant};

use crate::facts::{Fact, GroundTruth, Prose};
use crate::file::{self, BusIndex, EcuIndex, VehicleFile};
use crate::measure::Measure;
use crate::resources::Resources;

pub use authentication::{announcement_key, message_key};
pub use error::LowerError;
pub(crate) use keys::{frame_count, lengths};

/// A vehicle ready to run.
pub struct Lowered {
    /// The simulation.
    pub config: Config<Fact>,
    /// What is true in it.
    pub truth: GroundTruth,
    /// What it says in words.
    pub prose: Prose,
    /// What is measured while it runs.
    pub measure: Measure,
    /// How long it runs.
    pub duration: Duration,
    /// The board of each ECU of the configuration.
    pub boards: Vec<Arc<Board>>,
    /// How long each group waits for what, then each security module, in the order of the file.
    pub key_times: Vec<KeyTimes>,
    /// What is allowed and hardly meant, each with its place in the file's text.
    pub warnings: Vec<(file::Place, String)>,
}

/// How long a key protocol waits, as computed from its boards and buses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTimes {
    /// For an exchange of a group, or an authentication under a security module.
    pub exchange: Duration,
    /// For the answer to a short message.
    pub answer: Duration,
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
    let mut buses = file
        .buses
        .iter()
        .map(bus::config)
        .collect::<Result<Vec<_>, _>>()?;
    interferers::add(file, &mut buses)?;
    let intermission = buses
        .iter()
        .map(|bus| bus.timing.intermission().get())
        .collect();
    let protocols = keys::Protocols::new(file, resources, &buses)?;
    let mut ecus = (0..file.ecus.len())
        .map(|at| ecu::config(file, EcuIndex(at), resources, &protocols))
        .collect::<Result<Vec<_>, _>>()?;
    replays::add(file, resources, &mut ecus)?;
    attackers::add(file, &protocols, &mut ecus)?;
    let mut measure = Measure::new(ecus.len(), intermission, streams::watched(file));
    measure.follow_keys(file);
    measure.follow_messages(file);
    let deceivers = file.interferers.iter();
    measure.by_frame = deceivers
        .filter(|one| matches!(one.interference, file::Interference::Janus { .. }))
        .map(|one| one.name.value.clone())
        .collect();
    let config = Config {
        seed: seed.unwrap_or(file.seed),
        buses,
        ecus,
    };
    let boards = config.ecus.iter().map(|ecu| ecu.board.clone()).collect();
    Ok(Lowered {
        truth: GroundTruth::new(file, config.ecus.len()),
        prose: Prose::of(file),
        config,
        measure,
        duration: file.duration,
        boards,
        key_times: protocols.times(),
        warnings: protocols.warnings(file),
    })
}

/// Returns the port by which an ECU is on a bus; the file has checked that it is.
fn port_on(file: &VehicleFile, ecu: EcuIndex, bus: BusIndex) -> Port {
    let at = file.ecu(ecu).ports.iter().position(|&one| one == bus);
    Port(at.unwrap_or_default() as u8)
}

/// Returns a point in time of the file, on the clock of the run.
fn at(duration: Duration) -> Time {
    Time::from_nanos(duration.as_nanos())
}

/// Returns the end of a window on the clock of a node that starts with the window.
fn until(file: &VehicleFile, window: &file::Window) -> Instant {
    let end = window.until.unwrap_or(file.duration);
    Instant::ZERO + (end - window.from)
}

/// Returns a seed for a node's own choices.
fn number(seed: &[u8; 32]) -> u64 {
    seed.as_chunks::<8>()
        .0
        .iter()
        .fold(0, |number, word| number ^ u64::from_le_bytes(*word))
}
