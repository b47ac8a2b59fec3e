//! Finds the SPDU in bytes of unknown kind: an SPDU by itself, a WAVE short message, a
//! GeoNetworking packet, or a captured frame of any link.
//!
//! Each reading is tried once, so the work is bounded by a constant number of readings of one SPDU.
//! A reading counts if it reads all bytes; the first such reading is taken. It verifies nothing.

mod layer;
mod refusal;
mod unsecured;

pub use layer::{Layer, MessageFamily};
pub use refusal::{ClearMessage, DetectionAttempt, NoSpdu, ReadingRefusal};
pub use unsecured::{Unsecured, unsecured};

use crate::btp::Btp;
use crate::coer::{parse, parse_prefix};
use crate::error::{ParseFault, WireError};
use crate::geonet::{Body, Packet};
use crate::ieee1609dot2::Ieee1609Dot2Data;
use crate::link::{self, Datagram, LinkType, NetworkProtocol};
use crate::wsmp::Wsm;

/// An SPDU and the layers around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundSpdu<'a> {
    /// Link and address of the sender, if the bytes are a frame.
    pub link: Option<(LinkType, [u8; 6])>,
    /// Link of the frame behind a PPI header, if there is one.
    pub inner_link: Option<LinkType>,
    /// UDP datagram around the SPDU, if any.
    pub datagram: Option<Datagram>,
    /// C-V2X message family in front of the packet, if any.
    pub family: Option<MessageFamily>,
    /// Envelope around the SPDU.
    pub envelope: Envelope<'a>,
    /// Bytes of the SPDU.
    pub spdu: &'a [u8],
    /// Parsed SPDU.
    pub data: Ieee1609Dot2Data<'a>,
}

/// Envelope around an SPDU.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is no heap to put the large one on"
)]
pub enum Envelope<'a> {
    /// No envelope.
    Bare,
    /// A WAVE short message.
    Wsm(Wsm<'a>),
    /// A GeoNetworking packet.
    GeoNetworking(Packet<'a>),
}

impl Envelope<'_> {
    fn network(&self) -> Option<NetworkProtocol> {
        match self {
            Self::Bare => None,
            Self::Wsm(_) => Some(NetworkProtocol::Wsmp),
            Self::GeoNetworking(_) => Some(NetworkProtocol::GeoNetworking),
        }
    }
}

/// Finds the SPDU in bytes of any kind.
///
/// # Errors
/// The refusal of the reading that came furthest.
pub fn detect(bytes: &[u8]) -> Result<FoundSpdu<'_>, NoSpdu> {
    let mut furthest = None;
    attempts(bytes, |attempt| match attempt {
        Ok(found) => Some(found),
        Err(refused) => {
            further(&mut furthest, refused);
            None
        }
    })
    .ok_or_else(|| furthest.unwrap_or(NOTHING))
}

/// Shows each reading that [`detect`] refuses, in the order in which they are tried.
pub fn refused_readings(bytes: &[u8], mut show: impl FnMut(&NoSpdu)) {
    let _: Option<()> = attempts(bytes, |attempt| {
        if let Err(refused) = attempt {
            show(&refused);
        }
        None
    });
}

/// Finds the SPDU in a frame of a known link.
///
/// # Errors
/// The refusal of the reading that came furthest.
pub fn detect_in(link: LinkType, frame: &[u8]) -> Result<FoundSpdu<'_>, NoSpdu> {
    let payload = link::payload(link, frame).map_err(|error| NoSpdu {
        link: Some(link),
        refusal: ReadingRefusal::Link(error),
        ..NOTHING
    })?;
    let reading = Reading {
        link: Some((link, payload.source)),
        inner_link: payload.inner,
        datagram: payload.datagram,
        family: None,
        network: payload.network,
        packet: payload.packet,
        offset: payload.packet.as_ptr() as usize - frame.as_ptr() as usize,
    };
    if payload.network.is_some() {
        return reading.spdu();
    }
    let mut furthest = None;
    for reading in reading.networks().into_iter().flatten() {
        match reading.spdu() {
            Ok(found) => return Ok(found),
            Err(refused) => further(&mut furthest, refused),
        }
    }
    Err(furthest.unwrap_or(NOTHING))
}

