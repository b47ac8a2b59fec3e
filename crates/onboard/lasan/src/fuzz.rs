//! Entry points for fuzzers: any bytes, no panic, bounded work, and the laws that must hold.
//!
//! A security module and three ECUs live with genuine cryptography, frame by frame, so that every
//! state is reached. The bytes say what goes wrong at the one under test: frames lost, received
//! twice, changed, replayed or made up; frames taken back; late work, a full controller, time that
//! jumps, resets, new starts, ECUs retired and enrolled again. Held after every input: the role
//! stops within 4096 outputs and has the frames of one message under way at most; and, but for
//! `as-published`, no ECU has the key of a stream that the list does not give it, no key is two
//! streams' or two generations', and the security module has no session but one that the ECU of
//! that address has had, too.

mod forged;
mod laws;
mod network;
#[cfg(test)]
mod tests;
mod world;

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::node::{BusState, Input, Port, Slot, Ticket, Token};
use waywarden_can::{Frame, Id};
use waywarden_work::Duration;

use super::credential::enrolled_digest;
use super::event::{EcuEvent, ModuleEvent};
use super::identifier::IDENTIFIERS;
use super::name::Time;
use super::profile::{Credentials, Profile};
use super::settings::{Directory, Settings, Timing};
use super::suites::{AnyLasanSuite, EcdheEcdsa, FourQSchnorrQ, MlKem768MlDsa44};
use waywarden_key_roles::hostile::{Source, changed, frame_of};
use waywarden_key_roles::{Address, Transport};

use network::{ECUS, ROLES, STREAMS, directory, stream};
use world::World;

/// How many frames are remembered for a replay.
const RECORDED: usize = 128;

/// What a run came to: a fuzzer can leave it, a test sees from it that something happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Inputs handed to all roles.
    pub inputs: usize,
    /// The most outputs that one input caused.
    pub outputs_max: usize,
    /// How often the security module authenticated an ECU.
    pub authenticated: usize,
    /// Authentications that failed, at either side.
    pub failed: usize,
    /// How often an ECU took the key of a stream into use.
    pub granted: usize,
    /// Requests refused, and streams taken away.
    pub denied: usize,
    /// Sessions that ECUs gave up or had replaced.
    pub lost: usize,
    /// Protected frames that were found authentic.
    pub received: usize,
}

impl Seen {
    fn note_ecu(&mut self, event: &EcuEvent) {
        match event {
            EcuEvent::Failed(_) => self.failed += 1,
            EcuEvent::Granted { .. } => self.granted += 1,
            EcuEvent::Denied { .. } => self.denied += 1,
            EcuEvent::SessionLost => self.lost += 1,
            _ => {}
        }
    }

    fn note_module(&mut self, event: &ModuleEvent) {
        match event {
            ModuleEvent::Authenticated(_) => self.authenticated += 1,
            ModuleEvent::Failed { .. } => self.failed += 1,
            _ => {}
        }
    }
}

/// Lets a network live through the bytes, which strike an ECU.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub fn ecu(bytes: &[u8]) -> Seen {
    let target = usize::from(bytes.first().copied().unwrap_or(0)) % ECUS;
    run(bytes, target)
}

/// Lets a network live through the bytes, which strike the security module.
///
/// # Panics
/// As [`ecu`].
pub fn security_module(bytes: &[u8]) -> Seen {
    run(bytes, ECUS)
}

fn run(bytes: &[u8], target: usize) -> Seen {
    let mut source = Source(bytes);
    let suite = match source.byte() {
        // These are slow, and the roles hardly know the difference.
        0..=7 => AnyLasanSuite::of::<MlKem768MlDsa44>(),
        8..=23 => AnyLasanSuite::of::<EcdheEcdsa>(),
        _ => AnyLasanSuite::of::<FourQSchnorrQ>(),
    };
    live(suite, source, target)
}

fn live(suite: AnyLasanSuite, mut source: Source<'_>, target: usize) -> Seen {
    let from = source.choose(&[1, 8, 124]);
    let settings = settings(&mut source, from);
    let directory = directory(suite, from, settings);
    let Ok(world) = World::new(suite, &directory) else {
        return Seen::default();
    };
    let mut trouble = Trouble {
        world,
        target,
        recorded: [None; RECORDED],
        count: 0,
    };
    // Each turn takes a byte.
    while !source.0.is_empty() {
        trouble.turn(&mut source);
        trouble.world.settle();
    }
    trouble.world.seen
}

