//! A channel of a log on a simulated bus: one controller sends it, another acknowledges.

use std::rc::Rc;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::timing::BitTiming;
use waywarden_can_sim::Simulation;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BuildNode, BusConfig, Config, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, PortConfig};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::notes::Notes;
use waywarden_vehicle::file::Pace;
use waywarden_vehicle::measure::Measure;
use waywarden_vehicle::nodes::{Lane, Playback};
use waywarden_work::Instant;

use super::recording::Recorded;
use crate::exit::Failure;

/// Plays the channel onto a simulated bus until its last frame is through.
pub(super) fn played(
    channel: &str,
    frames: Recorded,
    timing: BitTiming,
    variant: FdVariant,
) -> Result<Measure, Failure> {
    let count = frames.len();
    let lane = Lane {
        port: Port(0),
        frames: Arc::from(frames),
    };
    let port = |queue| PortConfig {
        transmit_queue: queue,
        ..PortConfig::on(0)
    };
    let player = move || {
        let lanes = vec![lane.clone()];
        Playback::new(lanes, Pace::Recorded, None, Instant::ZERO, Instant::MAX)
    };
    let silent = PortConfig {
        acceptance: Acceptance::Only(Vec::new()),
        ..port(1)
    };
    let config = Config {
        seed: 0,
        buses: vec![BusConfig {
            name: channel.to_owned(),
            timing,
            variant,
            interferers: Vec::new(),
        }],
        ecus: vec![
            ecu(
                "log",
                port(count.max(1)),
                Box::new(move |_| Box::new(player())),
            )?,
            ecu("listener", silent, Box::new(|_| Box::new(Listener)))?,
        ],
    };
    let intermission = vec![timing.intermission().get()];
    let mut measure = Measure::new(2, intermission, Vec::new(), Rc::default());
    let mut simulation = Simulation::new(config).map_err(Failure::new)?;
    simulation
        .run_until(Time::NEVER, &mut measure)
        .map_err(Failure::new)?;
    Ok(measure)
}

fn ecu(name: &str, port: PortConfig, build: BuildNode) -> Result<EcuConfig, Failure> {
    let board = Board::builtin("ideal")
        .map(Arc::new)
        .ok_or_else(|| Failure::new("the built-in board ideal is missing"))?;
    Ok(EcuConfig {
        name: name.to_owned(),
        board,
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports: vec![port],
        start: Time::ZERO,
        faults: Vec::new(),
        build,
        notes: Notes::default(),
    })
}

/// Acknowledges and does nothing.
struct Listener;

impl Node for Listener {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
        Output::Idle(None)
    }
}
