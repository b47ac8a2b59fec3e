//! From a vehicle file to a simulation: every ECU becomes a node on a board, every bus exact bits.
//!
//! Each kind of thing that a vehicle file names is lowered in a file of its own; here they come
//! together, with what they share: ports, and the clocks and seeds of nodes.

mod application;
mod attackers;
mod authentication;
mod board;
mod boot_timeline;
mod bus;
mod ecu;
mod error;
mod extra;
mod faults;
mod firmware;
mod interferers;
mod keys;
mod memory_warnings;
mod part;
mod pdu_warnings;
mod replays;
mod requirements;
mod streams;

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::Port;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_work::{Duration, Instant};

use crate::programs::SuppliedPayloads;
use waywarden_vehicle_file::{self as file, BusIndex, EcuIndex, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{Fact, GroundTruth};

pub use authentication::{announcement_key, message_key};
pub use error::LowerError;

/// A file names no more controllers on one bus than are simulated.
const _: () = assert!(file::CONTROLLERS_MAX == waywarden_can_sim::config::PARTIES_MAX);

/// A vehicle ready to run.
pub struct VehicleSimulation {
    /// Configuration of the simulation.
    pub config: Config<Fact>,
    /// The ground truth of its messages.
    pub truth: GroundTruth,
    /// Simulated duration of the run.
    pub duration: Duration,
    /// The board of each ECU of the configuration.
    pub boards: Vec<Arc<Board>>,
    /// Time limits of each group's waits, then of each security module's, in the order of the file.
    pub key_times: Vec<KeyTimes>,
    /// Valid but probably unintended settings, each with its place in the file's text.
    pub warnings: Vec<(file::SourceLocation, String)>,
}

/// Time limits of a key protocol, as computed from its boards and buses.
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
) -> Result<VehicleSimulation, LowerError> {
    lowered(file, resources, seed, None)
}

/// Makes a simulation whose ECUs without a program send payloads that come from outside.
///
/// # Errors
/// [`LowerError`] by cause.
pub fn lower_supplied(
    file: &VehicleFile,
    resources: &Resources,
    seed: u64,
    supplied: &SuppliedPayloads,
) -> Result<VehicleSimulation, LowerError> {
    lowered(file, resources, Some(seed), Some(supplied))
}

fn lowered(
    file: &VehicleFile,
    resources: &Resources,
    seed: Option<u64>,
    supplied: Option<&SuppliedPayloads>,
) -> Result<VehicleSimulation, LowerError> {
    requirements::check(file)?;
    let mut buses = file
        .buses
        .iter()
        .map(bus::config)
        .collect::<Result<Vec<_>, _>>()?;
    interferers::add(file, &mut buses)?;
    let protocols = keys::Protocols::new(file, resources, &buses)?;
    let mut ecus = (0..file.ecus.len())
        .map(|at| ecu::config(file, EcuIndex(at), (resources, supplied), &protocols))
        .collect::<Result<Vec<_>, _>>()?;
    replays::add(file, resources, &mut ecus)?;
    attackers::add(file, &protocols, &mut ecus)?;
    let config = Config {
        seed: seed.unwrap_or(file.seed),
        buses,
        ecus,
    };
    let boards = config.ecus.iter().map(|ecu| ecu.board.clone()).collect();
    Ok(VehicleSimulation {
        truth: GroundTruth::new(file, config.ecus.len()),
        config,
        duration: file.duration,
        boards,
        key_times: protocols.times(),
        warnings: {
            let mut warnings = protocols.warnings(file);
            warnings.extend(pdu_warnings::warnings(file));
            warnings.extend(memory_warnings::warnings(file, resources)?);
            warnings
        },
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