/// Refusal of empty input.
const NOTHING: NoSpdu = NoSpdu {
    link: None,
    inner_link: None,
    datagram: None,
    family: None,
    network: None,
    refusal: ReadingRefusal::Spdu(WireError::at(ParseFault::Truncated(1), 0)),
    reached: 0,
};

fn further(furthest: &mut Option<NoSpdu>, refused: NoSpdu) {
    match furthest {
        Some(other) if other.reached >= refused.reached => {}
        _ => *furthest = Some(refused),
    }
}

/// Tries every reading of bytes of unknown kind, until `take` returns a value.
fn attempts<'a, T>(
    bytes: &'a [u8],
    mut take: impl FnMut(Result<FoundSpdu<'a>, NoSpdu>) -> Option<T>,
) -> Option<T> {
    let bare = Reading {
        link: None,
        inner_link: None,
        datagram: None,
        family: None,
        network: None,
        packet: bytes,
        offset: 0,
    };
    for reading in bare.networks().into_iter().flatten() {
        if let Some(taken) = take(reading.spdu()) {
            return Some(taken);
        }
    }
    // USER0 has no header: its readings are those without a link. That of BSD has four bytes of any
    // value, which tell nothing.
    let is_telling = |link: &LinkType| !matches!(link, LinkType::BsdLoopback | LinkType::User0);
    let links = LinkType::ALL.into_iter();
    for link in links.filter(is_telling) {
        if let Some(taken) = take(detect_in(link, bytes)) {
            return Some(taken);
        }
    }
    None
}

/// Bytes with the layers that they are read as.
#[derive(Clone, Copy)]
struct Reading<'a> {
    link: Option<(LinkType, [u8; 6])>,
    inner_link: Option<LinkType>,
    datagram: Option<Datagram>,
    family: Option<MessageFamily>,
    network: Option<NetworkProtocol>,
    packet: &'a [u8],
    /// Place of the packet in the input.
    offset: usize,
}

impl<'a> Reading<'a> {
    /// Returns the readings of bytes whose network is not known: an SPDU, a packet of each network,
    /// and each with its message family in front.
    fn networks(self) -> [Option<Self>; 5] {
        let of = |network| Self {
            network: Some(network),
            ..self
        };
        let [wsmp, geo] = [NetworkProtocol::Wsmp, NetworkProtocol::GeoNetworking].map(of);
        let [ieee, etsi] = MessageFamily::ALL.map(|family| {
            let (first, packet) = self.packet.split_first()?;
            let network = match family {
                MessageFamily::Ieee1609 => NetworkProtocol::Wsmp,
                MessageFamily::Etsi => NetworkProtocol::GeoNetworking,
            };
            (*first == family.octet()).then_some(Self {
                family: Some(family),
                network: Some(network),
                packet,
                offset: self.offset + 1,
                ..self
            })
        });
        [Some(self), Some(wsmp), Some(geo), ieee, etsi]
    }

