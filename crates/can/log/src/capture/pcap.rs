//! pcap: a file header, then packets with their own.

use std::io::Read;

use super::bytes::Endian;
use super::interface::{Clock, Interface};
use super::{Form, PACKET_MAX, Packet, Reader, at, pcapng};
use crate::error::{CaptureCause, LogError};

const HEADER: usize = 24;
const PACKET_HEADER: usize = 16;

/// The longest packet of other links that is stepped over, in bytes.
const LENGTH_MAX: u32 = 1 << 24;

/// Tells the byte order and the unit of times from the first bytes.
pub(super) fn magic(head: &[u8]) -> Option<(Endian, Clock)> {
    Some(match head.get(..4)? {
        b"\xD4\xC3\xB2\xA1" => (Endian::Little, Clock::MICROSECONDS),
        b"\xA1\xB2\xC3\xD4" => (Endian::Big, Clock::MICROSECONDS),
        b"\x4D\x3C\xB2\xA1" => (Endian::Little, Clock::NANOSECONDS),
        b"\xA1\xB2\x3C\x4D" => (Endian::Big, Clock::NANOSECONDS),
        _ => return None,
    })
}

/// Returns the link type, once the header is there.
pub(super) fn link(head: &[u8]) -> Option<u32> {
    let (endian, _) = magic(head)?;
    // The highest four bits tell about check sums at the end of packets.
    (head.len() >= HEADER).then(|| endian.u32_at(head, 20) & 0x0FFF_FFFF)
}

impl<R: Read> Reader<R> {
    /// Reads the mark of either form, and the header of pcap.
    pub(super) fn begin(&mut self) -> Result<Form, LogError> {
        let mut header = [0; HEADER];
        let found = self.source.fill(&mut header[..8])?;
        if header.starts_with(pcapng::MAGIC) {
            self.section(&header[..found])?;
            return Ok(Form::Pcapng);
        }
        let (endian, clock) = magic(&header).ok_or_else(|| at(0, CaptureCause::Magic))?;
        self.source.fill_all(&mut header[8..], "file header")?;
        self.endian = endian;
        let link = link(&header).unwrap_or_default();
        self.interfaces.push(Interface::new(link, b"can0", clock));
        Ok(Form::Pcap)
    }

    /// Reads a packet: seconds, fraction, captured length, length; none at the end.
    pub(super) fn pcap_packet(&mut self) -> Result<Option<Packet>, LogError> {
        const WHAT: &str = "packet";
        let mut header = [0; PACKET_HEADER];
        match self.source.fill(&mut header)? {
            0 => return Ok(None),
            PACKET_HEADER => {}
            found => {
                let missing = (PACKET_HEADER - found) as u64;
                return Err(at(
                    self.place,
                    CaptureCause::Truncated {
                        what: WHAT,
                        missing,
                    },
                ));
            }
        }
        let word = |at| self.endian.u32_at(&header, at);
        let (seconds, fraction, length) = (word(0), word(4), word(8));
        if length > LENGTH_MAX {
            let right = "at most 16 MiB";
            let what = WHAT;
            return Err(at(
                self.place,
                CaptureCause::Length {
                    what,
                    length,
                    right,
                },
            ));
        }
        let mut bytes = vec![0; (length as usize).min(PACKET_MAX)];
        self.source.fill_all(&mut bytes, WHAT)?;
        self.source
            .skip(u64::from(length) - bytes.len() as u64, WHAT)?;
        let clock = self.interfaces.first().map(|interface| interface.clock);
        let fraction = clock.map_or(Ok(0), |clock| clock.nanoseconds(u64::from(fraction)));
        // The fraction is below 2^32 microseconds.
        let at_ns = fraction.map(|fraction| u64::from(seconds) * 1_000_000_000 + fraction);
        Ok(Some(Packet {
            interface: 0,
            at_ns: Some(at_ns),
            bytes,
            flags: 0,
        }))
    }
}
