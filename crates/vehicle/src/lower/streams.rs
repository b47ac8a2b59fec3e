//! Streams: what each ECU sends, what a gateway forwards of it, and what is measured of it.

use waywarden_can_auth::paired::Wire;
use waywarden_can_sim::trace;
use waywarden_ecu::{Content, Matching, Route, StreamFormat, StreamState};

use super::port_on;
use crate::file::{self, Data, EcuIndex, FrameFormat, Protection, StreamIndex, VehicleFile};
use crate::measure::Watched;

/// Returns the streams that an ECU sends first, each with its index in the vehicle.
pub(super) fn own(
    file: &VehicleFile,
    sender: EcuIndex,
) -> impl Iterator<Item = (usize, &file::Stream)> {
    let all = file.streams.iter().enumerate();
    all.filter(move |(_, stream)| stream.sender == sender)
}

/// Makes the streams that an ECU sends, in the order of [`own`].
pub(super) fn sent(file: &VehicleFile, sender: EcuIndex) -> Vec<StreamState> {
    let own = own(file, sender);
    own.map(|(_, stream)| {
        StreamState::new(waywarden_ecu::Stream {
            port: port_on(file, sender, stream.bus),
            id: stream.id.value,
            format: match stream.format {
                FrameFormat::Classic => StreamFormat::Classic,
                FrameFormat::Fd { bit_rate_switch } => StreamFormat::Fd { bit_rate_switch },
            },
            length: stream.length,
            period: stream.period,
            offset: stream.offset,
            jitter: stream.jitter,
            content: content(&stream.data),
        })
    })
    .collect()
}

fn content(data: &Data) -> Content {
    match data {
        Data::Counter => Content::Counter,
        Data::Random => Content::Random,
        Data::Zero => Content::Constant([0; 64]),
        Data::Fixed(bytes) => {
            let mut payload = [0; 64];
            payload
                .iter_mut()
                .zip(bytes)
                .for_each(|(to, byte)| *to = *byte);
            Content::Constant(payload)
        }
    }
}

/// Returns what a gateway forwards of the vehicle's streams.
pub(super) fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<Route> {
    // What is to be verified goes through the role that verifies, and no other way.
    let streams = file.forwarded_by(gateway);
    let streams = streams.filter(|(route, _)| file.routes[route.0].verify.is_none());
    let routes = streams.map(|(route, stream)| {
        let route = &file.routes[route.0];
        Route {
            from: port_on(file, gateway, route.from),
            to: port_on(file, gateway, route.to),
            matching: Matching::Only(file.stream(stream).id.value),
            // Frames with one identifier keep their order anyway.
            in_order: false,
        }
    });
    routes.collect()
}

/// Returns what is measured of each stream.
pub(super) fn watched(file: &VehicleFile) -> Vec<Watched> {
    file.streams
        .iter()
        .enumerate()
        .map(|(at, stream)| Watched {
            name: stream.name.value.clone(),
            sender: trace::EcuIndex(stream.sender.0),
            bus: trace::BusIndex(stream.bus.0),
            id: stream.id.value,
            checked: checked(file, StreamIndex(at), stream),
            is_counted: stream.protection == Protection::Paired(Wire::Leia),
            routes: forwarded(file, StreamIndex(at)),
            verified: verified(file, StreamIndex(at)),
            receivers: stream
                .receivers
                .iter()
                .map(|one| trace::EcuIndex(one.ecu.0))
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
fn forwarded(
    file: &VehicleFile,
    index: StreamIndex,
) -> Vec<(trace::EcuIndex, trace::BusIndex, trace::BusIndex)> {
    let routes = file.routes.iter().filter(|route| route.verify.is_none());
    let own = routes.filter(|route| route.streams.contains(&index));
    let bus = |bus: file::BusIndex| trace::BusIndex(bus.0);
    own.map(|route| {
        let gateway = trace::EcuIndex(route.gateway.0);
        (gateway, bus(route.from), bus(route.to))
    })
    .collect()
}

/// Returns the gateways that verify a stream, each with the bus on which it goes on.
fn verified(file: &VehicleFile, index: StreamIndex) -> Vec<(trace::EcuIndex, trace::BusIndex)> {
    let Some((_, table)) = file.authentication_of(index) else {
        return Vec::new();
    };
    let own = file.checks(table).filter(|check| check.stream == index);
    let gateways = own.filter_map(|check| Some((check.ecu, check.passes_to?)));
    let gateways = gateways.map(|(ecu, bus)| (trace::EcuIndex(ecu.0), trace::BusIndex(bus.0)));
    gateways.collect()
}
