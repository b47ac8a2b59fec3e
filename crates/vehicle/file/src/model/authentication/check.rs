//! Checks of a stream at its receivers, and at gateways that verify it on the way.

use super::super::{BusIndex, BusPassage, EcuIndex, Route, StreamIndex};

/// An ECU that checks the tags of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagCheck {
    /// The stream.
    pub stream: StreamIndex,
    /// The ECU.
    pub ecu: EcuIndex,
    /// The bus on which it hears the stream with its tags.
    pub bus: BusIndex,
    /// The bus to which authentic messages go, if it is a gateway that verifies.
    pub passes_to: Option<BusIndex>,
}

/// Returns true if a stream has no tags any more on a bus: some gateway on its way verified it.
pub(crate) fn is_verified<'a>(
    carried: &[BusPassage],
    bus: BusIndex,
    route: impl Fn(usize) -> Option<&'a Route>,
) -> bool {
    let mut at = bus;
    // Each step goes one gateway back, so there are at most as many as buses.
    for _ in 0..carried.len() {
        let here = carried.iter().find(|carried| carried.bus == at);
        let by = here.and_then(|carried| carried.by);
        let Some(route) = by.and_then(|by| route(by.0)) else {
            return false;
        };
        if route.verify.is_some() {
            return true;
        }
        at = route.from;
    }
    false
}
