//! WAVE information elements \[1609.3 §8.1\]: parts of a header beside the address.

use core::fmt;

use super::{Body, Extent};
use crate::coer::{CoerDecode, CoerEncode, CoerReader, CoerSink, EncodingForm, Silent, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// A WAVE information element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Element<'a> {
    /// Transmit power in dBm.
    TransmitPower(i8),
    /// Number of the channel.
    ChannelNumber(u8),
    /// Data rate, in units of 500 kbit/s.
    DataRate(u8),
    /// Channel load, in a format of the sender.
    ChannelLoad(&'a [u8]),
    /// Another element.
    Other {
        /// Identifier of the element.
        id: u8,
        /// Contents of the element.
        content: &'a [u8],
    },
}

const TRANSMIT_POWER: u8 = 4;
const CHANNEL_NUMBER: u8 = 15;
const DATA_RATE: u8 = 16;
const CHANNEL_LOAD: u8 = 23;

impl<'a> CoerDecode<'a> for Element<'a> {
    const NAME: &'static str = "WAVE Information Element";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let id: u8 = reader.field("WAVE Element ID")?;
        let offset = reader.offset();
        let Body(content) = reader.field("contents")?;
        match (id, content) {
            (TRANSMIT_POWER, &[power]) => Ok(Self::TransmitPower(power as i8)),
            (CHANNEL_NUMBER, &[channel]) => Ok(Self::ChannelNumber(channel)),
            (DATA_RATE, &[rate]) => Ok(Self::DataRate(rate)),
            (TRANSMIT_POWER | CHANNEL_NUMBER | DATA_RATE, _) => {
                Err(WireError::at(ParseFault::OutOfRange, offset))
            }
            (CHANNEL_LOAD, load) => Ok(Self::ChannelLoad(load)),
            (id, content) => Ok(Self::Other { id, content }),
        }
    }
}

impl CoerEncode for Element<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let (id, number, content) = match *self {
            Self::TransmitPower(power) => (TRANSMIT_POWER, [power as u8], None),
            Self::ChannelNumber(channel) => (CHANNEL_NUMBER, [channel], None),
            Self::DataRate(rate) => (DATA_RATE, [rate], None),
            Self::ChannelLoad(load) => (CHANNEL_LOAD, [0], Some(load)),
            Self::Other { id, content } => (id, [0], Some(content)),
        };
        sink.put(&[id])?;
        Body(content.unwrap_or(&number)).encode(sink)
    }
}

/// A list of elements: either read, or made of values.
#[derive(Clone, Copy)]
pub struct WsmpElements<'a>(Content<'a>);

#[derive(Clone, Copy)]
enum Content<'a> {
    Encoded { count: usize, bytes: &'a [u8] },
    Values(&'a [Element<'a>]),
}

impl<'a> WsmpElements<'a> {
    /// Makes a list of values.
    #[must_use]
    pub const fn new(values: &'a [Element<'a>]) -> Self {
        Self(Content::Values(values))
    }

    /// Returns the elements in order.
    #[must_use]
    pub fn iter(&self) -> ElementIter<'a> {
        ElementIter(self.0)
    }

    fn len(&self) -> usize {
        match &self.0 {
            Content::Encoded { count, .. } => *count,
            Content::Values(values) => values.len(),
        }
    }
}

/// The elements of a list, one after the other.
#[derive(Clone)]
pub struct ElementIter<'a>(Content<'a>);

impl<'a> Iterator for ElementIter<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        match &mut self.0 {
            Content::Encoded { count, bytes } => {
                *count = count.checked_sub(1)?;
                // They were checked when the list was read.
                let mut reader = CoerReader::new(bytes, Silent);
                let element = Element::decode(&mut reader).ok()?;
                *bytes = bytes.get(reader.offset()..)?;
                Some(element)
            }
            Content::Values(values) => {
                let (first, rest) = values.split_first()?;
                *values = rest;
                Some(*first)
            }
        }
    }
}

impl<'a> IntoIterator for &WsmpElements<'a> {
    type Item = Element<'a>;
    type IntoIter = ElementIter<'a>;

    fn into_iter(self) -> ElementIter<'a> {
        self.iter()
    }
}

impl PartialEq for WsmpElements<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for WsmpElements<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self).finish()
    }
}

impl fmt::Debug for ElementIter<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> CoerDecode<'a> for WsmpElements<'a> {
    const NAME: &'static str = "WAVE Information Element Extension";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        const ELEMENT_MIN: usize = 2;
        let offset = reader.offset();
        let Extent(count) = Extent::decode(reader)?;
        if count > reader.remaining() / ELEMENT_MIN {
            let fault = ParseFault::CountTooLarge(count as u64);
            return Err(WireError::at(fault, offset));
        }
        let start = reader.offset();
        for _ in 0..count {
            reader.field::<Element<'a>>("")?;
        }
        let bytes = reader.since(start);
        Ok(Self(Content::Encoded { count, bytes }))
    }
}

impl CoerEncode for WsmpElements<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        Extent(self.len()).encode(sink)?;
        match &self.0 {
            Content::Encoded { bytes, .. } if S::FORM == EncodingForm::AsRead => sink.put(bytes),
            _ => self.iter().try_for_each(|element| element.encode(sink)),
        }
    }
}
