//! Key roles of whole ECUs on the exact bus: a gateway that keys its buses side by side, a group
//! across a gateway, and streams that wait for their key.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::Id;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, EcuConfig};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::observed::ObservedNode;
use waywarden_can_sim::trace::TraceEvent as Traced;
use waywarden_can_sim::{Config, Simulation};
use waywarden_ecu::{
    Ecu, EcuRole, ForwardedFrame, GatewayRoute, Guard, Matching, PayloadContent, PeriodicStream,
    StreamFormat, StreamState,
};
use waywarden_group_keys::{
    Address, GroupConfiguration, GroupHeader, GroupPlan, GroupProfile, GroupRoleEvent,
    GroupSettings, GroupTiming, Member, MemberIdentity, MemberStorage, MergeOrder, OddLevel,
    Orchestration, Orchestrator, OrchestratorStorage, PlannedEcu, Scheme, Transport,
};
use waywarden_key_suites::{Entropy, FourQ, PublicKey, Secret, SignatureScheme};
use waywarden_work::{Duration, Instant};

type Known = Arc<GroupConfiguration<Vec<(Address, PublicKey)>>>;

/// The orchestrator's address in every group.
const ORCHESTRATOR: Address = Address(9);

enum Key {
    Orchestrator(Box<Orchestrator<'static, FourQ, Known>>),
    Member(Box<Member<'static, FourQ, Known>>),
}

impl Key {
    fn node(&mut self) -> &mut dyn Node {
        match self {
            Key::Orchestrator(role) => role.as_mut(),
            Key::Member(role) => role.as_mut(),
        }
    }

    fn event(&mut self) -> Option<GroupRoleEvent> {
        match self {
            Key::Orchestrator(role) => role.event(),
            Key::Member(role) => role.event(),
        }
    }

    fn group_key(&self) -> Option<[u8; 32]> {
        let key = match self {
            Key::Orchestrator(role) => role.group_key(),
            Key::Member(role) => role.group_key(),
        };
        key.map(|(_, key)| *key.as_bytes())
    }
}

impl Node for Key {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.node().handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.node().poll(now, room)
    }
}

impl Guard for Key {}

type Whole = Ecu<Vec<StreamState>, Vec<GatewayRoute>, Vec<ForwardedFrame>, Vec<EcuRole<Key>>, Key>;

/// An ECU that a test can look into; its streams begin with the key of its first role.
#[derive(Clone, Default)]
struct Open(ObservedNode<Whole>);

impl Open {
    fn group_key(&self, role: usize) -> Option<[u8; 32]> {
        self.0.borrow_mut().as_mut()?.roles_mut()[role]
            .node()
            .group_key()
    }
}

impl Node for Open {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.0.borrow_mut().as_mut().unwrap().handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let mut inner = self.0.borrow_mut();
        let ecu = inner.as_mut().unwrap();
        let output = ecu.poll(now, room);
        let mut confirmed = false;
        for role in ecu.roles_mut() {
            while let Some(event) = role.node_mut().event() {
                confirmed |= matches!(event, GroupRoleEvent::Confirmed { .. });
            }
        }
        if confirmed {
            ecu.release_streams(now);
        }
        output
    }
}

/// A role: whose address in which network, and on which ports.
type Part = (u8, Known, Vec<u8>);

fn secret(address: Address) -> Secret {
    Secret::from_bytes([address.0; 32])
}

fn network(members: &[u8]) -> Known {
    let places: Vec<PlannedEcu> = members
        .iter()
        .map(|&address| PlannedEcu {
            address: Address(address),
            rank: 0,
        })
        .collect();
    let scheme = Scheme::TreeWithOrchestrator;
    let settings = GroupSettings {
        plan: GroupPlan::new(scheme, OddLevel::Skipped, ORCHESTRATOR, &places).unwrap(),
        profile: GroupProfile::Hardened,
        transport: Transport::Fd,
        identifiers: waywarden_group_keys::IDENTIFIERS,
        merge_order: MergeOrder::AsReady,
        orchestration: Orchestration::Each,
        timing: GroupTiming {
            exchange: Duration::from_millis(500),
            answer: Duration::from_millis(200),
            beacon: Duration::from_millis(1_000),
        },
    };
    let addresses = places.iter().map(|place| place.address);
    let keys = addresses.chain([ORCHESTRATOR]).map(|address| {
        let key = FourQ::signing_key(&secret(address));
        (address, FourQ::public_key(&key))
    });
    Arc::new(GroupConfiguration {
        keys: keys.collect(),
        settings,
    })
}

fn role(boot: &Boot<'_>, at: usize, (address, known, ports): &Part) -> EcuRole<Key> {
    let ports = ports
        .iter()
        .fold(Ports::NONE, |all, &port| all.with(Port(port)));
    let address = Address(*address);
    let slot = Slot(at as u8);
    let identity = MemberIdentity {
        address,
        ports,
        suite: FourQ,
        signing_key: FourQ::signing_key(&secret(address)),
        slot,
    };
    let key = if address == ORCHESTRATOR {
        let storage = OrchestratorStorage::boxed(&known.settings.plan);
        let mut role = Orchestrator::new(boot, identity, known.clone(), storage).unwrap();
        role.renew(false);
        Key::Orchestrator(Box::new(role))
    } else {
        let storage = MemberStorage::boxed(&known.settings.plan);
        Key::Member(Box::new(Member::new(
            boot,
            identity,
            known.clone(),
            storage,
        )))
    };
    EcuRole::new(key, ports, slot)
}

