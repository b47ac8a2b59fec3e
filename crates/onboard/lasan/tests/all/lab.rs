//! A network in the test's hand: roles without bus and processor, so that every frame passes
//! through whatever the test puts between them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Retained, Slot, Ticket};
use waywarden_lasan::{Address, Transport};
use waywarden_lasan::{
    AuthenticationSuite, EcuEvent, LasanEcu, LasanHeader, LasanKind, ModuleEvent, PartyIdentity,
    SecurityModule,
};
use waywarden_work::{Duration, Instant, Operation};

use crate::network::{
    Known, NetworkConfig, TestEcu, TestModule, directory, ecu_memory, identity, module_memory,
    stream_of,
};

/// The places where a frame of a place arrives, and its form there.
pub(crate) type Route = Box<dyn FnMut(usize, &Frame) -> Vec<(usize, Frame)>>;

/// The values that a node keeps over a reset, and the number of its starts.
#[derive(Default)]
struct Kept {
    slots: BTreeMap<Slot, Retained>,
    starts: u8,
}

/// A security module in place 0, ECUs in the places of their addresses, attackers after them.
pub(crate) struct Lab<S: AuthenticationSuite> {
    pub(crate) network_config: NetworkConfig,
    pub(crate) known: Known,
    pub(crate) module: Rc<RefCell<TestModule<S>>>,
    pub(crate) ecus: Vec<Rc<RefCell<TestEcu<S>>>>,
    /// Everything that was sent, and from where.
    pub(crate) heard: Vec<(usize, Frame)>,
    /// Places that neither send nor receive.
    pub(crate) unplugged: BTreeSet<usize>,
    /// The routing of frames; without it every place receives all frames.
    pub(crate) route: Option<Route>,
    pub(crate) now: Instant,
    /// Places whose clocks stand still, and the time that they show.
    pub(crate) stopped: BTreeMap<usize, Instant>,
    /// The security module's work takes until it is released.
    pub(crate) hold_work: bool,
    /// Operations that the security module has computed.
    pub(crate) worked: Vec<Operation>,
    held: Option<Ticket>,
    nodes: Vec<Rc<RefCell<dyn Node>>>,
    kept: Vec<Kept>,
    queue: VecDeque<(usize, Frame)>,
}

/// The most frames in a millisecond, so that roles that never come to rest are noticed.
const FRAMES_MAX: usize = 20_000;

impl<S: AuthenticationSuite> Lab<S> {
    pub(crate) fn new(network_config: &NetworkConfig) -> Self {
        Self::with(network_config, &directory::<S>(network_config))
    }

    /// A network of which all know the same.
    pub(crate) fn with(network_config: &NetworkConfig, known: &Known) -> Self {
        let mut kept = vec![Kept::default()];
        let module = start_module(&mut kept[0], 0, identity(network_config.module().0), known);
        let module = Rc::new(RefCell::new(module));
        let mut lab = Lab {
            network_config: network_config.clone(),
            known: known.clone(),
            nodes: vec![module.clone()],
            module,
            ecus: Vec::new(),
            heard: Vec::new(),
            unplugged: BTreeSet::new(),
            route: None,
            now: Instant::ZERO,
            stopped: BTreeMap::new(),
            hold_work: false,
            worked: Vec::new(),
            held: None,
            kept,
            queue: VecDeque::new(),
        };
        for address in 1..=network_config.ecus {
            let (_, ecu) = lab.add_ecu(identity(address), known);
            lab.ecus.push(ecu);
        }
        lab
    }

    /// Adds an ECU, or who pretends to be one; it asks for what its address sends.
    pub(crate) fn add_ecu(
        &mut self,
        identity: PartyIdentity,
        known: &Known,
    ) -> (usize, Rc<RefCell<TestEcu<S>>>) {
        let place = self.nodes.len();
        self.kept.push(Kept::default());
        let ecu = self.start_ecu(place, identity, known);
        let ecu = Rc::new(RefCell::new(ecu));
        self.nodes.push(ecu.clone());
        (place, ecu)
    }

    /// Adds one who plays the security module.
    pub(crate) fn add_module(
        &mut self,
        identity: PartyIdentity,
        known: &Known,
    ) -> (usize, Rc<RefCell<TestModule<S>>>) {
        let place = self.nodes.len();
        let mut kept = Kept::default();
        let module = start_module(&mut kept, place, identity, known);
        self.kept.push(kept);
        let module = Rc::new(RefCell::new(module));
        self.nodes.push(module.clone());
        (place, module)
    }

