//! Reasons why no SPDU was found.

use core::fmt;

use super::{MessageFamily, Unsecured};
use crate::error::{Fault, WireError};
use crate::link::{Datagram, LinkError, LinkType, Network};

/// Why no SPDU was found: what is wrong in the reading that came furthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoSpdu {
    /// The link that the bytes were read as, if any.
    pub link: Option<LinkType>,
    /// The link of the frame behind a PPI header, where there was one.
    pub inner_link: Option<LinkType>,
    /// The datagram that they came in, if any.
    pub datagram: Option<Datagram>,
    /// The message family that they were read as, if any.
    pub family: Option<MessageFamily>,
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
    /// All can be read, and nothing is secured: this message, as far as it is known.
    Unsecured(Option<ClearMessage>),
}

/// A message in a packet without IEEE 1609.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearMessage {
    /// The kind of message.
    pub kind: Unsecured,
    /// Its place in the input, in bytes.
    pub offset: usize,
    /// Its length, in bytes.
    pub length: usize,
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

    /// Whether it is a frame that is known to carry no message of ours. UDP carries anything: a
    /// datagram that does not read as a message is other traffic.
    #[must_use]
    pub fn is_other_traffic(&self) -> bool {
        match self.refusal {
            Refusal::Link(error) => error.is_other_traffic(),
            _ => self.datagram.is_some(),
        }
    }

    /// Returns the reading and why it was refused, for a list of all that was tried.
    #[must_use]
    pub fn attempt(&self) -> Attempt<'_> {
        Attempt(self)
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

    /// Returns the message in the clear, if it is one that is known.
    #[must_use]
    pub fn clear_message(&self) -> Option<ClearMessage> {
        match self.refusal {
            Refusal::Unsecured(message) => message,
            _ => None,
        }
    }

    /// Returns the name of what carries no SPDU, where its header could be read: that of the
    /// message in it, if it is known.
    #[must_use]
    pub fn kind(&self) -> Option<&'static str> {
        if let Some(message) = self.clear_message() {
            return Some(message.kind.kind());
        }
        match (self.refusal, self.network?) {
            (Refusal::Link(_) | Refusal::Header(_), _) => None,
            (_, Network::Wsmp) => Some("WSM"),
            (_, Network::GeoNetworking) => Some("GeoNetworking"),
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

impl fmt::Display for Refusal {
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

/// One reading, and why it was refused.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a>(&'a NoSpdu);

impl fmt::Display for Attempt<'_> {
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
