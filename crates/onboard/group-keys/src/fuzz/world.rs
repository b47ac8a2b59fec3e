//! A whole network in a few kilobytes: an orchestrator, three members, and a bus that is a queue.

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Retained, Slot, Ticket, Token};
use waywarden_work::{Duration, Instant};

use super::Seen;
use crate::event::Event;
use crate::member::Member;
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::party::Identity;
use crate::plan::Place;
use crate::settings::{Directory, Network, Profile, Settings};
use crate::storage::{MemberStorage, OrchestratorStorage};
use crate::suite::{AnyGroupSuite, GroupSuite};
use waywarden_key_roles::Address;
use waywarden_key_suites::{PublicKey, Secret};

/// How many members there are; the orchestrator comes after them.
pub(super) const ECUS: usize = 3;
pub(super) const ROLES: usize = ECUS + 1;

/// How many outputs one input may cause.
const OUTPUTS_MAX: usize = 4_096;

/// How many frames a role may have handed over and not seen answered: those of one payload.
const UNDER_WAY_MAX: usize = 8;

/// How many rounds of work one input may cause.
const ROUNDS_MAX: usize = 1_024;

const PORT: Port = Port(0);

pub(super) type Known = Network<[(Address, PublicKey); ROLES]>;

/// A frame that a role has handed over.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub(super) from: usize,
    pub(super) token: Token,
    pub(super) frame: Frame,
}

/// What a driver knows of its role.
#[derive(Clone, Copy, Default)]
pub(super) struct Station {
    ticket: Option<Ticket>,
    due: Option<Instant>,
    kept: Option<(Slot, Retained)>,
    retaining: Option<Slot>,
    boots: u8,
    /// Work is not answered for the time being.
    pub(super) busy: bool,
    /// The controller takes no frame for the time being.
    pub(super) full: bool,
}

/// The keys that the orchestrator has proven, by epoch.
struct Proven {
    keys: [Option<(u64, [u8; 32])>; 64],
    count: usize,
}

pub(super) struct World<'a> {
    suite: AnyGroupSuite,
    pub(super) directory: &'a Known,
    pub(super) members: [Member<'static, AnyGroupSuite, &'a Known>; ECUS],
    pub(super) orchestrator: Orchestrator<'static, AnyGroupSuite, &'a Known>,
    pub(super) stations: [Station; ROLES],
    /// At most what all roles may have under way.
    queue: [Option<Waiting>; ROLES * UNDER_WAY_MAX],
    pub(super) now: Instant,
    pub(super) seen: Seen,
    proven: Proven,
}

/// The secret behind a role's signing key.
fn signing_key(suite: AnyGroupSuite, at: usize) -> <AnyGroupSuite as GroupSuite>::SigningKey {
    suite.signing_key(&Secret::from_bytes([at as u8 + 1; 32]))
}

/// The ECUs of the network and the orchestrator's address, from this address on.
pub(super) fn places(from: u8) -> ([Place; ECUS], Address) {
    let place = |at: usize| Place {
        address: Address(from + at as u8),
        // The one in the middle is the fastest.
        rank: u8::from(at != 1),
    };
    (core::array::from_fn(place), Address(from + ECUS as u8))
}

pub(super) fn network(suite: AnyGroupSuite, from: u8, settings: Settings) -> Known {
    let key = |at: usize| {
        let key = suite.public_key(&signing_key(suite, at));
        (Address(from + at as u8), key)
    };
    Network {
        settings,
        keys: core::array::from_fn(key),
    }
}

fn identity(suite: AnyGroupSuite, directory: &Known, at: usize) -> Identity<AnyGroupSuite> {
    Identity {
        address: directory.keys[at].0,
        ports: Ports::NONE.with(PORT),
        suite,
        signing_key: signing_key(suite, at),
        slot: Slot(0),
    }
}

fn seed(at: usize, boots: u8) -> [u8; 32] {
    let mut seed = [boots; 32];
    seed[0] = at as u8;
    seed
}

