//! Finds the SPDU in bytes that do not say what they are: an SPDU by itself, a WAVE short message,
//! a GeoNetworking packet, or a captured frame of any link.
//!
//! Each of the eight readings is tried once, so the work is bounded by eight times the reading of
//! one SPDU. A reading counts if it reads all bytes; the first such reading is taken. It verifies
//! nothing.

use core::fmt;

use crate::coer::{parse, parse_prefix};
use crate::error::{Fault, WireError};
use crate::geonet::{Body, Packet};
use crate::ieee1609dot2::Ieee1609Dot2Data;
use crate::link::{self, LinkError, LinkType, Network};
use crate::wsmp::Wsm;

/// An SPDU, and what it was found in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundSpdu<'a> {
    /// The link, and who sent the frame, where it was a frame.
    pub link: Option<(LinkType, [u8; 6])>,
    /// What was around the SPDU.
    pub envelope: Envelope<'a>,
    /// The bytes of the SPDU.
    pub spdu: &'a [u8],
    /// The SPDU.
    pub data: Ieee1609Dot2Data<'a>,
}

/// What is around an SPDU.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is no heap to put the large one on"
)]
pub enum Envelope<'a> {
    /// Nothing.
    Bare,
    /// A WAVE short message.
    Wsm(Wsm<'a>),
    /// A GeoNetworking packet.
    GeoNetworking(Packet<'a>),
}

impl Envelope<'_> {
    fn network(&self) -> Option<Network> {
        match self {
            Self::Bare => None,
            Self::Wsm(_) => Some(Network::Wsmp),
            Self::GeoNetworking(_) => Some(Network::GeoNetworking),
        }
    }
}

/// Why no SPDU was found: what is wrong in the reading that came furthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoSpdu {
    /// The link that the bytes were read as, if any.
    pub link: Option<LinkType>,
    /// The network that they were read as, if any.
    pub network: Option<Network>,
    /// What is wrong.
    pub refusal: Refusal,
    /// How far the reading came, in bytes.
    pub reached: usize,
}

/// What is wrong in a reading.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The frame carries nothing for us, or cannot be read.
    Link(LinkError),
    /// The header of the network cannot be read. Places count from its beginning.
    Header(WireError),
    /// What should be an SPDU is none. Places count from its beginning.
    Spdu(WireError),
    /// All can be read, and nothing is secured.
    Unsecured,
}

impl NoSpdu {
    /// Whether an SPDU is there that needs an alternative of a critical field that is not known.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        let fault = match self.refusal {
            Refusal::Spdu(error) => Some(error.fault),
            _ => None,
        };
        matches!(fault, Some(Fault::UnknownCritical(_)))
    }

    /// Whether it is a frame that is known to carry no message of ours.
    #[must_use]
    pub fn is_other_traffic(&self) -> bool {
        matches!(self.refusal, Refusal::Link(error) if error.is_other_traffic())
    }
}

impl fmt::Display for NoSpdu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("no secured message")?;
        if let Some(link) = self.link {
            write!(formatter, ", {link}")?;
        }
        if let Some(network) = self.network {
            write!(formatter, ", {network}")?;
        }
        match self.refusal {
            Refusal::Link(error) => write!(formatter, ": {error}"),
            Refusal::Header(error) => write!(formatter, ": header {error}"),
            Refusal::Spdu(error) => write!(formatter, ": IEEE 1609.2 {error}"),
            Refusal::Unsecured => formatter.write_str(": a packet in the clear"),
        }
    }
}

impl core::error::Error for NoSpdu {}