/// Makes an ECU on these buses, with these roles and routes.
fn ecu(
    (name, buses): (&str, &[usize]),
    parts: Vec<Part>,
    routes: Vec<GatewayRoute>,
    stream: Option<PeriodicStream>,
) -> (Open, EcuConfig) {
    let open = Open::default();
    let driven = open.clone();
    let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
        let mut seeds = Entropy::new(boot.seed);
        let roles = parts.iter().enumerate().map(|(at, part)| {
            let seed = *seeds.draw().as_bytes();
            role(&Boot { seed, ..*boot }, at, part)
        });
        let streams = stream.map(StreamState::new).into_iter().collect();
        let mut ecu = Ecu::with_roles(
            boot,
            streams,
            routes.clone(),
            vec![None; 64],
            roles.collect(),
        );
        ecu.hold_streams();
        *driven.0.borrow_mut() = Some(ecu);
        Box::new(driven.clone())
    };
    let board = Arc::new(Board::builtin("tc297").unwrap());
    let ports = buses.iter().map(|&bus| PortConfig::on(bus)).collect();
    let config = EcuConfig::new(name, board, ports, build);
    (open, config)
}

fn bus(name: &str) -> BusConfig {
    let timing = BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000));
    BusConfig::new(name, timing)
}

/// Runs for a second; returns the key frames by bus and the time of the first frame of a stream.
fn run(buses: &[&str], ecus: Vec<EcuConfig>) -> (Vec<Vec<Time>>, Option<Time>) {
    let config = Config {
        seed: 5,
        buses: buses.iter().map(|name| bus(name)).collect(),
        ecus,
    };
    let mut simulation = Simulation::new(config).unwrap();
    let mut key_frames = vec![Vec::new(); buses.len()];
    let mut first = None;
    let mut sink = |at: Time, event: &Traced<'_>| {
        if let Traced::Sent { bus, frame, .. } = event {
            match GroupHeader::of(frame) {
                Some(_) => key_frames[bus.0].push(at),
                None => first = first.or(Some(at)),
            }
        }
    };
    let end = Time::from_nanos(1_000_000_000);
    simulation.run_until(end, &mut sink).unwrap();
    (key_frames, first)
}

#[test]
fn a_gateway_keys_each_of_its_buses_by_itself_and_at_the_same_time() {
    let networks = [network(&[1, 2, 3]), network(&[1, 2])];
    let parts = |bus: u8| {
        (
            ORCHESTRATOR.0,
            networks[usize::from(bus)].clone(),
            vec![bus],
        )
    };
    let (gateway, config) = ecu(("gateway", &[0, 1]), vec![parts(0), parts(1)], vec![], None);
    let mut ecus = vec![config];
    let mut members = Vec::new();
    for (bus, addresses) in [(0, 1..=3), (1, 1..=2_u8)] {
        for address in addresses {
            let name = format!("ecu-{bus}-{address}");
            let part = (address, networks[bus].clone(), vec![0]);
            let (open, config) = ecu((&name, &[bus]), vec![part], vec![], None);
            ecus.push(config);
            members.push((bus, open));
        }
    }
    let (frames, _) = run(&["one", "two"], ecus);
    let keys = [0, 1].map(|role| gateway.group_key(role).expect("a key"));
    assert_ne!(keys[0], keys[1]);
    for (bus, member) in members {
        assert_eq!(member.group_key(0), Some(keys[bus]));
    }
    // Neither bus waited for the other to be done.
    assert!(frames[0][0] < frames[1][5] && frames[1][0] < frames[0][5]);
}

#[test]
fn one_group_spans_a_gateway_and_streams_begin_with_its_key() {
    let known = network(&[1, 2, 3, 4]);
    let all = Matching::Extended { value: 0, mask: 0 };
    let route = |from, to| GatewayRoute {
        from: Port(from),
        to: Port(to),
        matching: all,
        in_order: true,
    };
    let both = vec![route(0, 1), route(1, 0)];
    let orchestrator = (ORCHESTRATOR.0, known.clone(), vec![0, 1]);
    let (gateway, config) = ecu(("gateway", &[0, 1]), vec![orchestrator], both, None);
    let mut ecus = vec![config];
    let mut members = Vec::new();
    let stream = PeriodicStream {
        port: Port(0),
        id: Id::standard(0x100).unwrap(),
        format: StreamFormat::Classic,
        length: 8,
        period: Duration::from_millis(10),
        offset: Duration::from_millis(1),
        jitter: Duration::ZERO,
        content: PayloadContent::Counter,
    };
    for address in 1..=4_u8 {
        let name = format!("ecu-{address}");
        let part = (address, known.clone(), vec![0]);
        let bus = usize::from(address % 2);
        let stream = (address == 1).then_some(stream);
        let (open, config) = ecu((&name, &[bus]), vec![part], vec![], stream);
        ecus.push(config);
        members.push(open);
    }
    let (frames, first) = run(&["one", "two"], ecus);
    let key = gateway.group_key(0);
    assert!(key.is_some());
    for member in members {
        assert_eq!(member.group_key(0), key);
    }
    // Every key frame is on both buses: 7 exchanges of 6, then the proof and 4 acknowledgements at
    // least.
    assert_eq!(frames[0].len(), frames[1].len());
    assert!(frames[0].len() >= 47, "{} key frames", frames[0].len());
    let (proof, first) = (frames[1][42], first.expect("a frame of the stream"));
    assert!(
        first > proof,
        "a stream began at {first:?}, before the proof at {proof:?}"
    );
}
