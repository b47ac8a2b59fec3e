//! From a vehicle file to a simulation: every ECU becomes a node on a board, every bus exact bits.

mod attackers;
mod faults;
mod interferers;
mod keys;

use std::rc::Rc;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::{Boot, Node, Port};
use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, Config, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, Order, PortConfig};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::notes::Notes;
use waywarden_can_sim::trace;
use waywarden_ecu::{Content, Ecu, Matching, Route, StreamFormat, StreamState};
use waywarden_work::{Duration, Instant};

use crate::file::{self, BusIndex, Data, EcuIndex, FrameFormat, Place, VehicleFile};
use crate::measure::{Measure, Watched};
use crate::nodes::{Backlog, Compromised, Groups, Lane, Playback, Tampering, Telling, Tidings};
use crate::resources::Resources;

/// How many frames a gateway holds for each ECU that routes.
const GATEWAY_QUEUE: usize = 256;

/// How many frames the controllers of a playback hold together: a node has so many answers to one
/// input at the most, and a log with a coarse clock has many frames at one instant.
const PLAYBACK_QUEUE: usize = 2_048;

/// How many frames each of them holds when it sends as fast as it can: enough that the bus is never
/// idle.
const FAST_QUEUE: usize = 4;

/// A vehicle ready to run.
pub struct Lowered {
    /// The simulation.
    pub config: Config,
    /// What is measured while it runs.
    pub measure: Measure,
    /// How long it runs.
    pub duration: Duration,
    /// The board of each ECU of the configuration.
    pub boards: Vec<Arc<Board>>,
}

/// Why a consistent vehicle file is no simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// A board or log is not among the resources.
    #[error("{what} {path} was not loaded")]
    NotLoaded {
        /// Board file or log.
        what: &'static str,
        /// Its path.
        path: String,
    },
    /// A replay names a channel the log does not have.
    #[error("log {log} has no channel {channel}; it has {known}")]
    NoSuchChannel {
        /// Where the vehicle file names the log.
        place: Place,
        /// The log.
        log: String,
        /// The channel.
        channel: String,
        /// The channels it has.
        known: String,
    },
    /// The bus's rates or sample points cannot be timed.
    #[error("bus {bus}: {why}")]
    Timing {
        /// The bus.
        bus: String,
        /// What is wrong.
        why: String,
    },
    /// The two faces of a Janus frame differ in length, so that it would never be shown.
    #[error(
        "{name}: the frame has {sent} bits on the wire and its other face {seen}, stuff bits \
         included; choose `data` with as many stuff bits as the stream's own"
    )]
    TwoFaces {
        /// Where the vehicle file names the interferer.
        place: Place,
        /// The interferer.
        name: String,
        /// Bits of the frame as sent.
        sent: usize,
        /// Bits of the frame as the deceived would see it.
        seen: usize,
    },
    /// A group cannot agree on a key: a board has no figure, or its ECUs are too many.
    #[error("{name}: {why}")]
    Keys {
        /// Where the vehicle file says so.
        place: Place,
        /// The group, or the ECU in it.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// A forged frame or a strike cannot be made.
    #[error("{name}: {why}")]
    Attack {
        /// The attacker or interferer.
        name: String,
        /// What is wrong.
        why: String,
    },
}

impl LowerError {
    /// Returns where the vehicle file says what cannot be, if that is one place.
    #[must_use]
    pub const fn place(&self) -> Option<Place> {
        match self {
            LowerError::NoSuchChannel { place, .. }
            | LowerError::TwoFaces { place, .. }
            | LowerError::Keys { place, .. } => Some(*place),
            _ => None,
        }
    }
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
    let mut buses = file.buses.iter().map(bus).collect::<Result<Vec<_>, _>>()?;
    interferers::add(file, &mut buses)?;
    let intermission = buses
        .iter()
        .map(|bus| bus.timing.intermission().get())
        .collect();
    let backlog = Rc::new(Backlog::new(file.streams.len()));
    let groups = keys::groups(file, resources, &buses)?;
    let tidings = Tidings::new();
    let mut ecus = (0..file.ecus.len())
        .map(|at| {
            let index = EcuIndex(at);
            let keys = keys::parts(file, &groups, index, &tidings);
            ecu(file, index, resources, &backlog, keys)
        })
        .collect::<Result<Vec<_>, _>>()?;
    for replay in &file.replays {
        ecus.push(playback(file, replay, resources)?);
    }
    attackers::add(file, &mut ecus)?;
    let mut measure = Measure::new(ecus.len(), intermission, watched(file), backlog);
    measure.follow_keys(file, tidings);
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
        config,
        measure,
        duration: file.duration,
        boards,
    })
}

fn bus(bus: &file::Bus) -> Result<BusConfig, LowerError> {
    let timing = |why: String| LowerError::Timing {
        bus: bus.name.value.clone(),
        why,
    };
    let phase = |phase: &file::Phase| -> Result<PhaseTiming, LowerError> {
        let rate = BitRate::new(phase.bit_rate).map_err(|error| timing(error.to_string()))?;
        let permille = (phase.sample_point * 1_000.0).round() as u16;
        let point =
            SamplePoint::from_permille(permille).map_err(|error| timing(error.to_string()))?;
        Ok(PhaseTiming::new(rate, point))
    };
    let data = bus.fd.as_ref().map(|fd| phase(&fd.data)).transpose()?;
    Ok(BusConfig {
        name: bus.name.value.clone(),
        timing: BitTiming {
            nominal: phase(&bus.nominal)?,
            data,
        },
        variant: variant(bus),
        interferers: Vec::new(),
    })
}

