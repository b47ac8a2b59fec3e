//! tshark as oracle: it dissects the frames that are written here, to the last layer that it knows,
//! without an error, and reads the same numbers.

use waywarden_testkit::has_tshark;
use waywarden_v2x_wire::btp::{BtpA, BtpB, port};
use waywarden_v2x_wire::coer::{self, CoerEncode, parse};
use waywarden_v2x_wire::geonet::{
    AreaShape, Body, DestinationArea, ExtendedHeader, GeoAddress, GeonetStationType, Lifetime,
    LongPositionVector, NetworkPacket, Packet, ShortPositionVector, TrafficClass, UpperProtocol,
};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Version3};
use waywarden_v2x_wire::link::NetworkProtocol;
use waywarden_v2x_wire::wsmp::{Element, Wsm, WsmpElements};

fn bytes_of<T: CoerEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; coer::length(value).unwrap()];
    coer::emit(value, &mut buffer).unwrap();
    buffer
}

/// Returns a line of fields for each packet, and fails where anything is wrong with one.
fn dissect(name: &str, packets: &[(NetworkProtocol, Vec<u8>)], fields: &[&str]) -> Vec<String> {
    let packets = packets.iter();
    let packets = packets.map(|(network, packet)| (network.ethertype(), &packet[..]));
    waywarden_testkit::dissect(name, &packets.collect::<Vec<_>>(), fields)
}

