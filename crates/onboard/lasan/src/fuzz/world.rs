//! A whole network in memory: a security module, three ECUs, and a bus that is a queue.

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Ports, Retained, Slot, Ticket, Token};
use waywarden_work::{Duration, Instant};

use super::super::ecu::{Ecu, EcuStorage};
use super::super::module::{Capacity, ModuleError, ModuleStorage, SecurityModule};
use super::super::profile::Profile;
use super::super::stream::Received;
use super::super::suites::{AnyLasanSuite, LasanSuite};
use super::Seen;
use super::laws::Laws;
use super::network::{ECUS, Known, PORT, ROLES, STREAMS, identity, stream};

/// How many outputs one input may cause.
const OUTPUTS_MAX: usize = 4_096;

/// How many frames a role may have handed over and not seen answered: those of one message, and one
/// of a stream. The longest message is a certificate of ML-DSA in frames of 8 bytes, as published.
const UNDER_WAY_MAX: usize = 512;

/// How many rounds of work one input may cause.
const ROUNDS_MAX: usize = 1_024;

/// The epoch's slot, and one for each ECU.
const SLOTS: usize = 1 + ECUS;

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
    kept: [Option<Retained>; SLOTS],
    retaining: [bool; SLOTS],
    boots: u8,
    under_way: usize,
    /// Work is not answered for the time being.
    pub(super) busy: bool,
    /// The controller takes no frame for the time being.
    pub(super) full: bool,
}

pub(super) type WorldEcu<'a> = Ecu<'static, AnyLasanSuite, &'a Known>;
type WorldModule<'a> = SecurityModule<'static, AnyLasanSuite, &'a Known>;

/// How many streams an ECU has room for.
const HELD: usize = 4;

/// What the security module has room for.
const CAPACITY: Capacity = Capacity {
    ecus: ECUS,
    handshakes: 2,
    permissions: STREAMS,
};

pub(super) struct World<'a> {
    pub(super) suite: AnyLasanSuite,
    pub(super) directory: &'a Known,
    pub(super) ecus: [WorldEcu<'a>; ECUS],
    pub(super) module: WorldModule<'a>,
    pub(super) stations: [Station; ROLES],
    queue: [Option<Waiting>; UNDER_WAY_MAX],
    queued: usize,
    pub(super) now: Instant,
    pub(super) seen: Seen,
    laws: Laws,
}

fn seed(at: usize, boots: u8) -> [u8; 32] {
    let mut seed = [boots; 32];
    seed[0] = at as u8;
    seed
}

fn new_ecu<'a>(
    suite: AnyLasanSuite,
    boot: &Boot<'_>,
    directory: &'a Known,
    at: usize,
) -> WorldEcu<'a> {
    let memory = EcuStorage::boxed(suite.sizes(), HELD);
    let mut ecu = Ecu::new(boot, suite, identity(directory, at), directory, memory);
    let _ = ecu.request(stream(at));
    ecu
}

fn new_module<'a>(
    suite: AnyLasanSuite,
    boot: &Boot<'_>,
    directory: &'a Known,
) -> Result<WorldModule<'a>, ModuleError> {
    let memory = ModuleStorage::boxed(suite.sizes(), CAPACITY);
    let who = identity(directory, ECUS);
    let mut module = SecurityModule::new(boot, suite, who, directory, memory)?;
    module.start();
    Ok(module)
}

impl<'a> World<'a> {
    pub(super) fn new(suite: AnyLasanSuite, directory: &'a Known) -> Result<Self, ModuleError> {
        let boot = |at| Boot {
            now: Instant::ZERO,
            seed: seed(at, 0),
            retained: &[],
        };
        let mut world = World {
            suite,
            directory,
            ecus: core::array::from_fn(|at| new_ecu(suite, &boot(at), directory, at)),
            module: new_module(suite, &boot(ECUS), directory)?,
            stations: [Station::default(); ROLES],
            queue: [None; UNDER_WAY_MAX],
            queued: 0,
            now: Instant::ZERO,
            seen: Seen::default(),
            laws: Laws::new(),
        };
        (0..ROLES).for_each(|at| world.drain(at));
        world.settle();
        Ok(world)
    }

