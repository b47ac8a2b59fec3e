//! The simulator: discrete events, one thread, no clock and no chance but the seed.
//!
//! One frame's way: a node answers `Transmit`; the send task pays for the driver call; the frame
//! waits in the controller; when the bus is free all waiting controllers arbitrate; the winner's
//! exact bits take their time; receivers accept one bit before the sender is sure; the receive
//! task pays for the driver call; the receiving node is handed the frame. `docs/bus-model.md` says
//! what of this is exact and what is a model.

mod agenda;
mod answers;
mod bus;
mod ecu;
mod episode;
mod faults;
mod interference;
mod jobs;
mod membership;
mod nodes;
mod passage;
mod presence;
mod reception;
mod recovery;
mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use waywarden_boards::Board;

use self::agenda::{Agenda, Due};
use self::bus::Bus;
use self::ecu::{DriverCosts, Ecu, Stimulus};
use self::faults::Planned;
use crate::clock::Time;
use crate::config::{Config, ConfigError};
use crate::controller::Controller;
use crate::cpu::TimeSlice;
use crate::random::Random;
use crate::trace::{EcuIndex, EventSink, Serial, TraceEvent};

/// Maximum number of answers of a node to one input; with more it is a runaway.
pub const OUTPUTS_MAX: usize = 4_096;

/// Maximum number of timeouts in a row that one node may ask for at the same instant.
const TIMEOUTS_AT_ONCE_MAX: u32 = 4_096;

/// A simulation under way, without the remarks of nodes.
pub(crate) struct Engine {
    agenda: Agenda,
    now: Time,
    /// Boots and faults that are still to come, the next one last.
    plan: Vec<(Time, Planned)>,
    buses: Vec<Bus>,
    ecus: Vec<Ecu>,
    random: Random,
    serial: u64,
    /// Inputs that follow at once from the answers of the node that is being driven.
    echoes: VecDeque<Stimulus>,
    /// Scratch space for slices a scheduling decision ends.
    slices: Vec<TimeSlice>,
    timeouts_at_once: u32,
}

/// Takes the trace, and fetches what nodes have remarked.
pub(crate) trait EngineSink: EventSink {
    /// Records what a node remarked of the frame that it asks to be sent.
    fn remarks_ahead(&mut self, at: Time, ecu: EcuIndex);

    /// Records everything that a node remarked.
    fn remarks(&mut self, at: Time, ecu: EcuIndex);
}

/// Reason that a simulation cannot go on. The trace up to this point stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SimulationError {
    /// A node did an operation for which its board has no figure.
    NoFigure {
        /// The ECU.
        ecu: String,
        /// The missing figure, and the entry to add.
        missing: String,
    },
    /// A node never comes to rest.
    Runaway {
        /// The ECU.
        ecu: String,
        /// The action that it repeats without end.
        what: &'static str,
    },
    /// A node transmitted on a port that does not exist or had no room.
    NoRoom {
        /// The ECU.
        ecu: String,
        /// The port.
        port: u8,
    },
    /// An episode took no time, so that the next one would begin at the same instant without end.
    Standstill {
        /// The bus.
        bus: String,
    },
}

/// The result of driving the simulation. Boxed, so that the usual result fits a register.
type Outcome<T = ()> = Result<T, Box<SimulationError>>;

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationError::NoFigure { ecu, missing } => write!(f, "{ecu}: {missing}"),
            SimulationError::Runaway { ecu, what } => write!(f, "{ecu}: its node {what}"),
            SimulationError::NoRoom { ecu, port } => {
                write!(
                    f,
                    "{ecu}: its node transmitted on port {port}, which has no room"
                )
            }
            SimulationError::Standstill { bus } => write!(
                f,
                "{bus}: a frame ended in the instant in which it began; the simulator is at fault"
            ),
        }
    }
}

impl std::error::Error for SimulationError {}

