//! Events that a role reports to its ECU: polled on the concrete role, never sent.

use waywarden_can::node::Port;

use super::access::StreamId;
use super::certificate::CertificateError;
use waywarden_key_roles::Address;
use waywarden_key_suites::{AgreementError, VerifyError};

/// Reason that an authentication failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandshakeFailure {
    /// The other did not answer in time.
    Timeout,
    /// No ECU of that address takes part, or not any more.
    Unknown,
    /// The certificate is not to be believed.
    Certificate(CertificateError),
    /// The key is not the one that is enrolled.
    Key,
    /// The start-up message is of an epoch that is over.
    Epoch,
    /// The signature is wrong.
    Signature(VerifyError),
    /// The offer or answer is none.
    Agreement(AgreementError),
    /// The other has not shown that it has the key.
    Proof,
}

/// The reason for which a stream is refused or taken away. The codes are those on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DenialReason {
    /// The list does not allow this sender this stream.
    NotAllowed = 1,
    /// It does, but not at this time.
    NotNow = 2,
    /// It did, and does not any more: the window is over, or its sender is retired.
    Revoked = 3,
}

impl DenialReason {
    pub(super) const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(DenialReason::NotAllowed),
            2 => Some(DenialReason::NotNow),
            3 => Some(DenialReason::Revoked),
            _ => None,
        }
    }
}

/// Something that happened to an ECU's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcuEvent {
    /// The security module and this ECU have authenticated each other.
    Authenticated {
        /// Of the security module's start; 0 as published.
        epoch: u64,
    },
    /// An authentication failed.
    Failed(HandshakeFailure),
    /// The security module has begun a new epoch, or does not answer any more: the session is over.
    SessionLost,
    /// This ECU has the key of a stream.
    Granted {
        /// The stream.
        stream: StreamId,
        /// The ECU that sends it.
        sender: Address,
        /// Counted up with each new key of the stream; 0 as published.
        generation: u32,
    },
    /// This ECU may not send a stream, or lost its key.
    Denied {
        /// The stream.
        stream: StreamId,
        /// The reason.
        reason: DenialReason,
    },
    /// The key of a stream has come to the end of its time.
    Expired(StreamId),
}

/// Something that happened to the security module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModuleEvent {
    /// A new epoch has begun: its start-up message is being sent.
    Started {
        /// Counted up with each start.
        epoch: u64,
    },
    /// An ECU has been authenticated.
    Authenticated(Address),
    /// An authentication failed.
    Failed {
        /// The node that used this address.
        ecu: Address,
        /// The cause.
        failure: HandshakeFailure,
    },
    /// A stream has a new key.
    Keyed {
        /// The stream.
        stream: StreamId,
        /// Counted up with each new key.
        generation: u32,
    },
    /// A holder has the key of a stream.
    Granted {
        /// The stream.
        stream: StreamId,
        /// The ECU that has the key now.
        ecu: Address,
        /// The generation of the key.
        generation: u32,
    },
    /// A request was refused.
    Refused {
        /// The stream.
        stream: StreamId,
        /// The ECU that asked.
        ecu: Address,
        /// The reason.
        reason: DenialReason,
    },
    /// The window of a stream is over, or its sender is gone: no ECU gets its key any more.
    Revoked(StreamId),
    /// An ECU was taken into the roster, again or for the first time.
    Enrolled(Address),
    /// A port is far behind the others: no message waits for the bus behind it any more.
    PortLags(Port),
    /// Frames leave on that port as fast as on the others again.
    PortFollows(Port),
    /// An ECU was taken out of it.
    Retired(Address),
}
