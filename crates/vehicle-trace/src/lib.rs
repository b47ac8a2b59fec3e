//! What the nodes of a run report of themselves, as values: the trace's remarks.
//!
//! A node pushes [`Fact`]s; [`GroundTruth`] adds to each what the run itself shows of it, which no
//! ECU knows; everything that measures, judges or prints reads the result. Sentences are made where
//! something is printed, and no program reads them.

#![forbid(unsafe_code)]

mod kind;
mod ledger;
mod truth;

use waywarden_can::Frame;
use waywarden_can::node::Token;
use waywarden_can_auth::event::Payload;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::remarks::{Remark, Remarks};
use waywarden_can_sim::trace::{self, Discard};
use waywarden_group_keys::{self as group, Address};
use waywarden_lasan::{EcuEvent, ModuleEvent, Received, ReplaceError};
use waywarden_work::Duration;

use waywarden_vehicle_file::Key;

pub use kind::FactKind;
pub use ledger::{Genuine, REMEMBERED};
pub use truth::{GroundTruth, Judging, Truth};

/// Where the nodes of an ECU leave their facts.
pub type Facts = Remarks<Fact>;

impl Remark for Fact {}

/// An event of a run with the facts of its nodes.
pub type Event<'a> = trace::Event<'a, JudgedFact<'a>>;

/// Takes the trace of a vehicle.
pub trait TraceSink {
    /// Takes one event; `at` never goes back.
    fn record(&mut self, at: Time, event: &Event<'_>);
}

impl<F: FnMut(Time, &Event<'_>)> TraceSink for F {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        self(at, event);
    }
}

impl TraceSink for Discard {
    fn record(&mut self, _at: Time, _event: &Event<'_>) {}
}

/// One thing that a node reports. Streams, groups, security modules, authentications and attackers
/// go by their places in the vehicle file.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Something happened to a role in a group.
    GroupKey {
        /// The group.
        group: usize,
        /// What.
        event: GroupKeyEvent,
    },
    /// Something happened under a security module.
    Authorisation {
        /// The security module.
        network: usize,
        /// What.
        event: AuthorisationEvent,
    },
    /// A message of a stream leaves its sender's ECU: the frame that is asked for next carries it.
    MessageSent(SentMessage),
    /// A frame of a stream was handed to the role of this ECU that checks it.
    HandedIn {
        /// The stream.
        stream: usize,
    },
    /// A message was checked.
    Checked {
        /// The authentication.
        authentication: usize,
        /// The stream.
        stream: usize,
        /// What came of it.
        outcome: CheckOutcome,
    },
    /// A message was taken as it came: its stream has no code, or a gateway has checked it.
    Taken {
        /// The stream.
        stream: usize,
        /// The frame.
        frame: Frame,
        /// How many of its first bytes are the payload.
        length: u8,
    },
    /// A frame that a security module's key protects came, or could not be sent.
    Protected {
        /// The stream.
        stream: usize,
        /// What came of it.
        event: ProtectedEvent,
    },
    /// Instances of a stream never left, for the transmit queue was full.
    Skipped {
        /// The stream.
        stream: usize,
        /// How many since the last such fact.
        instances: u64,
        /// How many since the boot.
        since_boot: u64,
    },
    /// Instances of a stream never left, for their sender could not protect them.
    Withheld {
        /// The stream.
        stream: usize,
        /// How many since the last such fact.
        instances: u64,
    },
    /// A display shows something else.
    Displayed {
        /// The module of the program that shows it.
        module: &'static str,
        /// What it shows.
        value: String,
        /// The message that it comes with; none for a sign of the display's own.
        source: Option<Source>,
    },
    /// A key of a keypad went down or up.
    KeyPressed {
        /// The module of the program that owns the keypad.
        module: &'static str,
        /// Counted from 1.
        number: u64,
        /// Which key.
        key: Key,
        /// Whether it went down.
        is_down: bool,
    },
    /// Code of an attacker on this ECU did a round.
    Intruded {
        /// The attacker.
        attacker: usize,
        /// How many frames it made up.
        made_up: usize,
        /// How many frames that were never on the bus it handed to the ECU's software.
        handed_in: usize,
    },
    /// A module of the ECU's program refused calls of an attacker's code.
    CallRefused {
        /// The attacker.
        attacker: usize,
    },
    /// An attacker in a gateway dropped a frame.
    Suppressed {
        /// The attacker.
        attacker: usize,
        /// The frame.
        frame: Frame,
    },
    /// An attacker in a gateway changed a frame.
    Modified {
        /// The attacker.
        attacker: usize,
        /// As it was.
        frame: Frame,
        /// As it leaves.
        changed: Frame,
    },
    /// An attacker in a gateway sent a frame in another's name.
    Impersonated {
        /// The attacker.
        attacker: usize,
        /// The frame.
        frame: Frame,
    },
}

