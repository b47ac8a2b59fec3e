//! The engine as a whole: what must hold on any bus, by seed; and single cases by hand.

mod cases;
mod chaos;
mod fire;
mod membership;
mod module;
mod presence;
mod recording;
mod scenarios;
mod suspension;

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Node};
use waywarden_can::timing::{BitRate, BitTiming};

use self::recording::Recording;
use crate::Simulation;
use crate::clock::Time;
use crate::config::{BusConfig, Config, EcuConfig};
use crate::controller::PortConfig;

/// Returns the number of seeds for each property; `make soak` asks for more.
pub(super) fn seeds() -> u64 {
    waywarden_testkit::seeds(300)
}

pub(super) fn bus(name: &str, timing: BitTiming) -> BusConfig {
    BusConfig::new(name, timing)
}

pub(super) fn classic_500k() -> BitTiming {
    BitTiming::classic(BitRate::constant(500_000))
}

pub(super) fn ecu(
    name: &str,
    board: &str,
    ports: Vec<PortConfig>,
    build: impl FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send + 'static,
) -> EcuConfig {
    let board = Arc::new(Board::builtin(board).unwrap());
    EcuConfig::new(name, board, ports, build)
}

/// Runs a configuration and returns what happened.
fn run(config: Config, nanos: u64) -> Recording {
    let mut recording = Recording::default();
    let mut simulation = Simulation::new(config).unwrap();
    simulation
        .run_until(Time::from_nanos(nanos), &mut recording)
        .unwrap();
    recording
}
