//! Streams: what each ECU sends, what a gateway forwards of it, and what is measured of it.

use waywarden_ecu::{GatewayRoute, Matching, PayloadContent, StreamFormat, StreamState};

use super::port_on;
use waywarden_vehicle_file::{self as file, Data, EcuIndex, FrameFormat, VehicleFile};

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
        StreamState::new(waywarden_ecu::PeriodicStream {
            port: port_on(file, sender, stream.bus),
            id: stream.id.value,
            format: match stream.format {
                FrameFormat::Classic => StreamFormat::Classic,
                FrameFormat::Fd { bit_rate_switch } => StreamFormat::Fd { bit_rate_switch },
            },
            length: stream.length,
            period: stream.period,
            offset: stream.offset.or_zero(),
            jitter: stream.jitter,
            content: content(&stream.data),
        })
    })
    .collect()
}

fn content(data: &Data) -> PayloadContent {
    match data {
        Data::Counter => PayloadContent::Counter,
        Data::Random => PayloadContent::Random,
        Data::Zero => PayloadContent::Constant([0; 64]),
        Data::Fixed(bytes) => {
            let mut payload = [0; 64];
            payload
                .iter_mut()
                .zip(bytes)
                .for_each(|(to, byte)| *to = *byte);
            PayloadContent::Constant(payload)
        }
    }
}

/// Returns what a gateway forwards of the vehicle's streams.
pub(super) fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<GatewayRoute> {
    // What is to be verified goes through the role that verifies, and no other way.
    let streams = file.forwarded_by(gateway);
    let streams = streams.filter(|(route, _)| file.routes[route.0].verify.is_none());
    let routes = streams.map(|(route, stream)| {
        let route = &file.routes[route.0];
        GatewayRoute {
            from: port_on(file, gateway, route.from),
            to: port_on(file, gateway, route.to),
            matching: Matching::Only(file.stream(stream).id.value),
            // Frames with one identifier keep their order anyway.
            in_order: false,
        }
    });
    routes.collect()
}
