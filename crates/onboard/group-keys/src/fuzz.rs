//! Entry points for fuzzers: any bytes, no panic, bounded work, and the laws that must hold.
//!
//! An orchestrator and three members agree with genuine cryptography, frame by frame, so that every
//! state is reached. The bytes say what goes wrong at the one under test: frames lost, received
//! twice, changed, replayed or made up; frames taken back; late work, a full controller, time that
//! jumps, resets, renewals and removals. Held after every input: the role stops within 4096
//! outputs, has the frames of one payload under way at most, and, in `hardened`, is confirmed on no
//! key that the orchestrator did not prove for that epoch.

mod forged;
#[cfg(test)]
mod tests;
mod world;

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::node::{BusState, Input, Port, Slot, Ticket, Token};
use waywarden_can::{Frame, Id};
use waywarden_work::Duration;

use super::event::Event;
use super::identifier::{IDENTIFIERS, Step};
use super::plan::{OddLevel, Plan, Scheme};
use super::settings::{Orchestration, Pace, Profile, Settings, Timing};
use super::suite::AnyGroupSuite;
use waywarden_key_roles::Transport;
use waywarden_key_roles::hostile::{Source, changed, frame_of};
use waywarden_key_suites::{FourQ, P256};

use forged::{address, header};
use world::{ECUS, ROLES, World, network, places};

/// How many frames are remembered for a replay.
const RECORDED: usize = 64;

/// What a run came to: a fuzzer can leave it, a test sees from it that something happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Inputs handed to all roles.
    pub inputs: usize,
    /// The most outputs that one input caused.
    pub outputs_max: usize,
    /// How often a role took a group key into use.
    pub confirmed: usize,
    /// Exchanges that failed.
    pub failed: usize,
    /// How often a member found that it lacks a newer key.
    pub missed: usize,
    /// How often the orchestrator went on without an ECU.
    pub unresponsive: usize,
    /// How often it took one back.
    pub included: usize,
}

impl Seen {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Confirmed { .. } => self.confirmed += 1,
            Event::Failed { .. } => self.failed += 1,
            Event::Missed { .. } => self.missed += 1,
            Event::Unresponsive(_) => self.unresponsive += 1,
            Event::Included(_) => self.included += 1,
            _ => {}
        }
    }
}

/// Lets a network live through the bytes, which strike a member.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub fn member(bytes: &[u8]) -> Seen {
    let target = usize::from(bytes.first().copied().unwrap_or(0)) % ECUS;
    run(bytes, target)
}

/// Lets a network live through the bytes, which strike the orchestrator.
///
/// # Panics
/// As [`member`].
pub fn orchestrator(bytes: &[u8]) -> Seen {
    run(bytes, ECUS)
}

fn run(bytes: &[u8], target: usize) -> Seen {
    let mut source = Source(bytes);
    let suite = match source.byte() {
        // P-256 is slow, and the roles do not know the difference.
        0..=15 => AnyGroupSuite::of::<P256>(),
        _ => AnyGroupSuite::of::<FourQ>(),
    };
    live(suite, source, target)
}

