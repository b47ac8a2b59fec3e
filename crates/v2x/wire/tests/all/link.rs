//! Frames as they are captured: what carries a packet is taken off, what does not is named.

use waywarden_v2x_wire::link::{LinkLayerError, LinkPayload, LinkType, NetworkProtocol, payload};

const TO: [u8; 6] = [0xFF; 6];
const FROM: [u8; 6] = [0x02, 0, 0, 0, 0, 0x17];
const PACKET: &[u8] = &[0x03, 0x00, 0x20, 0x02, 0xAB, 0xCD];
const WSMP: [u8; 2] = [0x88, 0xDC];
const GEO: [u8; 2] = [0x89, 0x47];
const SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];

fn ethernet(between: &[u8], protocol: [u8; 2]) -> Vec<u8> {
    [&TO, &FROM, between, &protocol, PACKET].concat()
}

/// A data frame outside the context of a BSS: no DS bits.
fn data(control: [u8; 2], more: &[u8], llc: &[u8], protocol: [u8; 2]) -> Vec<u8> {
    let bss = [0xFF; 6];
    let (duration, sequence) = ([0, 0], [0x50, 0x12]);
    let header: [&[u8]; 7] = [&control, &duration, &TO, &FROM, &bss, &sequence, more];
    [&header.concat(), llc, &protocol, PACKET].concat()
}

fn found(network: NetworkProtocol) -> LinkPayload<'static> {
    LinkPayload {
        inner: None,
        network: Some(network),
        datagram: None,
        packet: PACKET,
        source: FROM,
    }
}

/// It is read, and at no length shorter than its headers.
fn holds(link: LinkType, frame: &[u8], network: NetworkProtocol) {
    assert_eq!(payload(link, frame), Ok(found(network)), "{link}");
    for length in 0..frame.len() - PACKET.len() {
        let error = payload(link, &frame[..length]).unwrap_err();
        assert!(
            matches!(error, LinkLayerError::Truncated(1..)),
            "{link} {length}: {error}"
        );
    }
}

#[test]
fn ethernet_with_tags_and_without() {
    use LinkType::Ethernet;
    holds(Ethernet, &ethernet(&[], WSMP), NetworkProtocol::Wsmp);
    holds(
        Ethernet,
        &ethernet(&[], GEO),
        NetworkProtocol::GeoNetworking,
    );
    holds(
        Ethernet,
        &ethernet(&[0x81, 0, 0x60, 5], GEO),
        NetworkProtocol::GeoNetworking,
    );
    let two = [0x88, 0xA8, 0, 5, 0x81, 0, 0, 7];
    holds(Ethernet, &ethernet(&two, WSMP), NetworkProtocol::Wsmp);
    let three = [0x81, 0, 0, 5].repeat(3);
    assert_eq!(
        payload(Ethernet, &ethernet(&three, WSMP)),
        Err(LinkLayerError::Tags)
    );
}

#[test]
fn ethernet_with_a_length_and_snap() {
    let length = (SNAP.len() + 2 + PACKET.len()) as u16;
    let between = [&length.to_be_bytes()[..], &SNAP].concat();
    let mut frame = ethernet(&between, GEO);
    let read = Ok(found(NetworkProtocol::GeoNetworking));
    assert_eq!(payload(LinkType::Ethernet, &frame), read);
    // The length tells the padding from the packet.
    frame.extend([0; 20]);
    assert_eq!(payload(LinkType::Ethernet, &frame), read);
    frame.truncate(30);
    let read = payload(LinkType::Ethernet, &frame[..27]);
    assert_eq!(read, Err(LinkLayerError::Truncated(1)));
    frame[14] = 0x42;
    assert_eq!(
        payload(LinkType::Ethernet, &frame),
        Err(LinkLayerError::Llc(0x42))
    );
}

#[test]
fn wireless_data() {
    use LinkType::Ieee80211;
    holds(
        Ieee80211,
        &data([0x08, 0], &[], &SNAP, WSMP),
        NetworkProtocol::Wsmp,
    );
    // Quality of service, as 802.11p sends it.
    let quality = data([0x88, 0], &[0x23, 0], &SNAP, GEO);
    holds(Ieee80211, &quality, NetworkProtocol::GeoNetworking);
    // A protocol number alone.
    let short = data([0x88, 0], &[0x23, 0], &[], WSMP);
    holds(Ieee80211, &short, NetworkProtocol::Wsmp);
    // Quality of service and HT control.
    let control = data([0x88, 0x80], &[0x23, 0, 1, 2, 3, 4], &SNAP, GEO);
    holds(Ieee80211, &control, NetworkProtocol::GeoNetworking);
    // Between two access points there is a fourth address.
    let relayed = data([0x08, 0x03], &[9; 6], &SNAP, GEO);
    holds(Ieee80211, &relayed, NetworkProtocol::GeoNetworking);
}