fn settings(source: &mut Source<'_>, from: u8) -> Settings {
    Settings {
        identifiers: IDENTIFIERS,
        profile: source.choose(&[
            Profile::Hardened,
            Profile::Compact,
            Profile::Hardened,
            Profile::Compact,
            Profile::AsPublished,
        ]),
        credentials: source.choose(&[
            Credentials::Certificates,
            Credentials::Digests,
            Credentials::Keys,
        ]),
        transport: source.choose(&[Transport::Fd, Transport::Fd, Transport::Classic]),
        pacing: source.choose(&[None, None, None, Some(Duration::from_micros(500))]),
        gives_way: source.byte().is_multiple_of(2),
        security_module: Address(from + ECUS as u8),
        time_at_zero: Time(1_000),
        timing: Timing {
            authentication: Duration::from_millis(100),
            answer: Duration::from_millis(20),
            patience: Duration::from_millis(100),
            stream_key: Duration::from_millis(2_000),
        },
    }
}

struct Trouble<'a> {
    world: World<'a>,
    /// The role at which things go wrong.
    target: usize,
    /// The last frames on the bus.
    recorded: [Option<Frame>; RECORDED],
    count: usize,
}

/// What becomes of a frame at the role under test.
#[derive(Clone, Copy)]
enum Passage {
    Whole,
    Lost,
    Twice,
    Changed,
}

