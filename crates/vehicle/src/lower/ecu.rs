//! An ECU of the car: its board, its ports and the software that boots on it.

use std::cell::Cell;
use std::rc::Rc;

use waywarden_can::node::{Boot, Node};
use waywarden_can_sim::config::EcuConfig;
use waywarden_can_sim::controller::{Acceptance, Order, PortConfig};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::notes::Notes;
use waywarden_ecu::{Ecu, Route, StreamState};

use super::attackers::Protocols;
use super::board::board;
use super::lives::{Life, lives};
use super::part::Part;
use super::{
    LowerError, application, at, attackers, authentication, faults, keys, number, streams,
};
use crate::file::{self, BusIndex, EcuIndex, VehicleFile};
use crate::nodes::{
    Backlog, Compromised, Groups, Ledger, ManInTheMiddle, MiddlePlan, Tampering, Telling,
};
use crate::resources::Resources;

/// How many frames a gateway holds, and how many more in-order ones of key protocols: at least as
/// many again.
const GATEWAY_QUEUE: usize = 256;

/// Makes an ECU of the car with its parts in key protocols, and what it tells of them.
///
/// # Errors
/// [`LowerError::NotLoaded`] for a board that is not among the resources.
pub(super) fn config(
    file: &VehicleFile,
    index: EcuIndex,
    resources: &Resources,
    (backlog, ledger): (&Rc<Backlog>, &Rc<Ledger>),
    (keys, groups): (Vec<Rc<Part>>, Groups),
    protocols: Protocols<'_>,
) -> Result<EcuConfig, LowerError> {
    let ecu = file.ecu(index);
    let board = board(&ecu.board.value, resources)?;
    let notes = Notes::default();
    let routes = [
        streams::routes(file, index),
        keys::routes(file, index),
        authentication::routes(file, index),
    ]
    .concat();
    let software = Software {
        queue: match routes.is_empty() {
            true => 0,
            false => queue(file, index),
        },
        routes,
        streams: streams::sent(file, index),
        names: streams::own(file, index)
            .map(|(at, stream)| (at, stream.name.value.clone()))
            .collect(),
        keys,
        groups,
        tampering: attackers::tampering(file, index),
        middles: attackers::middles(file, index, protocols, &notes),
        backlog: backlog.clone(),
        application: application::plan(file, index, ledger),
        lives: lives(file, index),
        booted: Cell::new(0),
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
    /// How many frames wait to be forwarded at most.
    queue: usize,
    keys: Vec<Rc<Part>>,
    groups: Groups,
    tampering: Vec<Tampering>,
    middles: Vec<MiddlePlan>,
    backlog: Rc<Backlog>,
    application: application::Plan,
    lives: Vec<Life>,
    /// How often it has booted.
    booted: Cell<usize>,
    notes: Notes,
}

impl Software {
    fn node(&self, boot: &Boot<'_>) -> Box<dyn Node> {
        let ecu = Ecu::with_roles(
            boot,
            self.streams.clone(),
            self.routes.clone(),
            vec![None; self.queue],
            keys::roles(boot, &self.keys),
        );
        let at = self.booted.replace(self.booted.get() + 1);
        // There is at least one life.
        let life = &self.lives[at.min(self.lives.len() - 1)];
        let notes = self.notes.clone();
        let application = self.application.begin(life, number(&boot.seed), notes);
        let (backlog, notes) = (self.backlog.clone(), self.notes.clone());
        let mut ecu: Box<dyn Node> = Box::new(Telling::new(
            ecu,
            self.groups.clone(),
            self.names.iter().cloned(),
            backlog,
            application,
            notes,
        ));
        for plan in &self.middles {
            ecu = Box::new(ManInTheMiddle::new(ecu, plan.clone(), boot));
        }
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

/// Returns how many frames a gateway holds: in-order ones get half of that at most.
fn queue(file: &VehicleFile, index: EcuIndex) -> usize {
    match keys::forwarded_at_once(file, index) {
        None => GATEWAY_QUEUE,
        Some(frames) => 2 * frames.max(GATEWAY_QUEUE),
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
            let (tags, mut masks) = authentication::accepted(file, index, bus);
            let warnings = application::warnings(file, index);
            let warnings = warnings.filter(|(one, _)| *one == bus);
            let warnings = warnings.map(|(_, warning)| warning.id);
            let ids = ids.chain(tags).chain(warnings);
            let needed = Acceptance::only(ids.chain(besides.iter().copied()));
            masks.extend(keys::accepted(file, index, bus));
            match masks.as_slice() {
                [] => needed,
                masks => needed.or_extended(masks),
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
