//! Events of both roles.

use waywarden_group_keys::{Address, ExchangeFailure, GroupRoleEvent};

/// Kind of an event of group keys.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupEventKind {
    /// There is none.
    None = 0,
    /// The secret of the logical ECU `address` is known.
    Formed = 1,
    /// The group key of `epoch` is in use: to be taken by `..._key`.
    Confirmed = 2,
    /// An exchange of the logical ECU `address` failed, by `failure`.
    Failed = 3,
    /// There is a newer key, of `epoch`, than this member's: it has reported so.
    Missed = 4,
    /// This member was ordered into `count` agreements in a row that gave it no key.
    Starved = 5,
    /// The orchestrator goes on without the ECU `address`, which does not answer.
    Unresponsive = 6,
    /// The orchestrator removed the ECU `address`.
    Removed = 7,
    /// The ECU `address` takes part again.
    Included = 8,
    /// A renewal that waited begins.
    Renewing = 9,
    /// `count` members have not acknowledged the key of `epoch`.
    Unacknowledged = 10,
    /// Another event, of a newer version of the protocol.
    Other = 11,
}

/// Cause of a failed exchange.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupFailure {
    /// None.
    None = 0,
    /// The orchestrator's signature is wrong, or not fresh.
    Orchestration = 1,
    /// This ECU lacks the secret of the logical ECU that it should act for.
    SecretMissing = 2,
    /// A share is no point of the curve, or one that must not be used.
    Share = 3,
    /// A participant's signature is wrong.
    Confirmation = 4,
    /// Not all came in time.
    Timeout = 5,
    /// A public key is missing.
    PublicKeyMissing = 6,
    /// Another cause, of a newer version of the protocol.
    Other = 7,
}

/// An event of a role.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEvent {
    /// Its kind.
    pub kind: GroupEventKind,
    /// Cause of a failed exchange.
    pub failure: GroupFailure,
    /// An epoch; 0 unless the kind names it.
    pub epoch: u64,
    /// A number; 0 unless the kind names it.
    pub count: u32,
    /// An address; 0 unless the kind names it.
    pub address: u8,
}

impl GroupEvent {
    const NONE: Self = GroupEvent {
        kind: GroupEventKind::None,
        failure: GroupFailure::None,
        epoch: 0,
        count: 0,
        address: 0,
    };

    const fn of(kind: GroupEventKind) -> Self {
        GroupEvent { kind, ..Self::NONE }
    }

    const fn at(kind: GroupEventKind, Address(address): Address) -> Self {
        GroupEvent {
            address,
            ..Self::of(kind)
        }
    }
}

impl From<Option<GroupRoleEvent>> for GroupEvent {
    fn from(event: Option<GroupRoleEvent>) -> Self {
        use GroupEventKind as Kind;
        match event {
            None => Self::NONE,
            Some(GroupRoleEvent::Formed(result)) => Self::at(Kind::Formed, result),
            Some(GroupRoleEvent::Confirmed { epoch }) => GroupEvent {
                epoch,
                ..Self::of(Kind::Confirmed)
            },
            Some(GroupRoleEvent::Failed { result, failure }) => GroupEvent {
                failure: failure.into(),
                ..Self::at(Kind::Failed, result)
            },
            Some(GroupRoleEvent::Missed { epoch }) => GroupEvent {
                epoch,
                ..Self::of(Kind::Missed)
            },
            Some(GroupRoleEvent::Starved { renewals }) => GroupEvent {
                count: renewals,
                ..Self::of(Kind::Starved)
            },
            Some(GroupRoleEvent::Unresponsive(ecu)) => Self::at(Kind::Unresponsive, ecu),
            Some(GroupRoleEvent::Removed(ecu)) => Self::at(Kind::Removed, ecu),
            Some(GroupRoleEvent::Included(ecu)) => Self::at(Kind::Included, ecu),
            Some(GroupRoleEvent::Renewing) => Self::of(Kind::Renewing),
            Some(GroupRoleEvent::Unacknowledged { epoch, members }) => GroupEvent {
                epoch,
                count: members.into(),
                ..Self::of(Kind::Unacknowledged)
            },
            Some(_) => Self::of(Kind::Other),
        }
    }
}

impl From<ExchangeFailure> for GroupFailure {
    fn from(failure: ExchangeFailure) -> Self {
        match failure {
            ExchangeFailure::Orchestration => Self::Orchestration,
            ExchangeFailure::SecretMissing(_) => Self::SecretMissing,
            ExchangeFailure::Share => Self::Share,
            ExchangeFailure::Confirmation => Self::Confirmation,
            ExchangeFailure::Timeout => Self::Timeout,
            ExchangeFailure::PublicKeyMissing(_) => Self::PublicKeyMissing,
            _ => Self::Other,
        }
    }
}
