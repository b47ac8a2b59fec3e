//! An ECU of the car: its board, its ports and the software that boots on it.

use std::cell::Cell;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Node};
use waywarden_can_sim::config::{BuildNode, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, PortConfig, TransmitOrder};
use waywarden_can_sim::cpu::Priorities;
use waywarden_ecu::{Ecu, GatewayRoute, StreamState};

use super::board::board_of;
use super::boot_timeline::{BootPeriod, boot_timeline};
use super::firmware::ImagePlan;
use super::part::Part;
use super::{
    LowerError, application, at, attackers, authentication, faults, keys, number, streams,
};
use crate::nodes::{
    Compromised, FrameTampering, InstrumentedEcu, ManInTheMiddle, MessageNames, MiddlePlan,
    OwnStream,
};
use crate::programs::SuppliedPayloads;
use waywarden_vehicle_file::{self as file, BusIndex, EcuIndex, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{Fact, Facts};

/// Number of frames that a gateway holds, and of further in-order ones of key protocols: at least
/// as many again.
const GATEWAY_QUEUE: usize = 256;

/// Makes an ECU of the car with its parts in key protocols.
///
/// # Errors
/// [`LowerError::NotLoaded`] for a board that is not among the resources.
pub(super) fn config(
    file: &VehicleFile,
    index: EcuIndex,
    (resources, supplied): (&Resources, Option<&SuppliedPayloads>),
    protocols: &keys::Protocols<'_>,
) -> Result<EcuConfig<Fact>, LowerError> {
    let ecu = file.ecu(index);
    let facts = Facts::default();
    if let Some(firmware) = &ecu.firmware {
        let image = ImagePlan::new(file, (index, firmware), resources, (protocols, &facts))?;
        let lives = boot_timeline(file, index);
        let booted = Cell::new(0);
        let build = move |boot: &Boot<'_>| {
            let at = booted.replace(booted.get() + 1);
            image.node(boot, at, &lives[at.min(lives.len() - 1)])
        };
        // Its instructions are its costs: the board has none.
        let board = Board::builtin("ideal").map(Arc::new);
        let board = board.ok_or_else(|| LowerError::NotLoaded {
            what: "built-in board",
            path: "ideal".to_owned(),
        })?;
        return Ok(configured(
            file,
            index,
            (board, 1),
            (Box::new(build), facts),
        ));
    }
    let board = board_of(ecu, resources)?;
    let (keys, awaited) = protocols.parts(file, index, &facts)?;
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
        own: streams::own(file, index)
            .map(|(at, _)| (at, Arc::default()))
            .collect(),
        keys,
        awaited,
        tampering: attackers::tampering(file, index),
        middles: attackers::middles(file, index, protocols, &facts),
        application: application::plan(file, index, supplied),
        lives: boot_timeline(file, index),
        booted: Cell::new(0),
        facts: facts.clone(),
    };
    let own = board.characteristics().cores.min(255) as u8;
    let cores = ecu.cores.unwrap_or(own);
    let build = move |boot: &Boot<'_>| software.node(boot);
    let software = (Box::new(build) as BuildNode, facts);
    Ok(configured(file, index, (board, cores), software))
}

/// Configures an ECU with its board and number of cores, and its software.
fn configured(
    file: &VehicleFile,
    index: EcuIndex,
    (board, cores): (Arc<Board>, u8),
    (build, remarks): (BuildNode, Facts),
) -> EcuConfig<Fact> {
    let ecu = file.ecu(index);
    EcuConfig {
        name: ecu.name.value.clone(),
        cores,
        board,
        priorities: Priorities {
            receive: ecu.tasks.receive,
            send: ecu.tasks.send,
            mac: ecu.tasks.mac,
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
        build,
        remarks,
    }
}

/// Plan of an ECU's node, which is made at each boot.
struct Software {
    streams: Vec<StreamState>,
    /// The streams that it sends, in the same order.
    own: Vec<OwnStream>,
    routes: Vec<GatewayRoute>,
    /// Limit on frames that wait to be forwarded.
    queue: usize,
    keys: Vec<Part>,
    /// By part: true if the streams wait for its first key.
    awaited: Vec<bool>,
    tampering: Vec<FrameTampering>,
    middles: Vec<MiddlePlan>,
    application: application::Plan,
    lives: Vec<BootPeriod>,
    /// Number of its boots so far.
    booted: Cell<usize>,
    facts: Facts,
}

impl Software {
    fn node(&self, boot: &Boot<'_>) -> Box<dyn Node + Send> {
        let at = self.booted.replace(self.booted.get() + 1);
        let ecu = Ecu::with_roles(
            boot,
            self.streams.clone(),
            self.routes.clone(),
            vec![None; self.queue],
            keys::roles(boot, &self.keys),
        );
        let ecu = ecu.observed_by(MessageNames::new(
            self.own.clone(),
            at + 1,
            self.facts.clone(),
        ));
        // There is at least one life.
        let life = &self.lives[at.min(self.lives.len() - 1)];
        let facts = &self.facts;
        let seed = number(&boot.seed);
        let application = self.application.begin(life, seed, facts.clone());
        let mut ecu: Box<dyn Node + Send> =
            Box::new(InstrumentedEcu::new(ecu, self.awaited.clone(), application));
        for plan in &self.middles {
            ecu = Box::new(ManInTheMiddle::new(ecu, plan.clone(), boot));
        }
        if self.tampering.is_empty() {
            return ecu;
        }
        Box::new(Compromised::new(
            ecu,
            self.tampering.clone(),
            seed,
            facts.clone(),
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
            let (key_frames, key_masks) = keys::accepted(file, index, bus);
            let ids = ids.chain(tags).chain(warnings).chain(key_frames);
            let needed = Acceptance::only(ids.chain(besides.iter().copied()));
            masks.extend(key_masks);
            match masks.as_slice() {
                [] => needed,
                masks => needed.or_extended(masks),
            }
        }
    };
    PortConfig {
        bus: bus.0,
        order: match ecu.queue.order {
            file::QueueOrder::Fifo => TransmitOrder::Fifo,
            file::QueueOrder::Priority => TransmitOrder::Priority,
        },
        transmit_queue: ecu.queue.length,
        receive_queue: ecu.receive_queue,
        acceptance,
    }
}