    fn start_ecu(&mut self, place: usize, identity: PartyIdentity, known: &Known) -> TestEcu<S> {
        let address = identity.address;
        let mut ecu = self.kept[place].boot(place, self.now, |boot| {
            let (suite, memory) = (S::default(), ecu_memory::<S>());
            LasanEcu::new(boot, suite, identity, known.clone(), memory)
        });
        for line in &known.permissions {
            if line.sender == address {
                assert!(ecu.request(line.stream), "no room");
            }
        }
        ecu
    }

    /// Resets an ECU: nothing but its slots is left. `identity` is what it is then.
    pub(crate) fn reset_ecu(&mut self, address: u8, identity: PartyIdentity, known: &Known) {
        let ecu = self.start_ecu(usize::from(address), identity, known);
        *self.ecus[usize::from(address) - 1].borrow_mut() = ecu;
    }

    /// Resets the security module; it knows `known` then.
    pub(crate) fn reset_module(&mut self, known: &Known) {
        let now = self.now;
        let who = identity(self.network_config.module().0);
        let module = self.kept[0].boot(0, now, |boot| {
            let (suite, memory) = (S::default(), module_memory(4));
            SecurityModule::new(boot, suite, who, known.clone(), memory).unwrap()
        });
        *self.module.borrow_mut() = module;
        self.module.borrow_mut().start();
    }

    /// Lets so many milliseconds pass.
    pub(crate) fn run(&mut self, millis: u64) {
        for _ in 0..millis {
            self.now += Duration::from_millis(1);
            for place in 0..self.nodes.len() {
                self.handle(place, Input::Timeout);
            }
            self.settle();
        }
    }

    /// Ends the work that is held, and the next may begin.
    pub(crate) fn release(&mut self) {
        if let Some(ticket) = self.held.take() {
            self.handle(0, Input::Done(ticket));
            self.settle();
        }
    }

    /// Passes on what was sent, and what comes of that.
    pub(crate) fn settle(&mut self) {
        for _ in 0..FRAMES_MAX {
            let Some((from, frame)) = self.queue.pop_front() else {
                return;
            };
            self.heard.push((from, frame));
            let targets = match &mut self.route {
                Some(route) => route(from, &frame),
                None => {
                    let others = (0..self.nodes.len()).filter(|&to| to != from);
                    others.map(|to| (to, frame)).collect()
                }
            };
            for (to, frame) in targets {
                self.deliver(to, &frame);
            }
        }
        panic!("there is no end to the frames");
    }

    /// Hands a frame to one node.
    pub(crate) fn deliver(&mut self, to: usize, frame: &Frame) {
        let port = Port(0);
        self.handle(to, Input::Frame { port, frame });
    }

    fn handle(&mut self, place: usize, input: Input<'_>) {
        if self.unplugged.contains(&place) {
            return;
        }
        let now = self.stopped.get(&place).copied().unwrap_or(self.now);
        let mut node = self.nodes[place].borrow_mut();
        node.handle(now, input);
        loop {
            let output = node.poll(now, Ports::ALL);
            if let (0, Output::Work { operation, .. }) = (place, &output) {
                self.worked.push(*operation);
            }
            match output {
                Output::Transmit { port, token, frame } => {
                    self.queue.push_back((place, frame));
                    node.handle(now, Input::Sent { port, token });
                }
                Output::Work { ticket, .. } if place == 0 && self.hold_work => {
                    self.held = Some(ticket);
                }
                Output::Work { ticket, .. } => node.handle(now, Input::Done(ticket)),
                Output::Retain { slot, value } => {
                    self.kept[place].slots.insert(slot, value);
                    node.handle(now, Input::Retained(slot));
                }
                _ => return,
            }
        }
    }

    pub(crate) fn ecu_events(&self, address: u8) -> Vec<EcuEvent> {
        let mut ecu = self.ecus[usize::from(address) - 1].borrow_mut();
        std::iter::from_fn(|| ecu.event()).collect()
    }

    pub(crate) fn module_events(&self) -> Vec<ModuleEvent> {
        let mut module = self.module.borrow_mut();
        std::iter::from_fn(|| module.event()).collect()
    }

