//! Evidence: the messages that a report is about.

use waywarden_v2x_wire::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, NestedEncoding, Preamble, SequenceOf,
    UnknownAdditions, Visitor, read_unsigned, write_unsigned,
};
use waywarden_v2x_wire::ieee1609dot2::Certificate;
use waywarden_v2x_wire::{EmitError, ParseFault, WireError};

/// The type of a stream whose messages are `Ieee1609Dot2Data`.
pub const IEEE_1609_DOT_2: u8 = 2;

/// Maximum number of messages of a stream.
const PDUS_MAX: usize = 255;

/// Messages of one sender, of which one is the subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct V2xPduStream<'a> {
    /// Protocol of the messages: [`IEEE_1609_DOT_2`], or another one.
    pub protocol: u8,
    /// Messages, from the oldest to the newest; 1 to 255.
    pub pdus: SequenceOf<'a, V2xPdu<'a>, 1>,
    /// Certificate of their signer, where no message has it.
    pub certificate: Option<NestedEncoding<'a, Certificate<'a>>>,
    /// Index of the message that the observations are about.
    pub subject: u8,
    /// Extension additions that are not known.
    pub unknown: UnknownAdditions<'a>,
}

/// One message, encoded. It may be any bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct V2xPdu<'a>(
    /// The bytes of the message.
    pub &'a [u8],
);

/// Evidence of other sensors. Its layout is not public: only the empty list is read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonV2xPduEvidence;

impl<'a> V2xPduStream<'a> {
    /// Returns the message that the observations are about; `None` for an index beyond the list.
    #[must_use]
    pub fn subject(&self) -> Option<V2xPdu<'a>> {
        self.pdus.iter().nth(usize::from(self.subject))?.ok()
    }
}

impl<'a> CoerDecode<'a> for V2xPdu<'a> {
    const NAME: &'static str = "V2xPdu";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        <&[u8]>::decode(reader).map(Self)
    }
}

impl CoerEncode for V2xPdu<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}

impl<'a> CoerDecode<'a> for V2xPduStream<'a> {
    const NAME: &'static str = "V2xPduStream";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let mut preamble = reader.preamble(2)?;
        let (is_extended, has_certificate) = (preamble.next(), preamble.next());
        let protocol = reader.field("type")?;
        let offset = reader.offset();
        let pdus: SequenceOf<'_, V2xPdu<'_>, 1> = reader.field("v2xPdus")?;
        if pdus.len() > PDUS_MAX {
            return Err(WireError::at(ParseFault::OutOfRange, offset));
        }
        let certificate = has_certificate.then(|| reader.field("certificate"));
        let certificate = certificate.transpose()?;
        let offset = reader.offset();
        let subject: u8 = reader.field("subjectPduIndex")?;
        if usize::from(subject) >= pdus.len() {
            const BEYOND: ParseFault = ParseFault::Inconsistent("no message has this index");
            return Err(WireError::at(BEYOND, offset));
        }
        let additions = reader.additions(is_extended)?;
        let unknown = reader.unknown(additions)?;
        Ok(Self {
            protocol,
            pdus,
            certificate,
            subject,
            unknown,
        })
    }
}

impl CoerEncode for V2xPduStream<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        if self.pdus.len() > PDUS_MAX {
            return Err(EmitError::OutOfRange("v2xPdus"));
        }
        if usize::from(self.subject) >= self.pdus.len() {
            return Err(EmitError::OutOfRange("subjectPduIndex"));
        }
        let (mut preamble, mut bits) = (Preamble::default(), 0);
        preamble.push(&mut bits, self.unknown.any());
        preamble.push(&mut bits, self.certificate.is_some());
        preamble.encode(bits, sink)?;
        self.protocol.encode(sink)?;
        self.pdus.encode(sink)?;
        if let Some(certificate) = &self.certificate {
            certificate.encode(sink)?;
        }
        self.subject.encode(sink)?;
        if self.unknown.any() {
            self.unknown.encode_map(&[], sink)?;
            self.unknown.encode(sink)?;
        }
        Ok(())
    }
}

impl<'a> CoerDecode<'a> for NonV2xPduEvidence {
    const NAME: &'static str = "SEQUENCE OF";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        match read_unsigned(reader)? {
            0 => Ok(Self),
            _ => Err(WireError::at(ParseFault::OutOfRange, offset)),
        }
    }
}

impl CoerEncode for NonV2xPduEvidence {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        write_unsigned(0, sink)
    }
}