/// Finds the SPDU in bytes of any kind.
///
/// # Errors
/// What is wrong in the reading that came furthest.
pub fn detect(bytes: &[u8]) -> Result<FoundSpdu<'_>, NoSpdu> {
    let networks = [None, Some(Network::Wsmp), Some(Network::GeoNetworking)];
    let bare = networks.map(|network| Reading {
        link: None,
        network,
        packet: bytes,
        offset: 0,
    });
    let mut furthest: Option<NoSpdu> = None;
    let mut tell = |refused: NoSpdu| match furthest {
        Some(other) if other.reached >= refused.reached => {}
        _ => furthest = Some(refused),
    };
    for reading in bare {
        match reading.spdu() {
            Ok(found) => return Ok(found),
            Err(refused) => tell(refused),
        }
    }
    for link in LinkType::ALL {
        match detect_in(link, bytes) {
            Ok(found) => return Ok(found),
            Err(refused) => tell(refused),
        }
    }
    Err(furthest.unwrap_or(NoSpdu {
        link: None,
        network: None,
        refusal: Refusal::Spdu(WireError::at(Fault::Truncated(1), 0)),
        reached: 0,
    }))
}

/// Finds the SPDU in a frame of a known link.
///
/// # Errors
/// What is wrong.
pub fn detect_in(link: LinkType, frame: &[u8]) -> Result<FoundSpdu<'_>, NoSpdu> {
    let refused = |error| NoSpdu {
        link: Some(link),
        network: None,
        refusal: Refusal::Link(error),
        reached: 0,
    };
    let payload = link::payload(link, frame).map_err(refused)?;
    let reading = Reading {
        link: Some((link, payload.source)),
        network: Some(payload.network),
        packet: payload.packet,
        offset: frame.len() - payload.packet.len(),
    };
    reading.spdu()
}

/// Bytes, and what they are taken for.
#[derive(Clone, Copy)]
struct Reading<'a> {
    link: Option<(LinkType, [u8; 6])>,
    network: Option<Network>,
    packet: &'a [u8],
    /// Where the packet begins in the input.
    offset: usize,
}

impl<'a> Reading<'a> {
    fn spdu(self) -> Result<FoundSpdu<'a>, NoSpdu> {
        match self.network {
            None => {
                let data = parse(self.packet).map_err(|error| self.no_spdu(error, 0))?;
                Ok(self.found(Envelope::Bare, self.packet, data))
            }
            Some(Network::Wsmp) => self.in_wsm(),
            Some(Network::GeoNetworking) => self.in_packet(),
        }
    }

    fn in_wsm(self) -> Result<FoundSpdu<'a>, NoSpdu> {
        let (wsm, length) = parse_prefix::<Wsm<'a>>(self.packet).map_err(|e| self.no_header(e))?;
        self.ends_at(length)
            .map_err(|error| self.no_header(error))?;
        let data = parse(wsm.data).map_err(|error| self.no_spdu(error, length - wsm.data.len()))?;
        Ok(self.found(Envelope::Wsm(wsm), wsm.data, data))
    }

    fn in_packet(self) -> Result<FoundSpdu<'a>, NoSpdu> {
        let (mut packet, mut length) =
            parse_prefix::<Packet<'a>>(self.packet).map_err(|error| self.no_header(error))?;
        let Body::Secured(rest) = packet.body else {
            self.ends_at(length)
                .map_err(|error| self.no_header(error))?;
            return Err(self.refused(Refusal::Unsecured, self.packet.len()));
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

    /// Whether nothing but what links leave stands behind the packet: zeros that fill a frame up,
    /// and a frame check sequence.
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
            Some(_) if is_filled => Ok(()),
            _ => Err(WireError::at(Fault::TrailingBytes(rest.len()), length)),
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
            envelope,
            spdu,
            data,
        }
    }

    fn no_header(&self, error: WireError) -> NoSpdu {
        self.refused(Refusal::Header(error), error.offset)
    }

    /// `begin`: where the SPDU begins in the packet.
    fn no_spdu(&self, error: WireError, begin: usize) -> NoSpdu {
        self.refused(Refusal::Spdu(error), begin + error.offset)
    }

    fn refused(&self, refusal: Refusal, reached: usize) -> NoSpdu {
        NoSpdu {
            link: self.link.map(|(link, _)| link),
            network: self.network,
            refusal,
            reached: self.offset + reached,
        }
    }
}