    /// The key that an ECU has of another's stream.
    pub(crate) fn stream_key(&self, ecu: u8, sender: u8) -> Option<(u32, [u8; 32])> {
        key_of(&self.ecus[usize::from(ecu) - 1].borrow(), sender)
    }

    pub(crate) fn is_authenticated(&self, ecu: u8) -> bool {
        let own = self.ecus[usize::from(ecu) - 1].borrow();
        let module = self.module.borrow();
        let exporters = (own.exporter(), module.exporter(Address(ecu)));
        let agreed = match exporters {
            (Some(one), Some(other)) => one.as_bytes() == other.as_bytes(),
            (None, None) => true,
            _ => false,
        };
        own.is_authenticated() && module.is_authenticated(Address(ecu)) && agreed
    }

    /// Asserts that these ECUs are authenticated and have exactly the keys they may have.
    #[track_caller]
    pub(crate) fn assert_authorized(&self, ecus: &[u8]) {
        for &ecu in ecus {
            assert!(self.is_authenticated(ecu), "ECU {ecu} is not authenticated");
        }
        for line in &self.known.permissions {
            let sender = line.sender.0;
            if !ecus.contains(&sender) {
                continue;
            }
            let expected = self.stream_key(sender, sender);
            assert!(expected.is_some(), "ECU {sender} may not send");
            for &ecu in ecus {
                let key = self.stream_key(ecu, sender);
                let may = line.holders().contains(Address(ecu));
                assert_eq!(key, expected.filter(|_| may), "stream of {sender} at {ecu}");
            }
        }
    }

    /// The frames of a kind that were sent since a mark, with where they came from.
    pub(crate) fn heard_of(&self, kind: LasanKind, since: usize) -> Vec<(usize, Frame)> {
        let of_kind = |frame: &Frame| LasanHeader::of(frame).is_some_and(|(at, _)| at.kind == kind);
        let heard = self.heard[since..].iter().copied();
        heard.filter(|(_, frame)| of_kind(frame)).collect()
    }
}

impl Kept {
    fn boot<R>(&mut self, place: usize, now: Instant, start: impl FnOnce(&Boot<'_>) -> R) -> R {
        let mut seed = [0x33; 32];
        (seed[0], seed[1]) = (place as u8, self.starts);
        self.starts += 1;
        let retained: Vec<_> = self.slots.iter().map(|(at, value)| (*at, *value)).collect();
        start(&Boot {
            now,
            seed,
            retained: &retained,
        })
    }
}

fn start_module<S: AuthenticationSuite>(
    kept: &mut Kept,
    place: usize,
    identity: PartyIdentity,
    known: &Known,
) -> TestModule<S> {
    let mut module = kept.boot(place, Instant::ZERO, |boot| {
        let (suite, memory) = (S::default(), module_memory(4));
        SecurityModule::new(boot, suite, identity, known.clone(), memory).unwrap()
    });
    module.start();
    module
}

/// The key that a role has of an ECU's stream.
pub(crate) fn key_of<S: AuthenticationSuite>(
    ecu: &TestEcu<S>,
    sender: u8,
) -> Option<(u32, [u8; 32])> {
    let (generation, key) = ecu.stream_key(stream_of(sender))?;
    Some((generation, *key.as_bytes()))
}

/// Returns the common network description with a change.
pub(crate) fn changed(
    known: &Known,
    change: impl FnOnce(
        &mut waywarden_lasan::LasanConfiguration<
            Vec<u8>,
            Vec<waywarden_lasan::Party<Vec<u8>>>,
            Vec<waywarden_lasan::Permission>,
        >,
    ),
) -> Known {
    let mut network = (**known).clone();
    change(&mut network);
    Arc::new(network)
}

/// A frame of the protocol.
pub(crate) fn frame_of(header: LasanHeader, part: u8, data: &[u8], transport: Transport) -> Frame {
    let id = header.identifier(part);
    let frame = match transport {
        Transport::Fd => Frame::fd(id, data),
        Transport::Classic => Frame::classic(id, data),
    };
    frame.unwrap()
}

/// The same frame under another header.
pub(crate) fn readdressed(frame: &Frame, change: impl FnOnce(&mut LasanHeader)) -> Frame {
    let (mut header, part) = LasanHeader::of(frame).expect("a frame of the protocol");
    change(&mut header);
    let transport = match frame.is_fd() {
        true => Transport::Fd,
        false => Transport::Classic,
    };
    frame_of(header, part, frame.data(), transport)
}
