//! The description of a written file: the header, and the blocks to which it leads.

use super::HEAD;
use crate::mf4::layout::FrameKind;

/// Place of the header block.
const HEADER_AT: u64 = 64;

/// Length of the header block.
const HEADER: usize = 104;

/// Place of the link to the first data group.
pub(super) const FIRST_GROUP: u64 = HEADER_AT + 24;

/// Place of the link to the comment of the file, the sixth of the header.
pub(super) const COMMENT: u64 = HEADER_AT + 24 + 5 * 8;

/// Place of the link to the next list in a list of data blocks.
pub(super) const NEXT_LIST: u64 = 24;

/// Places that are completed as records come, and in the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    /// The data group.
    pub(super) group: u64,
    /// Its link to the next one.
    pub(super) next_group: u64,
    /// Its number of records.
    pub(super) count: u64,
    /// The link to the next list of data blocks.
    pub(super) next_list: u64,
}

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

/// Appends a list of one data block, which stands behind it.
pub(super) fn append_list(bytes: &mut Vec<u8>, at: u64, offset: u64) {
    let behind = at + 24 + 2 * 8 + 16;
    // Flags 0: the offsets are listed; one block.
    let mut data = vec![0, 0, 0, 0, 1, 0, 0, 0];
    data.extend_from_slice(&offset.to_le_bytes());
    append(bytes, *b"DL", &[0, behind], &data);
}

/// Appends the header and the blocks of the data groups, none of which has records.
pub(super) fn describe(
    bytes: &mut Vec<u8>,
    groups: [(FrameKind, usize); 4],
    start_ns: u64,
) -> [Places; 4] {
    let mut blocks = Blocks {
        from: bytes.len() as u64 + HEADER as u64,
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
    let source_name = blocks.text(*b"TX", "CAN");
    // Type 2 a bus, of them type 2 CAN.
    let source = blocks.add(*b"SI", &[source_name, 0, 0], &[2, 2, 0, 0, 0, 0, 0, 0]);
    let mut places = [Places::default(); 4];
    let mut next = 0;
    for (places, group) in places.iter_mut().zip(groups).rev() {
        *places = blocks.data_group(group, next, [source_name, source]);
        next = places.group;
    }
    let mut data = [0; HEADER - 24 - 48];
    data[..8].copy_from_slice(&start_ns.to_le_bytes());
    append(bytes, *b"HD", &[next, history, 0, 0, 0, 0], &data);
    bytes.extend_from_slice(&blocks.bytes);
    places
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

    fn data_group(
        &mut self,
        (kind, data_bytes): (FrameKind, usize),
        next: u64,
        [name, source]: [u64; 2],
    ) -> Places {
        let frame = kind.name();
        let mut parts = 0;
        for (part, kind, byte, bits) in members(kind, data_bytes).into_iter().rev() {
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
            bits: 8 * (HEAD - 8 + data_bytes),
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
        data[16..18].copy_from_slice(&BUS_EVENTS.to_le_bytes());
        data[18] = b'.';
        data[24..28].copy_from_slice(&((HEAD + data_bytes) as u32).to_le_bytes());
        let channels = self.add(*b"CG", &[0, time, name, source, 0, 0], &data);
        // Type 1: transposed and packed.
        let list = self.add(*b"HL", &[0], &[0, 0, 1, 0, 0, 0, 0, 0]);
        let group = self.add(*b"DG", &[next, channels, list, 0], &[0; 8]);
        Places {
            group,
            next_group: group + 24,
            // Behind six links, and the identifier of records.
            count: channels + 24 + 6 * 8 + 8,
            next_list: list + 24,
        }
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
}

/// The parts of a frame: name, kind of value, place and bits.
fn members(group: FrameKind, data: usize) -> Vec<(&'static str, u8, usize, usize)> {
    let mut members = vec![
        ("BusChannel", 0, 8, 16),
        ("ID", 0, 10, 32),
        ("IDE", 0, 14, 8),
        ("DLC", 0, 15, 8),
        ("DataLength", 0, 16, 8),
        ("Dir", 0, 17, 8),
    ];
    if group != FrameKind::Remote {
        members.extend([
            ("EDL", 0, 18, 8),
            ("BRS", 0, 19, 8),
            ("ESI", 0, 20, 8),
            ("DataBytes", 10, HEAD, 8 * data),
        ]);
    }
    members
}
