//! GeoNetworking packets \[EN 302 636-4-1 §9\]: basic header, common header, extended header.
//!
//! A secured packet has an SPDU behind the basic header, whose payload is a [`NetworkPacket`]. An
//! unsecured packet has the [`NetworkPacket`] there in the clear. The module does not forward and
//! keeps no location table. Reserved bits are ignored, and written as zeros, as the standard says;
//! those of addresses are kept.

mod extended;
mod position;

pub use extended::{AreaShape, DestinationArea, ExtendedHeader};
pub use position::{
    GeoAddress, GeonetStationType, LongPositionVector, SPEED_MAX, SPEED_MIN, ShortPositionVector,
};

use crate::coer::{CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// Protocol version that is read and written \[EN 302 636-4-1 §9.6\].
const VERSION: u8 = 1;

/// Maximum lifetime of a packet, as a number of units \[EN 302 636-4-1 §9.6.4\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime(
    /// Number of units in the upper six bits; the lower two give the unit: 50 ms, 1 s, 10 s, 100 s.
    pub u8,
);

impl Lifetime {
    /// Returns the lifetime in milliseconds.
    #[must_use]
    pub fn milliseconds(self) -> u32 {
        const UNITS: [u32; 4] = [50, 1_000, 10_000, 100_000];
        let unit = UNITS.get(usize::from(self.0 & 0x3)).unwrap_or(&0);
        u32::from(self.0 >> 2) * unit
    }
}

/// Basic header of every packet, secured or not; it is not signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasicHeader {
    /// True if an SPDU follows.
    pub is_secured: bool,
    /// Maximum lifetime of the packet.
    pub lifetime: Lifetime,
    /// Number of hops that remain.
    pub remaining_hop_limit: u8,
}

/// First byte of the basic header: the version and the kind of the next header.
struct Start {
    is_secured: bool,
}

impl<'a> CoerDecode<'a> for Start {
    const NAME: &'static str = "NH";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let byte = reader.byte()?;
        reader.value(LeafValue::Unsigned(u64::from(byte)));
        let (found, expected) = (byte >> 4, VERSION);
        if found != expected {
            return Err(WireError::at(
                ParseFault::Version { expected, found },
                offset,
            ));
        }
        match byte & 0x0F {
            1 => Ok(Self { is_secured: false }),
            2 => Ok(Self { is_secured: true }),
            other => {
                let fault = ParseFault::UnknownTag(u64::from(other));
                Err(WireError::at(fault, offset))
            }
        }
    }
}

impl<'a> CoerDecode<'a> for BasicHeader {
    const NAME: &'static str = "BasicHeader";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let Start { is_secured } = reader.field("version")?;
        reader.field::<u8>("reserved")?;
        Ok(Self {
            is_secured,
            lifetime: Lifetime(reader.field("lifetime")?),
            remaining_hop_limit: reader.field("remainingHopLimit")?,
        })
    }
}

impl CoerEncode for BasicHeader {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let next = if self.is_secured { 2 } else { 1 };
        let start = VERSION << 4 | next;
        sink.put(&[start, 0, self.lifetime.0, self.remaining_hop_limit])
    }
}

/// Protocol of a packet's payload \[EN 302 636-4-1 §9.7\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpperProtocol {
    /// Not stated, or no payload.
    Any,
    /// BTP-A, with a source port, for sessions.
    BtpA,
    /// BTP-B, without a source port.
    BtpB,
    /// IPv6.
    Ipv6,
}

impl UpperProtocol {
    const ALL: [Self; 4] = [Self::Any, Self::BtpA, Self::BtpB, Self::Ipv6];
}

/// Traffic class: how a packet is handled \[EN 302 636-4-1 §9.7.5\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficClass(
    /// From the top: the store-carry-forward bit, the channel offload bit, the class of six bits.
    pub u8,
);

impl TrafficClass {
    /// Returns true if the packet is kept while there is no neighbour to forward it to.
    #[must_use]
    pub fn store_carry_forward(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Returns true if the packet may be moved to another channel.
    #[must_use]
    pub fn channel_offload(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// Returns the class, at most 63.
    #[must_use]
    pub fn id(self) -> u8 {
        self.0 & 0x3F
    }
}

/// A packet without its basic header: it stands in the clear behind it, or is the payload of the
/// SPDU there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkPacket<'a> {
    /// Protocol of the payload.
    pub upper: UpperProtocol,
    /// Traffic class of the packet.
    pub traffic_class: TrafficClass,
    /// True if the sender is mobile.
    pub is_mobile: bool,
    /// Maximum number of hops.
    pub maximum_hop_limit: u8,
    /// Source and destination of the packet.
    pub extended: ExtendedHeader,
    /// Payload for the upper protocol.
    pub payload: &'a [u8],
}

/// The two halves of a byte.
struct Halves(u8, u8);

impl<'a> CoerDecode<'a> for Halves {
    const NAME: &'static str = "bits";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let byte = reader.byte()?;
        reader.value(LeafValue::Unsigned(u64::from(byte)));
        Ok(Self(byte >> 4, byte & 0x0F))
    }
}

