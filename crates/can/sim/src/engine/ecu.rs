//! An ECU inside the engine: its node, processor, clock and controllers, and what they cost.

use std::sync::Arc;

use waywarden_boards::{Board, BoardSecurityModule, NoFigure};
use waywarden_can::node::{BusState, Node, Ports, Retained, Slot, Task, Ticket, Token};
use waywarden_can::timing::Picoseconds;
use waywarden_can::{Frame, node::Port};
use waywarden_work::{Algorithm, Duration, Operation, OperationKind};

use super::{Outcome, SimulationError};
use crate::clock::LocalClock;
use crate::config::{BuildNode, EcuConfig, EcuFault};
use crate::controller::{Controller, Outgoing};
use crate::cpu::{Cpu, Priorities, Request};
use crate::trace::Serial;

/// The effect of a finished job.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// The driver has taken a frame out of the controller.
    Receive {
        port: usize,
        serial: Serial,
        frame: Arc<Frame>,
    },
    /// The driver has put a frame into the controller.
    Send { port: usize, outgoing: Outgoing },
    /// A node's own work.
    Work {
        ticket: Ticket,
        cause: Option<Serial>,
    },
    /// A core has handed in a command for the security module.
    Command {
        engine: u8,
        command: Request,
        ticket: Ticket,
        cause: Option<Serial>,
    },
}

/// A node's work, by the unit that does it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// On a core.
    OnCore(Request),
    /// By a call on a core, then on an engine of the security module.
    OnModule {
        call: Request,
        engine: u8,
        command: Request,
    },
}

/// An input for a node that owns what it carries.
#[derive(Clone, Debug)]
pub(crate) enum Stimulus {
    Frame {
        port: usize,
        serial: Serial,
        frame: Arc<Frame>,
    },
    Sent {
        port: usize,
        token: Token,
    },
    Withdrawn {
        port: usize,
        token: Token,
    },
    Bus {
        port: usize,
        state: BusState,
    },
    Done {
        ticket: Ticket,
        cause: Option<Serial>,
    },
    Retained(Slot),
    Timeout,
}

pub(crate) struct Ecu {
    pub(crate) name: String,
    pub(crate) build: BuildNode,
    /// `None` before the first boot and during a reset.
    pub(crate) node: Option<Box<dyn Node + Send>>,
    pub(crate) cpu: Cpu<Wanted>,
    /// The engines of the security module in use.
    pub(crate) module: Vec<Cpu<Wanted>>,
    priorities: Priorities,
    pub(crate) clock: LocalClock,
    /// The rate of its clock now, and without a fault.
    pub(crate) drift_ppb: i32,
    pub(crate) usual_drift_ppb: i32,
    /// The clock faults at hand, by their place among the faults, the latest last.
    pub(crate) drifting: Vec<usize>,
    pub(crate) faults: Vec<EcuFault>,
    pub(crate) ports: Vec<Controller>,
    pub(crate) retained: Vec<(Slot, Retained)>,
    pub(crate) boots: u32,
    /// Taken away: its place is free.
    pub(crate) detached: bool,
    board: Arc<Board>,
    driver: Arc<DriverCosts>,
}

/// The cost of a board's driver calls, looked up once for all its ECUs: per frame format, `None`
/// without a figure.
pub(crate) struct DriverCosts {
    send: [Option<Picoseconds>; 3],
    receive: [Option<Picoseconds>; 3],
}

impl Ecu {
    pub(crate) fn new(config: EcuConfig, ports: Vec<Controller>, driver: Arc<DriverCosts>) -> Self {
        Ecu {
            name: config.name,
            build: config.build,
            node: None,
            cpu: Cpu::new(config.cores),
            module: engines(&config.board),
            priorities: config.priorities,
            clock: LocalClock::starting(config.start, config.drift_ppb),
            drift_ppb: config.drift_ppb,
            usual_drift_ppb: config.drift_ppb,
            drifting: Vec::new(),
            faults: config.faults,
            ports,
            retained: Vec::new(),
            boots: 0,
            detached: false,
            board: config.board,
            driver,
        }
    }

