//! The application side of a simulated ECU: which messages it takes, what its program makes of
//! them, and what an intruder does that runs code beside it.

use std::rc::Rc;

use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::Payload;
use waywarden_can_auth::paired::Wire;
use waywarden_can_sim::notes::{Note, Notes};
use waywarden_can_sim::random::Random;
use waywarden_work::{Duration, Instant};

use super::forged::frame;
use super::ledger::{Genuine, Ledger};
use crate::file::{FrameFormat, Protection};
use crate::programs::{Caller, Program, Shown, Source};

/// The kind of the remark about a message that was taken though its sender did not send it; it is
/// by the stream.
pub const FORGERY: &str = "forgery";

/// The kind of the remark about something that people see; it is by the module that shows it.
pub const DISPLAY: &str = "display";

/// The kind of the remark about what a module of a program was told by people.
pub const INPUT: &str = "input";

/// The kind of the remark about a round of an intruder; it is by the attacker.
pub const INTRUSION: &str = "intrusion";

/// The kind of the remark about a call that a module refused; it is by the attacker.
pub const REFUSED_CALL: &str = "refused-call";

/// A stream as an ECU has to do with it.
#[derive(Clone, Debug)]
pub struct Handled {
    /// Its place in the vehicle file.
    pub stream: usize,
    /// Its name.
    pub name: String,
    /// By which port.
    pub port: Port,
    /// Its identifier.
    pub id: Id,
    /// Its format.
    pub format: FrameFormat,
    /// Its payload in bytes.
    pub length: u8,
    /// How it is protected.
    pub protection: Protection,
}

/// What an ECU's application side is made of.
#[derive(Clone, Debug)]
pub struct Matters {
    /// The ECU, by its place in the vehicle file.
    pub ecu: usize,
    /// The streams that it takes as they are: untagged, or verified by a gateway.
    pub takes: Vec<Handled>,
    /// The streams whose tags it checks.
    pub checks: Vec<Handled>,
    /// The same, and those that it verifies for others: it has their keys.
    pub keyed: Vec<Handled>,
    /// The streams that it sends as they are.
    pub sends: Vec<Handled>,
    /// All streams that it sends, tagged or not.
    pub own: Vec<Handled>,
    /// Streams that it forwards, on the buses to which.
    pub forwards: Vec<Handled>,
    /// What a gateway sends instead of a message that it refused.
    pub warnings: Vec<(Port, Frame)>,
    /// Announcements of its own, and the port by which its other roles hear them.
    pub announces: Vec<(Id, Port)>,
    /// The truth.
    pub ledger: Rc<Ledger>,
}

/// An intruder: it runs code on an ECU.
#[derive(Clone, Debug)]
pub struct Intrusion {
    /// The attacker's name.
    pub name: String,
    /// How often it acts.
    pub period: Duration,
    /// When it begins, on the ECU's clock.
    pub from: Instant,
    /// When it ends.
    pub until: Instant,
    /// Whether it can read the keys of the ECU.
    pub has_keys: bool,
    /// Whether the driver of the bus is in no module: then it can send, and hand the ECU's modules
    /// frames that were never on the bus.
    pub has_driver: bool,
}

/// What an intruder does in a round.
#[derive(Clone, Debug, Default)]
pub struct IntrusionRound {
    /// Messages of the ECU's own streams, made up, for the role that protects them.
    pub messages: Vec<(Port, Frame)>,
    /// Messages of streams that it receives, made up, for the role that has their keys.
    pub others: Vec<(Port, Frame)>,
    /// Frames as they look on the bus.
    pub sent: Vec<(Port, Frame)>,
    /// Frames of streams that it receives, made up, for its own modules.
    pub received: Vec<(Port, Frame)>,
}

/// An intruder under way.
struct Intruder {
    intrusion: Intrusion,
    next: Instant,
    random: Random,
}

impl Intruder {
    fn actions(&mut self, matters: &Matters) -> IntrusionRound {
        let (intrusion, random) = (&self.intrusion, &mut self.random);
        let mut actions = IntrusionRound::default();
        for own in &matters.own {
            match intrusion.has_keys && own.protection != Protection::None {
                true => actions.messages.extend(own.message(random)),
                false if intrusion.has_driver => actions.sent.extend(own.frames(random, 1)),
                false => {}
            }
        }
        if intrusion.has_keys && intrusion.has_driver {
            let others = matters.keyed.iter();
            actions
                .others
                .extend(others.filter_map(|one| one.message(random)));
        }
        if intrusion.has_driver {
            for forwarded in &matters.forwards {
                actions.sent.extend(forwarded.frames(random, 1));
            }
            for taken in matters.takes.iter().chain(&matters.checks) {
                actions.received.extend(taken.frames(random, 1));
            }
        }
        actions
    }
}

