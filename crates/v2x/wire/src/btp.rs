//! The Basic Transport Protocol \[EN 302 636-5-1 §7\]: ports over GeoNetworking.

use crate::coer::{Decode, Encode, Reader, Sink, Visitor};
use crate::error::{EmitError, WireError};
use crate::geonet::{Octets, UpperProtocol};

/// Which service a port is for \[TS 103 248 §5\].
pub mod port {
    /// Cooperative awareness messages.
    pub const CAM: u16 = 2001;
    /// Decentralised environmental notification messages.
    pub const DENM: u16 = 2002;
    /// Maps of roads.
    pub const MAPEM: u16 = 2003;
    /// Phases of traffic lights.
    pub const SPATEM: u16 = 2004;
    /// Service announcements.
    pub const SAEM: u16 = 2005;
    /// Traffic signs in vehicles.
    pub const IVIM: u16 = 2006;
    /// Requests for priority.
    pub const SREM: u16 = 2007;
    /// Answers to them.
    pub const SSEM: u16 = 2008;
    /// Collective perception messages.
    pub const CPM: u16 = 2009;
    /// Messages of vulnerable road users.
    pub const VAM: u16 = 2018;
}

/// A packet with a source port (BTP-A) \[EN 302 636-5-1 §7.2\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BtpA<'a> {
    /// To which port.
    pub destination_port: u16,
    /// From which port.
    pub source_port: u16,
    /// What it carries.
    pub payload: &'a [u8],
}

/// A packet without one (BTP-B) \[EN 302 636-5-1 §7.3\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BtpB<'a> {
    /// To which port.
    pub destination_port: u16,
    /// What else the port needs; 0 if nothing.
    pub destination_port_info: u16,
    /// What it carries.
    pub payload: &'a [u8],
}

/// Either of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Btp<'a> {
    /// With a source port.
    A(BtpA<'a>),
    /// Without one.
    B(BtpB<'a>),
}

impl<'a> Btp<'a> {
    /// Reads the payload of a packet that says what it carries; `None` if that is not BTP.
    ///
    /// # Errors
    /// [`Fault::Truncated`](crate::Fault::Truncated).
    pub fn parse(upper: UpperProtocol, payload: &'a [u8]) -> Option<Result<Self, WireError>> {
        match upper {
            UpperProtocol::BtpA => Some(crate::coer::parse(payload).map(Self::A)),
            UpperProtocol::BtpB => Some(crate::coer::parse(payload).map(Self::B)),
            UpperProtocol::Any | UpperProtocol::Ipv6 => None,
        }
    }

    /// Returns to which port it goes.
    #[must_use]
    pub fn destination_port(&self) -> u16 {
        match self {
            Self::A(packet) => packet.destination_port,
            Self::B(packet) => packet.destination_port,
        }
    }

    /// Returns what it carries.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        match self {
            Self::A(packet) => packet.payload,
            Self::B(packet) => packet.payload,
        }
    }
}

macro_rules! packet {
    ($name:ident, $asn:literal, $second:ident = $label:literal) => {
        impl<'a> Decode<'a> for $name<'a> {
            const NAME: &'static str = $asn;

            fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
                let destination_port = reader.field("destination port")?;
                let $second = reader.field($label)?;
                let Octets(payload) = reader.field("payload")?;
                Ok(Self {
                    destination_port,
                    $second,
                    payload,
                })
            }
        }

        impl Encode for $name<'_> {
            fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
                self.destination_port.encode(sink)?;
                self.$second.encode(sink)?;
                sink.put(self.payload)
            }
        }
    };
}

packet!(BtpA, "BTP-A", source_port = "source port");
packet!(
    BtpB,
    "BTP-B",
    destination_port_info = "destination port info"
);