fn variant(bus: &file::Bus) -> FdVariant {
    match &bus.fd {
        Some(fd) if !fd.iso => FdVariant::NonIso,
        _ => FdVariant::Iso,
    }
}

fn ecu(
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
        streams: streams(file, index),
        names: own_streams(file, index)
            .map(|(at, stream)| (at, stream.name.value.clone()))
            .collect(),
        routes: routes(file, index),
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
fn number(seed: &[u8; 32]) -> u64 {
    seed.as_chunks::<8>()
        .0
        .iter()
        .fold(0, |number, word| number ^ u64::from_le_bytes(*word))
}

fn board(board: &file::Board, resources: &Resources) -> Result<Arc<Board>, LowerError> {
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

/// Returns the port by which an ECU is on a bus; the file has checked that it is.
fn port_on(file: &VehicleFile, ecu: EcuIndex, bus: BusIndex) -> Port {
    let at = file.ecu(ecu).ports.iter().position(|&one| one == bus);
    Port(at.unwrap_or_default() as u8)
}

fn own_streams(
    file: &VehicleFile,
    sender: EcuIndex,
) -> impl Iterator<Item = (usize, &file::Stream)> {
    let all = file.streams.iter().enumerate();
    all.filter(move |(_, stream)| stream.sender == sender)
}

fn streams(file: &VehicleFile, sender: EcuIndex) -> Vec<StreamState> {
    let own = own_streams(file, sender);
    own.map(|(_, stream)| {
        StreamState::new(waywarden_ecu::Stream {
            port: port_on(file, sender, stream.bus),
            id: stream.id.value,
            format: match stream.format {
                FrameFormat::Classic => StreamFormat::Classic,
                FrameFormat::Fd { bit_rate_switch } => StreamFormat::Fd { bit_rate_switch },
            },
            length: stream.length,
            period: stream.period,
            offset: stream.offset,
            jitter: stream.jitter,
            content: content(&stream.data),
        })
    })
    .collect()
}

fn content(data: &Data) -> Content {
    match data {
        Data::Counter => Content::Counter,
        Data::Random => Content::Random,
        Data::Zero => Content::Constant([0; 64]),
        Data::Fixed(bytes) => {
            let mut payload = [0; 64];
            payload
                .iter_mut()
                .zip(bytes)
                .for_each(|(to, byte)| *to = *byte);
            Content::Constant(payload)
        }
    }
}

fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<Route> {
    let streams = file.forwarded_by(gateway).map(|(route, stream)| {
        let route = &file.routes[route.0];
        Route {
            from: port_on(file, gateway, route.from),
            to: port_on(file, gateway, route.to),
            matching: Matching::Only(file.stream(stream).id.value),
        }
    });
    streams.chain(keys::routes(file, gateway)).collect()
}

fn playback(
    file: &VehicleFile,
    replay: &file::Replay,
    resources: &Resources,
) -> Result<EcuConfig, LowerError> {
    let path = &replay.log.value;
    let log = resources
        .logs
        .get(path)
        .ok_or_else(|| LowerError::NotLoaded {
            what: "log",
            path: path.clone(),
        })?;
    let mut lanes = Vec::new();
    for (port, (channel, _)) in replay.channels.iter().enumerate() {
        let frames = log
            .channels
            .get(channel)
            .ok_or_else(|| LowerError::NoSuchChannel {
                place: file.source.place(&replay.log.span),
                log: path.clone(),
                channel: channel.clone(),
                known: log.channels.keys().cloned().collect::<Vec<_>>().join(", "),
            })?;
        lanes.push(Lane {
            port: Port(port as u8),
            frames: frames.clone(),
        });
    }
    let repeat = replay.repeat.then_some(log.length);
    let (pace, until) = (replay.pace, until(file, &replay.window));
    // At the recorded pace frames of one instant compete, as those of their senders did.
    let (order, transmit_queue) = match pace {
        file::Pace::Recorded => {
            let share = PLAYBACK_QUEUE / replay.channels.len().max(1);
            (Order::Priority, share.max(1))
        }
        file::Pace::Fast => (Order::Fifo, FAST_QUEUE),
    };
    let ports = replay.channels.iter().map(|&(_, bus)| PortConfig {
        order,
        transmit_queue,
        acceptance: Acceptance::Only(Vec::new()),
        ..PortConfig::on(bus.0)
    });
    extra_ecu(
        replay.name.value.clone(),
        ports.collect(),
        at(replay.window.from),
        Box::new(move |boot| Box::new(Playback::new(lanes.clone(), pace, repeat, boot.now, until))),
    )
}

/// Makes an ECU that is no part of the car: its work costs nothing.
fn extra_ecu(
    name: String,
    ports: Vec<PortConfig>,
    start: Time,
    build: waywarden_can_sim::config::BuildNode,
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

fn at(duration: Duration) -> Time {
    Time::from_nanos(duration.as_nanos())
}

/// Returns the end of a window on the clock of a node that starts with the window.
fn until(file: &VehicleFile, window: &file::Window) -> Instant {
    let end = window.until.unwrap_or(file.duration);
    Instant::ZERO + (end - window.from)
}

fn watched(file: &VehicleFile) -> Vec<Watched> {
    file.streams
        .iter()
        .map(|stream| Watched {
            name: stream.name.value.clone(),
            sender: trace::EcuIndex(stream.sender.0),
            bus: trace::BusIndex(stream.bus.0),
            id: stream.id.value,
            receivers: stream
                .receivers
                .iter()
                .map(|one| trace::EcuIndex(one.ecu.0))
                .collect(),
            deadline: stream.deadline,
        })
        .collect()
}