#[test]
fn wireless_frames_that_carry_nothing_for_us() {
    let read = |control, more: &[u8]| {
        let frame = data(control, more, &SNAP, WSMP);
        payload(LinkType::Ieee80211, &frame).unwrap_err()
    };
    assert_eq!(read([0x80, 0], &[]), LinkLayerError::Management(8));
    assert_eq!(read([0xD4, 0], &[]), LinkLayerError::Control(13));
    assert_eq!(read([0x0C, 0], &[]), LinkLayerError::Extension(0));
    assert_eq!(read([0x09, 0], &[]), LinkLayerError::Version(1));
    assert_eq!(read([0x48, 0], &[]), LinkLayerError::Null);
    assert_eq!(read([0xC8, 0], &[0, 0]), LinkLayerError::Null);
    assert_eq!(read([0x08, 0x40], &[]), LinkLayerError::Protected);
    assert_eq!(read([0x88, 0], &[0x80, 0]), LinkLayerError::Aggregated);
}

/// Broadcasts are never fragmented: stations write fillers into their sequence control.
#[test]
fn only_individually_addressed_frames_are_fragments() {
    let mut later = data([0x08, 0], &[], &SNAP, WSMP);
    later[22..24].copy_from_slice(&[0xFE, 0xFF]);
    let mut first = data([0x08, 0x04], &[], &SNAP, WSMP);
    for frame in [&mut later, &mut first] {
        let read = payload(LinkType::Ieee80211, frame);
        assert_eq!(read, Ok(found(NetworkProtocol::Wsmp)));
        frame[4] &= !1;
        let read = payload(LinkType::Ieee80211, frame);
        assert_eq!(read, Err(LinkLayerError::Fragment));
    }
}

#[test]
fn radiotap_with_and_without_a_check_sequence() {
    use LinkType::Radiotap;
    let frame = data([0x88, 0], &[0x23, 0], &SNAP, GEO);
    let plain = [&[0, 0, 8, 0, 0, 0, 0, 0], &frame[..]].concat();
    holds(Radiotap, &plain, NetworkProtocol::GeoNetworking);
    // A time stamp on a multiple of eight behind two words, then the flags: the check sequence is
    // kept, and the 26 bytes of header are filled up to 28.
    let words = [3, 0, 0, 0x80, 0, 0, 0, 0];
    let mut header = [&[0, 0, 26, 0], &words[..]].concat();
    header.extend([0; 4]);
    header.extend([0x11; 8]);
    header.extend([0x30, 0]);
    let (head, body) = frame.split_at(26);
    let kept = [&header, head, &[0; 2], body, &[1, 2, 3, 4]].concat();
    let read = payload(Radiotap, &kept);
    assert_eq!(read, Ok(found(NetworkProtocol::GeoNetworking)));
    let mut bad = kept.clone();
    bad[24] |= 0x40;
    assert_eq!(payload(Radiotap, &bad), Err(LinkLayerError::CheckSequence));
    // A header that is nothing but words that promise more.
    let endless = [&[0, 0, 12, 0][..], &[0xFF; 8]].concat();
    let read = payload(Radiotap, &endless);
    assert_eq!(read, Err(LinkLayerError::Truncated(4)));
    assert_eq!(payload(Radiotap, &[1, 0]), Err(LinkLayerError::Version(1)));
}

#[test]
fn linux_cooked() {
    let address = [&FROM[..], &[0, 0]].concat();
    let first = [&[0, 3, 0, 1, 0, 6], &address[..], &GEO, PACKET].concat();
    holds(
        LinkType::LinuxCooked,
        &first,
        NetworkProtocol::GeoNetworking,
    );
    let second = [&WSMP[..], &[0, 0, 0, 0, 0, 2, 0, 1, 3, 6], &address, PACKET].concat();
    holds(LinkType::LinuxCooked2, &second, NetworkProtocol::Wsmp);
}

#[test]
fn other_protocols_are_named() {
    let error = payload(LinkType::Ethernet, &ethernet(&[], [0x08, 0x06])).unwrap_err();
    assert_eq!(error, LinkLayerError::Protocol(0x0806));
    let text = "ARP (0x0806), not WSMP or GeoNetworking";
    assert_eq!(error.to_string(), text);
    for link in LinkType::ALL {
        assert_eq!(LinkType::from_number(link.number()), Ok(link));
    }
    for (number, link) in [
        (108, LinkType::BsdLoopback),
        (228, LinkType::RawIp),
        (229, LinkType::RawIp),
    ] {
        assert_eq!(LinkType::from_number(number), Ok(link));
    }
    assert_eq!(
        LinkType::from_number(227),
        Err(LinkLayerError::LinkType(227))
    );
}
