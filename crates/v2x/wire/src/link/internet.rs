//! UDP datagrams over IPv4 and IPv6 \[RFC 791\] \[RFC 8200\] \[RFC 768\], in which recordings of
//! C-V2X and test tools carry messages. Checksums are not checked: capturing hosts leave them to
//! the network card.

use core::fmt;

use super::{LinkLayerError, LinkPayload};

const UDP: u8 = 17;
const UDP_HEADER: usize = 8;
/// So many extension headers of IPv6 are passed.
const EXTENSIONS_MAX: usize = 8;

/// Addresses of a UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Version of IP: 4 or 6.
    pub version: u8,
    /// Port of the sender.
    pub source: u16,
    /// Port of the receiver.
    pub destination: u16,
}

impl Datagram {
    /// Returns true if it goes to or comes from one of these ports.
    #[must_use]
    pub fn uses(&self, ports: &[u16]) -> bool {
        ports.contains(&self.source) || ports.contains(&self.destination)
    }
}

impl fmt::Display for Datagram {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, source, destination) = (self.version, self.source, self.destination);
        write!(formatter, "IPv{version}, UDP {source} to {destination}")
    }
}

/// Finds the payload of the datagram in an IP packet.
pub(super) fn payload(packet: &[u8], link: [u8; 6]) -> Result<LinkPayload<'_>, LinkLayerError> {
    let first = packet.first().ok_or(LinkLayerError::IpHeader)?;
    let (version, segment) = match first >> 4 {
        4 => (4, version_4(packet)?),
        6 => (6, version_6(packet)?),
        _ => return Err(LinkLayerError::IpHeader),
    };
    let field = |at: usize| half(segment, at);
    let (source, destination, length) = (field(0)?, field(2)?, usize::from(field(4)?));
    if length < UDP_HEADER {
        return Err(LinkLayerError::IpHeader);
    }
    // A capture may have cut the datagram: then what is there fails to read as a message.
    let end = length.min(segment.len());
    let packet = segment
        .get(UDP_HEADER..end)
        .ok_or(LinkLayerError::IpHeader)?;
    let datagram = Datagram {
        version,
        source,
        destination,
    };
    Ok(LinkPayload {
        inner: None,
        network: None,
        datagram: Some(datagram),
        packet,
        source: link,
    })
}

fn version_4(packet: &[u8]) -> Result<&[u8], LinkLayerError> {
    const UNITS: usize = 4;
    const HEADER: usize = 20;
    const FRAGMENT: u16 = 0x3FFF;
    let begin = usize::from(byte(packet, 0)? & 0x0F) * UNITS;
    let length = match usize::from(half(packet, 2)?) {
        // A capturing host that leaves segmentation to the network card writes zero.
        0 => packet.len(),
        length => length,
    };
    if begin < HEADER || length < begin {
        return Err(LinkLayerError::IpHeader);
    }
    if half(packet, 6)? & FRAGMENT != 0 {
        return Err(LinkLayerError::IpFragment);
    }
    match byte(packet, 9)? {
        UDP => {}
        other => return Err(LinkLayerError::IpProtocol(other)),
    }
    let end = length.min(packet.len());
    packet.get(begin..end).ok_or(LinkLayerError::IpHeader)
}

fn version_6(packet: &[u8]) -> Result<&[u8], LinkLayerError> {
    const HEADER: usize = 40;
    const HOP_BY_HOP: u8 = 0;
    const ROUTING: u8 = 43;
    const FRAGMENT: u8 = 44;
    const DESTINATION: u8 = 60;
    const UNITS: usize = 8;
    let end = (HEADER + usize::from(half(packet, 4)?)).min(packet.len());
    let packet = packet.get(..end).unwrap_or(packet);
    let (mut next, mut at) = (byte(packet, 6)?, HEADER);
    for _ in 0..=EXTENSIONS_MAX {
        let length = match next {
            UDP => return packet.get(at..).ok_or(LinkLayerError::IpHeader),
            HOP_BY_HOP | ROUTING | DESTINATION => (usize::from(byte(packet, at + 1)?) + 1) * UNITS,
            FRAGMENT if half(packet, at + 2)? & 0xFFF9 == 0 => UNITS,
            FRAGMENT => return Err(LinkLayerError::IpFragment),
            other => return Err(LinkLayerError::IpProtocol(other)),
        };
        next = byte(packet, at)?;
        at += length;
    }
    Err(LinkLayerError::IpHeader)
}

fn byte(bytes: &[u8], at: usize) -> Result<u8, LinkLayerError> {
    bytes.get(at).copied().ok_or(LinkLayerError::IpHeader)
}

fn half(bytes: &[u8], at: usize) -> Result<u16, LinkLayerError> {
    let digits = bytes.get(at..).and_then(|rest| rest.first_chunk());
    digits
        .map(|digits| u16::from_be_bytes(*digits))
        .ok_or(LinkLayerError::IpHeader)
}
