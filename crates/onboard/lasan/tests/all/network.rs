//! A bus with a security module and ECUs, whose insides a test can look at.

mod identities;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Input, Node, Output, Ports};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, EcuConfig, EcuFault};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::observed::ObservedNode;
use waywarden_can_sim::trace::TraceEvent as Traced;
use waywarden_can_sim::{Config, Simulation};
use waywarden_lasan::{Address, Transport};
use waywarden_lasan::{
    AddressSet, AuthenticationSuite, Credentials, EcuEvent, EcuStorage, LasanConfiguration,
    LasanEcu, LasanHeader, LasanKind, LasanProfile, LasanTiming, ModuleCapacity, ModuleEvent,
    ModuleStorage, NetworkSettings, NetworkTime as Millis, Party, PartyDirectory, Permission,
    SecurityModule, StreamId, Validity,
};
use waywarden_work::{Duration, Instant};

pub(crate) use identities::{
    AUTHORITY, authority, directory, identity, identity_secret, name, party,
};

/// The parameters of a network.
#[derive(Clone, Debug)]
pub(crate) struct NetworkConfig {
    pub(crate) profile: LasanProfile,
    pub(crate) credentials: Credentials,
    pub(crate) transport: Transport,
    pub(crate) pacing: Option<Duration>,
    /// ECUs 1 to this, and the security module after them.
    pub(crate) ecus: u8,
    /// Each of these ECUs sends a stream to the next ones.
    pub(crate) streams: Vec<Permission>,
    pub(crate) board: &'static str,
    pub(crate) timing: LasanTiming,
    pub(crate) seed: u64,
    pub(crate) validity: Validity,
}

impl NetworkConfig {
    pub(crate) fn new(profile: LasanProfile, credentials: Credentials, ecus: u8) -> Self {
        NetworkConfig {
            profile,
            credentials,
            transport: Transport::Fd,
            pacing: None,
            ecus,
            streams: Vec::new(),
            board: "ideal",
            timing: LasanTiming {
                authentication: Duration::from_millis(400),
                answer: Duration::from_millis(50),
                patience: Duration::from_millis(800),
                stream_key: Duration::from_millis(60_000),
            },
            seed: 1,
            validity: Validity::ALWAYS,
        }
    }

    /// Every ECU sends one stream to all others.
    pub(crate) fn all_send(mut self) -> Self {
        let all: AddressSet = (1..=self.ecus).map(Address).collect();
        self.streams = (1..=self.ecus)
            .map(|sender| permission(sender, all.without(Address(sender))))
            .collect();
        self
    }

    pub(crate) fn module(&self) -> Address {
        Address(self.ecus + 1)
    }

    pub(crate) fn settings(&self) -> NetworkSettings {
        NetworkSettings {
            profile: self.profile,
            credentials: self.credentials,
            transport: self.transport,
            identifiers: waywarden_lasan::IDENTIFIERS,
            pacing: self.pacing,
            gives_way: false,
            security_module: self.module(),
            time_at_zero: Millis(1_000_000),
            timing: self.timing,
        }
    }
}

pub(crate) fn stream_of(sender: u8) -> StreamId {
    StreamId(0x100 + u32::from(sender))
}

pub(crate) fn permission(sender: u8, receivers: AddressSet) -> Permission {
    Permission {
        stream: stream_of(sender),
        sender: Address(sender),
        receivers,
        from: Millis(0),
        until: Millis::MAX,
    }
}

/// An ECU of the tests; [`ecu_memory`] and [`module_memory`] set the limits of the roles.
pub(crate) type TestEcu<S> = LasanEcu<'static, S, Known>;

pub(crate) type TestModule<S> = SecurityModule<'static, S, Known>;

/// Memory for 64 streams.
pub(crate) fn ecu_memory<S: AuthenticationSuite>() -> EcuStorage<'static> {
    EcuStorage::boxed(S::SIZES, 64)
}