impl Engine {
    pub(crate) fn new(config: Config) -> Result<Self, ConfigError> {
        config.check()?;
        let random = Random::new(config.seed);
        let mut buses: Vec<Bus> = config.buses.into_iter().map(Bus::new).collect();
        let mut plan = Vec::new();
        let mut boards: Vec<(Arc<Board>, Arc<DriverCosts>)> = Vec::new();
        let mut ecus = Vec::with_capacity(config.ecus.len());
        for (at, mut ecu) in config.ecus.into_iter().enumerate() {
            plan.push((ecu.start, Planned::Boot { ecu: at }));
            for (fault, when) in ecu.faults.iter().enumerate() {
                plan.push((when.from, Planned::FaultBegins { ecu: at, fault }));
                plan.push((when.until, Planned::FaultEnds { ecu: at, fault }));
            }
            let ports: Vec<Controller> = std::mem::take(&mut ecu.ports)
                .into_iter()
                .enumerate()
                .map(|(port, config)| {
                    let bus_port = buses[config.bus].bus_port(at, port, &ecu.name);
                    Controller::new(config, bus_port)
                })
                .collect();
            let known = boards
                .iter()
                .find(|(board, _)| Arc::ptr_eq(board, &ecu.board));
            let driver = known.map_or_else(
                || Arc::new(DriverCosts::of(&ecu.board)),
                |(_, costs)| costs.clone(),
            );
            boards.push((ecu.board.clone(), driver.clone()));
            ecus.push(Ecu::new(ecu, ports, driver));
        }
        for (at, bus) in buses.iter_mut().enumerate() {
            bus.introduce_interferers(&random.stream("bus", at as u64))?;
        }
        // Of things planned for the same time, the first one named comes first.
        plan.sort_by_key(|&(at, _)| at);
        plan.reverse();
        let mut engine = Engine {
            agenda: Agenda::new(buses.len(), ecus.len()),
            now: Time::ZERO,
            plan,
            buses,
            ecus,
            random,
            serial: 0,
            echoes: VecDeque::new(),
            slices: Vec::new(),
            timeouts_at_once: 0,
        };
        engine.await_plan();
        (0..engine.buses.len()).for_each(|at| engine.await_wake(at));
        Ok(engine)
    }

    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// Runs everything due up to and including `end`.
    pub(crate) fn run_until(
        &mut self,
        end: Time,
        sink: &mut dyn EngineSink,
    ) -> Result<(), SimulationError> {
        while let Some((at, due)) = self.agenda.next(end) {
            self.now = at;
            self.happen(due, sink).map_err(|error| *error)?;
        }
        self.now = self.now.max(end);
        Ok(())
    }

    fn happen(&mut self, due: Due, sink: &mut dyn EngineSink) -> Outcome {
        match due {
            Due::Plan => self.follow_plan(sink),
            Due::Wire { bus } => self.pass_wire(bus, sink),
            Due::Recovery { bus } => self.recover(bus, sink),
            Due::Integration { bus } => {
                self.integrate(bus);
                Ok(())
            }
            Due::Wake { bus } => self.wake(bus),
            Due::Cpu { ecu } => self.finish_jobs(ecu, sink),
            Due::Timer { ecu } => self.feed(ecu, &Stimulus::Timeout, sink),
            Due::Arbitrate { bus } => self.arbitrate(bus, sink),
        }
    }

    fn next_serial(&mut self) -> Serial {
        self.serial += 1;
        Serial(self.serial)
    }

    /// Reports the slices that a scheduling decision ended.
    fn report_slices(&mut self, ecu: usize, sink: &mut dyn EngineSink) {
        for slice in self.slices.drain(..).filter(|slice| slice.from < slice.to) {
            sink.record(
                self.now,
                &TraceEvent::Worked {
                    ecu: EcuIndex(ecu),
                    slice,
                },
            );
        }
    }
}

#[cfg(test)]
mod tests;
