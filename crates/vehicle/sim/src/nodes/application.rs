//! The application side of a simulated ECU: the messages it accepts, its program, and an attacker
//! that runs code beside it.

mod handled;
mod intruder;

use std::collections::BTreeMap;

use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::CanPayload;
use waywarden_can_sim::random::Random;
use waywarden_work::Instant;

use crate::programs::{Caller, EcuProgram, Shown};
use waywarden_vehicle_trace::{Fact, Facts, ValueSource};

pub use self::handled::Handled;
pub(super) use self::handled::{bytes, leia_id};
use self::intruder::Intruder;
pub use self::intruder::Intrusion;
pub(super) use self::intruder::IntrusionRound;

/// Configuration of an ECU's application side.
#[derive(Clone, Debug)]
pub struct ApplicationConfig {
    /// The streams that it takes as they are: untagged, or verified by a gateway.
    pub takes: Vec<Handled>,
    /// The streams whose tags it checks.
    pub checks: Vec<Handled>,
    /// The same, and those that it verifies for others: it has their keys.
    pub keyed: Vec<Handled>,
    /// All streams that it sends, tagged or not.
    pub own: Vec<Handled>,
    /// Streams that it forwards, on the buses to which.
    pub forwards: Vec<Handled>,
    /// Frames that a gateway sends instead of a message that it refused.
    pub warnings: Vec<(Port, Frame)>,
    /// Announcements of its own, and the port by which its other roles hear them.
    pub announces: Vec<(Id, Port)>,
}

/// The application side of an ECU.
pub struct Application {
    config: ApplicationConfig,
    program: Option<Box<dyn EcuProgram>>,
    intruders: Vec<Intruder>,
    /// By stream: number of messages that the program has been handed.
    taken: BTreeMap<usize, u64>,
    facts: Facts,
}

impl Application {
    /// Puts a program, or none, in its place.
    #[must_use]
    pub fn new(
        config: ApplicationConfig,
        program: Option<Box<dyn EcuProgram>>,
        intrusions: Vec<(Intrusion, u64)>,
        facts: Facts,
    ) -> Self {
        let intruder = |(intrusion, seed): (Intrusion, u64)| Intruder {
            // Its window may be over before the ECU boots.
            next: match intrusion.from < intrusion.until {
                true => intrusion.from,
                false => Instant::MAX,
            },
            intrusion,
            random: Random::new(seed),
        };
        let intruders = intrusions.into_iter().map(intruder).collect();
        Application {
            config,
            program,
            intruders,
            taken: BTreeMap::new(),
            facts,
        }
    }

    /// Takes a frame as the bus brought it, if it is of a stream that travels without a tag.
    pub fn receive(&mut self, port: Port, frame: &Frame) {
        let mut warnings = self.config.warnings.iter();
        if warnings.any(|(at, warning)| *at == port && warning == frame) {
            let shown = self.program.as_mut().map(|program| program.warn());
            return self.show(shown.unwrap_or_default());
        }
        let mut takes = self.config.takes.iter();
        let own = takes.find(|one| one.id == frame.id() && one.port == port);
        let Some(&Handled { stream, length, .. }) = own else {
            return;
        };
        self.facts.push(Fact::Taken {
            stream,
            frame: *frame,
            length,
        });
        // Who has no keys reads what stands before freshness and code.
        let data = frame.data();
        let data = data.get(..usize::from(length)).unwrap_or(data);
        self.take(stream, data);
    }

    /// Takes a payload that was found authentic.
    pub fn accept(&mut self, stream: usize, payload: &CanPayload) {
        self.take(stream, payload.as_bytes());
    }

    fn take(&mut self, stream: usize, payload: &[u8]) {
        if let Some(program) = &mut self.program {
            let taken = self.taken.entry(stream).or_default();
            let number = *taken;
            *taken += 1;
            let shown = program.take(stream, payload, ValueSource::Message { stream, number });
            self.show(shown);
        }
    }

    /// Hears that a message was refused.
    pub fn refuse(&mut self, stream: usize) {
        if let Some(program) = &mut self.program {
            let shown = program.refuse(stream);
            self.show(shown);
        }
    }

    /// Returns the port by which other roles of this ECU are to hear a frame that it sends, if it
    /// is an announcement.
    #[must_use]
    pub fn announced(&self, frame: &Frame) -> Option<Port> {
        let mut own = self.config.announces.iter();
        let own = own.find(|(id, _)| *id == frame.id());
        own.map(|(_, port)| *port)
    }

    /// Returns true if it does nothing unsolicited: it has no program, and no attacker runs code
    /// there.
    #[must_use]
    pub fn is_passive(&self) -> bool {
        self.program.is_none() && self.intruders.is_empty()
    }

    /// Does what is due in the program; returns what the ECU's streams carry now.
    pub fn tick(&mut self, now: Instant) -> Vec<(Id, [u8; 64])> {
        let Some(program) = &mut self.program else {
            return Vec::new();
        };
        for press in program.tick(now) {
            self.facts.push(Fact::KeyPressed {
                module: press.module,
                number: press.number,
                key: press.key,
                is_down: press.is_down,
            });
        }
        let shown = program.expire(now);
        let own = self.config.own.iter();
        let payloads = own
            .filter_map(|one| Some((one.id, program.payload(one.stream)?)))
            .collect();
        self.show(shown);
        payloads
    }

    /// Returns what causes the messages that leave now.
    #[must_use]
    pub fn cause(&self) -> Option<u64> {
        self.program.as_ref().and_then(|program| program.cause())
    }

    /// Returns the time at which something is due next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        let program = self
            .program
            .as_ref()
            .and_then(|program| program.next_deadline());
        let turns = self.intruders.iter().map(|one| one.next);
        let turns = turns.filter(|next| *next != Instant::MAX);
        program.into_iter().chain(turns).min()
    }

    /// Lets the first attacker whose time it is do its next round.
    pub(super) fn intrude(&mut self, now: Instant) -> Option<IntrusionRound> {
        let due = |intruder: &&mut Intruder| intruder.next <= now;
        let intruder = self.intruders.iter_mut().find(due)?;
        intruder.next = match now + intruder.intrusion.period {
            later if later < intruder.intrusion.until => later,
            _ => Instant::MAX,
        };
        let actions = intruder.actions(&self.config);
        let (attacker, choice) = (intruder.intrusion.attacker, intruder.random.next_u64());
        let called = self.program.as_mut();
        let called = called.map(|program| program.intrude(Caller::Unprotected, choice));
        if let Some((shown, refused)) = called {
            if refused > 0 {
                self.facts.push(Fact::CallRefused { attacker });
            }
            self.show(shown);
        }
        self.facts.push(Fact::Intruded {
            attacker,
            made_up: actions.messages.len() + actions.others.len() + actions.sent.len(),
            handed_in: actions.received.len(),
        });
        Some(actions)
    }

    fn show(&self, shown: Vec<Shown>) {
        for one in shown {
            self.facts.push(Fact::Displayed {
                module: one.by,
                value: one.text,
                source: one.source,
            });
        }
    }
}
