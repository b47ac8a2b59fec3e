//! Reasons why no SPDU was found.

use core::fmt;

use super::{MessageFamily, Unsecured};
use crate::error::{ParseFault, WireError};
use crate::link::{Datagram, LinkLayerError, LinkType, NetworkProtocol};

/// Absence of an SPDU, described by the reading that came furthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoSpdu {
    /// Link that the bytes were read as, if any.
    pub link: Option<LinkType>,
    /// Link of the frame behind a PPI header, if there is one.
    pub inner_link: Option<LinkType>,
    /// UDP datagram around the packet, if any.
    pub datagram: Option<Datagram>,
    /// Message family that the bytes were read as, if any.
    pub family: Option<MessageFamily>,
    /// Network that the bytes were read as, if any.
    pub network: Option<NetworkProtocol>,
    /// Reason for the refusal.
    pub refusal: ReadingRefusal,
    /// Place that the reading reached, in bytes.
    pub reached: usize,
}

/// Reason why a reading was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReadingRefusal {
    /// The frame carries no V2X message, or cannot be parsed.
    Link(LinkLayerError),
    /// The header of the network cannot be parsed. Places count from its beginning.
    Header(WireError),
    /// The expected SPDU cannot be parsed. Places count from its beginning.
    Spdu(WireError),
    /// The packet is well-formed but not secured; its message, as far as it is known.
    Unsecured(Option<ClearMessage>),
}

/// A message in a packet without IEEE 1609.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearMessage {
    /// Kind of message, by its header.
    pub kind: Unsecured,
    /// Destination port of BTP around it, if it is in a GeoNetworking packet. It may be that of
    /// another kind.
    pub port: Option<u16>,
    /// Place in the input, in bytes.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
}

impl NoSpdu {
    /// Returns true if there is an SPDU with an unknown alternative in a critical field.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        let fault = match self.refusal {
            ReadingRefusal::Spdu(error) => Some(error.fault),
            _ => None,
        };
        matches!(fault, Some(ParseFault::UnknownCritical(_)))
    }

    /// Returns true if the frame is known to carry no V2X message. UDP carries anything: a datagram
    /// without a V2X message is other traffic.
    #[must_use]
    pub fn is_other_traffic(&self) -> bool {
        match self.refusal {
            ReadingRefusal::Link(error) => error.is_other_traffic(),
            _ => self.datagram.is_some(),
        }
    }

    /// Returns the reading and the reason for its refusal, for a list of all attempts.
    #[must_use]
    pub fn attempt(&self) -> DetectionAttempt<'_> {
        DetectionAttempt(self)
    }

    fn write_reading(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for link in [self.link, self.inner_link].into_iter().flatten() {
            write!(formatter, ", {link}")?;
        }
        if let Some(datagram) = self.datagram {
            write!(formatter, ", {datagram}")?;
        }
        if let Some(family) = self.family {
            write!(formatter, ", {family}")?;
        }
        if let Some(network) = self.network {
            write!(formatter, ", {network}")?;
        }
        Ok(())
    }

    /// Returns the message in the clear, if its kind is known.
    #[must_use]
    pub fn clear_message(&self) -> Option<ClearMessage> {
        match self.refusal {
            ReadingRefusal::Unsecured(message) => message,
            _ => None,
        }
    }

    /// Returns the name of the packet without an SPDU, if its header could be parsed: that of its
    /// message, if it is known.
    #[must_use]
    pub fn kind(&self) -> Option<&'static str> {
        if let Some(message) = self.clear_message() {
            return Some(message.kind.kind());
        }
        match (self.refusal, self.network?) {
            (ReadingRefusal::Link(_) | ReadingRefusal::Header(_), _) => None,
            (_, NetworkProtocol::Wsmp) => Some("WSM"),
            (_, NetworkProtocol::GeoNetworking) => Some("GeoNetworking"),
        }
    }
}

impl fmt::Display for NoSpdu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("no secured message")?;
        self.write_reading(formatter)?;
        write!(formatter, "{}", self.refusal)
    }
}

impl fmt::Display for ReadingRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(error) => write!(formatter, ": {error}"),
            Self::Header(error) => write!(formatter, ": header {error}"),
            Self::Spdu(error) => write!(formatter, ": IEEE 1609.2 {error}"),
            Self::Unsecured(None) => {
                formatter.write_str(": a packet in the clear, without IEEE 1609.2")
            }
            Self::Unsecured(Some(message)) => write!(
                formatter,
                ": {} in the clear, without IEEE 1609.2: nothing is signed",
                message.kind.named()
            ),
        }
    }
}

impl core::error::Error for NoSpdu {}

/// One reading and the reason for its refusal.
#[derive(Clone, Copy, Debug)]
pub struct DetectionAttempt<'a>(&'a NoSpdu);

impl fmt::Display for DetectionAttempt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("as ")?;
        match (self.0.link, self.0.family, self.0.network) {
            (Some(link), ..) => write!(formatter, "{link}")?,
            (_, Some(family), _) => write!(formatter, "{family}")?,
            (.., Some(network)) => write!(formatter, "{network}")?,
            _ => formatter.write_str("SPDU")?,
        }
        write!(formatter, "{}", self.0.refusal)
    }
}
