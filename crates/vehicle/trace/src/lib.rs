//! Facts that the nodes of a run report of themselves, as values: the trace's remarks.
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
use waywarden_can_auth::event::CanPayload;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::remarks::{Remark, Remarks};
use waywarden_can_sim::trace::{self, Discard};
use waywarden_group_keys::{self as group, Address};
use waywarden_lasan::{EcuEvent, ModuleEvent, ProtectedOutcome, ReplaceError};
use waywarden_vehicle_file::KeypadKey;
use waywarden_work::Duration;

pub use identity::{MessageId, MessageIdentity, TamperedBy, Tampering, sent_by};
pub use in_flight::InFlight;
pub use kind::FactKind;
pub use outcome::{CheckRefusal, DeliveryOutcome, Loss, LossPlace};
pub use tracker::{DeliveryStep, Genuine, Truth};
pub use truth::{GroundTruth, JudgingSink};

/// Recorder for the facts of an ECU's nodes.
pub type Facts = Remarks<Fact>;

impl Remark for Fact {}

/// An event of a run with the facts of its nodes.
pub type VehicleEvent<'a> = trace::TraceEvent<'a, JudgedFact<'a>>;

/// Takes the trace of a vehicle.
pub trait TraceSink {
    /// Takes one event; `at` never goes back.
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>);
}

impl<F: FnMut(Time, &VehicleEvent<'_>)> TraceSink for F {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        self(at, event);
    }
}

impl TraceSink for Discard {
    fn record(&mut self, _at: Time, _event: &VehicleEvent<'_>) {}
}

/// A report of a node. Streams, groups, security modules, authentications and attackers go by their
/// places in the vehicle file.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Something happened to a role in a group.
    GroupKey {
        /// Index of the group.
        group: usize,
        /// Event of the role.
        event: GroupKeyEvent,
    },
    /// Something happened under a security module.
    Authorization {
        /// Index of the security module.
        network: usize,
        /// Event of the ECU or the security module.
        event: AuthorizationEvent,
    },
    /// A message is released by its sender's software.
    Released {
        /// Identity of the message.
        message: MessageId,
    },
    /// The payload of a released message is read.
    Sampled {
        /// Identity of the message.
        message: MessageId,
        /// Input that its payload follows from, if the software names one.
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
        /// Index of the stream.
        stream: usize,
        /// The bus to which the role sends on what it finds authentic; none of a receiver's.
        passes_to: Option<usize>,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// The role that checks a stream can make nothing of a frame, and reports no finding.
    Discarded {
        /// Index of the stream.
        stream: usize,
        /// The bus to which the role sends on what it finds authentic; none of a receiver's.
        passes_to: Option<usize>,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// A message was checked.
    Checked {
        /// Index of the authentication.
        authentication: usize,
        /// Index of the stream.
        stream: usize,
        /// The bus to which the role sends on what it finds authentic; none of a receiver's.
        passes_to: Option<usize>,
        /// Outcome of the check.
        outcome: CheckOutcome,
        /// Identity of the message.
        message: MessageHandle,
    },
    /// A message was taken as it came: its stream has no code, or a gateway has checked it.
    Taken {
        /// Index of the stream.
        stream: usize,
        /// Frame as it came.
        frame: Frame,
        /// Number of its first bytes that are the payload.
        length: u8,
    },
    /// A frame that a security module's key protects came, or could not be sent.
    Protected {
        /// Index of the stream.
        stream: usize,
        /// Outcome of the frame.
        event: ProtectedEvent,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// A message never left, for a newer one took its place before there was room.
    Skipped {
        /// Identity of the message.
        message: MessageId,
        /// Number of messages of the stream since the boot.
        since_boot: u64,
    },
    /// A message never left, for its sender could not protect it.
    Withheld {
        /// Identity of the message.
        message: MessageId,
    },
    /// The receive mailbox of an ECU image had no room for a frame.
    Overrun {
        /// The port that received it.
        port: Port,
        /// The message that it carries.
        message: MessageHandle,
    },
    /// An ECU image has computed until now.
    Executed {
        /// Number of instructions.
        instructions: u64,
        /// The time that they took on its microcontroller.
        time: Duration,
        /// True if it waits now, false if it goes on.
        waits: bool,
    },
    /// An ECU image takes part no longer.
    ImageFailed {
        /// The reason.
        why: String,
    },
    /// A display shows something else.
    Displayed {
        /// The module of the program that shows it.
        module: &'static str,
        /// Text on the display.
        value: String,
        /// The message that it comes with; none for a sign of the display's own.
        source: Option<ValueSource>,
    },
    /// A key of a keypad went down or up.
    KeyPressed {
        /// The module of the program that owns the keypad.
        module: &'static str,
        /// Number of the stroke, counted from 1.
        number: u64,
        /// Key of the keypad.
        key: KeypadKey,
        /// True if it went down.
        is_down: bool,
    },
    /// Code of an attacker on this ECU did a round.
    Intruded {
        /// Index of the attacker.
        attacker: usize,
        /// Number of frames that it made up.
        made_up: usize,
        /// Number of frames that it handed to the ECU's software and that were never on the bus.
        handed_in: usize,
    },
    /// A module of the ECU's program refused calls of an attacker's code.
    CallRefused {
        /// Index of the attacker.
        attacker: usize,
    },
    /// An attacker in a gateway dropped a frame.
    Suppressed {
        /// Index of the attacker.
        attacker: usize,
        /// The port by which it was to leave.
        port: Port,
        /// Frame that was dropped.
        frame: Frame,
    },
    /// An attacker in a gateway changed a frame.
    Modified {
        /// Index of the attacker.
        attacker: usize,
        /// Frame before the change.
        frame: Frame,
        /// Frame as it leaves.
        changed: Frame,
    },
    /// An attacker in a gateway sent a frame in another's name.
    Impersonated {
        /// Index of the attacker.
        attacker: usize,
        /// Frame that was sent.
        frame: Frame,
    },
}

/// Event of a role in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKeyEvent {
    /// The orchestrator has begun an agreement of all members.
    Begun,
    /// A key is in use.
    InUse {
        /// Epoch of the key.
        epoch: u64,
        /// First 8 bytes of the key, so that a run can compare the keys of its ECUs.
        key: u64,
    },
    /// The role reports something else.
    Role(group::GroupRoleEvent),
}

/// Event under a security module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationEvent {
    /// To an ECU.
    Ecu(EcuEvent),
    /// To the security module.
    Module(ModuleEvent),
    /// The security module could not shut out the old part of an ECU that was replaced.
    NotReplaced {
        /// Address of the ECU.
        ecu: Address,
        /// Reason of the failure.
        error: ReplaceError,
    },
    /// A protected frame was refused.
    Refused(ProtectedOutcome),
    /// An ECU has a session with an attacker, which reports this.
    SharesSession {
        /// Index of the attacker.
        attacker: usize,
        /// Index of the ECU.
        ecu: usize,
    },
}

/// The outcome of a check at an ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// A message is authentic, with its payload.
    Authentic(CanPayload),
    /// A message does not pass.
    Refused(CheckRefusal),
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

/// Outcome of a frame under a key of a security module at its receiver, or at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectedEvent {
    /// It came and waits to be opened.
    Waiting,
    /// It came while as many as the receiver has room for waited.
    NoRoom,
    /// It came, and the receiver has no key of the stream.
    WithoutKey,
    /// The oldest that waited was opened, while the receiver had a key of the stream.
    Opened(ProtectedOutcome),
    /// The oldest that waited was looked at when its key's time was over.
    TooLate,
    /// It could not be sent: its sender has no key of the stream.
    Unsent,
}

