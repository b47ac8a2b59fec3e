//! A channel of a log on a simulated bus: one controller sends it, another acknowledges.
//!
//! The simulation follows the log while that is read, so that only frames which wait for the bus
//! are in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::measure::Measure;
use waywarden_boards::Board;
use waywarden_can::Frame;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_can::timing::BitTiming;
use waywarden_can_sim::Simulation;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BuildNode, BusConfig, Config, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, PortConfig};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::remarks::Remarks;
use waywarden_vehicle_trace::{Fact, GroundTruth, JudgingSink};
use waywarden_work::{Duration, Instant};

use super::{LoadError, WAITING_MAX};

/// Frames of the log that are still to be sent, with their time from its beginning.
type Upcoming = Arc<Mutex<VecDeque<(Duration, Frame)>>>;

/// Number of frames that are read before the simulation follows.
const READ_AHEAD: usize = 4_096;

/// A channel being played.
pub(super) struct Played {
    upcoming: Upcoming,
    simulation: Simulation<Fact>,
    measure: Measure,
    /// Number of frames that were handed in.
    frames: u64,
    /// True if more frames waited for the bus at one time than there is room for.
    is_overrun: bool,
}

impl Played {
    pub(super) fn new(
        channel: &str,
        timing: BitTiming,
        variant: FdVariant,
    ) -> Result<Self, LoadError> {
        let upcoming = Upcoming::default();
        let port = |queue| PortConfig {
            transmit_queue: queue,
            ..PortConfig::on(0)
        };
        let frames = upcoming.clone();
        let player = move || Player {
            upcoming: frames.clone(),
            token: 0,
        };
        let silent = PortConfig {
            acceptance: Acceptance::Only(Vec::new()),
            ..port(1)
        };
        let sending = port(WAITING_MAX + READ_AHEAD);
        let config = Config {
            seed: 0,
            buses: vec![BusConfig {
                name: channel.to_owned(),
                timing,
                variant,
                interferers: Vec::new(),
            }],
            ecus: vec![
                ecu("log", sending, Box::new(move |_| Box::new(player())))?,
                ecu("listener", silent, Box::new(|_| Box::new(Listener)))?,
            ],
        };
        let intermission = vec![timing.intermission().get()];
        Ok(Played {
            upcoming,
            simulation: Simulation::new(config)?,
            measure: Measure::new(2, intermission, Vec::new()),
            frames: 0,
            is_overrun: false,
        })
    }

    /// Hands in the next frame; `at` never goes back.
    pub(super) fn push(&mut self, at: Duration, frame: Frame) -> Result<(), LoadError> {
        if self.is_overrun {
            return Ok(());
        }
        locked(&self.upcoming).push_back((at, frame));
        self.frames += 1;
        if locked(&self.upcoming).len().is_multiple_of(READ_AHEAD) {
            // The last frame stays, so that the player has something to wait for.
            if let Some(before) = at.as_nanos().checked_sub(1) {
                self.run_until(Time::from_nanos(before))?;
            }
            let waiting = self.frames - self.measure.buses[0].frames;
            self.is_overrun = waiting > WAITING_MAX as u64;
            if self.is_overrun {
                locked(&self.upcoming).clear();
            }
        }
        Ok(())
    }

    /// Plays until the last frame is through; none if too many waited at one time.
    pub(super) fn finish(mut self) -> Result<Option<Measure>, LoadError> {
        if self.is_overrun {
            return Ok(None);
        }
        self.run_until(Time::NEVER)?;
        Ok(Some(self.measure))
    }

    fn run_until(&mut self, end: Time) -> Result<(), LoadError> {
        // The devices of a log report nothing.
        let mut judging = JudgingSink {
            truth: &mut GroundTruth::default(),
            next: &mut self.measure,
        };
        Ok(self.simulation.run_until(end, &mut judging)?)
    }
}

/// Locks the frames, which are complete after each change, whatever panicked elsewhere.
fn locked(upcoming: &Upcoming) -> MutexGuard<'_, VecDeque<(Duration, Frame)>> {
    upcoming.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ecu(name: &str, port: PortConfig, build: BuildNode) -> Result<EcuConfig<Fact>, LoadError> {
    let board = Board::builtin("ideal")
        .map(Arc::new)
        .ok_or(LoadError::NoBoard)?;
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
        remarks: Remarks::default(),
    })
}

/// Sends each frame at its time.
struct Player {
    upcoming: Upcoming,
    token: u32,
}

impl Node for Player {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let mut upcoming = locked(&self.upcoming);
        let Some(&(at, frame)) = upcoming.front() else {
            return Output::Idle(None);
        };
        let due = Instant::ZERO + at;
        if due > now {
            return Output::Idle(Some(due));
        }
        if !room.contains(Port(0)) {
            return Output::Idle(None);
        }
        upcoming.pop_front();
        self.token = self.token.wrapping_add(1);
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame,
        }
    }
}

/// Acknowledges and does nothing.
struct Listener;

impl Node for Listener {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
        Output::Idle(None)
    }
}
