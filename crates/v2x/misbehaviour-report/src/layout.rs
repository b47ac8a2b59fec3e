//! The structures of a report, as recorded reports have them, in COER.
//!
//! Types and fields have SAE's names in their encodings, and lists stay encoded, as in
//! [`waywarden_v2x_wire::coer`]. Reading is one pass, never panics and allocates nothing.

mod evidence;
mod observations;
mod record;

pub use evidence::{IEEE_1609_DOT_2, NonV2xPduEvidence, V2xPdu, V2xPduStream};
pub use observations::{Observation, ObservationsByTarget, TargetId};

use waywarden_v2x_wire::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, NestedEncoding, SequenceOf, Visitor, put_open,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, ThreeDLocation, Time64,
};
use waywarden_v2x_wire::{EmitError, ParseFault, WireError};

use record::record;

/// The application of basic safety messages, about which [`AsrBsm`] reports.
pub const AID_BSM: Psid = Psid(32);

/// The application of misbehaviour reports, under which they are signed.
pub const PSID_MISBEHAVIOUR_REPORT: Psid = Psid(38);

/// The version of the layout.
const VERSION: u8 = 1;

/// A misbehaviour report as it travels: open, signed, or signed and then encrypted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is no heap to put the large one on"
)]
pub enum SaeJ3287Data<'a> {
    /// The report alone.
    Plaintext(SaeJ3287Mbr<'a>),
    /// Signed data with the report as its payload.
    Signed(NestedEncoding<'a, Ieee1609Dot2Data<'a>>),
    /// Encrypted data with the signed report in it.
    SignedThenEncrypted(NestedEncoding<'a, Ieee1609Dot2Data<'a>>),
}

record! {
    /// A misbehaviour report.
    pub struct SaeJ3287Mbr = "SaeJ3287Mbr" {
        /// Time of the report.
        generation_time: Time64 = "generationTime";
        /// Position of the reporter when it observed.
        observation_location: ThreeDLocation = "observationLocation";
        /// Observations and evidence.
        report: AidSpecificReport<'a> = "report";
    }
}

/// The part of a report that depends on the application of the reported messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AidSpecificReport<'a> {
    /// A report about basic safety messages.
    Bsm(AsrBsm<'a>),
    /// A report about messages of another application, unread.
    Other {
        /// Application of the reported messages; not [`AID_BSM`].
        aid: Psid,
        /// Encoded content.
        content: &'a [u8],
    },
}

record! {
    /// A report about basic safety messages.
    pub struct AsrBsm = "AsrBsm" {
        /// Observed misbehaviour.
        observations: SequenceOf<'a, ObservationsByTarget<'a>, 1> = "observations";
        /// The reported messages, and others that belong to them.
        v2x_pdu_evidence: SequenceOf<'a, V2xPduStream<'a>, 1> = "v2xPduEvidence";
        /// Evidence of other sensors.
        non_v2x_pdu_evidence: NonV2xPduEvidence = "nonV2xPduEvidence";
    }
}

impl<'a> CoerDecode<'a> for AidSpecificReport<'a> {
    const NAME: &'static str = "AidSpecificReport";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let aid: Psid = reader.field("aid")?;
        match aid == AID_BSM {
            true => reader
                .item("content", |reader| reader.open(AsrBsm::decode))
                .map(Self::Bsm),
            false => {
                let content = reader.field("content")?;
                Ok(Self::Other { aid, content })
            }
        }
    }
}

impl CoerEncode for AidSpecificReport<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match self {
            Self::Bsm(content) => {
                AID_BSM.encode(sink)?;
                put_open(content, sink)
            }
            Self::Other { aid, .. } if *aid == AID_BSM => Err(EmitError::OutOfRange("aid")),
            Self::Other { aid, content } => {
                aid.encode(sink)?;
                content.encode(sink)
            }
        }
    }
}

impl<'a> CoerDecode<'a> for SaeJ3287Data<'a> {
    const NAME: &'static str = "SaeJ3287Data";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let found: u8 = reader.field("version")?;
        if found != VERSION {
            let expected = VERSION;
            let fault = ParseFault::Version { expected, found };
            return Err(WireError::at(fault, offset));
        }
        let offset = reader.offset();
        match reader.tag()? {
            0 => reader.field("plaintext").map(Self::Plaintext),
            1 => {
                let data = reader.field("signed")?;
                is(&data, offset, |content| {
                    matches!(content, Ieee1609Dot2Content::Signed(_))
                })?;
                Ok(Self::Signed(data))
            }
            2 => {
                let data = reader.field("sTE")?;
                is(&data, offset, |content| {
                    matches!(content, Ieee1609Dot2Content::Encrypted(_))
                })?;
                Ok(Self::SignedThenEncrypted(data))
            }
            other => Err(WireError::at(
                ParseFault::UnknownTag(u64::from(other)),
                offset,
            )),
        }
    }
}

/// Checks that secured data is secured as its alternative says.
fn is(
    data: &NestedEncoding<'_, Ieee1609Dot2Data<'_>>,
    offset: usize,
    expected: impl Fn(&Ieee1609Dot2Content<'_>) -> bool,
) -> Result<(), WireError> {
    const OTHER: ParseFault =
        ParseFault::Inconsistent("the data in `signed` is signed, that in `sTE` encrypted");
    match expected(&data.view()?.content) {
        true => Ok(()),
        false => Err(WireError::at(OTHER, offset)),
    }
}

impl CoerEncode for SaeJ3287Data<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(&[VERSION])?;
        match self {
            Self::Plaintext(report) => {
                sink.put(&[0x80])?;
                report.encode(sink)
            }
            Self::Signed(data) => {
                sink.put(&[0x81])?;
                data.encode(sink)
            }
            Self::SignedThenEncrypted(data) => {
                sink.put(&[0x82])?;
                data.encode(sink)
            }
        }
    }
}