    fn role(&mut self, at: usize) -> &mut dyn Node {
        match self.ecus.get_mut(at) {
            Some(ecu) => ecu,
            None => &mut self.module,
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
        let now = self.now;
        for outputs in 1.. {
            assert!(outputs <= OUTPUTS_MAX, "role {at} does not stop");
            self.seen.outputs_max = self.seen.outputs_max.max(outputs);
            // No station has more room than this: a controller has few places.
            let has_room = !self.stations[at].full && self.queued < UNDER_WAY_MAX;
            let room = if has_room { Ports::ALL } else { Ports::NONE };
            let output = self.role(at).poll(now, room);
            let station = &mut self.stations[at];
            match output {
                Output::Work { ticket, .. } => {
                    assert!(station.ticket.is_none(), "role {at} works on two things");
                    station.ticket = Some(ticket);
                }
                Output::Transmit { port, token, frame } => {
                    assert!(
                        port == PORT && has_room,
                        "role {at} sends where it must not"
                    );
                    self.push(Waiting {
                        from: at,
                        token,
                        frame,
                    });
                }
                Output::Retain { slot, value } => {
                    let place = usize::from(slot.0);
                    station.kept[place] = Some(value);
                    station.retaining[place] = true;
                }
                Output::Idle(due) => {
                    assert_ne!(
                        due,
                        Some(Instant::MAX),
                        "role {at} waits for the end of time"
                    );
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
        let longest = self
            .directory
            .settings
            .lengths(self.suite.sizes())
            .longest();
        let station = &mut self.stations[waiting.from];
        station.under_way += 1;
        // Each message in full frames of 8 bytes at the least, and a few of streams.
        let most = longest.div_ceil(8) + 8;
        assert!(station.under_way <= most, "{} sends too much", waiting.from);
        self.queue[self.queued] = Some(waiting);
        self.queued += 1;
    }

    /// Takes the frame that has waited longest.
    pub(super) fn oldest(&mut self) -> Option<Waiting> {
        let oldest = self.queue[0].take()?;
        self.queue[..self.queued].rotate_left(1);
        self.queued -= 1;
        self.stations[oldest.from].under_way -= 1;
        Some(oldest)
    }

    /// Looks at that frame.
    #[cfg(test)]
    pub(super) fn peek(&self) -> Option<&Waiting> {
        self.queue[0].as_ref()
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
                for slot in 0..SLOTS {
                    if core::mem::take(&mut self.stations[at].retaining[slot]) {
                        rest = false;
                        self.input(at, Input::Retained(Slot(slot as u8)));
                    }
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
        for _ in 0..self.queued {
            if let Some(waiting) = self.oldest()
                && waiting.from != at
            {
                self.push(waiting);
            }
        }
        self.stations[at] = Station {
            boots,
            kept,
            ..Station::default()
        };
        let (mut retained, mut count) = ([(Slot(0), Retained::default()); SLOTS], 0);
        for (slot, value) in kept.iter().enumerate() {
            if let Some(value) = value {
                retained[count] = (Slot(slot as u8), *value);
                count += 1;
            }
        }
        let boot = Boot {
            now: self.now,
            seed: seed(at, boots),
            retained: &retained[..count],
        };
        if let Some(ecu) = self.ecus.get_mut(at) {
            *ecu = new_ecu(self.suite, &boot, self.directory, at);
        } else if let Ok(module) = new_module(self.suite, &boot, self.directory) {
            self.module = module;
        }
        self.drain(at);
    }

    /// Takes a role's events, and holds the laws against what it has.
    fn look(&mut self, at: usize) {
        let published = self.directory.settings.profile == Profile::AsPublished;
        let Some(ecu) = self.ecus.get_mut(at) else {
            while let Some(event) = self.module.event() {
                self.seen.note_module(&event);
            }
            for party in &self.directory.parties {
                if let Some(exporter) = self.module.exporter(party.address) {
                    let exporter = exporter.as_bytes();
                    self.laws.check_session(party.address, exporter);
                }
            }
            return;
        };
        while let Some(event) = ecu.event() {
            self.seen.note_ecu(&event);
        }
        let authentic = matches!(ecu.received(), Some(Received::Authentic { .. }));
        self.seen.received += usize::from(authentic);
        if published {
            return;
        }
        let address = self.directory.parties[at].address;
        if let Some(exporter) = ecu.exporter() {
            self.laws.note_exporter(address, exporter.as_bytes());
        }
        for line in &self.directory.permissions {
            if let Some((generation, key)) = ecu.stream_key(line.stream) {
                let key = (generation, key.as_bytes());
                self.laws.hold(address, line, key);
            }
        }
    }
}