/// The packets of a file under `vectors/`, by name.
fn vector(name: &str) -> Vec<u8> {
    let text = include_str!("../../../../../vectors/geonetworking.txt");
    let begin = format!("packet {name}");
    let lines = text.lines().skip_while(|line| *line != begin).skip(1);
    let hex: String = lines
        .take_while(|line| !line.starts_with("packet"))
        .collect();
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// The first message of a kind in `vectors/its-uper.txt`.
fn message(kind: &str) -> Vec<u8> {
    let text = include_str!("../../../../../vectors/its-uper.txt");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    let hex = line.unwrap();
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn secured() -> Vec<u8> {
    vector("secured-cam-of-a-car")[4..].to_vec()
}

#[test]
fn wave_short_messages() {
    if !has_tshark() {
        return;
    }
    let spdu = secured();
    let plain = bytes_of(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(&[1, 2, 3]),
    });
    let elements = [
        Element::ChannelNumber(172),
        Element::DataRate(12),
        Element::TransmitPower(20),
    ];
    let mut extended = Wsm::new(Psid(32), &spdu);
    extended.network = Some(WsmpElements::new(&elements));
    let wsms = [
        Wsm::new(Psid(32), &spdu),
        Wsm::new(Psid(0x20_4097), &plain),
        extended,
    ];
    let packets = wsms.map(|wsm| (NetworkProtocol::Wsmp, bytes_of(&wsm)));
    let fields = [
        "frame.protocols",
        "wsmp.version_v3",
        "wsmp.subtype",
        "wsmp.no_elements",
        "wsmp.channel",
        "wsmp.rate",
        "wsmp.txpower",
        "wsmp.psid",
        "wsmp.wave_ie_len",
        "wsmp.wave_ie_data",
        "wsmp.wave_ie",
    ];
    let lines = dissect("wsmp.pcap", &packets, &fields);
    // It looks into SPDUs by their PSID only; lengths and identifiers of elements come before those
    // of the message.
    let length = spdu.len();
    let expected = [
        format!("eth:ethertype:wsmp:ieee1609dot2,3,0,,,,,0x00000020,{length},,0"),
        "eth:ethertype:wsmp,3,0,,,,,0x00204097,6,,0".to_owned(),
        format!(
            "eth:ethertype:wsmp:ieee1609dot2,3,0,3,,,,0x00000020,1+1+1+{length},ac+0c+14,15+16+4+0"
        ),
    ];
    assert_eq!(lines, expected);
}

fn source() -> LongPositionVector {
    LongPositionVector {
        position: short(),
        is_accurate: true,
        speed_cm_s: -2001,
        heading_decidegrees: 900,
    }
}

fn short() -> ShortPositionVector {
    ShortPositionVector {
        address: GeoAddress {
            is_manual: true,
            station_type: GeonetStationType(5),
            reserved: 0,
            mac: [2, 0, 0, 0, 0, 0x17],
        },
        timestamp_ms: 0x1234_5678,
        latitude: 482_055_457,
        longitude: -163_868_475,
    }
}

fn clear(
    upper: UpperProtocol,
    extended: ExtendedHeader,
    payload: &[u8],
) -> (NetworkProtocol, Vec<u8>) {
    let packet = Packet {
        lifetime: Lifetime(0xF1),
        remaining_hop_limit: 1,
        body: Body::Clear(NetworkPacket {
            upper,
            traffic_class: TrafficClass(2),
            is_mobile: true,
            maximum_hop_limit: 1,
            extended,
            payload,
        }),
    };
    (NetworkProtocol::GeoNetworking, bytes_of(&packet))
}

const GEONETWORKING_FIELDS: [&str; 18] = [
    "frame.protocols",
    "geonw.ch.htype",
    "geonw.src_pos.speed",
    "geonw.src_pos.hdg",
    "geonw.src_pos.lat",
    "geonw.src_pos.long",
    "geonw.src_pos.tst",
    "geonw.ch.plength",
    "geonw.seq_num",
    "geonw.dst_pos.lat",
    "geonw.ls_req.addr.mid",
    "geonw.gxc.longitude",
    "geonw.gxc.distancea",
    "geonw.gxc.distanceb",
    "geonw.gxc.angle",
    "btpa.dstport",
    "btpa.srcport",
    "btpb.dstport",
];

/// A packet with each kind of header around data that is secured, or one that BTP carries.
fn geonetworking(
    spdu: &[u8],
    awareness: &[u8],
    event: &[u8],
    session: &[u8],
) -> [(NetworkProtocol, Vec<u8>); 9] {
    let (sequence_number, source, destination) = (0xBEEF, source(), short());
    let area = DestinationArea {
        shape: AreaShape::Ellipse,
        latitude: 482_055_457,
        longitude: 163_868_475,
        distance_a_m: 500,
        distance_b_m: 100,
        angle_degrees: 45,
    };
    let secured = Packet {
        lifetime: Lifetime(0x05),
        remaining_hop_limit: 1,
        body: Body::Secured(spdu),
    };
    let single_hop = ExtendedHeader::SingleHopBroadcast {
        source,
        media_dependent: [0; 4],
    };
    let broadcast = ExtendedHeader::GeoBroadcast {
        sequence_number,
        source,
        area,
    };
    let anycast = ExtendedHeader::GeoAnycast {
        sequence_number,
        source,
        area,
    };
    let unicast = ExtendedHeader::GeoUnicast {
        sequence_number,
        source,
        destination,
    };
    let scoped = ExtendedHeader::TopologicallyScopedBroadcast {
        sequence_number,
        source,
    };
    let request = ExtendedHeader::LocationRequest {
        sequence_number,
        source,
        wanted: destination.address,
    };
    let reply = ExtendedHeader::LocationReply {
        sequence_number,
        source,
        destination,
    };
    [
        (NetworkProtocol::GeoNetworking, bytes_of(&secured)),
        clear(UpperProtocol::BtpB, single_hop, awareness),
        clear(UpperProtocol::BtpB, broadcast, event),
        clear(UpperProtocol::BtpB, anycast, event),
        clear(UpperProtocol::BtpA, unicast, session),
        clear(UpperProtocol::BtpB, scoped, awareness),
        clear(UpperProtocol::Any, ExtendedHeader::Beacon { source }, &[]),
        clear(UpperProtocol::Any, request, &[]),
        clear(UpperProtocol::Any, reply, &[]),
    ]
}

#[test]
fn geonetworking_packets() {
    if !has_tshark() {
        return;
    }
    let (cam, denm) = (message("cam"), message("denm"));
    let awareness = bytes_of(&BtpB {
        destination_port: port::CAM,
        destination_port_info: 0,
        payload: &cam,
    });
    let event = bytes_of(&BtpB {
        destination_port: port::DENM,
        destination_port_info: 0,
        payload: &denm,
    });
    let session = bytes_of(&BtpA {
        destination_port: port::CAM,
        source_port: 4000,
        payload: &cam,
    });
    let spdu = secured();
    assert!(parse::<Ieee1609Dot2Data<'_>>(&spdu).is_ok());
    let packets = geonetworking(&spdu, &awareness, &event, &session);
    let lines = dissect("geonet.pcap", &packets, &GEONETWORKING_FIELDS);
    let place = "-2001,900,482055457,-163868475,305419896";
    let area = "163868475,500,100,45";
    let expected = [
        "eth:ethertype:gnw:ieee1609dot2:btpb:its,0x50,962,835,478088001,130547531,750071984,136,\
         ,,,,,,,,,2001"
            .to_owned(),
        format!("eth:ethertype:gnw:btpb:its,0x50,{place},45,,,,,,,,,,2001"),
        format!(
            "eth:ethertype:gnw:btpb:its,0x42,{place},{},0xbeef,,,{area},,,2002",
            event.len()
        ),
        format!(
            "eth:ethertype:gnw:btpb:its,0x32,{place},{},0xbeef,,,{area},,,2002",
            event.len()
        ),
        format!("eth:ethertype:gnw:btpa:its,0x20,{place},45,0xbeef,482055457,,,,,,2001,4000,"),
        format!("eth:ethertype:gnw:btpb:its,0x51,{place},45,0xbeef,,,,,,,,,2001"),
        format!("eth:ethertype:gnw,0x10,{place},0,,,,,,,,,,"),
        format!("eth:ethertype:gnw,0x60,{place},0,0xbeef,,02:00:00:00:00:17,,,,,,,"),
        format!("eth:ethertype:gnw,0x61,{place},0,0xbeef,482055457,,,,,,,,"),
    ];
    assert_eq!(lines, expected);
}