/// The application side of an ECU.
pub struct Application {
    matters: Matters,
    program: Option<Box<dyn Program>>,
    intruders: Vec<Intruder>,
    notes: Notes,
}

impl Application {
    /// Puts a program, or none, in its place.
    #[must_use]
    pub fn new(
        matters: Matters,
        program: Option<Box<dyn Program>>,
        intrusions: Vec<(Intrusion, u64)>,
        notes: Notes,
    ) -> Self {
        let intruder = |(intrusion, seed): (Intrusion, u64)| Intruder {
            next: intrusion.from,
            intrusion,
            random: Random::new(seed),
        };
        let intruders = intrusions.into_iter().map(intruder).collect();
        Application {
            matters,
            program,
            intruders,
            notes,
        }
    }

    /// Takes a frame as the bus brought it, if it is of a stream that travels without a tag.
    pub fn hear(&mut self, port: Port, frame: &Frame) {
        if self
            .matters
            .warnings
            .iter()
            .any(|(at, warning)| *at == port && warning == frame)
        {
            let shown = self
                .program
                .as_mut()
                .map_or(Vec::new(), |program| program.warn());
            return self.show(shown);
        }
        let mut takes = self.matters.takes.iter();
        let own = takes.find(|one| one.id == frame.id() && one.port == port);
        let Some(own) = own.cloned() else {
            return;
        };
        let Handled {
            stream,
            name,
            length,
            ..
        } = own;
        // Who has no keys reads what stands before freshness and code.
        let data = frame.data();
        let data = data.get(..usize::from(length)).unwrap_or(data);
        let genuine = self.matters.ledger.taken(stream, self.matters.ecu, data);
        if genuine.is_none() {
            self.notes.push(
                FORGERY,
                &name,
                format!("{frame} taken though nobody sent it"),
            );
        }
        self.take(stream, data, genuine);
    }

    /// Takes a payload that was found authentic.
    pub fn accept(&mut self, stream: usize, payload: Payload, genuine: Option<Genuine>) {
        self.take(stream, payload.as_bytes(), genuine);
    }

