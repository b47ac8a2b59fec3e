//! The description of a written file: the blocks behind the data, and the header that leads to
//! them.

use std::fmt::Write as _;

use super::{Group, HEAD};
use crate::mf4::layout::FrameKind;

/// Length of the header block.
pub(super) const HEADER: usize = 104;

/// Flags of a channel group: its records are events on a bus, and nothing else.
const BUS_EVENTS: u16 = 0b110;
/// Flag of a channel: it is part of an event on a bus.
const BUS_EVENT: u32 = 1 << 10;

/// A channel to be written.
struct Channel<'a> {
    name: &'a str,
    kind: u8,
    sync: u8,
    data_type: u8,
    byte: usize,
    bits: usize,
    flags: u32,
    links: [u64; 8],
}

/// Blocks being written, at their places.
struct Blocks {
    from: u64,
    bytes: Vec<u8>,
}

/// Appends a block: mark, length, number of links, links, data; padded to eight bytes.
pub(in crate::mf4) fn append(bytes: &mut Vec<u8>, kind: [u8; 2], links: &[u64], data: &[u8]) {
    let length = 24 + 8 * links.len() + data.len();
    bytes.extend_from_slice(b"##");
    bytes.extend_from_slice(&kind);
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
    bytes.extend_from_slice(&(links.len() as u64).to_le_bytes());
    for link in links {
        bytes.extend_from_slice(&link.to_le_bytes());
    }
    bytes.extend_from_slice(data);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}

/// Makes the blocks from a place on, and the header block.
pub(super) fn blocks(
    from: u64,
    groups: &[Group],
    start_ns: u64,
    names: &[(u16, String)],
) -> (Vec<u8>, Vec<u8>) {
    let mut blocks = Blocks {
        from,
        bytes: Vec::new(),
    };
    let history = blocks.text(
        *b"MD",
        concat!(
            "<FHcomment><TX>Written by waywarden.</TX><tool_id>waywarden</tool_id>",
            "<tool_vendor>waywarden</tool_vendor><tool_version>",
            env!("CARGO_PKG_VERSION"),
            "</tool_version></FHcomment>"
        ),
    );
    let mut time = [0; 16];
    time[..8].copy_from_slice(&start_ns.to_le_bytes());
    let history = blocks.add(*b"FH", &[0, history], &time);
    let mut comment = "<HDcomment><TX>Bus channels:".to_owned();
    for (number, name) in names {
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        // Writing to a string does not fail.
        let _ = write!(comment, " {number} is {name};");
    }
    let comment = blocks.text(*b"MD", &(comment + "</TX></HDcomment>"));
    let source_name = blocks.text(*b"TX", "CAN");
    // Type 2 a bus, of them type 2 CAN.
    let source = blocks.add(*b"SI", &[source_name, 0, 0], &[2, 2, 0, 0, 0, 0, 0, 0]);
    let mut next = 0;
    for group in groups.iter().rev().filter(|group| group.records > 0) {
        next = blocks.data_group(group, next, [source_name, source]);
    }
    let mut data = [0; HEADER - 24 - 48];
    data[..8].copy_from_slice(&start_ns.to_le_bytes());
    let mut header = Vec::with_capacity(HEADER);
    append(
        &mut header,
        *b"HD",
        &[next, history, 0, 0, 0, comment],
        &data,
    );
    (blocks.bytes, header)
}

impl Blocks {
    fn add(&mut self, kind: [u8; 2], links: &[u64], data: &[u8]) -> u64 {
        let at = self.from + self.bytes.len() as u64;
        append(&mut self.bytes, kind, links, data);
        at
    }

    fn text(&mut self, kind: [u8; 2], text: &str) -> u64 {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.add(kind, &[], &bytes)
    }

