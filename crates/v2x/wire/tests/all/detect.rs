//! The SPDU is found in whatever it lies in, and what lies in nothing is named.

use waywarden_v2x_wire::coer::{emit, length};
use waywarden_v2x_wire::detect::{Envelope, ReadingRefusal, Unsecured, detect, detect_in};
use waywarden_v2x_wire::geonet::{Body, Lifetime, Packet};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Version3};
use waywarden_v2x_wire::link::{LinkLayerError, LinkType, NetworkProtocol};
use waywarden_v2x_wire::wsmp::Wsm;
use waywarden_v2x_wire::{ParseFault, coer::CoerEncode};

fn bytes_of<T: CoerEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

fn spdu() -> Vec<u8> {
    bytes_of(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(b"a message of twenty-one"),
    })
}

fn wsm(spdu: &[u8]) -> Vec<u8> {
    bytes_of(&Wsm::new(Psid(32), spdu))
}

fn packet(spdu: &[u8]) -> Vec<u8> {
    bytes_of(&Packet {
        lifetime: Lifetime(5),
        remaining_hop_limit: 1,
        body: Body::Secured(spdu),
    })
}

/// The frames of every link with a packet of a network inside.
fn frames(network: NetworkProtocol, packet: &[u8]) -> Vec<(LinkType, Vec<u8>)> {
    let protocol = network.ethertype().to_be_bytes();
    let snap = [0xAA, 0xAA, 3, 0, 0, 0];
    let address = [2, 0, 0, 0, 0, 0x17];
    let ethernet = [&[0xFF; 6], &address[..], &protocol, packet].concat();
    let header = [
        &[0x88, 0, 0, 0][..],
        &[0xFF; 6],
        &address,
        &[0xFF; 6],
        &[0, 0, 0x23, 0],
    ];
    let wireless = [&header.concat(), &snap[..], &protocol, packet].concat();
    let radiotap = [&[0, 0, 8, 0, 0, 0, 0, 0], &wireless[..]].concat();
    let cooked = [
        &[0, 1, 0, 1, 0, 6],
        &address[..],
        &[0, 0],
        &protocol,
        packet,
    ]
    .concat();
    let head = [
        &protocol[..],
        &[0, 0, 0, 0, 0, 2, 0, 1, 3, 6],
        &address,
        &[0, 0],
    ];
    let cooked_2 = [&head.concat(), packet].concat();
    vec![
        (LinkType::Ethernet, ethernet),
        (LinkType::Ieee80211, wireless),
        (LinkType::Radiotap, radiotap),
        (LinkType::LinuxCooked, cooked),
        (LinkType::LinuxCooked2, cooked_2),
    ]
}

#[test]
fn without_a_link() {
    let spdu = spdu();
    let found = detect(&spdu).unwrap();
    assert_eq!(
        (found.envelope, found.spdu, found.link),
        (Envelope::Bare, &spdu[..], None)
    );
    let bytes = wsm(&spdu);
    let found = detect(&bytes).unwrap();
    assert!(matches!(found.envelope, Envelope::Wsm(wsm) if wsm.psid == Psid(32)));
    assert_eq!((found.spdu, found.link), (&spdu[..], None));
    let bytes = packet(&spdu);
    let found = detect(&bytes).unwrap();
    assert!(matches!(found.envelope, Envelope::GeoNetworking(_)));
    assert_eq!((found.spdu, found.link), (&spdu[..], None));
}

#[test]
fn in_frames_of_every_link() {
    let spdu = spdu();
    let packets = [
        (NetworkProtocol::Wsmp, wsm(&spdu)),
        (NetworkProtocol::GeoNetworking, packet(&spdu)),
    ];
    for (network, packet) in packets {
        for (link, mut frame) in frames(network, &packet) {
            // With padding, and a frame check sequence that the link does not announce.
            for more in [&[][..], &[0; 7], &[1, 2, 3, 4]] {
                frame.extend(more);
                for found in [detect(&frame).unwrap(), detect_in(link, &frame).unwrap()] {
                    let kind = match found.envelope {
                        Envelope::Bare => None,
                        Envelope::Wsm(_) => Some(NetworkProtocol::Wsmp),
                        Envelope::GeoNetworking(_) => Some(NetworkProtocol::GeoNetworking),
                    };
                    assert_eq!(kind, Some(network));
                    assert_eq!(found.link, Some((link, [2, 0, 0, 0, 0, 0x17])));
                    assert_eq!(found.spdu, spdu);
                }
            }
            frame.push(9);
            detect_in(link, &frame).unwrap_err();
        }
    }
}

