//! A bus with a security module and ECUs, whose insides a test can look at.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, EcuConfig, Fault};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::remarks::Remarks;
use waywarden_can_sim::trace::Event as Traced;
use waywarden_can_sim::{Config, Simulation};
use waywarden_key_suites::{Secret, Signature};
use waywarden_lasan::{Address, Transport};
use waywarden_lasan::{
    Addresses, Capacity, Credentials, Directory, Ecu, EcuEvent, EcuStorage, Header, Identity, Kind,
    ModuleEvent, ModuleStorage, Name, Network, Party, Permission, Profile, Role, SecurityModule,
    Settings, Statement, StreamId, Suite, Time as Millis, Timing, Validity, enrolled_digest, issue,
    public_key,
};
use waywarden_work::{Duration, Instant};

/// What a network is made of.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) profile: Profile,
    pub(crate) credentials: Credentials,
    pub(crate) transport: Transport,
    pub(crate) pacing: Option<Duration>,
    /// ECUs 1 to this, and the security module after them.
    pub(crate) ecus: u8,
    /// Each of these ECUs sends a stream to the next ones.
    pub(crate) streams: Vec<Permission>,
    pub(crate) board: &'static str,
    pub(crate) timing: Timing,
    pub(crate) seed: u64,
    pub(crate) validity: Validity,
}