/// Memory for 64 ECUs and permissions, and so many handshakes at a time.
pub(crate) fn module_memory<S: AuthenticationSuite>(
    handshakes: usize,
) -> ModuleStorage<'static, S> {
    let capacity = ModuleCapacity {
        ecus: 64,
        handshakes,
        permissions: 64,
    };
    ModuleStorage::boxed(S::SIZES, capacity)
}

pub(crate) type Known = Arc<LasanConfiguration<Vec<u8>, Vec<Party<Vec<u8>>>, Vec<Permission>>>;

/// The current incarnation of a role, for the test to look at.
pub(crate) type Handle<R> = ObservedNode<R>;

/// Looks at a role after each of its outputs.
pub(crate) type Watch<R> = Arc<dyn Fn(&R, &Output) + Send + Sync>;

/// The role as the simulator drives it.
struct Driven<R>(Handle<R>, Watch<R>);

impl<R: Node> Node for Driven<R> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.0.borrow_mut().as_mut().unwrap().handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.0.borrow_mut().as_mut().unwrap().poll(now, room);
        (self.1)(self.0.borrow().as_ref().unwrap(), &output);
        output
    }
}

impl<R> Drop for Driven<R> {
    /// A reset begins: until the next boot the role is not there, and holds nothing.
    fn drop(&mut self) {
        *self.0.borrow_mut() = None;
    }
}

/// ECUs and a security module that authenticates `H` at a time; as published, where no ECU is
/// invited, there have to be as many as there are ECUs.
pub(crate) struct Fleet<S: AuthenticationSuite, const H: usize = 4> {
    pub(crate) network_config: NetworkConfig,
    pub(crate) module: Handle<TestModule<S>>,
    pub(crate) ecus: Vec<Handle<TestEcu<S>>>,
    pub(crate) simulation: Simulation,
    /// Time of a clock that no reset stops, in milliseconds: the security module's host has one.
    clock: Arc<AtomicU64>,
    /// Frames and data bytes sent on the bus, by kind.
    pub(crate) sent: BTreeMap<LasanKind, (usize, usize)>,
    pub(crate) module_events: Vec<ModuleEvent>,
    pub(crate) ecu_events: Vec<(u8, EcuEvent)>,
}

pub(crate) fn node(
    name: String,
    board: &str,
    faults: Vec<EcuFault>,
    build: impl FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send + 'static,
) -> EcuConfig {
    let port = PortConfig {
        transmit_queue: 64,
        receive_queue: 4096,
        ..PortConfig::on(0)
    };
    let board = Arc::new(Board::builtin(board).unwrap());
    EcuConfig {
        faults,
        ..EcuConfig::new(name, board, vec![port], build)
    }
}

fn config(network_config: &NetworkConfig, ecus: Vec<EcuConfig>) -> Config {
    let timing = match network_config.transport {
        Transport::Fd => BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000)),
        Transport::Classic => BitTiming::classic(BitRate::constant(500_000)),
    };
    Config {
        seed: network_config.seed,
        buses: vec![BusConfig::new("bus", timing)],
        ecus,
    }
}

impl<S: AuthenticationSuite> Fleet<S> {
    pub(crate) fn new(network_config: &NetworkConfig) -> Self {
        Self::with(network_config, |_| {})
    }

    /// Makes a fleet whose configuration a test may change; the security module is the last ECU.
    pub(crate) fn with(network_config: &NetworkConfig, change: impl FnOnce(&mut Config)) -> Self {
        Self::watched(
            network_config,
            change,
            |_| Arc::new(|_, _| {}),
            Arc::new(|_, _| {}),
        )
    }
}

