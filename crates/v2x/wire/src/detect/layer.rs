//! Layers around an SPDU.

use core::fmt;

use super::{Envelope, FoundSpdu};
use crate::ieee1609dot2::Psid;
use crate::link::{Datagram, LinkType};

/// The octet that C-V2X sends before the packet of a network over PC5, of 3GPP TS 24.386.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageFamily {
    /// IEEE 1609: a WAVE short message follows.
    Ieee1609,
    /// ETSI ITS: a GeoNetworking packet follows.
    Etsi,
}

impl MessageFamily {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ieee1609, Self::Etsi];

    /// Returns the octet.
    #[must_use]
    pub fn octet(self) -> u8 {
        match self {
            Self::Ieee1609 => 1,
            Self::Etsi => 3,
        }
    }
}

impl fmt::Display for MessageFamily {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ieee1609 => "message family 1 (IEEE 1609)",
            Self::Etsi => "message family 3 (ETSI ITS)",
        })
    }
}

/// One layer around an SPDU, or the SPDU.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Layer {
    /// A link, and the address of the sender.
    Link(LinkType, [u8; 6]),
    /// A UDP datagram.
    Datagram(Datagram),
    /// The message family of C-V2X.
    Family(MessageFamily),
    /// A WAVE short message for an application.
    Wsmp(Psid),
    /// A GeoNetworking packet.
    GeoNetworking,
    /// The SPDU.
    Dot2,
}

impl FoundSpdu<'_> {
    /// Returns the layers, from the outside in.
    pub fn layers(&self) -> impl Iterator<Item = Layer> {
        let network = match &self.envelope {
            Envelope::Bare => None,
            Envelope::Wsm(wsm) => Some(Layer::Wsmp(wsm.psid)),
            Envelope::GeoNetworking(_) => Some(Layer::GeoNetworking),
        };
        // The address is of the frame behind a PPI header, not of the header.
        let (link, inner) = match (self.link, self.inner_link) {
            (Some((link, source)), Some(inner)) => (
                Some(Layer::Link(link, [0; 6])),
                Some(Layer::Link(inner, source)),
            ),
            (link, _) => (link.map(|(link, source)| Layer::Link(link, source)), None),
        };
        let datagram = self.datagram.map(Layer::Datagram);
        let family = self.family.map(Layer::Family);
        let all = [link, inner, datagram, family, network, Some(Layer::Dot2)];
        all.into_iter().flatten()
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(link, [0, 0, 0, 0, 0, 0]) => write!(formatter, "{link}"),
            Self::Link(link, [a, b, c, d, e, f]) => write!(
                formatter,
                "{link} from {a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}"
            ),
            Self::Datagram(datagram) => write!(formatter, "{datagram}"),
            Self::Family(family) => write!(formatter, "{family}"),
            Self::Wsmp(psid) => write!(formatter, "WSMP for PSID {}", psid.0),
            Self::GeoNetworking => formatter.write_str("GeoNetworking"),
            Self::Dot2 => formatter.write_str("IEEE 1609.2"),
        }
    }
}