/// What happened to a role in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKeyEvent {
    /// The orchestrator has begun an agreement of all members.
    Begun,
    /// A key is in use.
    InUse {
        /// Its epoch.
        epoch: u64,
        /// Its first 8 bytes, so that a run can compare the keys of its ECUs.
        key: u64,
    },
    /// The role reports something else.
    Role(group::Event),
}

/// What happened under a security module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorisationEvent {
    /// To an ECU.
    Ecu(EcuEvent),
    /// To the security module.
    Module(ModuleEvent),
    /// The security module could not shut out the old part of an ECU that was replaced.
    NotReplaced {
        /// The ECU's address.
        ecu: Address,
        /// Why.
        error: ReplaceError,
    },
    /// A protected frame was refused.
    Refused(Received),
    /// An ECU has a session with an attacker, which reports this.
    SharesSession {
        /// The attacker.
        attacker: usize,
        /// The ECU.
        ecu: usize,
    },
}

/// A message that leaves its sender's ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentMessage {
    /// The stream.
    pub stream: usize,
    /// What the sender's software says, and what caused it there; none if an attacker on the ECU
    /// made the message up.
    pub own: Option<(Payload, Option<u64>)>,
    /// How long it had waited in the ECU for room in the transmit queue and for its code.
    pub waited: Duration,
}

/// What came of a message at an ECU that checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// Authentic, with its payload.
    Authentic(Payload),
    /// A wrong tag.
    WrongTag,
    /// Not newer than what was taken before.
    Replay,
    /// Data without a tag.
    Missing,
    /// A tag without data.
    TagWithoutData,
    /// The ends do not fit; the receiver asks.
    OutOfStep,
    /// They fit again.
    Resynced,
    /// As many messages as the ECU has room for waited to be checked.
    NoRoom,
    /// What the ECU retained over a reset is damaged or exhausted, so it checks nothing.
    NotReady,
}

impl CheckOutcome {
    /// Whether a check refused a message.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        matches!(
            self,
            CheckOutcome::WrongTag
                | CheckOutcome::Replay
                | CheckOutcome::Missing
                | CheckOutcome::TagWithoutData
                | CheckOutcome::OutOfStep
        )
    }
}

/// What came of a frame under a key of a security module at its receiver, or at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectedEvent {
    /// It came and waits to be opened.
    Waiting(Payload),
    /// It came while as many as the receiver has room for waited.
    NoRoom(Payload),
    /// It came, and the receiver has no key of the stream.
    WithoutKey(Payload),
    /// The oldest that waited was opened, while the receiver had a key of the stream.
    Opened(Received),
    /// The oldest that waited was looked at when its key's time was over.
    TooLate,
    /// It could not be sent: its sender has no key of the stream.
    Unsent,
}

impl ProtectedEvent {
    /// Whether a receiver opened a message and did not believe it.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        match self {
            ProtectedEvent::Opened(received) => !matches!(received, Received::Authentic { .. }),
            _ => false,
        }
    }
}

/// A fact, and what the run shows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedFact<'a> {
    /// What the node reports.
    pub fact: &'a Fact,
    /// Whether the message that the fact is about is its sender's; none if it is about no message
    /// that was taken.
    pub truth: Option<Truth>,
}

impl JudgedFact<'_> {
    /// Whether the message that the fact is about is its sender's.
    #[must_use]
    pub const fn is_forged(&self) -> bool {
        matches!(self.truth, Some(Truth::Forged))
    }

    /// Whether it is about a message that was found authentic and is.
    #[must_use]
    pub fn is_of_genuine_message(&self) -> bool {
        let outcome = match self.fact {
            Fact::Checked { outcome, .. } => outcome,
            _ => return false,
        };
        matches!(outcome, CheckOutcome::Authentic(_)) && !self.is_forged()
    }
}

/// Where a value comes from that a program is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A message that the ECU took.
    Message {
        /// The stream, by its place in the vehicle file.
        stream: usize,
        /// Which of those that the program was handed since the boot, from 0.
        number: u64,
    },
    /// An attacker's code on this ECU.
    AttackerCode,
}

/// The bits of a token that neither an ECU of the vehicle nor a role has: a frame with them is an
/// attacker's who runs code on the ECU.
pub const ATTACKER_TOKENS: u32 = 0xF << 28;

/// Whether the token of a request from an ECU of the vehicle is an attacker's that runs code there.
#[must_use]
pub fn is_attackers_token(token: Token) -> bool {
    token.0 & ATTACKER_TOKENS == ATTACKER_TOKENS
}