/// Bytes whose length is known from elsewhere; else all that are left.
pub(crate) struct Octets<'a>(pub(crate) &'a [u8]);

impl<'a> Octets<'a> {
    fn take<V: Visitor>(reader: &mut CoerReader<'a, V>, length: usize) -> Result<Self, WireError> {
        let bytes = reader.take(length)?;
        reader.value(LeafValue::Octets(bytes));
        Ok(Self(bytes))
    }
}

impl<'a> CoerDecode<'a> for Octets<'a> {
    const NAME: &'static str = "payload";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let length = reader.remaining();
        Self::take(reader, length)
    }
}

impl<'a> CoerDecode<'a> for NetworkPacket<'a> {
    const NAME: &'static str = "CommonHeader";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        const MOBILE: u8 = 0x80;
        let offset = reader.offset();
        let Halves(next, _) = reader.field("NH")?;
        let Some(upper) = UpperProtocol::ALL.get(usize::from(next)) else {
            let fault = ParseFault::UnknownTag(u64::from(next));
            return Err(WireError::at(fault, offset));
        };
        let offset = reader.offset();
        let Halves(kind, subtype) = reader.field("HT")?;
        let traffic_class = TrafficClass(reader.field("TC")?);
        let flags: u8 = reader.field("flags")?;
        let length: u16 = reader.field("PL")?;
        let maximum_hop_limit = reader.field("MHL")?;
        reader.field::<u8>("reserved")?;
        let extended = ExtendedHeader::read(kind, subtype, offset, reader)?;
        let Octets(payload) = reader.item("payload", |reader| {
            Octets::take(reader, usize::from(length))
        })?;
        Ok(Self {
            upper: *upper,
            traffic_class,
            is_mobile: flags & MOBILE != 0,
            maximum_hop_limit,
            extended,
            payload,
        })
    }
}

impl CoerEncode for NetworkPacket<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let (kind, subtype) = self.extended.kind();
        let length = u16::try_from(self.payload.len()).map_err(|_| EmitError::OutOfRange("PL"))?;
        let [high, low] = length.to_be_bytes();
        sink.put(&[
            (self.upper as u8) << 4,
            kind << 4 | subtype,
            self.traffic_class.0,
            u8::from(self.is_mobile) << 7,
            high,
            low,
            self.maximum_hop_limit,
            0,
        ])?;
        self.extended.encode(sink)?;
        sink.put(self.payload)
    }
}

/// Contents behind a basic header.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is no heap to put the large one on"
)]
pub enum Body<'a> {
    /// An SPDU, with all bytes up to the end of the input.
    Secured(&'a [u8]),
    /// A packet in the clear.
    Clear(NetworkPacket<'a>),
}

/// A GeoNetworking packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet<'a> {
    /// Maximum lifetime of the packet.
    pub lifetime: Lifetime,
    /// Number of hops that remain.
    pub remaining_hop_limit: u8,
    /// Contents behind the basic header.
    pub body: Body<'a>,
}

impl<'a> CoerDecode<'a> for Packet<'a> {
    const NAME: &'static str = "GeoNetworkingPacket";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let basic: BasicHeader = reader.field("basicHeader")?;
        let body = if basic.is_secured {
            let Octets(rest) = reader.field("securedPacket")?;
            Body::Secured(rest)
        } else {
            Body::Clear(reader.field("commonHeader")?)
        };
        Ok(Self {
            lifetime: basic.lifetime,
            remaining_hop_limit: basic.remaining_hop_limit,
            body,
        })
    }
}

impl CoerEncode for Packet<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let basic = BasicHeader {
            is_secured: matches!(self.body, Body::Secured(_)),
            lifetime: self.lifetime,
            remaining_hop_limit: self.remaining_hop_limit,
        };
        basic.encode(sink)?;
        match &self.body {
            Body::Secured(spdu) => sink.put(spdu),
            Body::Clear(packet) => packet.encode(sink),
        }
    }
}
