//! pcapng: sections, in them blocks: descriptions of interfaces, packets, others.

use std::io::Read;

use super::bytes::Endian;
use super::interface::{Clock, Interface};
use super::{PACKET_MAX, Packet, Reader, at};
use crate::error::{CaptureCause, LogError};
use crate::record::CHANNELS_MAX;

/// The type of the block that begins a section, the same in both byte orders.
pub(super) const MAGIC: &[u8] = b"\x0A\x0D\x0D\x0A";

const ORDER: [u8; 4] = 0x1A2B_3C4D_u32.to_be_bytes();

mod block {
    pub(super) const INTERFACE_DESCRIPTION: u32 = 1;
    /// The obsolete block of old programs: as the enhanced one, but for the interface.
    pub(super) const PACKET: u32 = 2;
    pub(super) const SIMPLE_PACKET: u32 = 3;
    pub(super) const ENHANCED_PACKET: u32 = 6;
}

mod option {
    pub(super) const INTERFACE_NAME: u16 = 2;
    pub(super) const PACKET_FLAGS: u16 = 2;
    pub(super) const TIME_RESOLUTION: u16 = 9;
    pub(super) const TIME_OFFSET: u16 = 14;
}

/// Type, length, and the length again at the end.
const FRAMING: u32 = 12;

/// The longest block that is stepped over, in bytes, and the longest part of one that is read.
const LENGTH_MAX: u32 = 1 << 26;
const READ_MAX: usize = 4096;

const WHAT: &str = "block";

/// A block as far as it is read.
struct Block {
    kind: u32,
    body: Vec<u8>,
}