impl ProtectedEvent {
    /// Returns true if a receiver opened a message and found it authentic.
    #[must_use]
    pub const fn is_authentic(&self) -> bool {
        matches!(
            self,
            ProtectedEvent::Opened(ProtectedOutcome::Authentic { .. })
        )
    }

    /// Returns true if a receiver does not have the key that it would need.
    #[must_use]
    pub const fn is_kept_out(&self) -> bool {
        matches!(
            self,
            ProtectedEvent::WithoutKey
                | ProtectedEvent::TooLate
                | ProtectedEvent::Opened(ProtectedOutcome::UnknownKey(_))
        )
    }

    /// Returns true if a receiver opened a message and did not find it authentic.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        match self {
            ProtectedEvent::Opened(received) => {
                !matches!(received, ProtectedOutcome::Authentic { .. })
            }
            _ => false,
        }
    }
}

/// A fact, and what the run shows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedFact<'a> {
    /// Fact that the node reports.
    pub fact: &'a Fact,
    /// Truth about the message: its sender's, or forged; none if the fact is about no message that
    /// was taken.
    pub truth: Option<Truth>,
}

impl JudgedFact<'_> {
    /// Returns true if the message that the fact is about is forged.
    #[must_use]
    pub const fn is_forged(&self) -> bool {
        matches!(self.truth, Some(Truth::Forged { .. }))
    }

    /// Returns true if it is about a message that was found authentic and is.
    #[must_use]
    pub fn is_of_genuine_message(&self) -> bool {
        let outcome = match self.fact {
            Fact::Checked { outcome, .. } => outcome,
            _ => return false,
        };
        matches!(outcome, CheckOutcome::Authentic(_)) && !self.is_forged()
    }
}

/// Source of a value that a program is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// A message that the ECU took.
    Message {
        /// The stream, by its place in the vehicle file.
        stream: usize,
        /// Number of the message among those that the program was handed since the boot, from 0.
        number: u64,
    },
    /// An attacker's code on this ECU.
    AttackerCode,
}