impl Recipe {
    pub(crate) fn new(profile: Profile, credentials: Credentials, ecus: u8) -> Self {
        Recipe {
            profile,
            credentials,
            transport: Transport::Fd,
            pacing: None,
            ecus,
            streams: Vec::new(),
            board: "ideal",
            timing: Timing {
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
    pub(crate) fn everybody_sends(mut self) -> Self {
        let everybody: Addresses = (1..=self.ecus).map(Address).collect();
        self.streams = (1..=self.ecus)
            .map(|sender| permission(sender, everybody.without(Address(sender))))
            .collect();
        self
    }

    pub(crate) fn module(&self) -> Address {
        Address(self.ecus + 1)
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            profile: self.profile,
            credentials: self.credentials,
            transport: self.transport,
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

pub(crate) fn permission(sender: u8, receivers: Addresses) -> Permission {
    Permission {
        stream: stream_of(sender),
        sender: Address(sender),
        receivers,
        from: Millis(0),
        until: Millis::MAX,
    }
}

/// How many streams an ECU of the tests has at most, and the security module ECUs, handshakes and
/// permissions.
pub(crate) type TestEcu<S> = Ecu<'static, S, Known>;
pub(crate) type TestModule<S> = SecurityModule<'static, S, Known>;

/// Memory for 64 streams.
pub(crate) fn ecu_memory<S: Suite>() -> EcuStorage<'static> {
    EcuStorage::boxed(S::SIZES, 64)
}

/// Memory for 64 ECUs and permissions, and so many handshakes at a time.
pub(crate) fn module_memory<S: Suite>(handshakes: usize) -> ModuleStorage<'static, S> {
    let capacity = Capacity {
        ecus: 64,
        handshakes,
        permissions: 64,
    };
    ModuleStorage::boxed(S::SIZES, capacity)
}
pub(crate) type Known = Arc<Network<Vec<u8>, Vec<Party<Vec<u8>>>, Vec<Permission>>>;

/// The current incarnation of a role, for the test to look at.
pub(crate) type Handle<R> = Rc<RefCell<Option<R>>>;

/// Looks at a role after each of its outputs.
pub(crate) type Watch<R> = Rc<dyn Fn(&R, &Output)>;

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

/// The secret behind a party's key pair; variant 1 is a replaced part's.
pub(crate) fn identity_secret(address: u8, variant: u8) -> Secret {
    let mut bytes = [0x5A; 32];
    (bytes[0], bytes[1]) = (address, variant);
    Secret::from_bytes(bytes)
}

pub(crate) fn identity(address: u8) -> Identity {
    Identity {
        address: Address(address),
        ports: Ports::NONE.with(Port(0)),
        secret: identity_secret(address, 0),
        slot: Slot(0),
    }
}

pub(crate) fn name(address: u8) -> Name {
    let text = format!("ECU{address:03}");
    Name(text.as_bytes().try_into().unwrap())
}

pub(crate) const AUTHORITY: Name = Name(*b"CAAUTH");

/// The authority's signing key.
pub(crate) fn authority<S: Suite>() -> <S::Signature as Signature>::SigningKey {
    S::Signature::signing_key(&Secret::from_bytes([0xCA; 32]))
}

/// What is known of a party, whose secret this is.
pub(crate) fn party<S: Suite>(recipe: &Recipe, address: u8, secret: &Secret) -> Party<Vec<u8>> {
    let role = match Address(address) == recipe.module() {
        true => Role::SecurityModule,
        false => Role::Ecu,
    };
    let mut key = vec![0; 4096];
    let length = public_key(&S::default(), recipe.profile, role, secret, &mut key).unwrap();
    key.truncate(length);
    let mut credential = vec![0; 8192];
    let statement = Statement {
        subject: name(address),
        role,
        validity: recipe.validity,
        key: &key,
        authority: AUTHORITY,
    };
    let signer = authority::<S>();
    let length = issue(
        &S::default(),
        recipe.profile,
        &statement,
        &signer,
        &mut credential,
    )
    .unwrap();
    credential.truncate(length);
    let published = recipe.profile == Profile::AsPublished;
    let (key, credential) = match recipe.credentials {
        Credentials::Digests if !published => (enrolled_digest(&key).to_vec(), key),
        Credentials::Keys if !published => (key, Vec::new()),
        _ => (key, credential),
    };
    Party {
        address: Address(address),
        name: name(address),
        key,
        credential,
    }
}

pub(crate) fn directory<S: Suite>(recipe: &Recipe) -> Known {
    let parties = 1..=recipe.ecus + 1;
    let parties = parties.map(|at| party::<S>(recipe, at, &identity_secret(at, 0)));
    Arc::new(Network {
        settings: recipe.settings(),
        authority: (
            AUTHORITY,
            S::Signature::public_key(&authority::<S>())
                .as_ref()
                .to_vec(),
        ),
        parties: parties.collect(),
        permissions: recipe.streams.clone(),
    })
}

/// ECUs and a security module that authenticates `H` at a time; as published, where no ECU is
/// invited, there have to be as many as there are ECUs.
pub(crate) struct Fleet<S: Suite, const H: usize = 4> {
    pub(crate) recipe: Recipe,
    pub(crate) module: Handle<TestModule<S>>,
    pub(crate) ecus: Vec<Handle<TestEcu<S>>>,
    pub(crate) simulation: Simulation,
    /// What a clock that no reset stops shows, in milliseconds: the security module's host has one.
    clock: Rc<Cell<u64>>,
    /// Frames and data bytes sent on the bus, by kind.
    pub(crate) sent: BTreeMap<Kind, (usize, usize)>,
    pub(crate) module_events: Vec<ModuleEvent>,
    pub(crate) ecu_events: Vec<(u8, EcuEvent)>,
}

pub(crate) fn node(
    name: String,
    board: &str,
    faults: Vec<Fault>,
    build: impl FnMut(&Boot<'_>) -> Box<dyn Node> + 'static,
) -> EcuConfig {
    let port = PortConfig {
        transmit_queue: 64,
        receive_queue: 4096,
        ..PortConfig::on(0)
    };
    EcuConfig {
        name,
        board: Arc::new(Board::builtin(board).unwrap()),
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports: vec![port],
        start: Time::ZERO,
        faults,
        build: Box::new(build),
        remarks: Remarks::default(),
    }
}

impl<S: Suite> Fleet<S> {
    pub(crate) fn new(recipe: &Recipe) -> Self {
        Self::with(recipe, |_| {})
    }

    /// Makes a fleet whose configuration a test may change; the security module is the last ECU.
    pub(crate) fn with(recipe: &Recipe, change: impl FnOnce(&mut Config)) -> Self {
        Self::watched(recipe, change, |_| Rc::new(|_, _| {}), Rc::new(|_, _| {}))
    }
}

impl<S: Suite, const H: usize> Fleet<S, H> {
    /// Makes one at whose roles the caller looks all the time: ECUs by address, and the security
    /// module.
    pub(crate) fn watched(
        recipe: &Recipe,
        change: impl FnOnce(&mut Config),
        watch: impl Fn(u8) -> Watch<TestEcu<S>>,
        watch_module: Watch<TestModule<S>>,
    ) -> Self {
        let directory = directory::<S>(recipe);
        let (mut nodes, mut ecus) = (Vec::new(), Vec::new());
        for address in 1..=recipe.ecus {
            let handle: Handle<TestEcu<S>> = Handle::default();
            let (driven, known) = (handle.clone(), directory.clone());
            let watch = watch(address);
            let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
                let (suite, memory) = (S::default(), ecu_memory::<S>());
                let mut ecu = Ecu::new(boot, suite, identity(address), known.clone(), memory);
                let own = known.permissions().iter();
                for line in own.filter(|line| line.sender == Address(address)) {
                    assert!(ecu.request(line.stream));
                }
                *driven.borrow_mut() = Some(ecu);
                Box::new(Driven(driven.clone(), watch.clone()))
            };
            nodes.push(node(
                format!("ecu-{address}"),
                recipe.board,
                Vec::new(),
                build,
            ));
            ecus.push(handle);
        }
        let module: Handle<TestModule<S>> = Handle::default();
        let (driven, known, address) = (module.clone(), directory.clone(), recipe.module().0);
        let clock = Rc::new(Cell::new(0));
        let shown = clock.clone();
        let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
            let mut network = (*known).clone();
            network.settings.time_at_zero.0 += shown.get();
            let known = Arc::new(network);
            let (who, memory) = (identity(address), module_memory(H));
            let mut role = SecurityModule::new(boot, S::default(), who, known, memory).unwrap();
            role.start();
            *driven.borrow_mut() = Some(role);
            Box::new(Driven(driven.clone(), watch_module.clone()))
        };
        nodes.push(node(
            "security-module".to_owned(),
            recipe.board,
            Vec::new(),
            build,
        ));
        let timing = match recipe.transport {
            Transport::Fd => {
                BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000))
            }
            Transport::Classic => BitTiming::classic(BitRate::constant(500_000)),
        };
        let mut config = Config {
            seed: recipe.seed,
            buses: vec![BusConfig {
                name: "bus".to_owned(),
                timing,
                variant: FdVariant::Iso,
                interferers: Vec::new(),
            }],
            ecus: nodes,
        };
        change(&mut config);
        Fleet {
            recipe: recipe.clone(),
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
            self.clock.set(end - 1);
            self.run_on(end);
            self.collect();
        }
    }

