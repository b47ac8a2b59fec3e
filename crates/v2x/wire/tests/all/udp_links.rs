//! C-V2X and UDP: the message family, datagrams over IPv4 and IPv6, PPI and USER0, and messages
//! that stand alone.

use waywarden_testkit::{Random, seeds};
use waywarden_v2x_wire::coer::{emit, length};
use waywarden_v2x_wire::detect::{Layer, MessageFamily, Unsecured, detect, detect_in, unsecured};
use waywarden_v2x_wire::geonet::{Body, Lifetime, Packet};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Version3};
use waywarden_v2x_wire::link::{Datagram, LinkLayerError, LinkType, payload};
use waywarden_v2x_wire::{coer::CoerEncode, wsmp::Wsm};

fn bytes_of<T: CoerEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

fn spdu() -> Vec<u8> {
    bytes_of(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(b"a message"),
    })
}

/// An SPDU in every packet that has no link, with the number of layers.
fn packets() -> Vec<(usize, Vec<u8>)> {
    let spdu = spdu();
    let wsm = bytes_of(&Wsm::new(Psid(32), &spdu));
    let packet = bytes_of(&Packet {
        lifetime: Lifetime(5),
        remaining_hop_limit: 1,
        body: Body::Secured(&spdu),
    });
    let family = |octet: u8, packet: &[u8]| [&[octet], packet].concat();
    vec![
        (1, spdu.clone()),
        (2, wsm.clone()),
        (2, packet.clone()),
        (3, family(1, &wsm)),
        (3, family(3, &packet)),
    ]
}

fn udp(packet: &[u8]) -> Vec<u8> {
    let length = (8 + packet.len() as u16).to_be_bytes();
    [&[4, 210, 4, 211][..], &length, &[0, 0], packet].concat()
}

fn ipv4(segment: &[u8]) -> Vec<u8> {
    let length = (24 + segment.len() as u16).to_be_bytes();
    let head = [&[0x46, 0][..], &length, &[0, 0, 0x40, 0, 64, 17]].concat();
    [&head[..], &[0; 14], segment].concat()
}

/// With a header of options, and a fragment header of a packet that is whole.
fn ipv6(segment: &[u8]) -> Vec<u8> {
    let length = (16 + segment.len() as u16).to_be_bytes();
    let head = [&[0x60, 0, 0, 0][..], &length, &[0, 64], &[0; 32]].concat();
    let more = [44, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 9, 9, 9, 9];
    [&head[..], &more, segment].concat()
}

fn ethernet(protocol: [u8; 2], packet: &[u8]) -> Vec<u8> {
    [&[0; 12][..], &protocol, packet].concat()
}

fn ppi(number: u32, fields: &[u8], frame: &[u8]) -> Vec<u8> {
    let length = (8 + fields.len() as u16).to_le_bytes();
    [&[0, 0][..], &length, &number.to_le_bytes(), fields, frame].concat()
}

/// Every frame, with the number of its layers around the packet.
fn frames(packet: &[u8]) -> Vec<(usize, LinkType, Vec<u8>)> {
    let [four, six] = [ipv4(&udp(packet)), ipv6(&udp(packet))];
    let ether = ethernet([8, 0], &four);
    let padded = [&ethernet([0x86, 0xDD], &six)[..], &[0; 9]].concat();
    vec![
        (
            2,
            LinkType::BsdLoopback,
            [&[2, 0, 0, 0][..], &four].concat(),
        ),
        (
            2,
            LinkType::BsdLoopback,
            [&[0, 0, 0, 30][..], &six].concat(),
        ),
        (2, LinkType::RawIp, four),
        (2, LinkType::RawIp, six),
        (3, LinkType::Ppi, ppi(1, &[7, 0, 1, 0, 9], &ether)),
        (2, LinkType::Ethernet, ether),
        (2, LinkType::Ethernet, padded),
        (1, LinkType::User0, packet.to_vec()),
    ]
}

