//! What the nodes of a run report of themselves, as values: the trace's remarks.
//!
//! A node pushes [`Fact`]s; [`GroundTruth`] adds to each what the run itself shows of it, which no
//! ECU knows; everything that measures, judges or prints reads the result. Sentences are made where
//! something is printed, and no program reads them.

#![forbid(unsafe_code)]

mod identity;
mod in_flight;
mod kind;
mod outcome;
mod tracker;
mod truth;

use waywarden_can::node::Port;
use waywarden_can::{Frame, MessageHandle};
use waywarden_can_auth::event::Payload;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::remarks::{Remark, Remarks};
use waywarden_can_sim::trace::{self, Discard};
use waywarden_group_keys::{self as group, Address};
use waywarden_lasan::{EcuEvent, ModuleEvent, Received, ReplaceError};
use waywarden_vehicle_file::Key;

pub use identity::{Identity, MessageId, TamperedBy, Tampering, sent_by};
pub use in_flight::InFlight;
pub use kind::FactKind;
pub use outcome::{Loss, LossPlace, Outcome, Refusal};
pub use tracker::{Genuine, Step, Truth};
pub use truth::{GroundTruth, Judging};

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
    /// A message is released by its sender's software.
    Released {
        /// The message.
        message: MessageId,
    },
    /// The payload of a released message is read.
    Sampled {
        /// The message.
        message: MessageId,
        /// The cause of what it says, if the software names one.
        cause: Option<u64>,
    },
    /// A gateway had no room for a frame.
    Dropped {
        /// The port by which it was to leave; none if it was to leave by all.
        port: Option<Port>,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// A frame of a stream was handed to the role of this ECU that checks it.
    HandedIn {
        /// The stream.
        stream: usize,
        /// The bus to which the role sends on what it finds authentic; none of a receiver's.
        passes_to: Option<usize>,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// The role that checks a stream can make nothing of a frame, and reports no finding.
    Discarded {
        /// The stream.
        stream: usize,
        /// The bus to which the role sends on what it finds authentic; none of a receiver's.
        passes_to: Option<usize>,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// A message was checked.
    Checked {
        /// The authentication.
        authentication: usize,
        /// The stream.
        stream: usize,
        /// The bus to which the role sends on what it finds authentic; none of a receiver's.
        passes_to: Option<usize>,
        /// What came of it.
        outcome: CheckOutcome,
        /// The message.
        message: MessageHandle,
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
        /// The message that it carries.
        message: MessageHandle,
    },
    /// A message never left, for a newer one took its place before there was room.
    Skipped {
        /// The message.
        message: MessageId,
        /// How many messages of the stream since the boot.
        since_boot: u64,
    },
    /// A message never left, for its sender could not protect it.
    Withheld {
        /// The message.
        message: MessageId,
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
        /// The port by which it was to leave.
        port: Port,
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

/// The outcome of a check at an ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// A message is authentic, with its payload.
    Authentic(Payload),
    /// A message does not pass.
    Refused(Refusal),
    /// Sender and receiver are in step again.
    Resynced,
}

impl CheckOutcome {
    /// Returns true if a check refused a message; false also if it could not look at it.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        matches!(self, CheckOutcome::Refused(why) if !why.is_unchecked())
    }
}

/// What came of a frame under a key of a security module at its receiver, or at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectedEvent {
    /// It came and waits to be opened.
    Waiting,
    /// It came while as many as the receiver has room for waited.
    NoRoom,
    /// It came, and the receiver has no key of the stream.
    WithoutKey,
    /// The oldest that waited was opened, while the receiver had a key of the stream.
    Opened(Received),
    /// The oldest that waited was looked at when its key's time was over.
    TooLate,
    /// It could not be sent: its sender has no key of the stream.
    Unsent,
}

impl ProtectedEvent {
    /// Returns true if a receiver opened a message and found it authentic.
    #[must_use]
    pub const fn is_authentic(&self) -> bool {
        matches!(self, ProtectedEvent::Opened(Received::Authentic { .. }))
    }

    /// Returns true if a receiver does not have the key that it would need.
    #[must_use]
    pub const fn is_kept_out(&self) -> bool {
        matches!(
            self,
            ProtectedEvent::WithoutKey
                | ProtectedEvent::TooLate
                | ProtectedEvent::Opened(Received::UnknownKey(_))
        )
    }

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
        matches!(self.truth, Some(Truth::Forged { .. }))
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
