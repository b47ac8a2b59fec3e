//! Captures built byte by byte: both forms and byte orders, cooked links, each kind of damage.

use crate::test_support::{faults, lines_of};
use crate::{LogFormat, candump, detect, open, pcapng};

const LOG: &str = "\
(1620692699.796900001) can2 123#1122 R
(1620692699.796900002) vcan0 00000123#1122334455667788_E T
(1620692699.796900003) can2 123#R4
(1620692699.796900004) can2 123##3AABB R
(1620692699.796900005) can2 20000088#0000801900000102
";

/// A classic frame of SocketCAN: identifier in network order, length, data.
fn frame(id: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_be_bytes().to_vec();
    bytes.extend([data.len() as u8, 0, 0, 0]);
    bytes.extend(data);
    bytes.resize(16, 0);
    bytes
}

fn pcap(magic: [u8; 4], is_big: bool, link: u32, packets: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let word = |value: u32| match is_big {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let mut bytes = magic.to_vec();
    bytes.extend([0; 16]);
    bytes.extend(word(link));
    for (seconds, fraction, packet) in packets {
        let length = packet.len() as u32;
        for value in [*seconds, *fraction, length, length] {
            bytes.extend(word(value));
        }
        bytes.extend(packet);
    }
    bytes
}

const LITTLE: [u8; 4] = [0xD4, 0xC3, 0xB2, 0xA1];

#[test]
fn own_output_is_read_back_the_same() {
    let mut reader = open(LOG.as_bytes()).unwrap();
    let mut writer = pcapng::Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    let capture = writer.finish().unwrap();
    let (text, reader) = lines_of(&capture);
    assert_eq!(text, LOG);
    assert_eq!(reader.format(), LogFormat::Capture);
    assert_eq!((reader.skipped(), reader.line()), (0, None));
}

#[test]
fn pcap_has_both_orders_and_units() {
    let packets = [
        (5, 7, frame(0x123, &[1, 2])),
        (6, 8, frame(0x8000_0001, &[])),
    ];
    let known = [
        (LITTLE, false, 1_000),
        ([0xA1, 0xB2, 0xC3, 0xD4], true, 1_000),
        ([0x4D, 0x3C, 0xB2, 0xA1], false, 1),
        ([0xA1, 0xB2, 0x3C, 0x4D], true, 1),
    ];
    for (magic, is_big, unit) in known {
        let bytes = pcap(magic, is_big, 227, &packets);
        let records: Vec<_> = open(bytes.as_slice())
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let times: Vec<_> = records.iter().map(|record| record.at_ns).collect();
        assert_eq!(times, [5_000_000_000 + 7 * unit, 6_000_000_000 + 8 * unit]);
        assert_eq!(records[0].entry, candump::parse_frame(b"123#0102").unwrap());
        assert_eq!(
            records[1].entry,
            candump::parse_frame(b"00000001#").unwrap()
        );
    }
}

#[test]
fn cooked_captures_have_directions_and_other_protocols_beside_can() {
    let cooked = |kind: u16, protocol: u16, payload: &[u8]| {
        let mut bytes = kind.to_be_bytes().to_vec();
        bytes.extend([1, 24]);
        bytes.extend([0; 10]);
        bytes.extend(protocol.to_be_bytes());
        bytes.extend(payload);
        bytes
    };
    let host = |id: u32, data: &[u8]| {
        let mut bytes = frame(id, data);
        bytes[..4].copy_from_slice(&id.to_le_bytes());
        bytes
    };
    let mut fd = host(0x123, &[1]);
    fd.resize(72, 0);
    let packets = [
        (1, 0, cooked(0, 0x0C, &host(0x8000_0123, &[1, 2]))),
        (2, 0, cooked(4, 0x0D, &fd)),
        (3, 0, cooked(0, 0x0800, &[0x45; 40])),
    ];
    let bytes = pcap(LITTLE, false, 113, &packets);
    let (text, reader) = lines_of(&bytes);
    assert_eq!(
        text,
        "(1.000000) can0 00000123#0102 R\n(2.000000) can0 123##001 T\n"
    );
    assert_eq!(reader.skipped(), 1);

    let mut newer = vec![0, 0x0C, 0, 0, 0, 0, 0, 5, 1, 24, 4, 0];
    newer.extend([0; 8]);
    newer.extend(host(0x123, &[7]));
    let bytes = pcap(LITTLE, false, 276, &[(1, 0, newer)]);
    assert_eq!(lines_of(&bytes).0, "(1.000000) if5 123#07 T\n");
}

#[test]
fn captures_of_other_links_are_no_logs() {
    let ethernet = pcap(LITTLE, false, 1, &[(1, 0, vec![0; 60])]);
    assert_eq!(detect(&ethernet), None);
    assert_eq!(detect(&ethernet[..10]), None);
    let can = pcap(LITTLE, false, 227, &[]);
    assert_eq!(detect(&can), Some(LogFormat::Capture));
    assert_eq!(open(can.as_slice()).unwrap().count(), 0);
}

#[test]
fn lengths_of_no_can_fd_frame_are_padded_and_counted() {
    let mut fd = frame(0x100, &[9; 8]);
    fd.resize(72, 0);
    fd[4] = 11;
    let bytes = pcap(LITTLE, false, 227, &[(1, 0, fd)]);
    let (text, reader) = lines_of(&bytes);
    assert_eq!(text, "(1.000000) can0 100##0090909090909090900000000\n");
    assert_eq!(reader.padded(), 1);
}

#[test]
fn broken_packets_name_their_place_and_remedy() {
    let mut long = frame(1, &[]);
    long[4] = 65;
    let packets = [
        (1, 0, frame(0x800, &[])),
        (1, 0, frame(1, &[])[..7].to_vec()),
        (1, 0, frame(1, &[1, 2, 3])[..9].to_vec()),
        (1, 0, long),
    ];
    let whole = pcap(LITTLE, false, 227, &packets);
    let expected = [
        "byte 24: identifier 0x800",
        "byte 56: a packet of 7 bytes for a frame of 8; capture whole packets",
        "byte 79: a packet of 9 bytes for a frame of 11",
        "byte 104: a frame of 65 bytes; right would be 0 to 8",
    ];
    faults(&whole, &expected);
    let cut = "byte 120: the file ends 1 bytes before the end of this packet";
    faults(
        &whole[..whole.len() - 1],
        &[expected[0], expected[1], expected[2], cut],
    );
    let mut lying = pcap(LITTLE, false, 227, &[(1, 0, frame(1, &[]))]);
    lying[35] = 0xFF;
    faults(
        &lying,
        &["byte 24: a packet of 4278190096 bytes; right would be"],
    );
}

#[test]
fn broken_blocks_end_a_capture() {
    let mut writer = pcapng::Writer::new(Vec::new());
    let mut reader = open(LOG.as_bytes()).unwrap();
    let record = reader.next().unwrap().unwrap();
    writer.write(&record, reader.channels()).unwrap();
    let capture = writer.finish().unwrap();
    let at = |place: usize, byte: u8| {
        let mut changed = capture.clone();
        changed[place] = byte;
        changed
    };
    let packet = capture.len() - 60;
    assert_eq!(capture[packet], 6);
    let expected = format!("byte {packet}: a block of 63 bytes; right would be a multiple of 4");
    faults(&at(packet + 4, 63), &[&expected]);
    let expected = format!("byte {packet}: a block of 60 bytes; right would be");
    faults(&at(capture.len() - 4, 64), &[&expected]);
    let expected = format!("byte {packet}: a packet of interface 9, which no block");
    faults(&at(packet + 8, 9), &[&expected]);
    let expected = format!("byte {}: the file ends 4 bytes before", capture.len() - 4);
    faults(&capture[..capture.len() - 4], &[&expected]);
}

/// A block: type, length, body, length.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, body, &length].concat()
}

fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let mut bytes = code.to_le_bytes().to_vec();
    bytes.extend((value.len() as u16).to_le_bytes());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn section() -> Vec<u8> {
    let mut body = 0x1A2B_3C4D_u32.to_le_bytes().to_vec();
    body.extend([1, 0, 0, 0]);
    body.extend([0xFF; 8]);
    block(0x0A0D_0D0A, &body)
}

fn interface(link: u16, options: &[Vec<u8>]) -> Vec<u8> {
    let mut body = link.to_le_bytes().to_vec();
    body.extend([0; 6]);
    body.extend(options.concat());
    block(1, &body)
}

/// An enhanced packet (6) or the obsolete block (2).
fn packet(kind: u32, interface: u16, stamp: u64, frame: &[u8]) -> Vec<u8> {
    let mut body = interface.to_le_bytes().to_vec();
    body.extend([0, 0]);
    body.extend(((stamp >> 32) as u32).to_le_bytes());
    body.extend((stamp as u32).to_le_bytes());
    let length = (frame.len() as u32).to_le_bytes();
    body.extend([length, length].concat());
    body.extend(frame);
    block(kind, &body)
}

#[test]
fn each_interface_has_its_clock_and_its_channel() {
    let capture = [
        section(),
        block(0x0BAD, &[0; 8]),
        interface(1, &[]),
        packet(6, 0, 1, &[0; 60]),
        interface(227, &[option(9, &[9]), option(14, &5_u64.to_le_bytes())]),
        interface(227, &[option(2, b"can1"), option(9, &[0x8A])]),
        packet(2, 1, 1_000_000_001, &frame(0x123, &[1])),
        packet(6, 2, 1_025, &frame(0x123, &[2])),
        section(),
        interface(227, &[]),
        packet(6, 0, 7, &frame(0x123, &[3])),
        interface(227, &[]),
        packet(6, 1, 8, &frame(0x123, &[4])),
    ]
    .concat();
    let (text, reader) = lines_of(&capture);
    // Interface 1 has no name and can1 by its number, so that the one of that name has another.
    let expected = "\
(6.000000001) can1 123#01
(1.000976563) can1-2 123#02
(0.000007) can0 123#03
(0.000008) can1 123#04
";
    assert_eq!(text, expected);
    assert_eq!(reader.skipped(), 1);
}

#[test]
fn times_before_1970_are_faults_and_not_moved() {
    let before = (-10_i64).to_le_bytes();
    let capture = [
        section(),
        interface(227, &[option(14, &before)]),
        packet(6, 0, 9_000_000, &frame(0x123, &[])),
        packet(6, 0, 10_000_001, &frame(0x123, &[])),
    ]
    .concat();
    let first = section().len() + interface(227, &[option(14, &before)]).len();
    faults(
        &capture,
        &[&format!(
            "byte {first}: a time of -1 s before or after 1970"
        )],
    );
    let times: Vec<_> = open(capture.as_slice())
        .unwrap()
        .filter_map(|item| Some(item.ok()?.at_ns))
        .collect();
    assert_eq!(times, [1_000]);
    let fine = [section(), interface(227, &[option(9, &[60])])].concat();
    let at = section().len();
    faults(
        &fine,
        &[&format!(
            "byte {at}: a resolution of times (if_tsresol) of 60"
        )],
    );
}
