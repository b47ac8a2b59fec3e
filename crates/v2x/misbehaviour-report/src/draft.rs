//! Reports about basic safety messages, as a station writes them.

use alloc::vec::Vec;

use waywarden_v2x_signing::written;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Data, ThreeDLocation, Time64};

use crate::layout::{
    AidSpecificReport, AsrBsm, IEEE_1609_DOT_2, NonV2xPduEvidence, Observation,
    ObservationsByTarget, SaeJ3287Data, SaeJ3287Mbr, TargetId, V2xPdu, V2xPduStream,
};

/// Maximum number of observations of a draft.
pub const OBSERVATIONS_MAX: usize = 64;

/// A report about messages of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'d> {
    /// Time of the report.
    pub generation_time: Time64,
    /// Position of the reporter when it observed.
    pub observation_location: ThreeDLocation,
    /// Observations: target and number; 1 to [`OBSERVATIONS_MAX`].
    pub observations: &'d [(TargetId, u8)],
    /// Signed messages, from the oldest to the newest; 1 to 255.
    pub messages: &'d [&'d [u8]],
    /// Index of the message that the observations are about.
    pub subject: u8,
    /// Encoded certificate of the sender, where no message has it.
    pub certificate: Option<&'d [u8]>,
}

impl Draft<'_> {
    /// Encodes the report, neither signed nor encrypted: a [`SaeJ3287Mbr`].
    ///
    /// # Errors
    /// [`EmitError::OutOfRange`] for a number of observations or messages that a report cannot
    /// have, and for an index without a message.
    pub fn encode(&self) -> Result<Vec<u8>, EmitError> {
        if self.observations.len() > OBSERVATIONS_MAX {
            return Err(EmitError::OutOfRange("observations"));
        }
        // In the order of targets, each once.
        let mut sorted = self.observations.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let groups = sorted.chunk_by(|(one, _), (other, _)| one == other);
        let groups: Vec<(TargetId, Vec<Observation<'_>>)> = groups
            .filter_map(|group| {
                let observations = group.iter().map(|(_, id)| Observation {
                    id: *id,
                    parameters: &[],
                });
                Some((group.first()?.0, observations.collect()))
            })
            .collect();
        let mut by_target = Vec::with_capacity(groups.len());
        for (target, observations) in &groups {
            by_target.push(ObservationsByTarget {
                target: *target,
                observations: list(observations, "observations")?,
            });
        }
        let pdus: Vec<V2xPdu<'_>> = self.messages.iter().map(|bytes| V2xPdu(bytes)).collect();
        let streams = [V2xPduStream {
            protocol: IEEE_1609_DOT_2,
            pdus: list(&pdus, "v2xPdus")?,
            certificate: self.certificate.map(NestedEncoding::Encoded),
            subject: self.subject,
            unknown: UnknownAdditions::default(),
        }];
        written(&SaeJ3287Mbr {
            generation_time: self.generation_time,
            observation_location: self.observation_location,
            report: AidSpecificReport::Bsm(AsrBsm {
                observations: list(&by_target, "observations")?,
                v2x_pdu_evidence: list(&streams, "v2xPduEvidence")?,
                non_v2x_pdu_evidence: NonV2xPduEvidence,
            }),
        })
    }
}

fn list<'a, T>(values: &'a [T], field: &'static str) -> Result<SequenceOf<'a, T, 1>, EmitError> {
    SequenceOf::new(values).ok_or(EmitError::OutOfRange(field))
}

/// Encodes signed data with a report as the report travels unencrypted.
///
/// # Errors
/// None for data that can be read.
pub fn signed_report(data: &[u8]) -> Result<Vec<u8>, EmitError> {
    written(&SaeJ3287Data::Signed(nested(data)))
}

/// Encodes encrypted data with a signed report as the report travels.
///
/// # Errors
/// None for data that can be read.
pub fn encrypted_report(data: &[u8]) -> Result<Vec<u8>, EmitError> {
    written(&SaeJ3287Data::SignedThenEncrypted(nested(data)))
}

fn nested(data: &[u8]) -> NestedEncoding<'_, Ieee1609Dot2Data<'_>> {
    NestedEncoding::Encoded(data)
}
