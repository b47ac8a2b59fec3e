//! What is measured of each stream: who has to get it, and by which way.

use waywarden_can::Id;
use waywarden_can_auth::paired::Wire;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_vehicle_file::{self as file, Protection, StreamIndex, VehicleFile};

use super::Watched;

/// Returns what is measured of each stream.
#[must_use]
pub fn watched(file: &VehicleFile) -> Vec<Watched> {
    file.streams
        .iter()
        .enumerate()
        .map(|(at, stream)| Watched {
            name: stream.name.value.clone(),
            sender: EcuIndex(stream.sender.0),
            bus: BusIndex(stream.bus.0),
            id: stream.id.value,
            checked: checked(file, StreamIndex(at), stream),
            is_counted: stream.protection == Protection::Paired(Wire::Leia),
            routes: forwarded(file, StreamIndex(at)),
            verified: verified(file, StreamIndex(at)),
            receivers: stream
                .receivers
                .iter()
                .map(|one| EcuIndex(one.ecu.0))
                .collect(),
            deadline: stream.deadline,
        })
        .collect()
}

/// Says which receivers of a stream check its tag themselves.
fn checked(file: &VehicleFile, index: StreamIndex, stream: &file::Stream) -> Vec<bool> {
    let is_tagged = file.authentication_of(index).is_some();
    let receivers = stream.receivers.iter();
    receivers
        .map(|one| is_tagged && !file.takes_unchecked(index, one.ecu, one.bus))
        .collect()
}

/// Returns the routes that forward a stream as it is: gateway, from which bus, and to which.
fn forwarded(file: &VehicleFile, index: StreamIndex) -> Vec<(EcuIndex, BusIndex, BusIndex)> {
    let routes = file.routes.iter().filter(|route| route.verify.is_none());
    let own = routes.filter(|route| route.streams.contains(&index));
    let bus = |bus: file::BusIndex| BusIndex(bus.0);
    own.map(|route| {
        let gateway = EcuIndex(route.gateway.0);
        (gateway, bus(route.from), bus(route.to))
    })
    .collect()
}

/// Returns the gateways that verify a stream, each with the bus on which it goes on.
fn verified(file: &VehicleFile, index: StreamIndex) -> Vec<(EcuIndex, BusIndex)> {
    let Some((_, table)) = file.authentication_of(index) else {
        return Vec::new();
    };
    let own = file.checks(table).filter(|check| check.stream == index);
    let gateways = own.filter_map(|check| Some((check.ecu, check.passes_to?)));
    let gateways = gateways.map(|(ecu, bus)| (EcuIndex(ecu.0), BusIndex(bus.0)));
    gateways.collect()
}

impl Watched {
    /// Whether an ECU is a gateway that verifies it.
    pub(super) fn is_verified_by(&self, ecu: EcuIndex) -> bool {
        self.verified.iter().any(|(gateway, _)| *gateway == ecu)
    }

    /// Whether a frame that an ECU sends on a bus in reaction to one of its frames on another is
    /// that one forwarded: by a declared route, with the identifier (as counted) of the stream.
    pub(super) fn is_forwarded(
        &self,
        from: BusIndex,
        (ecu, to): (EcuIndex, BusIndex),
        counted: Id,
    ) -> bool {
        counted == self.wire_id() && self.routes.contains(&(ecu, from, to))
    }

    /// Returns the identifier under which its frames are counted: one with a counter of zero, where
    /// they have one.
    pub(super) fn wire_id(&self) -> Id {
        match (self.is_counted, self.id) {
            (true, Id::Standard(id)) => Id::extended(u32::from(id.raw()) << 18).unwrap_or(self.id),
            _ => self.id,
        }
    }
}