    /// Returns what the node's operation costs on a core of this board.
    fn cost(&self, operation: &Operation) -> Outcome<Picoseconds> {
        self.board
            .cost(operation)
            .map(|cost| picoseconds(cost.duration))
            .map_err(|missing| self.no_figure(&missing))
    }

    fn no_figure(&self, missing: &NoFigure) -> Box<SimulationError> {
        let (ecu, missing) = (self.name.clone(), missing.to_string());
        Box::new(SimulationError::NoFigure { ecu, missing })
    }

    /// Returns where an operation is computed and what it costs. A call is as urgent as what it is
    /// for.
    pub(crate) fn work(&self, task: Task, operation: Operation) -> Outcome<Work> {
        let priority = self.priorities.of(task, operation);
        let request = |operation, cost| Request {
            task,
            operation,
            priority,
            cost,
        };
        let module = self.board.module_in_use();
        let offered = module.and_then(|module| Some((module, module.cost(&operation)?)));
        match offered.filter(|_| task == Task::Crypto) {
            None => Ok(Work::OnCore(request(operation, self.cost(&operation)?))),
            Some((module, computing)) => {
                let call = BoardSecurityModule::call(&operation);
                Ok(Work::OnModule {
                    call: request(call, self.cost(&call)?),
                    engine: module.engine(operation.algorithm),
                    command: request(operation, picoseconds(computing.duration)),
                })
            }
        }
    }

    /// Returns the driver call for this frame and what it costs.
    pub(crate) fn driver_call(&self, task: Task, frame: &Frame) -> Outcome<Request> {
        let format = driver_format(frame);
        let (kind, costs) = match task {
            Task::Send => (OperationKind::FrameSend, &self.driver.send),
            _ => (OperationKind::FrameReceive, &self.driver.receive),
        };
        let operation = driver_operation(kind, format, frame.data_len());
        let cost = match costs[format] {
            Some(cost) => cost,
            None => self.cost(&operation)?,
        };
        Ok(Request {
            task,
            operation,
            priority: self.priorities.of(task, operation),
            cost,
        })
    }

    /// Returns the ports that take a frame now.
    pub(crate) fn room(&self) -> Ports {
        self.ports
            .iter()
            .enumerate()
            .filter(|(_, controller)| controller.has_room())
            .fold(Ports::NONE, |room, (port, _)| room.with(Port(port as u8)))
    }

    pub(crate) fn retain(&mut self, slot: Slot, value: Retained) {
        match self.retained.binary_search_by_key(&slot, |&(at, _)| at) {
            Ok(at) => self.retained[at].1 = value,
            Err(at) => self.retained.insert(at, (slot, value)),
        }
    }
}

fn engines(board: &Board) -> Vec<Cpu<Wanted>> {
    let module = board.module_in_use();
    let number = module.map_or(0, |module| module.engines().len().max(1));
    (0..number)
        .map(|engine| Cpu::engine(engine as u8))
        .collect()
}

fn picoseconds(duration: Duration) -> Picoseconds {
    Picoseconds::new(duration.as_nanos().saturating_mul(1_000))
}

const FORMATS: [Algorithm; 3] = [
    Algorithm::CanStandard,
    Algorithm::CanExtended,
    Algorithm::CanFd,
];

fn driver_format(frame: &Frame) -> usize {
    if frame.is_fd() {
        2
    } else {
        usize::from(frame.id().is_extended())
    }
}

fn driver_operation(kind: OperationKind, format: usize, bytes: usize) -> Operation {
    Operation::new(kind, FORMATS[format], bytes as u32)
}

impl DriverCosts {
    /// A cost that depends on the length is not stored: it is looked up for each frame.
    pub(crate) fn of(board: &Board) -> Self {
        let fixed = |kind, format| {
            let cost = |bytes| {
                let operation = driver_operation(kind, format, bytes);
                board.cost(&operation).ok().map(|cost| cost.duration)
            };
            let duration = cost(0)?;
            let longest = if format == 2 { 64 } else { 8 };
            (cost(longest) == Some(duration)).then(|| picoseconds(duration))
        };
        let costs = |kind| [0, 1, 2].map(|format| fixed(kind, format));
        DriverCosts {
            send: costs(OperationKind::FrameSend),
            receive: costs(OperationKind::FrameReceive),
        }
    }
}