    fn data_group(&mut self, group: &Group, next: u64, [name, source]: [u64; 2]) -> u64 {
        let frame = group.kind.name();
        let mut parts = 0;
        for (part, kind, byte, bits) in members(group).into_iter().rev() {
            parts = self.channel(&Channel {
                name: &format!("{frame}.{part}"),
                kind: 0,
                sync: 0,
                data_type: kind,
                byte,
                bits,
                flags: BUS_EVENT,
                links: [parts, 0, 0, 0, 0, 0, 0, 0],
            });
        }
        let frame = self.channel(&Channel {
            name: frame,
            kind: 0,
            sync: 0,
            data_type: 10,
            byte: 8,
            bits: 8 * (HEAD - 8 + group.data),
            flags: BUS_EVENT,
            links: [0, parts, 0, source, 0, 0, 0, 0],
        });
        let mut conversion = vec![1, 0, 0, 0, 0, 0, 2, 0];
        for value in [0.0_f64, 0.0, 0.0, 1e-9] {
            conversion.extend_from_slice(&value.to_le_bytes());
        }
        let conversion = self.add(*b"CC", &[0, 0, 0, 0], &conversion);
        let unit = self.text(*b"TX", "s");
        let time = self.channel(&Channel {
            name: "Timestamp",
            kind: 2,
            sync: 1,
            data_type: 2,
            byte: 0,
            bits: 64,
            flags: 0,
            links: [frame, 0, 0, 0, conversion, 0, unit, 0],
        });
        let mut data = vec![0; 32];
        data[8..16].copy_from_slice(&group.records.to_le_bytes());
        data[16..18].copy_from_slice(&BUS_EVENTS.to_le_bytes());
        data[18] = b'.';
        data[24..28].copy_from_slice(&((HEAD + group.data) as u32).to_le_bytes());
        let channels = self.add(*b"CG", &[0, time, name, source, 0, 0], &data);
        let list = self.data_list(&group.parts);
        self.add(*b"DG", &[next, channels, list, 0], &[0; 8])
    }

    fn channel(&mut self, channel: &Channel<'_>) -> u64 {
        let mut links = channel.links;
        links[2] = self.text(*b"TX", channel.name);
        let mut data = vec![0; 72];
        data[..3].copy_from_slice(&[channel.kind, channel.sync, channel.data_type]);
        data[4..8].copy_from_slice(&(channel.byte as u32).to_le_bytes());
        data[8..12].copy_from_slice(&(channel.bits as u32).to_le_bytes());
        data[12..16].copy_from_slice(&channel.flags.to_le_bytes());
        self.add(*b"CN", &links, &data)
    }

    /// A list of packed blocks; lists of a thousand each, so that none grows without bound.
    fn data_list(&mut self, parts: &[(u64, u64)]) -> u64 {
        let mut next = 0;
        for chunk in parts.chunks(1000).rev() {
            let mut links = vec![next];
            links.extend(chunk.iter().map(|(at, _)| at));
            let mut data = vec![0; 4];
            data.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
            for (_, offset) in chunk {
                data.extend_from_slice(&offset.to_le_bytes());
            }
            next = self.add(*b"DL", &links, &data);
        }
        // Flags 0: the offsets are listed; type 1: transposed and packed.
        self.add(*b"HL", &[next], &[0, 0, 1, 0, 0, 0, 0, 0])
    }
}

/// The parts of a frame: name, kind of value, place and bits.
fn members(group: &Group) -> Vec<(&'static str, u8, usize, usize)> {
    let mut members = vec![
        ("BusChannel", 0, 8, 16),
        ("ID", 0, 10, 32),
        ("IDE", 0, 14, 8),
        ("DLC", 0, 15, 8),
        ("DataLength", 0, 16, 8),
        ("Dir", 0, 17, 8),
    ];
    if group.kind != FrameKind::Remote {
        members.extend([
            ("EDL", 0, 18, 8),
            ("BRS", 0, 19, 8),
            ("ESI", 0, 20, 8),
            ("DataBytes", 10, HEAD, 8 * group.data),
        ]);
    }
    members
}
