//! Events of both roles.

use waywarden_lasan::{Address, DenialReason, EcuEvent, HandshakeFailure, ModuleEvent, StreamId};

/// Kind of an event of LASAN.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LasanEventKind {
    /// There is none.
    None = 0,
    /// The security module has begun `epoch`.
    Started = 1,
    /// An ECU and the security module have authenticated each other: this ECU in `epoch`; for the
    /// security module the ECU `address`.
    Authenticated = 2,
    /// An authentication failed, by `reason`.
    Failed = 3,
    /// The session with the security module is over.
    SessionLost = 4,
    /// The key of `stream`, of `generation`, is there: for this ECU, sent by `address`; for the
    /// security module, the ECU `address` has it.
    Granted = 5,
    /// This ECU may not send `stream`, or lost its key; for the security module: a request of the
    /// ECU `address` was refused. By `reason`.
    Denied = 6,
    /// The key of `stream` has come to the end of its time.
    Expired = 7,
    /// The security module has made a key of `stream`, of `generation`.
    Keyed = 8,
    /// No ECU gets the key of `stream` any more.
    Revoked = 9,
    /// The ECU `address` was taken into the network.
    Enrolled = 10,
    /// The ECU `address` was taken out of the network.
    Retired = 11,
    /// Another event, of a newer version of the protocol.
    Other = 12,
}

/// Reason of a failed authentication or of a refusal.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LasanReason {
    /// None.
    None = 0,
    /// The list does not allow this sender this stream.
    NotAllowed = 1,
    /// It does, but not at this time.
    NotNow = 2,
    /// It did, and does not any more.
    Revoked = 3,
    /// The other did not answer in time.
    Timeout = 4,
    /// No ECU of that address takes part, or not any more.
    Unknown = 5,
    /// The key is not the one that is enrolled.
    Key = 6,
    /// The start-up message is of an epoch that is over.
    Epoch = 7,
    /// The signature is wrong.
    Signature = 8,
    /// The offer or answer is none.
    Agreement = 9,
    /// The other has not shown that it has the key.
    Proof = 10,
    /// Another reason, of a newer version of the protocol.
    Other = 11,
    /// The certificate is not to be believed.
    Certificate = 12,
}

/// An event of a role.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LasanEvent {
    /// Its kind.
    pub kind: LasanEventKind,
    /// Reason of a failure or refusal.
    pub reason: LasanReason,
    /// An epoch; 0 unless the kind names it.
    pub epoch: u64,
    /// A stream; 0 unless the kind names it.
    pub stream: u32,
    /// A generation, counted up with each new key of a stream; 0 unless the kind names it.
    pub generation: u32,
    /// An address; 0 unless the kind names it.
    pub address: u8,
}

impl LasanEvent {
    const NONE: Self = LasanEvent {
        kind: LasanEventKind::None,
        reason: LasanReason::None,
        epoch: 0,
        stream: 0,
        generation: 0,
        address: 0,
    };

    const fn of(kind: LasanEventKind) -> Self {
        LasanEvent { kind, ..Self::NONE }
    }

    const fn at(kind: LasanEventKind, Address(address): Address) -> Self {
        LasanEvent {
            address,
            ..Self::of(kind)
        }
    }

    const fn about(kind: LasanEventKind, StreamId(stream): StreamId) -> Self {
        LasanEvent {
            stream,
            ..Self::of(kind)
        }
    }
}

impl From<Option<EcuEvent>> for LasanEvent {
    fn from(event: Option<EcuEvent>) -> Self {
        use LasanEventKind as Kind;
        match event {
            None => Self::NONE,
            Some(EcuEvent::Authenticated { epoch }) => LasanEvent {
                epoch,
                ..Self::of(Kind::Authenticated)
            },
            Some(EcuEvent::Failed(failure)) => LasanEvent {
                reason: failure.into(),
                ..Self::of(Kind::Failed)
            },
            Some(EcuEvent::SessionLost) => Self::of(Kind::SessionLost),
            Some(EcuEvent::Granted {
                stream,
                sender,
                generation,
            }) => LasanEvent {
                generation,
                address: sender.0,
                ..Self::about(Kind::Granted, stream)
            },
            Some(EcuEvent::Denied { stream, reason }) => LasanEvent {
                reason: reason.into(),
                ..Self::about(Kind::Denied, stream)
            },
            Some(EcuEvent::Expired(stream)) => Self::about(Kind::Expired, stream),
            Some(_) => Self::of(Kind::Other),
        }
    }
}

impl From<Option<ModuleEvent>> for LasanEvent {
    fn from(event: Option<ModuleEvent>) -> Self {
        use LasanEventKind as Kind;
        match event {
            None => Self::NONE,
            Some(ModuleEvent::Started { epoch }) => LasanEvent {
                epoch,
                ..Self::of(Kind::Started)
            },
            Some(ModuleEvent::Authenticated(ecu)) => Self::at(Kind::Authenticated, ecu),
            Some(ModuleEvent::Failed { ecu, failure }) => LasanEvent {
                reason: failure.into(),
                ..Self::at(Kind::Failed, ecu)
            },
            Some(ModuleEvent::Keyed { stream, generation }) => LasanEvent {
                generation,
                ..Self::about(Kind::Keyed, stream)
            },
            Some(ModuleEvent::Granted {
                stream,
                ecu,
                generation,
            }) => LasanEvent {
                generation,
                address: ecu.0,
                ..Self::about(Kind::Granted, stream)
            },
            Some(ModuleEvent::Refused {
                stream,
                ecu,
                reason,
            }) => LasanEvent {
                reason: reason.into(),
                address: ecu.0,
                ..Self::about(Kind::Denied, stream)
            },
            Some(ModuleEvent::Revoked(stream)) => Self::about(Kind::Revoked, stream),
            Some(ModuleEvent::Enrolled(ecu)) => Self::at(Kind::Enrolled, ecu),
            Some(ModuleEvent::Retired(ecu)) => Self::at(Kind::Retired, ecu),
            Some(_) => Self::of(Kind::Other),
        }
    }
}

impl From<HandshakeFailure> for LasanReason {
    fn from(failure: HandshakeFailure) -> Self {
        match failure {
            HandshakeFailure::Timeout => Self::Timeout,
            HandshakeFailure::Unknown => Self::Unknown,
            HandshakeFailure::Key => Self::Key,
            HandshakeFailure::Epoch => Self::Epoch,
            HandshakeFailure::Signature(_) => Self::Signature,
            HandshakeFailure::Agreement(_) => Self::Agreement,
            HandshakeFailure::Proof => Self::Proof,
            HandshakeFailure::Certificate(_) => Self::Certificate,
            _ => Self::Other,
        }
    }
}

impl From<DenialReason> for LasanReason {
    fn from(reason: DenialReason) -> Self {
        match reason {
            DenialReason::NotAllowed => Self::NotAllowed,
            DenialReason::NotNow => Self::NotNow,
            DenialReason::Revoked => Self::Revoked,
            _ => Self::Other,
        }
    }
}
