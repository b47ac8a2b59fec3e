//! GeoNetworking and BTP: headers written by hand from the standard's figures, and hostile ones.

use waywarden_v2x_wire::btp::{Btp, BtpA, BtpB, port};
use waywarden_v2x_wire::coer::{CoerDecode, CoerEncode, CoerLength, emit, parse, parse_prefix};
use waywarden_v2x_wire::geonet::{
    AreaShape, Body, DestinationArea, ExtendedHeader, GeoAddress, GeonetStationType, Lifetime,
    LongPositionVector, NetworkPacket, Packet, ShortPositionVector, TrafficClass, UpperProtocol,
};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};
use waywarden_v2x_wire::{EmitError, ParseFault};

/// A passenger car in Vienna at 20.01 m/s to the east; the address is its own.
const SHORT: [u8; 20] = [
    0x15, 0x06, 0x02, 0x00, 0x00, 0x00, 0x00, 0x17, // M 0, ST 5, Germany, MID
    0x12, 0x34, 0x56, 0x78, // TST
    0x1C, 0xBB, 0x95, 0x21, // Lat 48.2055457
    0x09, 0xC4, 0x6F, 0x3B, // Long 16.3868475
];
const MOTION: [u8; 4] = [0x87, 0xD1, 0x03, 0x84]; // PAI 1, S 2001, H 900
const AREA: [u8; 16] = [
    0x1C, 0xBB, 0x95, 0x21, 0xF6, 0x3B, 0x90, 0xC5, // Long -16.3868475
    0x01, 0xF4, 0x00, 0x64, 0x00, 0x2D, 0, 0, // 500 m, 100 m, 45 degrees
];
const SEQUENCE: [u8; 4] = [0xBE, 0xEF, 0, 0];
const PAYLOAD: [u8; 3] = [1, 2, 3];

fn short() -> ShortPositionVector {
    ShortPositionVector {
        address: GeoAddress {
            is_manual: false,
            station_type: GeonetStationType(5),
            reserved: 0x106,
            mac: [2, 0, 0, 0, 0, 0x17],
        },
        timestamp_ms: 0x1234_5678,
        latitude: 482_055_457,
        longitude: 163_868_475,
    }
}

fn long() -> LongPositionVector {
    LongPositionVector {
        position: short(),
        is_accurate: true,
        speed_cm_s: 2001,
        heading_decidegrees: 900,
    }
}

fn area(shape: AreaShape) -> DestinationArea {
    DestinationArea {
        shape,
        latitude: 482_055_457,
        longitude: -163_868_475,
        distance_a_m: 500,
        distance_b_m: 100,
        angle_degrees: 45,
    }
}

/// Every header with its type and its bytes.
fn headers() -> Vec<(u8, ExtendedHeader, Vec<u8>)> {
    let (sequence_number, source) = (0xBEEF, long());
    let (destination, address) = (short(), short().address);
    let sender = [&SHORT[..], &MOTION].concat();
    let numbered = |rest: &[u8]| [&SEQUENCE, &sender[..], rest].concat();
    let mut headers = vec![
        (0x10, ExtendedHeader::Beacon { source }, sender.clone()),
        (
            0x50,
            ExtendedHeader::SingleHopBroadcast {
                source,
                media_dependent: [7, 6, 5, 4],
            },
            [&sender[..], &[7, 6, 5, 4]].concat(),
        ),
        (
            0x20,
            ExtendedHeader::GeoUnicast {
                sequence_number,
                source,
                destination,
            },
            numbered(&SHORT),
        ),
        (
            0x51,
            ExtendedHeader::TopologicallyScopedBroadcast {
                sequence_number,
                source,
            },
            numbered(&[]),
        ),
        (
            0x60,
            ExtendedHeader::LocationRequest {
                sequence_number,
                source,
                wanted: address,
            },
            numbered(&SHORT[..8]),
        ),
        (
            0x61,
            ExtendedHeader::LocationReply {
                sequence_number,
                source,
                destination,
            },
            numbered(&SHORT),
        ),
    ];
    let shapes = [AreaShape::Circle, AreaShape::Rectangle, AreaShape::Ellipse];
    for (subtype, shape) in (0..).zip(shapes) {
        let area = area(shape);
        let anycast = ExtendedHeader::GeoAnycast {
            sequence_number,
            source,
            area,
        };
        let broadcast = ExtendedHeader::GeoBroadcast {
            sequence_number,
            source,
            area,
        };
        headers.push((0x30 | subtype, anycast, numbered(&AREA)));
        headers.push((0x40 | subtype, broadcast, numbered(&AREA)));
    }
    headers
}

fn packet(extended: ExtendedHeader) -> NetworkPacket<'static> {
    NetworkPacket {
        upper: UpperProtocol::BtpB,
        traffic_class: TrafficClass(0x83),
        is_mobile: true,
        maximum_hop_limit: 10,
        extended,
        payload: &PAYLOAD,
    }
}

