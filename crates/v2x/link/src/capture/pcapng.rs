//! Blocks of pcapng: a section, one interface of Ethernet, packets.

use std::io::{self, Write};
use std::time::Duration;

/// Maximum number of bytes that are kept of a frame; of a longer one the length is written, too.
pub const FRAME_KEPT_BYTES_MAX: usize = 65_535;
/// The longest comment, in bytes; a longer one is cut behind a whole character.
pub const COMMENT_BYTES_MAX: usize = 1_024;

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
/// `LINKTYPE_ETHERNET` \[LINKTYPES\].
const ETHERNET: u16 = 1;

/// Options \[PCAPNG §3.5, §4\].
const OPTION_END: u16 = 0;
const COMMENT: u16 = 1;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_RESOLUTION: u16 = 9;
const PACKET_FLAGS: u16 = 2;
/// Times are in units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Direction of a frame, as seen by the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureDirection {
    /// It was received.
    Inbound = 1,
    /// It was sent.
    Outbound = 2,
}

/// A frame, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPacket<'a> {
    /// Time of sending or reception: since the Unix epoch, up to the year 2554.
    pub time: Duration,
    /// Direction of the frame.
    pub direction: CaptureDirection,
    /// The frame of Ethernet, without its check sequence.
    pub frame: &'a [u8],
    /// Comment that Wireshark shows beside it, such as the verdict; empty: nothing.
    pub comment: &'a str,
}

/// Writes a capture.
#[derive(Debug)]
pub struct CaptureWriter<W> {
    output: W,
    block: Vec<u8>,
}

impl<W: Write> CaptureWriter<W> {
    /// Writes the beginning: the section and the interface, with a name such as `lo`.
    ///
    /// # Errors
    /// The output's.
    pub fn new(mut output: W, interface: &str) -> io::Result<Self> {
        output.write_all(&beginning(interface))?;
        Ok(Self {
            output,
            block: Vec::new(),
        })
    }

    /// Writes a frame, in one call of the output.
    ///
    /// # Errors
    /// The output's: part of the block may be written.
    pub fn write(&mut self, packet: &CapturedPacket<'_>) -> io::Result<()> {
        self.block.clear();
        append(packet, &mut self.block);
        self.output.write_all(&self.block)
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.output
    }
}

/// Returns the first bytes of a file.
pub(super) fn beginning(interface: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    block(SECTION_HEADER, &mut bytes, |body| {
        body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        // Version 1.0, and a section whose length is not told.
        body.extend([1, 0, 0, 0]);
        body.extend([0xFF; 8]);
        let program = concat!("Waywarden ", env!("CARGO_PKG_VERSION"));
        option(body, SECTION_APPLICATION, program.as_bytes());
        option(body, OPTION_END, &[]);
    });
    block(INTERFACE_DESCRIPTION, &mut bytes, |body| {
        body.extend(ETHERNET.to_le_bytes());
        body.extend([0; 2]);
        body.extend((FRAME_KEPT_BYTES_MAX as u32).to_le_bytes());
        option(body, INTERFACE_NAME, shortened(interface).as_bytes());
        option(body, INTERFACE_RESOLUTION, &[NANOSECONDS]);
        option(body, OPTION_END, &[]);
    });
    bytes
}

/// Appends the block of a frame.
pub(super) fn append(packet: &CapturedPacket<'_>, bytes: &mut Vec<u8>) {
    let time = u64::try_from(packet.time.as_nanos()).unwrap_or(u64::MAX);
    let kept = packet.frame.get(..FRAME_KEPT_BYTES_MAX);
    let kept = kept.unwrap_or(packet.frame);
    block(ENHANCED_PACKET, bytes, |body| {
        // The number of the interface.
        body.extend([0; 4]);
        body.extend(((time >> 32) as u32).to_le_bytes());
        body.extend((time as u32).to_le_bytes());
        for length in [kept.len(), packet.frame.len()] {
            body.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        }
        body.extend(kept);
        pad(body, kept.len());
        let direction = packet.direction as u32;
        option(body, PACKET_FLAGS, &direction.to_le_bytes());
        if !packet.comment.is_empty() {
            option(body, COMMENT, shortened(packet.comment).as_bytes());
        }
        option(body, OPTION_END, &[]);
    });
}

/// A block has its length before and behind.
fn block(kind: u32, bytes: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let begin = bytes.len();
    bytes.extend(kind.to_le_bytes());
    bytes.extend([0; 4]);
    fill(bytes);
    // All that `fill` writes is bounded, far below 2^32.
    let length = ((bytes.len() - begin + 4) as u32).to_le_bytes();
    bytes.extend(length);
    if let Some(field) = bytes.get_mut(begin + 4..begin + 8) {
        field.copy_from_slice(&length);
    }
}

fn option(body: &mut Vec<u8>, number: u16, value: &[u8]) {
    body.extend(number.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body, value.len());
}

fn pad(body: &mut Vec<u8>, length: usize) {
    body.resize(body.len() + length.next_multiple_of(4) - length, 0);
}

fn shortened(text: &str) -> &str {
    let mut end = text.len().min(COMMENT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}