impl<R: Read> Reader<R> {
    /// Reads the next packet; none at the end.
    pub(super) fn pcapng_packet(&mut self) -> Result<Option<Packet>, LogError> {
        while let Some(block) = self.block()? {
            match block.kind {
                block::INTERFACE_DESCRIPTION => self.describe(&block.body)?,
                block::ENHANCED_PACKET => {
                    let interface = self.endian.u32_at(&block.body, 0) as usize;
                    return Ok(Some(self.timed(interface, &block.body)));
                }
                block::PACKET => {
                    let interface = usize::from(self.endian.u16_at(&block.body, 0));
                    return Ok(Some(self.timed(interface, &block.body)));
                }
                block::SIMPLE_PACKET => {
                    return Ok(Some(Packet {
                        interface: 0,
                        at_ns: None,
                        bytes: captured(&block.body, 4, self.endian.u32_at(&block.body, 0)),
                        flags: 0,
                    }));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Reads the next block that is no section header; none at the end.
    fn block(&mut self) -> Result<Option<Block>, LogError> {
        loop {
            self.place = self.source.offset;
            let mut head = [0; 8];
            match self.source.fill(&mut head)? {
                0 => return Ok(None),
                8 => {}
                found => {
                    let missing = 8 - found as u64;
                    return Err(at(
                        self.place,
                        CaptureCause::Truncated {
                            what: WHAT,
                            missing,
                        },
                    ));
                }
            }
            if head.starts_with(MAGIC) {
                self.section(&head)?;
                continue;
            }
            let kind = self.endian.u32_at(&head, 0);
            let body = self.body(self.endian.u32_at(&head, 4))?;
            return Ok(Some(Block { kind, body }));
        }
    }

    /// Begins a section, whose first eight bytes are read.
    pub(super) fn section(&mut self, head: &[u8]) -> Result<(), LogError> {
        let mut order = [0; 4];
        self.source.fill_all(&mut order, WHAT)?;
        self.endian = match order {
            ORDER => Endian::Big,
            [a, b, c, d] if [d, c, b, a] == ORDER => Endian::Little,
            _ => return Err(at(self.place, CaptureCause::Magic)),
        };
        self.interfaces.clear();
        let length = self.endian.u32_at(head, 4);
        self.check(length, FRAMING + 16)?;
        self.source.skip(u64::from(length - FRAMING - 4), WHAT)?;
        self.end(length)
    }

    /// Reads the body of a block as far as [`READ_MAX`], and steps over the rest.
    fn body(&mut self, length: u32) -> Result<Vec<u8>, LogError> {
        self.check(length, FRAMING)?;
        let size = (length - FRAMING) as usize;
        let mut body = vec![0; size.min(READ_MAX)];
        self.source.fill_all(&mut body, WHAT)?;
        self.source.skip((size - body.len()) as u64, WHAT)?;
        self.end(length)?;
        Ok(body)
    }

    fn check(&self, length: u32, least: u32) -> Result<(), LogError> {
        match (least..=LENGTH_MAX).contains(&length) && length.is_multiple_of(4) {
            true => Ok(()),
            false => Err(self.wrong(length)),
        }
    }

    /// Reads the length at the end of a block, which is the one at its beginning.
    fn end(&mut self, length: u32) -> Result<(), LogError> {
        let mut again = [0; 4];
        self.source.fill_all(&mut again, WHAT)?;
        match self.endian.u32_at(&again, 0) == length {
            true => Ok(()),
            false => Err(self.wrong(length)),
        }
    }

    fn wrong(&self, length: u32) -> LogError {
        let right = "a multiple of 4 up to 64 MiB, the same at both ends";
        let what = WHAT;
        at(
            self.place,
            CaptureCause::Length {
                what,
                length,
                right,
            },
        )
    }

    /// Reads the description of an interface: link u16, reserved u16, snap length u32, options.
    fn describe(&mut self, body: &[u8]) -> Result<(), LogError> {
        if self.interfaces.len() == CHANNELS_MAX {
            return Err(at(self.place, CaptureCause::Channels));
        }
        let (mut name, mut resolution, mut offset) = (&b""[..], None, 0);
        for (code, value) in options(self.endian, body.get(8..).unwrap_or_default()) {
            match code {
                option::INTERFACE_NAME => name = value.trim_ascii_end(),
                option::TIME_RESOLUTION => resolution = value.first().copied(),
                option::TIME_OFFSET => offset = self.endian.u64_at(value, 0) as i64,
                _ => {}
            }
        }
        let link = u32::from(self.endian.u16_at(body, 0));
        let clock = Clock::of_options(resolution, offset);
        let clock = clock.ok_or_else(|| {
            at(
                self.place,
                CaptureCause::Resolution(resolution.unwrap_or_default()),
            )
        })?;
        self.interfaces.push(Interface::new(link, name, clock));
        Ok(())
    }

    /// Reads a packet: interface (u32; u16 and a count of drops in the obsolete block), time u32
    /// twice, captured length u32, length u32, the packet to a multiple of four bytes, options.
    fn timed(&self, interface: usize, body: &[u8]) -> Packet {
        let word = |at| self.endian.u32_at(body, at);
        let length = word(12);
        let stamp = u64::from(word(4)) << 32 | u64::from(word(8));
        let clock = self.interfaces.get(interface).map(|found| found.clock);
        let behind = 20_u64 + u64::from(length).next_multiple_of(4);
        let behind = usize::try_from(behind).unwrap_or(usize::MAX);
        let mut flags = 0;
        for (code, value) in options(self.endian, body.get(behind..).unwrap_or_default()) {
            if code == option::PACKET_FLAGS {
                flags = self.endian.u32_at(value, 0);
            }
        }
        Packet {
            interface,
            // A packet of no interface is a fault of its own.
            at_ns: Some(clock.map_or(Ok(0), |clock| clock.nanoseconds(stamp))),
            bytes: captured(body, 20, length),
            flags,
        }
    }
}

/// Returns the bytes of a packet from a place on, as many as are kept.
fn captured(body: &[u8], from: usize, length: u32) -> Vec<u8> {
    let there = body.get(from..).unwrap_or_default();
    there[..there.len().min(length as usize).min(PACKET_MAX)].to_vec()
}

/// Walks the options at the end of a block: code u16, length u16, value to a multiple of four.
fn options(endian: Endian, mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let code = endian.u16_at(bytes, 0);
        let length = usize::from(endian.u16_at(bytes, 2));
        let value = bytes.get(4..4 + length).filter(|_| code != 0)?;
        bytes = bytes
            .get(4 + length.next_multiple_of(4)..)
            .unwrap_or_default();
        Some((code, value))
    })
}

/// Returns the links of the interfaces that the first bytes describe, behind other blocks, too;
/// none if they describe none.
pub(super) fn links(head: &[u8]) -> Option<Vec<u32>> {
    let order = head.get(8..12).filter(|_| head.starts_with(MAGIC))?;
    let endian = if order == ORDER {
        Endian::Big
    } else {
        Endian::Little
    };
    let (mut links, mut at) = (Vec::new(), 0);
    while let Some(start) = head.get(at..at + 12) {
        let (kind, length) = (endian.u32_at(start, 0), endian.u32_at(start, 4));
        if kind == block::INTERFACE_DESCRIPTION {
            links.push(u32::from(endian.u16_at(start, 8)));
        }
        if !(FRAMING..=LENGTH_MAX).contains(&length) {
            break;
        }
        at += length as usize;
    }
    (!links.is_empty()).then_some(links)
}
