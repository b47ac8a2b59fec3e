//! The path of a stream through a vehicle: its buses, the ECUs that send it there, and the ECUs
//! that accept it.

use waywarden_vehicle_file::{BusIndex, EcuIndex, Protection, StreamIndex, VehicleFile};

/// The path of one stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// The legs: the sender's bus first, and each leg after the one that it continues.
    pub(super) legs: Vec<Leg>,
    /// The receivers in the order of the vehicle file, then gateways that verify.
    pub(super) takers: Vec<Taker>,
}

/// A transmission on one bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    /// The sending ECU: the stream's sender, or a gateway.
    pub(super) ecu: usize,
    /// Bus of the transmission.
    pub(super) bus: usize,
    /// The leg that brings the stream to the gateway; `None` for the sender.
    pub(super) from: Option<usize>,
}

/// An ECU that accepts messages of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taker {
    pub(super) ecu: usize,
    pub(super) bus: usize,
    /// True if its software accepts frames from the bus unchecked.
    pub(super) is_plain: bool,
    /// True if the tags of the stream come in separate frames.
    pub(super) is_paired: bool,
    /// The leg on which a gateway forwards authentic messages; `None` for a receiver.
    pub(super) passes_to: Option<usize>,
}

impl Way {
    pub(super) fn of(file: &VehicleFile, index: StreamIndex) -> Self {
        let stream = file.stream(index);
        let mut legs = vec![Leg {
            ecu: stream.sender.0,
            bus: stream.bus.0,
            from: None,
        }];
        let routes = file
            .routes
            .iter()
            .filter(|one| one.streams.contains(&index));
        let routes: Vec<_> = routes.collect();
        // Repeated, because the file may list a route before the one that feeds it.
        for _ in 0..routes.len() {
            for route in &routes {
                let (ecu, bus) = (route.gateway.0, route.to.0);
                let is_known = legs.iter().any(|leg| (leg.ecu, leg.bus) == (ecu, bus));
                let from = legs.iter().position(|leg| leg.bus == route.from.0);
                if let (Some(from), false) = (from, is_known) {
                    let from = Some(from);
                    legs.push(Leg { ecu, bus, from });
                }
            }
        }
        let protection = stream.protection;
        let is_paired = matches!(
            protection,
            Protection::Paired(_) | Protection::Separate { .. }
        );
        let receivers = stream.receivers.iter().map(|one| Taker {
            ecu: one.ecu.0,
            bus: one.bus.0,
            is_plain: is_plain(file, index, one.ecu, one.bus),
            is_paired,
            passes_to: None,
        });
        let checks = file.authentication_of(index);
        let checks = checks.into_iter().flat_map(|(_, table)| file.checks(table));
        let gateways = checks.filter(|check| check.stream == index);
        let gateways = gateways.filter_map(|check| {
            let to = check.passes_to?;
            let is_it = |leg: &Leg| (leg.ecu, leg.bus) == (check.ecu.0, to.0);
            Some(Taker {
                ecu: check.ecu.0,
                bus: check.bus.0,
                is_plain: false,
                is_paired,
                passes_to: Some(legs.iter().position(is_it)?),
            })
        });
        let takers = receivers.chain(gateways).collect();
        Way { legs, takers }
    }

    /// Returns the leg that an ECU sends on a bus.
    pub(super) fn leg(&self, ecu: usize, bus: usize) -> Option<usize> {
        let mut legs = self.legs.iter();
        legs.position(|leg| (leg.ecu, leg.bus) == (ecu, bus))
    }

    /// Returns true if the gateway that sends a leg forwards only authentic messages.
    pub(super) fn is_verified(&self, leg: usize) -> bool {
        self.takers.iter().any(|one| one.passes_to == Some(leg))
    }

    /// Returns the taker at an ECU: the receiver, or the gateway's check of messages to a bus.
    pub(super) fn taker(&self, ecu: usize, passes_to: Option<usize>) -> Option<usize> {
        let bus = |taker: &Taker| taker.passes_to.map(|leg| self.legs[leg].bus);
        let mut takers = self.takers.iter();
        takers.position(|one| one.ecu == ecu && bus(one) == passes_to)
    }

    /// Returns true if an ECU sends this leg from messages that it receives on `bus`.
    pub(super) fn goes_on(&self, leg: usize, ecu: usize, bus: usize) -> bool {
        let own = self.legs[leg];
        own.ecu == ecu && own.from.is_some_and(|from| self.legs[from].bus == bus)
    }
}

/// Returns true if an ECU accepts the messages of a stream unchecked.
fn is_plain(file: &VehicleFile, stream: StreamIndex, ecu: EcuIndex, bus: BusIndex) -> bool {
    let is_protected = file.stream(stream).protection == Protection::Granted;
    !is_protected && file.takes_unchecked(stream, ecu, bus)
}
