//! Observations, grouped by the part of a message that they are about.

use waywarden_v2x_wire::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, SequenceOf, Visitor, put_open,
};
use waywarden_v2x_wire::{EmitError, WireError};

use super::record::record;

/// Identifier of the part of a message that observations are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId(
    /// The number.
    pub u8,
);

record! {
    /// Observations about one part of messages.
    pub struct ObservationsByTarget = "ObservationsByTarget" {
        /// The part.
        target: TargetId = "tgtId";
        /// Observations about it.
        observations: SequenceOf<'a, Observation<'a>, 1> = "observations";
    }
}

/// One observation. It travels as an open type, so that unknown ones can be skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation<'a> {
    /// Number of the observation among those of its target.
    pub id: u8,
    /// Encoded parameters; empty (NULL) for the observations with public names.
    pub parameters: &'a [u8],
}

impl<'a> CoerDecode<'a> for TargetId {
    const NAME: &'static str = u8::NAME;

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        u8::decode(reader).map(Self)
    }
}

impl CoerEncode for TargetId {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}

/// The value inside of the open type.
struct Inner<'a>(Observation<'a>);

impl<'a> CoerDecode<'a> for Observation<'a> {
    const NAME: &'static str = "MbSingleObservation";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        reader.open(|reader| {
            Ok(Self {
                id: reader.field("obsId")?,
                parameters: reader.field("obs")?,
            })
        })
    }
}

impl CoerEncode for Inner<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.id.encode(sink)?;
        self.0.parameters.encode(sink)
    }
}

impl CoerEncode for Observation<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        put_open(&Inner(*self), sink)
    }
}
