//! The Basic Transport Protocol \[EN 302 636-5-1 §7\]: ports over GeoNetworking.

use crate::coer::{CoerDecode, CoerEncode, CoerReader, CoerSink, Visitor};
use crate::error::{EmitError, WireError};
use crate::geonet::{Octets, UpperProtocol};

/// Ports of the facilities services \[TS 103 248 §5\].
pub mod port {
    /// Cooperative awareness messages.
    pub const CAM: u16 = 2001;
    /// Decentralised environmental notification messages.
    pub const DENM: u16 = 2002;
    /// Road topology (map) messages.
    pub const MAPEM: u16 = 2003;
    /// Signal phases and timing of traffic lights.
    pub const SPATEM: u16 = 2004;
    /// Service announcements.
    pub const SAEM: u16 = 2005;
    /// In-vehicle information, such as traffic signs.
    pub const IVIM: u16 = 2006;
    /// Requests for priority at traffic lights.
    pub const SREM: u16 = 2007;
    /// Answers to requests for priority.
    pub const SSEM: u16 = 2008;
    /// Collective perception messages.
    pub const CPM: u16 = 2009;
    /// Corrections of satellite positions.
    pub const RTCMEM: u16 = 2013;
    /// Awareness messages of vulnerable road users.
    pub const VAM: u16 = 2018;
}

/// A packet with a source port (BTP-A) \[EN 302 636-5-1 §7.2\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BtpA<'a> {
    /// Port of the receiver.
    pub destination_port: u16,
    /// Port of the sender.
    pub source_port: u16,
    /// Payload for the port.
    pub payload: &'a [u8],
}

/// A packet without a source port (BTP-B) \[EN 302 636-5-1 §7.3\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BtpB<'a> {
    /// Port of the receiver.
    pub destination_port: u16,
    /// Additional information on the destination port; 0 if there is none.
    pub destination_port_info: u16,
    /// Payload for the port.
    pub payload: &'a [u8],
}

/// A packet of either type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Btp<'a> {
    /// BTP-A, with a source port.
    A(BtpA<'a>),
    /// BTP-B, without a source port.
    B(BtpB<'a>),
}

impl<'a> Btp<'a> {
    /// Reads the payload of a packet as BTP; `None` if `upper` names another protocol.
    ///
    /// # Errors
    /// [`ParseFault::Truncated`](crate::ParseFault::Truncated).
    pub fn parse(upper: UpperProtocol, payload: &'a [u8]) -> Option<Result<Self, WireError>> {
        match upper {
            UpperProtocol::BtpA => Some(crate::coer::parse(payload).map(Self::A)),
            UpperProtocol::BtpB => Some(crate::coer::parse(payload).map(Self::B)),
            UpperProtocol::Any | UpperProtocol::Ipv6 => None,
        }
    }

    /// Returns the destination port.
    #[must_use]
    pub fn destination_port(&self) -> u16 {
        match self {
            Self::A(packet) => packet.destination_port,
            Self::B(packet) => packet.destination_port,
        }
    }

    /// Returns the payload.
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
        impl<'a> CoerDecode<'a> for $name<'a> {
            const NAME: &'static str = $asn;

            fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
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

        impl CoerEncode for $name<'_> {
            fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
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