impl<'a> World<'a> {
    pub(super) fn new(
        suite: AnyGroupSuite,
        directory: &'a Known,
    ) -> Result<Self, OrchestratorError> {
        let boot = |at| Boot {
            now: Instant::from_nanos(0),
            seed: seed(at, 0),
            retained: &[],
        };
        let plan = &directory.settings.plan;
        let identity = |at| identity(suite, directory, at);
        let member = |at| {
            Member::new(
                &boot(at),
                identity(at),
                directory,
                MemberStorage::boxed(plan),
            )
        };
        let storage = OrchestratorStorage::boxed(plan);
        let mut orchestrator = Orchestrator::new(&boot(ECUS), identity(ECUS), directory, storage)?;
        orchestrator.renew(false);
        let mut world = World {
            suite,
            directory,
            members: core::array::from_fn(member),
            orchestrator,
            stations: [Station::default(); ROLES],
            queue: [None; ROLES * UNDER_WAY_MAX],
            now: Instant::from_nanos(0),
            seen: Seen::default(),
            proven: Proven {
                keys: [None; 64],
                count: 0,
            },
        };
        (0..ROLES).for_each(|at| world.drain(at));
        world.settle();
        Ok(world)
    }

    fn role(&mut self, at: usize) -> &mut dyn Node {
        match self.members.get_mut(at) {
            Some(member) => member,
            None => &mut self.orchestrator,
        }
    }

    /// Hands a role one input and takes everything that it wants.
    pub(super) fn input(&mut self, at: usize, input: Input<'_>) {
        let now = self.now;
        self.role(at).handle(now, input);
        self.seen.inputs += 1;
        self.drain(at);
    }

    pub(super) fn frame(&mut self, at: usize, frame: &Frame) {
        let port = PORT;
        self.input(at, Input::Frame { port, frame });
    }

    /// Polls until there is nothing more.
    pub(super) fn drain(&mut self, at: usize) {
        let (now, full) = (self.now, self.stations[at].full);
        let room = if full { Ports::NONE } else { Ports::ALL };
        for outputs in 1.. {
            assert!(outputs <= OUTPUTS_MAX, "role {at} does not stop");
            self.seen.outputs_max = self.seen.outputs_max.max(outputs);
            let output = self.role(at).poll(now, room);
            let station = &mut self.stations[at];
            match output {
                Output::Work { ticket, .. } => {
                    assert!(station.ticket.is_none(), "role {at} works on two things");
                    station.ticket = Some(ticket);
                }
                Output::Transmit { port, token, frame } => {
                    assert!(port == PORT && !full, "role {at} sends where it must not");
                    self.push(Waiting {
                        from: at,
                        token,
                        frame,
                    });
                }
                Output::Retain { slot, value } => {
                    station.kept = Some((slot, value));
                    station.retaining = Some(slot);
                }
                Output::Idle(due) => {
                    station.due = due;
                    break;
                }
                // What was handed over stays so: a frame may be on the wire already.
                _ => {}
            }
        }
        self.look(at);
    }

    fn push(&mut self, waiting: Waiting) {
        let mine = self.queue.iter().flatten();
        let under_way = mine.filter(|other| other.from == waiting.from).count();
        assert!(
            under_way < UNDER_WAY_MAX,
            "role {} sends too much",
            waiting.from
        );
        if let Some(place) = self.queue.iter_mut().find(|place| place.is_none()) {
            *place = Some(waiting);
        }
    }

    /// Takes the frame that has waited longest.
    pub(super) fn oldest(&mut self) -> Option<Waiting> {
        let oldest = self.queue[0].take();
        self.queue.rotate_left(1);
        oldest
    }

    /// Answers a frame to its sender.
    pub(super) fn answer(&mut self, waiting: &Waiting, sent: bool) {
        let (port, token) = (PORT, waiting.token);
        let answer = match sent {
            true => Input::Sent { port, token },
            false => Input::Withdrawn { port, token },
        };
        self.input(waiting.from, answer);
    }