fn live(suite: AnyGroupSuite, mut source: Source<'_>, target: usize) -> Seen {
    let from = source.choose(&[1, 8, 252]);
    let Some(settings) = settings(&mut source, from) else {
        return Seen::default();
    };
    let directory = network(suite, from, settings);
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

fn settings(source: &mut Source<'_>, from: u8) -> Option<Settings> {
    let scheme = source.choose(&[
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ]);
    let odd = source.choose(&[OddLevel::Skipped, OddLevel::Promoted]);
    let (ecus, orchestrator) = places(from);
    let mut orchestrations = [
        Orchestration::Each,
        Orchestration::SignedAhead,
        Orchestration::Once,
    ];
    if scheme != Scheme::TreeWithoutOrchestrator {
        orchestrations[2] = Orchestration::Each;
    }
    Some(Settings {
        plan: Plan::new(scheme, odd, orchestrator, &ecus).ok()?,
        profile: source.choose(&[Profile::Hardened, Profile::Hardened, Profile::AsPublished]),
        transport: source.choose(&[Transport::Fd, Transport::Classic]),
        identifiers: IDENTIFIERS,
        pace: source.choose(&[Pace::AsReady, Pace::ByLevel]),
        orchestration: source.choose(&orchestrations),
        timing: Timing {
            exchange: Duration::from_millis(100),
            answer: Duration::from_millis(50),
            beacon: Duration::from_millis(source.choose(&[400, 0])),
        },
    })
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
            0..=179 => self.deliver(Passage::Whole, source),
            180..=187 => self.deliver(Passage::Lost, source),
            188..=193 => self.deliver(Passage::Twice, source),
            194..=203 => self.deliver(Passage::Changed, source),
            204..=207 => self.inject_noise(source),
            208..=217 => self.inject_message(source),
            218..=225 => self.inject_recorded(source),
            226..=231 => {
                let time = Duration::from_micros(1 << (source.byte() % 24));
                self.world.pass(time);
            }
            232..=235 => self.hinder(source),
            236..=239 => self.answer_wrongly(source),
            240..=243 => self.world.reset(self.target),
            244..=247 => self.command(source),
            _ => self.look(source),
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
        let length = source.choose(&FD_LENGTHS);
        source.fill(&mut data[..usize::from(length)]);
        let Ok(id) = Id::extended(u32::from_be_bytes(raw) >> 3) else {
            return;
        };
        if let Ok(frame) = frame_of(
            id,
            &data[..usize::from(length)],
            source.byte().is_multiple_of(2),
        ) {
            self.inject(&frame, source);
        }
    }

    /// A whole message of the protocol, rightly addressed, with a payload of anybody's.
    fn inject_message(&mut self, source: &mut Source<'_>) {
        let Some(step) = Step::from_code(source.byte() % 16) else {
            return;
        };
        let settings = &self.world.directory.settings;
        let header = header(settings, source);
        let mut payload = [0; 64];
        match source.byte() % 4 {
            // A number of freshness soon due, or one far off.
            0 => payload[7] = source.byte(),
            1 => payload[..8].fill(source.byte()),
            // Whatever was said last.
            2 => {
                let last = self.recorded[self.count.wrapping_sub(1) % RECORDED];
                let last = last.as_ref().map_or(&[][..], Frame::data);
                payload[..last.len()].copy_from_slice(last);
            }
            _ => source.fill(&mut payload[..16]),
        }
        let payload = &payload[..step.payload_length()];
        for index in 0..step.frame_count(settings.transport) {
            if let Some(frame) = header.frame(settings, step, payload, index) {
                self.inject(&frame, source);
            }
        }
    }

    /// Frames of earlier on, in order, some of them changed.
    fn inject_recorded(&mut self, source: &mut Source<'_>) {
        let from = usize::from(source.byte());
        for at in 0..usize::from(source.byte() % 16) {
            let Some(frame) = self.recorded[(from + at) % RECORDED] else {
                continue;
            };
            let frame = match source.byte() % 4 {
                0 => changed(&frame, source),
                _ => frame,
            };
            self.inject(&frame, source);
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
            3 => Input::Retained(Slot(1)),
            _ => Input::Bus {
                port,
                state: BusState::Off,
            },
        };
        self.world.input(self.target, input);
    }

    /// The orchestrator is told to do something.
    fn command(&mut self, source: &mut Source<'_>) {
        let ecu = address(&self.world.directory.settings, source);
        let orchestrator = &mut self.world.orchestrator;
        match source.byte() % 4 {
            0 => orchestrator.renew(source.byte().is_multiple_of(2)),
            1 => orchestrator.remove(ecu),
            _ => orchestrator.readmit(ecu),
        }
        self.world.drain(ECUS);
    }

    /// The caller reads the keys.
    fn look(&mut self, source: &mut Source<'_>) {
        let at = address(&self.world.directory.settings, source);
        let _ = self.world.orchestrator.channel_key(at);
        for member in &self.world.members {
            let _ = (member.subgroup_key(at), member.channel_key());
        }
    }
}