impl<S: AuthenticationSuite, const H: usize> Fleet<S, H> {
    /// Makes one at whose roles the caller looks all the time: ECUs by address, and the security
    /// module.
    pub(crate) fn watched(
        network_config: &NetworkConfig,
        change: impl FnOnce(&mut Config),
        watch: impl Fn(u8) -> Watch<TestEcu<S>>,
        watch_module: Watch<TestModule<S>>,
    ) -> Self {
        let directory = directory::<S>(network_config);
        let (mut nodes, mut ecus) = (Vec::new(), Vec::new());
        for address in 1..=network_config.ecus {
            let handle: Handle<TestEcu<S>> = Handle::default();
            let (driven, known) = (handle.clone(), directory.clone());
            let watch = watch(address);
            let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
                let (suite, memory) = (S::default(), ecu_memory::<S>());
                let mut ecu = LasanEcu::new(boot, suite, identity(address), known.clone(), memory);
                let own = known.permissions().iter();
                for line in own.filter(|line| line.sender == Address(address)) {
                    assert!(ecu.request(line.stream));
                }
                *driven.borrow_mut() = Some(ecu);
                Box::new(Driven(driven.clone(), watch.clone()))
            };
            nodes.push(node(
                format!("ecu-{address}"),
                network_config.board,
                Vec::new(),
                build,
            ));
            ecus.push(handle);
        }
        let module: Handle<TestModule<S>> = Handle::default();
        let (driven, known, address) =
            (module.clone(), directory.clone(), network_config.module().0);
        let clock = Arc::new(AtomicU64::new(0));
        let shown = clock.clone();
        let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
            let mut network = (*known).clone();
            network.settings.time_at_zero.0 += shown.load(Relaxed);
            let known = Arc::new(network);
            let (who, memory) = (identity(address), module_memory(H));
            let mut role = SecurityModule::new(boot, S::default(), who, known, memory).unwrap();
            role.start();
            *driven.borrow_mut() = Some(role);
            Box::new(Driven(driven.clone(), watch_module.clone()))
        };
        nodes.push(node(
            "security-module".to_owned(),
            network_config.board,
            Vec::new(),
            build,
        ));
        let mut config = config(network_config, nodes);
        change(&mut config);
        Fleet {
            network_config: network_config.clone(),
            module,
            ecus,
            simulation: Simulation::new(config).unwrap(),
            clock,
            sent: BTreeMap::new(),
            module_events: Vec::new(),
            ecu_events: Vec::new(),
        }
    }

    /// Runs up to a time from the start, in steps short enough that no event is lost.
    pub(crate) fn run(&mut self, millis: u64) {
        let begin = (self.simulation.now().as_seconds() * 1e3).floor() as u64;
        for end in (begin..millis).map(|at| at + 1) {
            self.clock.store(end - 1, Relaxed);
            self.run_on(end);
            self.collect();
        }
    }

    fn run_on(&mut self, millis: u64) {
        let sent = &mut self.sent;
        let events = std::env::var_os("WAYWARDEN_FRAMES").is_some();
        let mut sink = |at: Time, event: &Traced<'_>| {
            if let Traced::Sent { ecu, frame, .. } = event
                && let Some((header, part)) = LasanHeader::of(frame)
            {
                if events {
                    let LasanHeader {
                        kind,
                        source,
                        target,
                        ..
                    } = header;
                    let (from, to) = (source.0, target.0);
                    println!(
                        "{:.6} ecu {} {kind:?}.{part} {from} {to}",
                        at.as_seconds(),
                        ecu.0
                    );
                }
                let (frames, bytes) = sent.entry(header.kind).or_default();
                (*frames, *bytes) = (*frames + 1, *bytes + frame.data().len());
            }
        };
        let end = Time::from_nanos(millis * 1_000_000);
        self.simulation.run_until(end, &mut sink).unwrap();
    }

    fn collect(&mut self) {
        if let Some(module) = self.module.borrow_mut().as_mut() {
            self.module_events
                .extend(std::iter::from_fn(|| module.event()));
        }
        for (at, ecu) in self.ecus.iter().enumerate() {
            if let Some(ecu) = ecu.borrow_mut().as_mut() {
                let events = std::iter::from_fn(|| ecu.event());
                self.ecu_events
                    .extend(events.map(|event| (at as u8 + 1, event)));
            }
        }
    }
}