    /// Everybody's work gets done, and what is to be kept is written.
    pub(super) fn settle(&mut self) {
        for round in 0.. {
            assert!(round < ROUNDS_MAX, "work without end");
            let mut rest = true;
            for at in 0..ROLES {
                if self.stations[at].busy {
                    continue;
                }
                if let Some(ticket) = self.stations[at].ticket.take() {
                    rest = false;
                    self.input(at, Input::Done(ticket));
                }
                if let Some(slot) = self.stations[at].retaining.take() {
                    rest = false;
                    self.input(at, Input::Retained(slot));
                }
            }
            if rest {
                return;
            }
        }
    }

    /// Lets time go on to the next instant that a role waits for.
    pub(super) fn wait(&mut self) {
        let due = self.stations.iter().filter_map(|station| station.due);
        if let Some(next) = due.min() {
            self.pass(next.since(self.now));
        }
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Duration) {
        self.now += time;
        for at in 0..ROLES {
            if self.stations[at].due.is_some_and(|due| due <= self.now) {
                self.input(at, Input::Timeout);
            }
        }
    }

    /// An ECU resets: its role starts again, and what it had handed over is gone.
    pub(super) fn reset(&mut self, at: usize) {
        let boots = self.stations[at].boots.wrapping_add(1);
        let kept = self.stations[at].kept;
        self.stations[at] = Station {
            boots,
            kept,
            ..Station::default()
        };
        for _ in 0..self.queue.len() {
            if let Some(waiting) = self.oldest()
                && waiting.from != at
            {
                self.push(waiting);
            }
        }
        let retained = kept.as_slice();
        let boot = Boot {
            now: self.now,
            seed: seed(at, boots),
            retained,
        };
        let identity = identity(self.suite, self.directory, at);
        let (known, plan) = (self.directory, &self.directory.settings.plan);
        if let Some(member) = self.members.get_mut(at) {
            *member = Member::new(&boot, identity, known, MemberStorage::boxed(plan));
        } else {
            let storage = OrchestratorStorage::boxed(plan);
            if let Ok(orchestrator) = Orchestrator::new(&boot, identity, known, storage) {
                self.orchestrator = orchestrator;
                self.orchestrator.renew(false);
            }
        }
        self.drain(at);
    }

    /// Takes a role's events, and holds its key against what the orchestrator has proven.
    fn look(&mut self, at: usize) {
        let Some(member) = self.members.get_mut(at) else {
            while let Some(event) = self.orchestrator.event() {
                self.seen.note(&event);
            }
            if let Some((epoch, key)) = self.orchestrator.group_key() {
                self.proven.note(epoch, key.as_bytes());
            }
            return;
        };
        while let Some(event) = member.event() {
            self.seen.note(&event);
            if matches!(event, Event::Confirmed { .. })
                && self.directory.settings().profile == Profile::Hardened
            {
                let (epoch, key) = member.group_key().expect("a confirmed key is there");
                self.proven.check(epoch, key.as_bytes());
            }
        }
    }
}

impl Proven {
    fn note(&mut self, epoch: u64, key: &[u8; 32]) {
        let all = self.keys.len();
        if self.keys[self.count.wrapping_sub(1) % all] != Some((epoch, *key)) {
            self.keys[self.count % all] = Some((epoch, *key));
            self.count += 1;
        }
    }

    /// Only the orchestrator holds a key here, so no other role can have proven one.
    fn check(&self, epoch: u64, key: &[u8; 32]) {
        let found = self.keys.iter().flatten().find(|(at, _)| *at == epoch);
        match found {
            Some((_, proven)) => assert!(proven == key, "two keys for epoch {epoch}"),
            None => assert!(
                self.count > self.keys.len(),
                "epoch {epoch} was never proven"
            ),
        }
    }
}
