//! Cost of protection for each message: room in its frame, frames, and latency.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_bound::StreamBound;
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_vehicle_file::{FrameFormat, Protection, Stream};
use waywarden_vehicle_report::report::Report;

use super::FitVehicle;
use super::candidate::{Candidate, CandidateCarrier};
use super::compose::Composed;
use super::latency::longest;
use super::wording::in_messages;

/// A message to protect. Durations are milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MessageRow {
    /// Its name.
    pub stream: String,
    /// Its identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// True if it has a code.
    pub is_protected: bool,
    /// Reason why it has none, and the remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_text: Option<String>,
    /// The time from one instance to the next, which protection leaves as it is.
    pub period_ms: f64,
    /// Bytes of its payload.
    pub payload_bytes: u8,
    /// Bytes of its frame with what is behind the payload.
    pub frame_bytes: u8,
    /// True if its frame becomes CAN FD.
    pub becomes_can_fd: bool,
    /// Payload bytes that its frame could have before, and can have no longer.
    pub payload_lost_bytes: u8,
    /// Additional frames per second: those of cryptographic PDUs.
    pub extra_frames_per_second: f64,
    /// Identifier of the cryptographic PDU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdu_id_hex: Option<String>,
    /// Its deadline.
    pub deadline_ms: f64,
    /// Bound of its latency, on the bus where it is longest.
    pub bound_ms: Option<f64>,
    /// Reason why there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_bound_text: Option<String>,
    /// Its longest latency in the simulation.
    pub simulated_ms: Option<f64>,
}

/// Returns the most bytes of a frame.
const fn room(format: FrameFormat) -> u8 {
    match format {
        FrameFormat::Classic => 8,
        FrameFormat::Fd { .. } => 64,
    }
}

/// Makes a row for each message to protect, in the order of the file.
pub(super) fn rows(
    vehicle: &FitVehicle,
    composed: &Composed,
    candidate: Candidate,
    report: &Report,
    bounds: &[StreamBound],
) -> Vec<MessageRow> {
    let row = |at: &waywarden_vehicle_file::StreamIndex| {
        let stream = composed.file.stream(*at);
        let before = vehicle.file.stream(*at);
        let is_protected = composed.laid.covered.contains(at);
        let mut left_out = composed.laid.left_out.iter();
        let reason =
            left_out
                .find(|(one, _)| one == at)
                .map(|(_, why)| match why.remedy.as_str() {
                    "" => in_messages(&why.found),
                    remedy => in_messages(&format!("{}; {remedy}", why.found)),
                });
        let bound = longest(bounds, at.0);
        let simulated = report.streams.get(at.0).and_then(|row| row.worst_ms);
        MessageRow {
            stream: stream.name.value.clone(),
            identifier: stream.id.value.into(),
            is_protected,
            reason_text: reason,
            period_ms: stream.period.as_nanos() as f64 / 1e6,
            payload_bytes: stream.length,
            frame_bytes: stream.wire_length(),
            becomes_can_fd: before.format == FrameFormat::Classic
                && stream.format != FrameFormat::Classic,
            payload_lost_bytes: lost(stream, before, candidate),
            extra_frames_per_second: match stream.protection {
                Protection::Separate { .. } => 1e9 / stream.period.as_nanos().max(1) as f64,
                _ => 0.0,
            },
            pdu_id_hex: match stream.protection {
                Protection::Separate { id, .. } => Some(id.to_string()),
                _ => None,
            },
            deadline_ms: stream.deadline.as_nanos() as f64 / 1e6,
            bound_ms: bound.and_then(Result::ok),
            no_bound_text: bound.and_then(Result::err).map(|cause| cause.to_string()),
            simulated_ms: simulated,
        }
    };
    vehicle.chosen.iter().map(row).collect()
}

/// Returns the payload bytes that a frame can have no longer.
fn lost(stream: &Stream, before: &Stream, candidate: Candidate) -> u8 {
    let is_separate = candidate
        .secoc()
        .is_some_and(|one| one.carrier == CandidateCarrier::CryptographicPdu);
    match stream.protection {
        Protection::Trailer(bytes) if !is_separate => {
            room(before.format).saturating_sub(room(stream.format).saturating_sub(bytes))
        }
        _ => 0,
    }
}
