//! Frames in datagrams.

use waywarden_testkit::{Random, bytes_of, dissect, each_seed, has_tshark};
use waywarden_v2x_link::tzsp::{Malformed, PORT, TAGS_MAX, decapsulate, encapsulate};
use waywarden_v2x_link::{FRAME_BYTES_MAX, FRAME_BYTES_MIN};

use crate::frames::{BSM, CAM};

const FRAME: [u8; 15] = *b"\xff\xff\xff\xff\xff\xff\x02\0\0\0\0\x17\x89\x47\x12";

fn with(header: &[u8]) -> Vec<u8> {
    [header, &FRAME].concat()
}

#[test]
fn datagram_is_header_end_of_tags_and_frame() {
    let mut datagram = b"what was there before".to_vec();
    encapsulate(&FRAME, &mut datagram);
    assert_eq!(datagram, with(&[1, 0, 0, 1, 1]));
    assert_eq!(decapsulate(&datagram), Ok(&FRAME[..]));
}

#[test]
fn tags_and_padding_are_skipped() {
    // Signal strength, padding, an unknown tag without and one with a value.
    let header = [1, 0, 0, 1, 10, 1, 200, 0, 77, 0, 77, 2, 1, 1, 1];
    assert_eq!(decapsulate(&with(&header)), Ok(&FRAME[..]));
    let most = [&[1, 0, 0, 1][..], &[0; TAGS_MAX], &[1]].concat();
    assert_eq!(decapsulate(&with(&most)), Ok(&FRAME[..]));
    let more = [&[1, 0, 0, 1][..], &[0; TAGS_MAX + 1], &[1]].concat();
    assert_eq!(decapsulate(&with(&more)), Err(Malformed::Tags));
}

#[test]
fn other_datagrams_are_refused_by_cause() {
    for (datagram, cause) in [
        (&[][..], Malformed::Cut),
        (&[1, 0, 0], Malformed::Cut),
        (&[1, 0, 0, 1], Malformed::Cut),
        (&[1, 0, 0, 1, 10], Malformed::Cut),
        (&[1, 0, 0, 1, 10, 9, 1], Malformed::Cut),
        (&[2, 0, 0, 1, 1], Malformed::Version(2)),
        (&[1, 4, 0, 1, 1], Malformed::Kind(4)),
        (&[1, 0, 0, 18, 1], Malformed::Protocol(18)),
        (&[1, 0, 1, 1, 1], Malformed::Protocol(257)),
        (&[1, 0, 0, 1, 1, 0xFF], Malformed::Length(1)),
    ] {
        assert_eq!(decapsulate(datagram), Err(cause), "{datagram:?}");
    }
    let mut datagram = Vec::new();
    encapsulate(&[0; FRAME_BYTES_MAX + 1], &mut datagram);
    let length = Malformed::Length(FRAME_BYTES_MAX + 1);
    assert_eq!(decapsulate(&datagram), Err(length));
}

#[test]
fn any_bytes_are_a_frame_or_refused() {
    each_seed(500, |seed| {
        let mut random = Random::new(seed);
        let mut frame = random.bytes_up_to(200);
        frame.resize(frame.len().max(FRAME_BYTES_MIN), 0);
        let mut datagram = Vec::new();
        encapsulate(&frame, &mut datagram);
        assert_eq!(decapsulate(&datagram), Ok(&frame[..]));
        for cut in 0..5 {
            assert_eq!(decapsulate(&datagram[..cut]), Err(Malformed::Cut));
        }
        let _ = decapsulate(&frame);
        // Tags of any kind and length before the end.
        frame.splice(0..0, [1, 0, 0, 1]);
        if let Ok(found) = decapsulate(&frame) {
            assert!(frame[5..].ends_with(found));
        }
    });
}

/// An IPv4 packet with a UDP datagram, as on the loopback interface. Both checksums are absent or
/// not looked at.
fn ip(datagram: &[u8]) -> Vec<u8> {
    let length = |more: usize| (datagram.len() as u16 + more as u16).to_be_bytes();
    let port = PORT.to_be_bytes();
    let (ip, udp) = (length(28), length(8));
    [
        &[0x45, 0, ip[0], ip[1], 0, 0, 0x40, 0, 1, 17, 0, 0][..],
        &[127, 0, 0, 1, 239, 118, 50, 88],
        &[0xC0, 0, port[0], port[1], udp[0], udp[1], 0, 0],
        datagram,
    ]
    .concat()
}

#[test]
fn tshark_finds_the_frames_in_datagrams() {
    if !has_tshark() {
        return;
    }
    let mut packets = Vec::new();
    for frame in [CAM, BSM] {
        let mut datagram = Vec::new();
        encapsulate(&bytes_of(frame), &mut datagram);
        packets.push(ip(&datagram));
    }
    let packets: Vec<_> = packets.iter().map(|packet| (0x0800, &packet[..])).collect();
    let fields = ["frame.protocols", "tzsp.version", "tzsp.type", "tzsp.encap"];
    let lines = dissect("tzsp.pcap", &packets, &fields);
    let begin = "eth:ethertype:ip:udp:tzsp:eth:ethertype";
    assert_eq!(
        lines,
        [
            format!("{begin}:gnw:ieee1609dot2:btpb:its,1,0,1"),
            format!("{begin}:wsmp:ieee1609dot2,1,0,1"),
        ]
    );
}