/// It is read as `value`, written as `bytes`, and refused when it is cut anywhere.
fn holds<'a, T>(bytes: &'a [u8], value: &T)
where
    T: CoerDecode<'a> + CoerEncode + PartialEq + std::fmt::Debug,
{
    assert_eq!(parse::<T>(bytes).as_ref(), Ok(value));
    assert_eq!(emit(value, &mut vec![0; bytes.len()]), Ok(bytes));
    for length in 0..bytes.len() {
        let error = parse::<T>(&bytes[..length]).err().unwrap();
        assert!(matches!(error.fault, ParseFault::Truncated(_)), "{error}");
    }
}

#[test]
fn every_extended_header() {
    let sizes = [24, 28, 48, 28, 36, 48, 44, 44, 44, 44, 44, 44];
    for ((kind, extended, header), size) in headers().into_iter().zip(sizes) {
        assert_eq!(header.len(), size);
        let start = [0x20, kind, 0x83, 0x80, 0, 3, 10, 0];
        let bytes = [&start[..], &header, &PAYLOAD].concat();
        let clear = packet(extended);
        holds(&bytes, &clear);
        let whole = [&[0x11, 0, 0xF1, 9], &bytes[..]].concat();
        let packet = Packet {
            lifetime: Lifetime(0xF1),
            remaining_hop_limit: 9,
            body: Body::Clear(clear),
        };
        holds(&whole, &packet);
        assert_eq!(packet.lifetime.milliseconds(), 60_000);
    }
}

#[test]
fn a_secured_packet_is_what_stands_behind_the_basic_header() {
    let bytes = [0x12, 0, 0x05, 1, 3, 0x81, 0, 0x40];
    let packet: Packet<'_> = parse(&bytes).unwrap();
    assert_eq!(packet.body, Body::Secured(&bytes[4..]));
    assert_eq!(packet.lifetime.milliseconds(), 1_000);
    assert_eq!(emit(&packet, &mut [0; 8]), Ok(&bytes[..]));
}

#[test]
fn numbers_at_their_bounds() {
    for (speed, word) in [(-1, 0x7FFF), (-0x4000, 0x4000), (0x3FFF, 0x3FFF), (0, 0)] {
        let mut source = long();
        (source.speed_cm_s, source.is_accurate) = (speed, false);
        let word: [u8; 2] = u16::to_be_bytes(word);
        let bytes = [&SHORT[..], &word, &MOTION[2..]].concat();
        holds(&bytes, &source);
    }
    let mut source = long();
    source.speed_cm_s = 0x4000;
    let written = source.encode(&mut CoerLength::default());
    assert_eq!(written, Err(EmitError::OutOfRange("S")));
    source = long();
    source.position.address.station_type = GeonetStationType(32);
    let written = source.encode(&mut CoerLength::default());
    assert_eq!(written, Err(EmitError::OutOfRange("ST")));
    source = long();
    source.position.address.reserved = 0x400;
    let written = source.encode(&mut CoerLength::default());
    assert_eq!(written, Err(EmitError::OutOfRange("reserved")));
    let mut long_payload = packet(ExtendedHeader::Beacon { source: long() });
    long_payload.payload = &[0; 0x1_0000];
    let written = long_payload.encode(&mut CoerLength::default());
    assert_eq!(written, Err(EmitError::OutOfRange("PL")));
    // Unit by unit: 50 ms, 1 s, 10 s, 100 s.
    let lifetimes = [0x04, 0x05, 0x06, 0x07, 0xFF].map(|byte| Lifetime(byte).milliseconds());
    assert_eq!(lifetimes, [50, 1_000, 10_000, 100_000, 6_300_000]);
    let class = TrafficClass(0xC3);
    assert!(class.store_carry_forward() && class.channel_offload());
    assert_eq!(class.id(), 3);
}

/// Off the air: what they are stands in the file.
#[test]
fn packets_from_the_field() {
    let packets = field_packets();
    let names: Vec<&str> = packets.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), 5);
    for (name, bytes) in &packets {
        let packet: Packet<'_> = parse(bytes).unwrap();
        assert_eq!(emit(&packet, &mut [0; 2000]), Ok(&bytes[..]), "{name}");
        let inner = match packet.body {
            Body::Clear(inner) => inner,
            Body::Secured(spdu) => {
                let data: Ieee1609Dot2Data<'_> = parse(spdu).unwrap();
                let Ieee1609Dot2Content::Signed(signed) = data.content else {
                    panic!("{name}");
                };
                let payload = signed.tbs_data.payload.data.unwrap().view().unwrap();
                let Ieee1609Dot2Content::Unsecured(bytes) = payload.content else {
                    panic!("{name}");
                };
                let inner: NetworkPacket<'_> = parse(bytes).unwrap();
                assert_eq!(emit(&inner, &mut [0; 2000]), Ok(bytes), "{name}");
                inner
            }
        };
        let port =
            Btp::parse(inner.upper, inner.payload).map(|btp| btp.unwrap().destination_port());
        let place = inner.extended.source().position;
        println!("{name}: {} {:?} {place:?}", inner.payload.len(), port);
        let expected = match *name {
            "beacon-of-a-roadside-unit" => None,
            "secured-spatem-of-a-roadside-unit" => Some(port::SPATEM),
            _ => Some(port::CAM),
        };
        assert_eq!(port, expected, "{name}");
        // From Salzburg to Hamburg.
        assert!(
            (470_000_000..542_000_000).contains(&place.latitude),
            "{name}"
        );
        assert!(
            (90_000_000..140_000_000).contains(&place.longitude),
            "{name}"
        );
    }
}