#[test]
fn the_spdu_is_found_under_every_layer() {
    let spdu = spdu();
    for (inner, packet) in packets() {
        let found = detect(&packet).unwrap();
        assert_eq!((found.spdu, found.layers().count()), (&spdu[..], inner));
        for (outer, link, frame) in frames(&packet) {
            let found = detect_in(link, &frame).unwrap();
            assert_eq!(found.spdu, spdu);
            assert_eq!(found.layers().count(), outer + inner, "{link}");
        }
    }
    let (_, packet) = packets().pop().unwrap();
    let frame = ethernet([8, 0], &ipv4(&udp(&packet)));
    let layers: Vec<Layer> = detect(&frame).unwrap().layers().collect();
    let datagram = Datagram {
        version: 4,
        source: 1234,
        destination: 1235,
    };
    let expected = [
        Layer::Link(LinkType::Ethernet, [0; 6]),
        Layer::Datagram(datagram),
        Layer::Family(MessageFamily::Etsi),
        Layer::GeoNetworking,
        Layer::Dot2,
    ];
    assert_eq!(layers, expected);
}

#[test]
fn other_datagrams_are_other_traffic() {
    let read = |packet: &[u8]| payload(LinkType::RawIp, packet).unwrap_err();
    let mut fragment = ipv4(&udp(b"part"));
    fragment[7] = 1;
    assert_eq!(read(&fragment), LinkLayerError::IpFragment);
    let mut stream = ipv4(&udp(b"part"));
    stream[9] = 6;
    assert_eq!(read(&stream), LinkLayerError::IpProtocol(6));
    assert_eq!(read(&[0x45, 0]), LinkLayerError::IpHeader);
    assert_eq!(read(&[0x10; 40]), LinkLayerError::IpHeader);
    let error = detect_in(LinkType::RawIp, &ipv4(&udp(b"a name"))).unwrap_err();
    assert!(error.is_other_traffic(), "{error}");
    let wrong = ppi(105, &[2, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0], &[]);
    let read = payload(LinkType::Ppi, &wrong);
    assert_eq!(read, Err(LinkLayerError::CheckSequence));
    let nested = ppi(192, &[], &ppi(1, &[], &[]));
    let read = payload(LinkType::Ppi, &nested);
    assert_eq!(read, Err(LinkLayerError::LinkType(192)));
}

/// Cut anywhere or changed anywhere: an answer, and nothing but what is in the input.
#[test]
fn cut_or_changed_layers_never_panic() {
    let mut random = Random::of_test("layers of C-V2X");
    for (_, packet) in packets() {
        for (_, link, frame) in frames(&packet) {
            for length in 0..frame.len() {
                let _ = detect(&frame[..length]);
                let _ = detect_in(link, &frame[..length]);
            }
            for _ in 0..seeds(200) {
                let mut other = frame.clone();
                for _ in 0..=random.index(3) {
                    let at = random.index(other.len());
                    other[at] = random.index(256) as u8;
                }
                if let Ok(found) = detect_in(link, &other) {
                    assert!(found.spdu.len() <= other.len());
                }
                let _ = (detect(&other), unsecured(&other));
            }
        }
    }
}

#[test]
fn messages_that_stand_alone_are_named() {
    let its = |version, number| Some(Unsecured::Its { version, number });
    assert_eq!(unsecured(&[2, 2, 0, 0, 0, 1, 9]), its(2, 2));
    assert_eq!(unsecured(&[1, 1, 0, 0, 0, 1, 9]), its(1, 1));
    assert_eq!(unsecured(&[2, 99, 0, 0, 0, 1, 9]), None);
    let frame = [&[0, 20, 0x80, 0x81][..], &[0; 0x81]].concat();
    assert_eq!(unsecured(&frame), Some(Unsecured::MessageFrame(20)));
    assert_eq!(unsecured(&frame[..100]), None);
    // A message family may look like a header of ETSI ITS; detection reads it first.
    for (_, packet) in packets().iter().take(3) {
        assert_eq!(unsecured(packet), None, "{packet:02x?}");
    }
    // In a WSM it is in the clear.
    let wsm = bytes_of(&Wsm::new(Psid(32), &frame));
    assert_eq!(detect(&wsm).unwrap_err().kind(), Some("J2735-MessageFrame"));
}
