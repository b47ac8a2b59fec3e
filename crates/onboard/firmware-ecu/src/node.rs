//! The node of an ECU: its streams and its roles.

use heapless::Vec;
use waywarden_can::node::Boot;
use waywarden_ecu::{
    Ecu, EcuRole, ForwardedFrame, GatewayRoute, Guard, PeriodicStream, StreamState,
};
use waywarden_firmware_link::{Link, STREAMS_MAX};

use crate::{Board, Names};

/// The ECU with roles of one type, which `K` stores: a slice of those that are large, and stay
/// where they are.
pub type EcuNode<'a, L, K, N> =
    Ecu<Vec<StreamState, STREAMS_MAX>, [GatewayRoute; 0], [ForwardedFrame; 0], K, N, Names<'a, L>>;

/// Makes the node of a boot with its streams and roles.
pub fn node<'a, L: Link, K: AsMut<[EcuRole<N>]>, N: Guard>(
    boot: &Boot<'_>,
    streams: &[PeriodicStream],
    roles: K,
    board: &'a Board<L>,
) -> EcuNode<'a, L, K, N> {
    let streams = streams.iter();
    let streams = streams.map(|stream| StreamState::new(*stream)).collect();
    Ecu::with_roles(boot, streams, [], [], roles).observed_by(Names(board))
}