    fn spdu(self) -> Result<FoundSpdu<'a>, NoSpdu> {
        match self.network {
            None => {
                let data = parse(self.packet).map_err(|error| self.no_spdu(error, 0))?;
                Ok(self.found(Envelope::Bare, self.packet, data))
            }
            Some(NetworkProtocol::Wsmp) => self.in_wsm(),
            Some(NetworkProtocol::GeoNetworking) => self.in_packet(),
        }
    }

    fn in_wsm(self) -> Result<FoundSpdu<'a>, NoSpdu> {
        let (wsm, length) = parse_prefix::<Wsm<'a>>(self.packet).map_err(|e| self.no_header(e))?;
        self.ends_at(length)
            .map_err(|error| self.no_header(error))?;
        let data = parse(wsm.data).map_err(|error| match unsecured(wsm.data) {
            Some(_) => self.unsecured(wsm.data, None, length),
            None => self.no_spdu(error, length - wsm.data.len()),
        })?;
        Ok(self.found(Envelope::Wsm(wsm), wsm.data, data))
    }

    fn in_packet(self) -> Result<FoundSpdu<'a>, NoSpdu> {
        let (mut packet, mut length) =
            parse_prefix::<Packet<'a>>(self.packet).map_err(|error| self.no_header(error))?;
        let rest = match packet.body {
            Body::Secured(rest) => rest,
            Body::Clear(clear) => {
                self.ends_at(length)
                    .map_err(|error| self.no_header(error))?;
                let (message, port) = match Btp::parse(clear.upper, clear.payload) {
                    Some(Ok(transport)) => {
                        (transport.payload(), Some(transport.destination_port()))
                    }
                    _ => (&[][..], None),
                };
                return Err(self.unsecured(message, port, self.packet.len()));
            }
        };
        // The SPDU itself says where it ends.
        let begin = length - rest.len();
        let (data, used) = parse_prefix(rest).map_err(|error| self.no_spdu(error, begin))?;
        length = begin + used;
        let left = self.ends_at(length);
        left.map_err(|error| self.no_spdu(error, 0))?;
        let spdu = rest.get(..used).unwrap_or(rest);
        packet.body = Body::Secured(spdu);
        Ok(self.found(Envelope::GeoNetworking(packet), spdu, data))
    }

    /// Checks that only remains of the link stand behind the packet: zeros that pad a frame, and a
    /// frame check sequence.
    fn ends_at(&self, length: usize) -> Result<(), WireError> {
        const CHECK_SEQUENCE: usize = 4;
        let rest = self.packet.get(length..).unwrap_or(&[]);
        let padding = match rest.len().checked_sub(CHECK_SEQUENCE) {
            Some(padding) => rest.get(..padding).unwrap_or(rest),
            None => rest,
        };
        let is_filled = padding.iter().all(|byte| *byte == 0);
        match self.link {
            _ if rest.is_empty() => Ok(()),
            // A datagram has a length of its own.
            Some(_) if is_filled && self.datagram.is_none() => Ok(()),
            _ => Err(WireError::at(ParseFault::TrailingBytes(rest.len()), length)),
        }
    }

    fn found(
        &self,
        envelope: Envelope<'a>,
        spdu: &'a [u8],
        data: Ieee1609Dot2Data<'a>,
    ) -> FoundSpdu<'a> {
        debug_assert_eq!(envelope.network(), self.network);
        FoundSpdu {
            link: self.link,
            inner_link: self.inner_link,
            datagram: self.datagram,
            family: self.family,
            envelope,
            spdu,
            data,
        }
    }

    /// Refuses a packet without IEEE 1609.2 around its message; names the message if it is known.
    fn unsecured(&self, message: &[u8], port: Option<u16>, reached: usize) -> NoSpdu {
        let known = unsecured(message).map(|kind| ClearMessage {
            kind,
            port,
            offset: self.offset + message.as_ptr() as usize - self.packet.as_ptr() as usize,
            length: message.len(),
        });
        self.refused(ReadingRefusal::Unsecured(known), reached)
    }

    fn no_header(&self, error: WireError) -> NoSpdu {
        self.refused(ReadingRefusal::Header(error), error.offset)
    }

    /// Refuses an SPDU; `begin` is its place in the packet.
    fn no_spdu(&self, error: WireError, begin: usize) -> NoSpdu {
        self.refused(ReadingRefusal::Spdu(error), begin + error.offset)
    }

    fn refused(&self, refusal: ReadingRefusal, reached: usize) -> NoSpdu {
        NoSpdu {
            link: self.link.map(|(link, _)| link),
            inner_link: self.inner_link,
            datagram: self.datagram,
            family: self.family,
            network: self.network,
            refusal,
            reached: self.offset + reached,
        }
    }
}