/// Whatever is cut off: no SPDU is found, and nothing panics.
#[test]
fn cut_anywhere() {
    let spdu = spdu();
    let mut all = vec![spdu.clone(), wsm(&spdu), packet(&spdu)];
    for (network, packet) in [
        (NetworkProtocol::Wsmp, all[1].clone()),
        (NetworkProtocol::GeoNetworking, all[2].clone()),
    ] {
        all.extend(frames(network, &packet).into_iter().map(|(_, frame)| frame));
    }
    for bytes in all {
        for length in 0..bytes.len() {
            let error = detect(&bytes[..length]).unwrap_err();
            assert!(error.reached <= length, "{error}");
        }
    }
}

#[test]
fn the_reading_that_came_furthest_is_reported() {
    // A broken SPDU in a WSM on Ethernet.
    let mut broken = spdu();
    broken[1] = 0x9F;
    let (_, frame) = frames(NetworkProtocol::Wsmp, &wsm(&broken)).swap_remove(0);
    let error = detect(&frame).unwrap_err();
    assert_eq!(
        (error.link, error.network),
        (Some(LinkType::Ethernet), Some(NetworkProtocol::Wsmp))
    );
    let ReadingRefusal::Spdu(fault) = error.refusal else {
        panic!("{error}");
    };
    assert_eq!(
        (fault.fault, fault.offset),
        (ParseFault::UnknownCritical(31), 1)
    );
    assert_eq!(
        error.to_string(),
        "no secured message, Ethernet, WSMP: IEEE 1609.2 at byte 1, \
        content: alternative 31 of a critical field is not known"
    );
    // A beacon in the clear.
    let text = include_str!("../../../../../vectors/geonetworking.txt");
    let hex = text
        .lines()
        .skip_while(|line| !line.starts_with("packet beacon"))
        .nth(1)
        .unwrap();
    let beacon: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect();
    let error = detect(&beacon).unwrap_err();
    assert_eq!(
        (error.link, error.network),
        (None, Some(NetworkProtocol::GeoNetworking))
    );
    assert_eq!(error.refusal, ReadingRefusal::Unsecured(None));
    // IPv6 on Ethernet.
    let ipv6 = [&[0x33; 12][..], &[0x86, 0xDD], &[0x60; 40]].concat();
    let error = detect_in(LinkType::Ethernet, &ipv6).unwrap_err();
    assert_eq!(
        error.refusal,
        ReadingRefusal::Link(LinkLayerError::IpProtocol(0x60))
    );
    detect(&ipv6).unwrap_err();
    detect(&[]).unwrap_err();
}

/// Any bytes: an answer, and nothing but what is in the input is found.
#[test]
fn random_bytes() {
    let mut state = 0x5EED_u64;
    println!("seed {state:#x}");
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let spdu = spdu();
    let seeds: Vec<Vec<u8>> = frames(NetworkProtocol::GeoNetworking, &packet(&spdu))
        .into_iter()
        .chain(frames(NetworkProtocol::Wsmp, &wsm(&spdu)))
        .map(|(_, frame)| frame)
        .collect();
    for case in 0..20_000 {
        let mut bytes = seeds[case % seeds.len()].clone();
        for _ in 0..1 + random() % 4 {
            let at = random() as usize % bytes.len();
            bytes[at] = random() as u8;
        }
        if let Ok(found) = detect(&bytes) {
            assert!(found.spdu.len() <= bytes.len());
        }
        let noise: Vec<u8> = (0..random() % 80).map(|_| random() as u8).collect();
        let _ = detect(&noise);
    }
}

/// A message in the clear is named, with its place in the input.
#[test]
fn messages_in_the_clear_are_named_in_their_packets() {
    // A J2735 MessageFrame: 20 (BSM), five bytes.
    let frame = [0, 20, 5, 1, 2, 3, 4, 5];
    let wsm = [&[3, 0, 32, 8][..], &frame].concat();
    let ethernet = [&[0xFF; 6][..], &[2; 6], &[0x88, 0xDC], &wsm].concat();
    for (bytes, offset, words) in [
        (
            &wsm,
            4,
            "no secured message, WSMP: a MessageFrame of SAE J2735 (message 20)",
        ),
        (
            &ethernet,
            18,
            "no secured message, Ethernet, WSMP: a MessageFrame",
        ),
    ] {
        let error = detect(bytes).unwrap_err();
        assert_eq!(error.kind(), Some("J2735-MessageFrame"));
        let message = error.clear_message().unwrap();
        assert_eq!(message.kind, Unsecured::MessageFrame(20));
        assert_eq!((message.offset, message.length), (offset, frame.len()));
        assert_eq!(message.port, None);
        assert!(error.to_string().starts_with(words), "{error}");
    }
    // Behind a PPI header the inner link is named, too.
    let ppi = [&[0, 0, 8, 0, 1, 0, 0, 0][..], &ethernet].concat();
    let error = detect_in(LinkType::Ppi, &ppi).unwrap_err();
    assert_eq!(error.clear_message().unwrap().offset, 26);
    let words = "no secured message, PPI, Ethernet, WSMP: a MessageFrame";
    assert!(error.to_string().starts_with(words), "{error}");
}
