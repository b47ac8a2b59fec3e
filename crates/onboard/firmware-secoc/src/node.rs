//! The node of an ECU, made from its record at a boot.

use heapless::Vec;
use waywarden_can::mailbox::PORT;
use waywarden_can::node::Ports;
use waywarden_ecu::{Ecu, EcuRole, ForwardedFrame, GatewayRoute, StreamState};
use waywarden_firmware_link::{FreshnessRecord, STREAMS_MAX};

use crate::authenticator::{SLOT, authenticator};
use crate::{Board, Keys, Link, Names, Role, Start};

/// The role of an ECU, SecOC; none if it neither sends, checks nor announces.
pub type OneRole<'a, L> = Option<EcuRole<Role<'a, L>>>;

/// The ECU. Its role stays where it is, as it is large.
pub type Node<'a, L> = Ecu<
    Vec<StreamState, STREAMS_MAX>,
    [GatewayRoute; 0],
    [ForwardedFrame; 0],
    &'a mut [EcuRole<Role<'a, L>>],
    Role<'a, L>,
    Names<'a, L>,
>;

/// Makes the role of a boot, with its keys in `keys`, which are none yet.
///
/// # Panics
/// If the record has more keys than there is room for, announcements that there cannot be, or too
/// many ends that count for themselves.
pub fn role<'a, L: Link>(start: &Start, keys: &'a mut Keys, board: &'a Board<L>) -> OneRole<'a, L> {
    let record = &start.record;
    let announces = matches!(record.freshness, FreshnessRecord::Master { .. });
    if !announces && record.senders.is_empty() && record.receivers.is_empty() {
        return None;
    }
    let role = Role::new(authenticator(&start.boot(), record, keys), board);
    Some(EcuRole::new(role, Ports::NONE.with(PORT), SLOT))
}

/// Makes the node of a boot with its role.
pub fn node<'a, L: Link>(
    start: &Start,
    role: &'a mut OneRole<'a, L>,
    board: &'a Board<L>,
) -> Node<'a, L> {
    let streams = start.record.streams.iter();
    let streams = streams.map(|stream| StreamState::new(*stream)).collect();
    let role = role.as_mut_slice();
    Ecu::with_roles(&start.boot(), streams, [], [], role).observed_by(Names(board))
}
