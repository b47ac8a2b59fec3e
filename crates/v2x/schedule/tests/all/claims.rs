//! Claimed positions of messages: those of the field, and made ones of each kind.

mod messages;
mod sources;

use waywarden_testkit_v2x::world::{Holder, MessageContents, Spec, written};
use waywarden_v2x_schedule::{ClaimedPosition, position_of};
use waywarden_v2x_wire::cam::{
    BasicContainer, Cam, CamParameters, CamParts, CoopAwareness, HighFrequencyContainer,
    RsuContainerHighFrequency,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::denm::{ActionId, Denm, ManagementContainer};
use waywarden_v2x_wire::etsi102894::{
    Altitude, AltitudeConfidence, ItsPduHeader, PosConfidenceEllipse, ReferencePosition,
};
use waywarden_v2x_wire::geonet::{
    ExtendedHeader, GeoAddress, GeonetStationType, LongPositionVector, NetworkPacket,
    ShortPositionVector, TrafficClass, UpperProtocol,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, Ieee1609Dot2Data, Latitude, Longitude, ThreeDLocation,
};
use waywarden_v2x_wire::uper::{self, Bits, Bounded};

const PAYLOAD: (i32, i32) = (446_470_000, 109_250_000);
const NETWORK: (i32, i32) = (446_480_000, 109_260_000);

/// A basic safety message of the field: 41.1553150 degrees north, 104.6634864 degrees west.
const SAFETY_MESSAGE: &str =
    "0014250d4c4c9510b829a7165b3f1673b847ab642faa7ffff238cd6bfd7d07d07f7fff80007796b0";

fn in_bits<T: uper::UperEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; uper::length(value).unwrap()];
    uper::emit(value, &mut buffer).unwrap();
    buffer
}

fn number<const MIN: i64, const MAX: i64>(value: i64) -> Bounded<MIN, MAX> {
    Bounded::new(value).unwrap()
}

fn reference((latitude, longitude): (i32, i32)) -> ReferencePosition {
    ReferencePosition {
        latitude: number(latitude.into()),
        longitude: number(longitude.into()),
        confidence_ellipse: PosConfidenceEllipse {
            semi_major_cm: Bounded::MAX,
            semi_minor_cm: Bounded::MAX,
            semi_major_orientation_decidegrees: Bounded::MAX,
        },
        altitude: Altitude {
            altitude_cm: Bounded::MAX,
            confidence: AltitudeConfidence::Unavailable,
        },
    }
}

fn cam(place: (i32, i32)) -> Vec<u8> {
    let parameters = CamParameters {
        basic: BasicContainer {
            station_type: number(5),
            reference_position: reference(place),
            additions: Bits::default(),
        },
        high_frequency: HighFrequencyContainer::Rsu(RsuContainerHighFrequency {
            protected_zones: None,
            additions: Bits::default(),
        }),
        low_frequency: None,
        special_vehicle: None,
        additions: Bits::default(),
    };
    let parts = CamParts {
        header: ItsPduHeader {
            protocol_version: number(2),
            message_id: number(2),
            station_id: number(7),
        },
        cam: CoopAwareness {
            generation_delta_time_ms: number(0),
            parameters,
        },
    };
    in_bits(&Cam::new(parts).unwrap())
}

fn denm(place: (i32, i32)) -> Vec<u8> {
    in_bits(&Denm {
        station_id: number(7),
        management: ManagementContainer {
            action_id: ActionId {
                originating_station: number(7),
                sequence_number: number(1),
            },
            detection_time_ms: number(0),
            reference_time_ms: number(0),
            termination: None,
            event_position: reference(place),
            relevance_distance: None,
            relevance_traffic_direction: None,
            validity_duration_s: number(600),
            transmission_interval_ms: None,
            station_type: number(5),
            additions: Bits::default(),
        },
        situation: None,
        location: None,
        alacarte: None,
    })
}

/// A GeoNetworking packet from a place with a message for a port.
fn packet((latitude, longitude): (i32, i32), port: u16, message: &[u8]) -> Vec<u8> {
    let transport = [&port.to_be_bytes()[..], &[0, 0], message].concat();
    let source = LongPositionVector {
        position: ShortPositionVector {
            address: GeoAddress {
                is_manual: false,
                station_type: GeonetStationType(5),
                reserved: 0,
                mac: [2, 0, 0, 0, 0, 1],
            },
            timestamp_ms: 0,
            latitude,
            longitude,
        },
        is_accurate: true,
        speed_cm_s: 0,
        heading_decidegrees: 0,
    };
    written(&NetworkPacket {
        upper: UpperProtocol::BtpB,
        traffic_class: TrafficClass(2),
        is_mobile: true,
        maximum_hop_limit: 1,
        extended: ExtendedHeader::SingleHopBroadcast {
            source,
            media_dependent: [0; 4],
        },
        payload: &transport,
    })
}

fn holder() -> Holder {
    Holder::issue(
        &Spec::station(3),
        Some(&Holder::issue(&Spec::authority(1), None)),
    )
}

fn signed(psid: u64, payload: &[u8], header: Option<(i32, i32)>) -> Vec<u8> {
    let place = header.map(|(latitude, longitude)| ThreeDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(longitude),
        elevation: Elevation(4_096),
    });
    let message = MessageContents {
        psid,
        payload,
        place,
        ..MessageContents::new()
    };
    message.sign(&holder())
}

fn claim(spdu: &[u8]) -> Option<ClaimedPosition> {
    position_of(&parse::<Ieee1609Dot2Data<'_>>(spdu).unwrap())
}
