//! An ECU: its board, its ports and the software that boots on it; and the ECUs beside the car that
//! attackers and logs need.

use std::rc::Rc;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Node};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BuildNode, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, Order, PortConfig};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::notes::Notes;
use waywarden_ecu::{Ecu, Route, StreamState};

use super::{LowerError, at, attackers, faults, keys, streams};
use crate::file::{self, BusIndex, EcuIndex, VehicleFile};
use crate::nodes::{Backlog, Compromised, Groups, Tampering, Telling};
use crate::resources::Resources;

/// How many frames a gateway holds for each ECU that routes.
const GATEWAY_QUEUE: usize = 256;

/// Makes an ECU of the car with its parts in key protocols, and what it tells of them.
///
/// # Errors
/// [`LowerError::NotLoaded`] for a board that is not among the resources.
pub(super) fn config(
    file: &VehicleFile,
    index: EcuIndex,
    resources: &Resources,
    backlog: &Rc<Backlog>,
    (keys, groups): (Vec<Rc<keys::Part>>, Groups),
) -> Result<EcuConfig, LowerError> {
    let ecu = file.ecu(index);
    let board = board(&ecu.board.value, resources)?;
    let notes = Notes::default();
    let software = Software {
        streams: streams::sent(file, index),
        names: streams::own(file, index)
            .map(|(at, stream)| (at, stream.name.value.clone()))
            .collect(),
        routes: [streams::routes(file, index), keys::routes(file, index)].concat(),
        keys,
        groups,
        tampering: attackers::tampering(file, index),
        backlog: backlog.clone(),
        notes: notes.clone(),
    };
    Ok(EcuConfig {
        name: ecu.name.value.clone(),
        cores: ecu
            .cores
            .unwrap_or(board.characteristics().cores.min(255) as u8),
        board,
        priorities: Priorities {
            receive: ecu.tasks.receive,
            send: ecu.tasks.send,
            crypto: ecu.tasks.crypto,
        },
        drift_ppb: ecu.clock_ppm.saturating_mul(1_000),
        ports: ecu
            .ports
            .iter()
            .map(|&bus| port(file, index, bus))
            .collect(),
        start: at(ecu.start),
        faults: faults::of(file, index),
        build: Box::new(move |boot| software.node(boot)),
        notes,
    })
}

/// What an ECU's node is made of at each boot.
struct Software {
    streams: Vec<StreamState>,
    /// By own stream: its index in the vehicle, and its name.
    names: Vec<(usize, String)>,
    routes: Vec<Route>,
    keys: Vec<Rc<keys::Part>>,
    groups: Groups,
    tampering: Vec<Tampering>,
    backlog: Rc<Backlog>,
    notes: Notes,
}

impl Software {
    fn node(&self, boot: &Boot<'_>) -> Box<dyn Node> {
        let queue = if self.routes.is_empty() {
            0
        } else {
            GATEWAY_QUEUE
        };
        let ecu = Ecu::with_roles(
            boot,
            self.streams.clone(),
            self.routes.clone(),
            vec![None; queue],
            keys::roles(boot, &self.keys),
        );
        let (backlog, notes) = (self.backlog.clone(), self.notes.clone());
        let ecu = Box::new(Telling::new(
            ecu,
            self.groups.clone(),
            self.names.iter().cloned(),
            backlog,
            notes,
        ));
        if self.tampering.is_empty() {
            return ecu;
        }
        Box::new(Compromised::new(
            ecu,
            self.tampering.clone(),
            number(&boot.seed),
            self.notes.clone(),
        ))
    }
}

/// Returns a seed for a node's own choices.
pub(super) fn number(seed: &[u8; 32]) -> u64 {
    seed.as_chunks::<8>()
        .0
        .iter()
        .fold(0, |number, word| number ^ u64::from_le_bytes(*word))
}

/// Returns a board, built in or from among the resources.
///
/// # Errors
/// [`LowerError::NotLoaded`] for one that is neither.
pub(super) fn board(board: &file::Board, resources: &Resources) -> Result<Arc<Board>, LowerError> {
    let missing = |what, path: &String| LowerError::NotLoaded {
        what,
        path: path.clone(),
    };
    match board {
        file::Board::BuiltIn(name) => Board::builtin(name)
            .map(Arc::new)
            .ok_or_else(|| missing("built-in board", name)),
        file::Board::File(path) => resources
            .boards
            .get(path)
            .cloned()
            .ok_or_else(|| missing("board file", path)),
    }
}

fn port(file: &VehicleFile, index: EcuIndex, bus: BusIndex) -> PortConfig {
    let ecu = file.ecu(index);
    let acceptance = match &ecu.accept {
        file::Accept::All => Acceptance::All,
        file::Accept::Needed(besides) => {
            let received = file.streams.iter().filter(|stream| {
                stream
                    .receivers
                    .iter()
                    .any(|one| one.ecu == index && one.bus == bus)
            });
            let routed = file
                .forwarded_by(index)
                .filter(|(route, _)| file.routes[route.0].from == bus)
                .map(|(_, stream)| file.stream(stream));
            let ids = received.chain(routed).map(|stream| stream.id.value);
            let needed = Acceptance::only(ids.chain(besides.iter().copied()));
            match keys::accepted(file, index, bus) {
                Some(masks) => needed.or_extended(masks),
                None => needed,
            }
        }
    };
    PortConfig {
        bus: bus.0,
        order: match ecu.queue.order {
            file::QueueOrder::Fifo => Order::Fifo,
            file::QueueOrder::Priority => Order::Priority,
        },
        transmit_queue: ecu.queue.length,
        receive_queue: ecu.receive_queue,
        acceptance,
    }
}

/// Makes an ECU that is no part of the car: its work costs nothing.
///
/// # Errors
/// [`LowerError::NotLoaded`] if the ideal board is not built in; it is.
pub(super) fn extra(
    name: String,
    ports: Vec<PortConfig>,
    start: Time,
    build: BuildNode,
) -> Result<EcuConfig, LowerError> {
    let board = board(
        &file::Board::BuiltIn("ideal".to_owned()),
        &Resources::default(),
    )?;
    Ok(EcuConfig {
        name,
        board,
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports,
        start,
        faults: Vec::new(),
        build,
        notes: Notes::default(),
    })
}