/// The packets of `vectors/geonetworking.txt`, with their names.
fn field_packets() -> Vec<(&'static str, Vec<u8>)> {
    let text = include_str!("../../../../../vectors/geonetworking.txt");
    let mut packets: Vec<(&str, Vec<u8>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("packet ") {
            packets.push((name, Vec::new()));
            continue;
        }
        let digits = (0..line.len()).step_by(2);
        let bytes = digits.map(|at| u8::from_str_radix(&line[at..at + 2], 16).unwrap());
        packets.last_mut().unwrap().1.extend(bytes);
    }
    packets
}

#[test]
fn what_is_refused() {
    let (_, extended, header) = headers().swap_remove(1);
    let start = [0x11, 0, 0x05, 1, 0x20, 0x50, 3, 0x80, 0, 3, 1, 0];
    let good = [&start[..], &header, &PAYLOAD].concat();
    assert!(matches!(parse::<Packet<'_>>(&good).unwrap().body,
        Body::Clear(read) if read.extended == extended));
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        let error = parse::<Packet<'_>>(&bytes).unwrap_err();
        (error.fault, error.offset)
    };
    let expected = 1;
    assert_eq!(
        with(0, 0x01),
        (ParseFault::Version { expected, found: 0 }, 0)
    );
    assert_eq!(
        with(0, 0x21),
        (ParseFault::Version { expected, found: 2 }, 0)
    );
    assert_eq!(with(0, 0x10), (ParseFault::UnknownTag(0), 0));
    assert_eq!(with(0, 0x13), (ParseFault::UnknownTag(3), 0));
    assert_eq!(with(4, 0x40), (ParseFault::UnknownTag(4), 4));
    for kind in [0x00, 0x11, 0x21, 0x33, 0x43, 0x52, 0x62, 0x70, 0xF0] {
        assert_eq!(with(5, kind), (ParseFault::UnknownTag(u64::from(kind)), 5));
    }
    assert_eq!(with(9, 4), (ParseFault::Truncated(1), 40));
    assert_eq!(with(9, 2), (ParseFault::TrailingBytes(1), 42));
    // Reserved bits are not looked at, and not kept.
    let mut reserved = good.clone();
    for at in [1, 11] {
        reserved[at] = 0xFF;
    }
    (reserved[4], reserved[7]) = (0x2F, 0xFF);
    let read: Packet<'_> = parse(&reserved).unwrap();
    assert_eq!(emit(&read, &mut [0; 64]), Ok(&good[..]));
    // What stands behind belongs to the link.
    let padded = [&good[..], &[0; 9]].concat();
    let (_, length) = parse_prefix::<Packet<'_>>(&padded).unwrap();
    assert_eq!(length, good.len());
}

#[test]
fn btp() {
    let bytes = [0x07, 0xD1, 0x12, 0x34, 9, 8];
    let (destination_port, payload) = (port::CAM, &bytes[4..]);
    let with = BtpA {
        destination_port,
        source_port: 0x1234,
        payload,
    };
    let without = BtpB {
        destination_port,
        destination_port_info: 0x1234,
        payload,
    };
    assert_eq!(emit(&with, &mut [0; 6]), Ok(&bytes[..]));
    assert_eq!(emit(&without, &mut [0; 6]), Ok(&bytes[..]));
    let read = |upper| Btp::parse(upper, &bytes);
    assert_eq!(read(UpperProtocol::BtpA), Some(Ok(Btp::A(with))));
    assert_eq!(read(UpperProtocol::BtpB), Some(Ok(Btp::B(without))));
    assert_eq!(read(UpperProtocol::Any), None);
    assert_eq!(read(UpperProtocol::Ipv6), None);
    let either = Btp::B(without);
    assert_eq!(
        (either.destination_port(), either.payload()),
        (2001, payload)
    );
    for length in 0..4 {
        let error = Btp::parse(UpperProtocol::BtpB, &bytes[..length])
            .unwrap()
            .unwrap_err();
        assert!(matches!(error.fault, ParseFault::Truncated(_)));
    }
}