    fn take(&mut self, stream: usize, payload: &[u8], genuine: Option<Genuine>) {
        let source = genuine.map_or(Source::Nobody, |genuine| Source::Sent(genuine.cause));
        if let Some(program) = &mut self.program {
            let shown = program.take(stream, payload, source);
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

    /// Notes that a frame leaves.
    pub fn leaves(&mut self, port: Port, frame: &Frame) {
        let mut sends = self.matters.sends.iter();
        if let Some(own) = sends.find(|one| one.id == frame.id() && one.port == port) {
            let cause = self.program.as_ref().and_then(|program| program.cause());
            self.matters.ledger.sent(own.stream, frame.data(), cause);
        }
    }

    /// Returns the port by which other roles of this ECU are to hear a frame that it sends, if it
    /// is an announcement.
    #[must_use]
    pub fn announced(&self, frame: &Frame) -> Option<Port> {
        let mut own = self.matters.announces.iter();
        let own = own.find(|(id, _)| *id == frame.id());
        own.map(|(_, port)| *port)
    }

    /// Does what is due in the program; returns what the ECU's streams carry now.
    pub fn tick(&mut self, now: Instant) -> Vec<(Id, [u8; 64])> {
        let Some(program) = &mut self.program else {
            return Vec::new();
        };
        for (by, text) in program.tick(now) {
            self.notes.push(INPUT, by, text);
        }
        let shown = program.expire(now);
        let own = self.matters.own.iter();
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

    /// When something is due next.
    #[must_use]
    pub fn wish(&self) -> Option<Instant> {
        let program = self.program.as_ref().and_then(|program| program.wish());
        let turns = self.intruders.iter().map(|one| one.next);
        let turns = turns.filter(|next| *next != Instant::MAX);
        program.into_iter().chain(turns).min()
    }

    /// Lets the first intruder whose time it is do its next round.
    pub fn intrude(&mut self, now: Instant) -> Option<IntrusionRound> {
        let due = |intruder: &&mut Intruder| intruder.next <= now;
        let intruder = self.intruders.iter_mut().find(due)?;
        intruder.next = match now + intruder.intrusion.period {
            later if later < intruder.intrusion.until => later,
            _ => Instant::MAX,
        };
        let actions = intruder.actions(&self.matters);
        let (name, choice) = (intruder.intrusion.name.clone(), intruder.random.next_u64());
        let called = self.program.as_mut();
        let called = called.map(|program| program.intrude(Caller::Unprotected, choice));
        if let Some((shown, refused)) = called {
            if refused > 0 {
                let text = "a module refused a call from outside".to_owned();
                self.notes.push(REFUSED_CALL, &name, text);
            }
            self.show(shown);
        }
        let made_up = actions.messages.len() + actions.others.len() + actions.sent.len();
        let text = format!("{made_up} made up, {} handed in", actions.received.len());
        self.notes.push(INTRUSION, &name, text);
        Some(actions)
    }

    /// Notes that the intruder's frame of an own stream went out as it is.
    pub fn forged(&self, port: Port, frame: &Frame) {
        let mut own = self.matters.own.iter();
        if let Some(own) = own.find(|one| one.port == port && one.carries(frame)) {
            self.matters.ledger.forged(own.stream);
        }
    }

    fn show(&self, shown: Vec<Shown>) {
        for one in shown {
            let from = match one.source {
                Some(Source::Sent(Some(event))) => format!("{FROM_INPUT}{event})"),
                Some(Source::Sent(None)) => FROM_START.to_owned(),
                Some(Source::Nobody) => FROM_NOBODY.to_owned(),
                None => String::new(),
            };
            let text = format!("shows {}{from}", one.text);
            self.notes.push(DISPLAY, one.by, text);
        }
    }
}

/// Where something comes from that a display shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From something that people did at the sender.
    Input,
    /// From the sender, before anybody did anything.
    Start,
    /// Its sender did not send it.
    Nobody,
    /// It is no value.
    Sign,
}

/// How remarks about displays end.
const FROM_INPUT: &str = " (event ";
const FROM_START: &str = " (from the start)";
const FROM_NOBODY: &str = " (nobody sent it)";

/// Returns where something comes from that a display shows, as the remark says.
pub(crate) fn display_origin(note: &Note) -> Origin {
    match note.text.as_str() {
        text if text.ends_with(FROM_NOBODY) => Origin::Nobody,
        text if text.ends_with(FROM_START) => Origin::Start,
        text if text.contains(FROM_INPUT) => Origin::Input,
        _ => Origin::Sign,
    }
}

impl Handled {
    /// Whether a frame carries a message of the stream: no tag, question or answer.
    #[must_use]
    pub fn carries(&self, frame: &Frame) -> bool {
        match (self.protection, self.id, frame.id()) {
            // The command of a message is 0.
            (Protection::Paired(Wire::Leia), Id::Standard(own), Id::Extended(id)) => {
                id.base() == own.raw() && id.raw() >> 16 & 3 == 0
            }
            (Protection::Paired(Wire::Leia), ..) => false,
            (_, own, id) => own == id,
        }
    }

    /// A message with a payload that an attacker makes up.
    fn message(&self, random: &mut Random) -> Option<(Port, Frame)> {
        let frame = frame(self.id, self.format, &bytes(random, self.length)).ok()?;
        Some((self.port, frame))
    }

    /// The frames of a message as they look on the bus, with a payload and a tag made up, and this
    /// counter where frames show one.
    pub(super) fn frames(&self, random: &mut Random, counter: u16) -> Vec<(Port, Frame)> {
        let length = self.protection.wire_length(self.length, self.format);
        let data = bytes(random, length.unwrap_or(self.length));
        let id = match (self.protection, self.id) {
            (Protection::Paired(Wire::Leia), Id::Standard(id)) => leia_id(id.raw(), 0, counter),
            _ => Some(self.id),
        };
        let data = id.and_then(|id| frame(id, self.format, &data).ok());
        let tag = match self.protection {
            Protection::Paired(_) => self.tag(random, counter),
            _ => None,
        };
        let made = data.into_iter().chain(tag);
        made.map(|frame| (self.port, frame)).collect()
    }

    /// A frame that looks like a tag of two-frame protocols.
    pub(super) fn tag(&self, random: &mut Random, counter: u16) -> Option<Frame> {
        let Id::Standard(id) = self.id else {
            return None;
        };
        let above = id.raw() | 1;
        let id = match self.protection {
            Protection::Paired(Wire::Leia) => leia_id(above, 1, counter),
            _ => Id::standard(above).ok(),
        };
        Frame::classic(id?, &bytes(random, 8)).ok()
    }

    /// Whether a frame is the tag of a message of the stream.
    pub(super) fn is_tag(&self, frame: &Frame) -> bool {
        match (self.protection, self.id, frame.id()) {
            (Protection::Paired(Wire::Leia), Id::Standard(own), Id::Extended(id)) => {
                id.base() == own.raw() | 1 && id.raw() >> 16 & 3 == 1
            }
            (Protection::Paired(Wire::Vatican), Id::Standard(own), Id::Standard(id)) => {
                id.raw() == own.raw() | 1
            }
            _ => false,
        }
    }
}

/// A 29-bit identifier of LeiA's: 11 bits, a command of two, a counter.
pub(super) fn leia_id(base: u16, command: u32, counter: u16) -> Option<Id> {
    Id::extended(u32::from(base) << 18 | command << 16 | u32::from(counter)).ok()
}

pub(super) fn bytes(random: &mut Random, length: u8) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < usize::from(length) {
        bytes.extend(random.next_u64().to_le_bytes());
    }
    bytes.truncate(length.into());
    bytes
}
