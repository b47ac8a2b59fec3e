//! Captures, written byte by byte: so that each of them can be broken.
use std::fs;

use super::workspace;

/// Capture time of packets, in seconds and microseconds since 1970: 2026-03-07T20:26:36.5Z.
pub(crate) const CAPTURED: (u32, u32) = (1_772_915_196, 500_000);

pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The message in a line of the examples.
pub(crate) fn example(line: usize) -> Vec<u8> {
    let text = fs::read_to_string(workspace().join("examples/v2x/messages.hex")).unwrap();
    let digits = text.lines().nth(line).unwrap().split_whitespace().last();
    let digits = digits.unwrap();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// A broadcast frame of Ethernet.
pub(crate) fn ethernet(number: u16, packet: &[u8]) -> Vec<u8> {
    let mut frame = [[0xFF; 6], [2, 0, 0, 0, 0, 1]].concat();
    frame.extend(number.to_be_bytes());
    frame.extend(packet);
    frame
}

/// A WAVE short message in it.
pub(crate) fn wsm(psid: u8, spdu: &[u8]) -> Vec<u8> {
    let mut packet = vec![3, 0, psid];
    match spdu.len() {
        length @ 0..128 => packet.push(length as u8),
        length => packet.extend([0x80 | (length >> 8) as u8, length as u8]),
    }
    packet.extend(spdu);
    ethernet(0x88DC, &packet)
}

/// The header of a pcap file of Ethernet.
pub(crate) fn pcap_header() -> Vec<u8> {
    words(&[0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_535, 1])
}

/// A packet in it.
pub(crate) fn pcap_packet(frame: &[u8]) -> Vec<u8> {
    let length = frame.len() as u32;
    let head = words(&[CAPTURED.0, CAPTURED.1, length, length]);
    [head, frame.to_vec()].concat()
}

pub(crate) fn pcap(frames: &[Vec<u8>]) -> Vec<u8> {
    let packets = frames.iter().flat_map(|frame| pcap_packet(frame));
    pcap_header().into_iter().chain(packets).collect()
}

/// A block of a pcapng file.
pub(crate) fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let length = 12 + body.len() as u32;
    let head = words(&[kind, length]);
    [head, body, words(&[length])].concat()
}

/// A section and an interface of Ethernet.
pub(crate) fn pcapng_header() -> Vec<u8> {
    let section = block(0x0A0D_0D0A, &words(&[0x1A2B_3C4D, 1, u32::MAX, u32::MAX]));
    [section, block(1, &words(&[1, 0]))].concat()
}

/// A packet of an interface; `kept`: how many bytes it says that it has.
pub(crate) fn pcapng_packet(interface: u32, frame: &[u8], kept: usize) -> Vec<u8> {
    let time = u64::from(CAPTURED.0) * 1_000_000 + u64::from(CAPTURED.1);
    let (high, low) = ((time >> 32) as u32, time as u32);
    let head = words(&[interface, high, low, kept as u32, kept as u32]);
    block(6, &[head, frame.to_vec()].concat())
}

pub(crate) fn pcapng(frames: &[Vec<u8>]) -> Vec<u8> {
    let packets = frames
        .iter()
        .flat_map(|frame| pcapng_packet(0, frame, frame.len()));
    pcapng_header().into_iter().chain(packets).collect()
}
