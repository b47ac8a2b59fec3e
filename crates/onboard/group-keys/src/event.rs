//! Events that a role reports to its ECU: polled on the concrete role, never sent.

use waywarden_can::node::Port;

use super::exchange::ExchangeFailure;
use waywarden_key_roles::Address;
use waywarden_key_roles::events::EventQueue;

/// Something that happened to a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupRoleEvent {
    /// The secret of a logical ECU is known.
    Formed(Address),
    /// The group key of this epoch is in use. In `as-published` epochs are counted locally.
    Confirmed {
        /// The epoch of the key.
        epoch: u64,
    },
    /// An exchange failed.
    Failed {
        /// The logical ECU that was to result.
        result: Address,
        /// The cause.
        failure: ExchangeFailure,
    },
    /// There is a newer group key than this member's: it has reported so.
    Missed {
        /// The epoch of the newer key.
        epoch: u64,
    },
    /// This member was ordered into so many agreements in a row that gave it no key: they follow
    /// one another faster than it can compute, or its frames are lost. Repeated after each 8.
    Starved {
        /// Number of these agreements.
        renewals: u32,
    },
    /// The orchestrator goes on without an ECU that does not answer.
    Unresponsive(Address),
    /// The orchestrator removed an ECU.
    Removed(Address),
    /// An ECU takes part again.
    Included(Address),
    /// A renewal that waited until all had acknowledged the last key begins.
    Renewing,
    /// A port is far behind the others: the group goes on without the bus behind it.
    PortLags(Port),
    /// Frames leave on that port as fast as on the others again.
    PortFollows(Port),
    /// Not every member has acknowledged the key of this epoch.
    Unacknowledged {
        /// The epoch of the key.
        epoch: u64,
        /// Number of members without an acknowledgement.
        members: u8,
    },
}

/// Tells that a port lags, or does not any more.
pub(super) fn note_port(events: &mut EventQueue<GroupRoleEvent>, change: Option<(Port, bool)>) {
    if let Some((port, lags)) = change {
        events.push(match lags {
            true => GroupRoleEvent::PortLags(port),
            false => GroupRoleEvent::PortFollows(port),
        });
    }
}