    fn run_on(&mut self, millis: u64) {
        let sent = &mut self.sent;
        let told = std::env::var_os("WAYWARDEN_FRAMES").is_some();
        let mut sink = |at: Time, event: &Traced<'_>| {
            if let Traced::Sent { ecu, frame, .. } = event
                && let Some((header, part)) = Header::of(frame)
            {
                if told {
                    let Header {
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

    /// The key that an ECU has of another's stream.
    pub(crate) fn stream_key(&self, ecu: u8, sender: u8) -> Option<(u32, [u8; 32])> {
        let ecu = self.ecus[usize::from(ecu) - 1].borrow();
        let (generation, key) = ecu.as_ref()?.stream_key(stream_of(sender))?;
        Some((generation, *key.as_bytes()))
    }

    pub(crate) fn is_authenticated(&self, ecu: u8) -> bool {
        let own = self.ecus[usize::from(ecu) - 1].borrow();
        let module = self.module.borrow();
        own.as_ref().is_some_and(Ecu::is_authenticated)
            && module
                .as_ref()
                .is_some_and(|module| module.is_authenticated(Address(ecu)))
    }

    /// Prints what the roles have to say, for the reader of a failed test.
    pub(crate) fn tell(&self) {
        println!("sent: {:?}", self.sent);
        println!("module: {:?}", self.module_events);
        println!("ecus: {:?}", self.ecu_events);
    }

    /// Asserts that everybody is authenticated and every stream's key is with all who may have it.
    #[track_caller]
    pub(crate) fn assert_authorised(&self) {
        self.tell();
        for ecu in 1..=self.recipe.ecus {
            assert!(self.is_authenticated(ecu), "ECU {ecu} is not authenticated");
        }
        for line in &self.recipe.streams {
            let sender = line.sender.0;
            let expected = self.stream_key(sender, sender);
            assert!(expected.is_some(), "ECU {sender} may not send");
            for ecu in 1..=self.recipe.ecus {
                let key = self.stream_key(ecu, sender);
                match line.holders().contains(Address(ecu)) {
                    true => assert_eq!(key, expected, "stream of {sender} at {ecu}"),
                    false => assert_eq!(key, None, "stream of {sender} at {ecu}"),
                }
            }
        }
    }
}
