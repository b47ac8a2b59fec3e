//! Where messages say that they come from: those of the field, and made ones of each kind.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use waywarden_testkit::{Random, bytes_of, cases, corpus_text};
use waywarden_v2x_schedule::{
    ClaimedPosition, Features, MessageClass, PositionSource, Sender, position_of,
};
use waywarden_v2x_wire::btp::port;
use waywarden_v2x_wire::cam::{
    BasicContainer, Cam, CamParameters, CamParts, CoopAwareness, HighFrequencyContainer,
    RsuContainerHighFrequency,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::denm::{ActionId, Denm, ManagementContainer};
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::etsi102894::{
    Altitude, AltitudeConfidence, ItsPduHeader, PosConfidenceEllipse, ReferencePosition,
};
use waywarden_v2x_wire::geonet::{
    ExtendedHeader, GeoAddress, LongPositionVector, NetworkPacket, ShortPositionVector,
    StationType, TrafficClass, Upper,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, Ieee1609Dot2Data, Latitude, Longitude, ThreeDLocation, Time64, TwoDLocation,
};
use waywarden_v2x_wire::uper::{self, Bits, Bounded};

use super::{NOW, at};
use crate::world::{Holder, Message, Named, Spec, written};

const PAYLOAD: (i32, i32) = (446_470_000, 109_250_000);
const NETWORK: (i32, i32) = (446_480_000, 109_260_000);
const HEADER: (i32, i32) = (446_490_000, 109_270_000);
/// What says that a position is not known.
const UNKNOWN: (i32, i32) = (900_000_001, 1_800_000_001);

/// A basic safety message of the field: 41.1553150 degrees north, 104.6634864 degrees west.
const SAFETY_MESSAGE: &str =
    "0014250d4c4c9510b829a7165b3f1673b847ab642faa7ffff238cd6bfd7d07d07f7fff80007796b0";

fn in_bits<T: uper::Encode>(value: &T) -> Vec<u8> {
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
                station_type: StationType(5),
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
        upper: Upper::BtpB,
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
    let message = Message {
        psid,
        payload,
        place,
        ..Message::new()
    };
    message.sign(&holder())
}

fn claim(spdu: &[u8]) -> Option<ClaimedPosition> {
    position_of(&parse::<Ieee1609Dot2Data<'_>>(spdu).unwrap())
}

fn from(source: PositionSource, (latitude, longitude): (i32, i32)) -> Option<ClaimedPosition> {
    let place = at(latitude, longitude);
    Some(ClaimedPosition { place, source })
}

#[test]
fn the_position_is_that_of_the_payload_then_of_the_network_then_of_the_header() {
    use PositionSource::{Header, Network, Payload};
    let bsm = bytes_of(SAFETY_MESSAGE);
    let wyoming = (411_553_150, -1_046_634_864);
    let both = Some(HEADER);
    let packets = |place, port, message: &[u8]| packet(place, port, message);
    let cases = [
        (
            36,
            packets(NETWORK, port::CAM, &cam(PAYLOAD)),
            both,
            from(Payload, PAYLOAD),
        ),
        (
            37,
            packets(NETWORK, port::DENM, &denm(PAYLOAD)),
            both,
            from(Payload, PAYLOAD),
        ),
        (32, bsm.clone(), both, from(Payload, wyoming)),
        // What the payload does not know, others may.
        (
            36,
            packets(NETWORK, port::CAM, &cam(UNKNOWN)),
            both,
            from(Network, NETWORK),
        ),
        (
            37,
            packets(UNKNOWN, port::DENM, &denm(UNKNOWN)),
            both,
            from(Header, HEADER),
        ),
        (36, packets(UNKNOWN, port::CAM, &cam(UNKNOWN)), None, None),
        (
            36,
            packets(UNKNOWN, port::CAM, &cam(UNKNOWN)),
            Some(UNKNOWN),
            None,
        ),
        // Half a position is none.
        (
            36,
            packets((0, UNKNOWN.1), port::CAM, &cam((UNKNOWN.0, 0))),
            None,
            None,
        ),
        // Numbers that a network header can have and the Earth does not.
        (
            36,
            packets((i32::MIN, i32::MAX), port::CAM, b"no CAM"),
            both,
            from(Header, HEADER),
        ),
        // A message that is not read, on another port or broken.
        (
            138,
            packets(NETWORK, port::MAPEM, b"a map"),
            both,
            from(Network, NETWORK),
        ),
        (
            36,
            packets(NETWORK, port::CAM, &cam(PAYLOAD)[1..]),
            both,
            from(Network, NETWORK),
        ),
        (
            36,
            packets(NETWORK, port::DENM, &cam(PAYLOAD)),
            None,
            from(Network, NETWORK),
        ),
        (
            36,
            b"a CAM would stand here".to_vec(),
            both,
            from(Header, HEADER),
        ),
        (32, bsm[1..].to_vec(), both, from(Header, HEADER)),
        (32, bsm[1..].to_vec(), None, None),
        (
            32,
            packets(NETWORK, port::CAM, &cam(PAYLOAD)),
            both,
            from(Header, HEADER),
        ),
        (135, b"anything".to_vec(), None, None),
    ];
    for (number, (psid, payload, header, expected)) in cases.into_iter().enumerate() {
        assert_eq!(
            claim(&signed(psid, &payload, header)),
            expected,
            "case {number}"
        );
    }
}

/// ETSI's messages have two names for the antimeridian.
#[test]
fn the_antimeridian_is_one_place() {
    let west = packet(UNKNOWN, port::CAM, &cam((0, -1_800_000_000)));
    let expected = from(PositionSource::Payload, (0, 1_800_000_000));
    assert_eq!(claim(&signed(36, &west, None)), expected);
}

#[test]
fn data_that_are_not_signed_claim_no_position() {
    let unsecured = bytes_of("0380026162");
    assert_eq!(claim(&unsecured), None);
    assert_eq!(
        Features::of(&detect(&unsecured).unwrap()),
        Features::default()
    );
}

#[test]
fn features_are_read_from_a_message() {
    let payload = packet(NETWORK, port::DENM, &denm(PAYLOAD));
    let expires = Some(Time64(NOW.0 + 5));
    let (own, id) = (holder(), holder().id());
    for named in [Named::Digest, Named::Certificates(&[])] {
        let message = Message {
            psid: 37,
            payload: &payload,
            expires,
            named,
            ..Message::new()
        };
        let spdu = message.sign(&own);
        let expected = Features {
            position: Some(at(PAYLOAD.0, PAYLOAD.1)),
            class: MessageClass::Warning,
            deadline: expires,
            sender: Sender::Certificate(id),
            generated: message.made,
        };
        assert_eq!(Features::of(&detect(&spdu).unwrap()), expected);
        // On a link the sender is the link's.
        let ethernet = [
            &[0xFF; 6][..],
            &[2, 0, 0, 0, 0, 9],
            &0x8947_u16.to_be_bytes(),
            &[0x12, 0, 0x05, 1],
            &spdu,
        ];
        let found = Features::of(&detect(&ethernet.concat()).unwrap());
        let sender = Sender::Link([2, 0, 0, 0, 0, 9]);
        assert_eq!(found, Features { sender, ..expected });
    }
}

/// Each basic safety message of the field says where it is: in Wyoming or Colorado.
#[test]
fn messages_of_the_field_claim_their_position() {
    let Some(text) = corpus_text("v2x/us_field/signed.hex") else {
        return;
    };
    let mut sources = std::collections::BTreeMap::new();
    for line in text.lines() {
        let spdu = bytes_of(line.split_whitespace().last().unwrap());
        let data: Ieee1609Dot2Data<'_> = parse(&spdu).unwrap();
        let claimed = position_of(&data);
        let features = Features::of(&detect(&spdu).unwrap());
        assert_eq!(features.position, claimed.map(|claimed| claimed.place));
        assert_ne!(features.sender, Sender::Unknown);
        let is_awareness = features.class == MessageClass::Awareness;
        let source = claimed.map(|claimed| claimed.source);
        assert!(
            !is_awareness || source == Some(PositionSource::Payload),
            "{line}"
        );
        if let Some(TwoDLocation {
            latitude,
            longitude,
        }) = features.position
        {
            assert!((390_000_000..=450_100_000).contains(&latitude.0), "{line}");
            assert!(
                (-1_111_000_000..=-1_030_000_000).contains(&longitude.0),
                "{line}"
            );
        }
        *sources.entry(source).or_insert(0) += 1;
    }
    println!("{sources:?}");
    assert_eq!(sources.values().sum::<i32>(), 843);
}

/// Bits of payloads changed at random: a position that comes out is a place on Earth.
#[test]
fn changed_payloads_claim_a_place_or_none() {
    let mut random = Random::of_test("changed_payloads_claim_a_place_or_none");
    let originals = [
        (36, packet(NETWORK, port::CAM, &cam(PAYLOAD))),
        (37, packet(NETWORK, port::DENM, &denm(PAYLOAD))),
        (32, bytes_of(SAFETY_MESSAGE)),
    ];
    let (mut known, mut unknown) = (0, 0);
    for _ in 0..cases(3_000) {
        let (psid, original) = &originals[random.index(3)];
        let mut payload = original.clone();
        for _ in 0..=random.index(4) {
            let bit = random.index(payload.len() * 8);
            payload[bit / 8] ^= 0x80 >> (bit % 8);
        }
        if random.once_in(4) {
            payload.truncate(random.index(payload.len()));
        }
        match claim(&unsigned_shell(*psid, &payload)) {
            Some(claimed) => {
                let TwoDLocation {
                    latitude,
                    longitude,
                } = claimed.place;
                assert!(latitude.0.abs() <= 900_000_000);
                assert!((-1_799_999_999..=1_800_000_000).contains(&longitude.0));
                known += 1;
            }
            None => unknown += 1,
        }
    }
    println!("{known} with a position, {unknown} without");
    assert!(known > 0 && unknown > 0);
}

/// Signed data with a signature of no worth, for a position is read before it is verified.
fn unsigned_shell(psid: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    let long: &[u8] = if length < 0x80 { &[] } else { &[0x81] };
    [
        &[3, 0x81, 0, 0x40, 3, 0x80][..],
        long,
        &[length],
        payload,
        // The header has an application only; the signer is a digest.
        &[0, 1, psid, 0x80, 1, 2, 3, 4, 5, 6, 7, 8],
        // A signature on P-256: r is an x-coordinate.
        &[0x80, 0x80],
        &[7; 64],
    ]
    .concat()
}