impl Trouble<'_> {
    fn turn(&mut self, source: &mut Source<'_>) {
        match source.byte() {
            // Most of the time all goes well, or nothing would get far.
            0..=183 => self.deliver_all(source),
            184..=189 => self.deliver(Passage::Lost, source),
            190..=195 => self.deliver(Passage::Twice, source),
            196..=203 => self.deliver(Passage::Changed, source),
            204..=207 => self.inject_noise(source),
            208..=217 => self.inject_message(source),
            218..=225 => self.inject_recorded(source),
            226..=231 => {
                let time = Duration::from_micros(1 << (source.byte() % 24));
                self.world.pass(time);
            }
            232..=235 => self.hinder(source),
            236..=239 => self.answer_wrongly(source),
            240..=242 => self.world.reset(self.target),
            243..=247 => self.command(source),
            _ => self.send(source),
        }
    }

    /// Messages have many frames: some of them are delivered at once.
    fn deliver_all(&mut self, source: &mut Source<'_>) {
        for _ in 0..1 + source.byte() % 16 {
            self.deliver(Passage::Whole, source);
            self.world.settle();
        }
    }

    /// The oldest frame reaches everybody; if there is none, time goes on.
    fn deliver(&mut self, passage: Passage, source: &mut Source<'_>) {
        let Some(waiting) = self.world.oldest() else {
            self.world.stations[self.target].busy = false;
            self.world.stations[self.target].full = false;
            self.world.drain(self.target);
            self.world.wait();
            return;
        };
        let own = waiting.from == self.target;
        let lost = matches!(passage, Passage::Lost);
        self.world.answer(&waiting, !(own && lost));
        if own && lost {
            return;
        }
        self.recorded[self.count % RECORDED] = Some(waiting.frame);
        self.count += 1;
        for at in (0..ROLES).filter(|&at| at != waiting.from) {
            let frame = &waiting.frame;
            match passage {
                _ if at != self.target => self.world.frame(at, frame),
                Passage::Whole => self.world.frame(at, frame),
                Passage::Lost => {}
                Passage::Twice => {
                    self.world.frame(at, frame);
                    self.world.frame(at, frame);
                }
                Passage::Changed => self.world.frame(at, &changed(frame, source)),
            }
        }
    }

    fn inject(&mut self, frame: &Frame, source: &mut Source<'_>) {
        let everywhere = source.byte().is_multiple_of(4);
        for at in (0..ROLES).filter(|&at| everywhere || at == self.target) {
            self.world.frame(at, frame);
        }
    }

    fn inject_noise(&mut self, source: &mut Source<'_>) {
        let (mut raw, mut data) = ([0_u8; 4], [0; DATA_MAX]);
        source.fill(&mut raw);
        let length = usize::from(source.choose(&FD_LENGTHS));
        source.fill(&mut data[..length]);
        let fd = source.byte().is_multiple_of(2);
        let id = Id::extended(u32::from_be_bytes(raw) >> 3);
        if let Some(Ok(frame)) = id.ok().map(|id| frame_of(id, &data[..length], fd)) {
            self.inject(&frame, source);
        }
    }

    /// A whole message of the protocol, with a payload of anybody's.
    fn inject_message(&mut self, source: &mut Source<'_>) {
        let last = self.recorded[self.count.wrapping_sub(1) % RECORDED];
        let settings = *self.world.directory.settings();
        let forged = forged::message(self.world.suite, &settings, last.as_ref(), source);
        for frame in forged.frames(&settings) {
            self.inject(&frame, source);
            self.world.settle();
        }
    }

    /// Frames of earlier on, in order, some of them changed or as another sender's.
    fn inject_recorded(&mut self, source: &mut Source<'_>) {
        let from = usize::from(source.byte());
        let settings = *self.world.directory.settings();
        let posing = forged::addresses(&settings, source);
        let poses = source.byte().is_multiple_of(4);
        for at in 0..usize::from(source.byte() % 24) {
            let Some(frame) = self.recorded[(from + at) % RECORDED] else {
                continue;
            };
            let frame = match source.byte() % 16 {
                0 => changed(&frame, source),
                _ if poses => forged::posed(&frame, posing),
                _ => frame,
            };
            self.inject(&frame, source);
            self.world.settle();
        }
    }

    /// Work takes long, or the controller has no room.
    fn hinder(&mut self, source: &mut Source<'_>) {
        let station = &mut self.world.stations[self.target];
        match source.byte() % 3 {
            0 => station.busy = true,
            1 => station.full = true,
            _ => (station.busy, station.full) = (false, false),
        }
        self.world.drain(self.target);
    }

    /// Answers to what was never asked. What was asked is answered once: that is the contract.
    fn answer_wrongly(&mut self, source: &mut Source<'_>) {
        let (port, number) = (Port(source.byte() % 2), u32::from(source.byte()));
        let (token, ticket) = (Token(!number), Ticket(!number));
        let input = match source.byte() % 5 {
            0 => Input::Sent { port, token },
            1 => Input::Withdrawn { port, token },
            2 => Input::Done(ticket),
            3 => Input::Retained(Slot(9)),
            _ => Input::Bus {
                port,
                state: BusState::Off,
            },
        };
        self.world.input(self.target, input);
    }

    /// The security module is told to do something.
    fn command(&mut self, source: &mut Source<'_>) {
        let ecu = self.world.directory.parties[usize::from(source.byte()) % ROLES].address;
        let module = &mut self.world.module;
        let known = self.world.directory.find(ecu);
        match (source.byte() % 4, known) {
            (0, _) => module.start(),
            (1, _) if source.byte().is_multiple_of(4) => module.retire(ecu),
            (2, Some(party)) => {
                let pinned = source.byte().is_multiple_of(2);
                let key = match self.world.directory.settings.credentials {
                    Credentials::Digests => party.key.try_into().ok(),
                    Credentials::Keys => Some(enrolled_digest(party.key)),
                    Credentials::Certificates => None,
                };
                module.enrol(ecu, party.name, key.as_ref().filter(|_| pinned));
            }
            _ => return self.request(source),
        }
        self.world.drain(ECUS);
    }

    /// An ECU asks for a stream, its own or another's.
    fn request(&mut self, source: &mut Source<'_>) {
        let at = usize::from(source.byte()) % ECUS;
        let wanted = stream(usize::from(source.byte()) % (STREAMS + 1));
        let _ = self.world.ecus[at].request(wanted);
        self.world.drain(at);
    }

    /// An ECU sends a frame of a stream, if it may.
    fn send(&mut self, source: &mut Source<'_>) {
        let (mut data, at) = ([0; 48], usize::from(source.byte()) % ECUS);
        source.fill(&mut data[..4]);
        let of = stream(usize::from(source.byte()) % STREAMS);
        let id = Id::standard(of.0 as u16);
        let length = usize::from(source.choose(&FD_LENGTHS)).min(data.len());
        if let Some(Ok(frame)) = id.ok().map(|id| Frame::fd(id, &data[..length])) {
            let _ = self.world.ecus[at].send(Port(0), &frame);
            self.world.drain(at);
        }
    }
}
