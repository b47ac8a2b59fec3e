//! WAVE short messages \[1609.3 §8\]: the header that carries a message to an application.
//!
//! Version 3, subtype 0 or any other, addressed by PSID. Port numbers as addresses, and the
//! services and channels that an advertisement offers, are not read. Bytes of the header are not
//! signed: a length or a count may be longer than it needs to be, and is written in its shortest
//! form.

mod element;

pub use element::{Element, ElementIter, WsmpElements};

use crate::coer::{CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, Visitor};
use crate::error::{EmitError, ParseFault, WireError};
use crate::ieee1609dot2::Psid;

/// The version that is read and written.
const VERSION: u8 = 3;
/// Numbers up to here have one byte, as lengths and counts.
const SHORT_MAX: usize = 0x7F;
/// The largest length or count.
const LONG_MAX: usize = 0x3FFF;
/// The greatest PSID that an address can have.
pub const PSID_MAX: u64 = 0x1020_407F;

/// A WAVE short message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wsm<'a> {
    /// Forwarding: 0 none, 1 within a station, 2 over a number of hops, 3 by geography; at most 15.
    pub subtype: u8,
    /// Elements of the network header, such as the channel.
    pub network: Option<WsmpElements<'a>>,
    /// Application of the message.
    pub psid: Psid,
    /// Elements of the transport header.
    pub transport: Option<WsmpElements<'a>>,
    /// Message, usually an SPDU.
    pub data: &'a [u8],
}

impl<'a> Wsm<'a> {
    /// Creates a message for an application, without elements, that is not forwarded.
    #[must_use]
    pub fn new(psid: Psid, data: &'a [u8]) -> Self {
        Self {
            subtype: 0,
            network: None,
            psid,
            transport: None,
            data,
        }
    }
}

/// First byte: subtype, presence of elements, version.
#[derive(Clone, Copy)]
struct Start {
    subtype: u8,
    is_extended: bool,
}

impl<'a> CoerDecode<'a> for Start {
    const NAME: &'static str = "WSMP-N-Header";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let byte = reader.byte()?;
        reader.value(LeafValue::Unsigned(u64::from(byte)));
        let (found, expected) = (byte & 0x7, VERSION);
        if found != expected {
            return Err(WireError::at(
                ParseFault::Version { expected, found },
                offset,
            ));
        }
        Ok(Self {
            subtype: byte >> 4,
            is_extended: byte & 0x8 != 0,
        })
    }
}

/// Kind of address, and presence of elements behind it.
struct TransportProtocol {
    is_extended: bool,
}

impl<'a> CoerDecode<'a> for TransportProtocol {
    const NAME: &'static str = "TPID";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let tpid = reader.byte()?;
        reader.value(LeafValue::Unsigned(u64::from(tpid)));
        match tpid {
            0 | 1 => Ok(Self {
                is_extended: tpid == 1,
            }),
            other => {
                let fault = ParseFault::UnknownTag(u64::from(other));
                Err(WireError::at(fault, offset))
            }
        }
    }
}

/// A PSID in the form of headers \[1609.12 §4\], in which no number has two forms.
#[derive(Clone, Copy)]
pub(crate) struct Address(pub(crate) Psid);

/// The least PSID of each length of one to four bytes; the end of the last one.
const LEAST: [u64; 5] = [0, 0x80, 0x4080, 0x20_4080, PSID_MAX + 1];

impl<'a> CoerDecode<'a> for Address {
    const NAME: &'static str = "Psid";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let first = reader.byte()?;
        let more = first.leading_ones() as usize;
        let Some(least) = LEAST.get(more).filter(|_| more < 4) else {
            return Err(WireError::at(ParseFault::OutOfRange, offset));
        };
        // The ones and the zero behind them are not part of the number.
        let begin = u64::from(first & (0x7F >> more));
        let bytes = reader.take(more)?.iter();
        let number = bytes.fold(begin, |number, &byte| number << 8 | u64::from(byte)) + least;
        reader.value(LeafValue::Unsigned(number));
        Ok(Self(Psid(number)))
    }
}

impl CoerEncode for Address {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let number = self.0.0;
        let length = LEAST.partition_point(|least| *least <= number);
        let least = LEAST.get(length.wrapping_sub(1));
        let Some(least) = least.filter(|_| length <= 4) else {
            return Err(EmitError::OutOfRange("Psid"));
        };
        let mut bytes = ((number - least) as u32).to_be_bytes();
        let used = bytes.get_mut(4 - length..).unwrap_or(&mut []);
        if let Some(first) = used.first_mut() {
            *first |= !(0xFF_u8 >> (length - 1));
        }
        sink.put(used)
    }
}

/// A length or a count.
struct Extent(usize);

impl<'a> CoerDecode<'a> for Extent {
    const NAME: &'static str = "Length";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let number = match reader.byte()? {
            short @ 0..0x80 => usize::from(short),
            long @ 0x80..0xC0 => usize::from(long & 0x3F) << 8 | usize::from(reader.byte()?),
            _ => return Err(WireError::at(ParseFault::LengthTooLarge, offset)),
        };
        reader.value(LeafValue::Unsigned(number as u64));
        Ok(Self(number))
    }
}

impl CoerEncode for Extent {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match self.0 {
            short @ 0..=SHORT_MAX => sink.put(&[short as u8]),
            long @ 0..=LONG_MAX => sink.put(&(long as u16 | 0x8000).to_be_bytes()),
            _ => Err(EmitError::OutOfRange("Length")),
        }
    }
}

/// The bytes behind a length.
struct Body<'a>(&'a [u8]);

impl<'a> CoerDecode<'a> for Body<'a> {
    const NAME: &'static str = "WSM Data";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let Extent(length) = Extent::decode(reader)?;
        let bytes = reader.take(length)?;
        reader.value(LeafValue::Octets(bytes));
        Ok(Self(bytes))
    }
}

impl CoerEncode for Body<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        Extent(self.0.len()).encode(sink)?;
        sink.put(self.0)
    }
}

impl<'a> CoerDecode<'a> for Wsm<'a> {
    const NAME: &'static str = "WSM";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let start: Start = reader.field("version")?;
        let network = match start.is_extended {
            true => Some(reader.field("WAVE Information Element Extension")?),
            false => None,
        };
        let protocol: TransportProtocol = reader.field("TPID")?;
        let Address(psid) = reader.field("PSID")?;
        let transport = match protocol.is_extended {
            true => Some(reader.field("WAVE Information Element Extension")?),
            false => None,
        };
        let Body(data) = reader.field("WSM Data")?;
        Ok(Self {
            subtype: start.subtype,
            network,
            psid,
            transport,
            data,
        })
    }
}

impl CoerEncode for Wsm<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        if self.subtype > 0x0F {
            return Err(EmitError::OutOfRange("subtype"));
        }
        let extended = u8::from(self.network.is_some()) << 3;
        sink.put(&[self.subtype << 4 | extended | VERSION])?;
        if let Some(elements) = &self.network {
            elements.encode(sink)?;
        }
        sink.put(&[u8::from(self.transport.is_some())])?;
        Address(self.psid).encode(sink)?;
        if let Some(elements) = &self.transport {
            elements.encode(sink)?;
        }
        Body(self.data).encode(sink)
    }
}
