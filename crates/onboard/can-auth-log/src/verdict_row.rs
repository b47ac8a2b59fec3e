//! The verdict on a frame as a row of a table.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::Id;
use waywarden_can_auth::secoc::{FreshnessValue, Trailer};
use waywarden_vehicle_file::identifier::IdentifierFields;

use crate::checker::CheckedRecord;
use crate::summary::StreamCounts;
use crate::verdict::FrameVerdict;

/// The verdict on a frame, for programs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VerdictRow<'a> {
    /// The time stamp, as the log has it.
    pub time_ns: u64,
    /// The channel, as the log names it.
    pub channel: &'a str,
    /// The identifier, 0 to 2047, or to 536870911 if `extended`.
    pub id: u32,
    /// The same in hexadecimal.
    pub id_hex: String,
    /// True if the identifier has 29 bits.
    pub extended: bool,
    /// The stream; empty if the frame is of none.
    pub stream: &'a str,
    /// Verdict on the frame.
    pub verdict: FrameVerdict,
    /// The same as AUTOSAR's SecOC_VerificationResultType.
    pub result: &'static str,
    /// The trip counter of the freshness value that the frame was verified with.
    pub trip: Option<u32>,
    /// Its reset counter.
    pub reset: Option<u32>,
    /// Its message counter.
    pub message: Option<u64>,
    /// Transmitted part of the freshness value, in hexadecimal.
    pub received_freshness: Option<String>,
    /// Transmitted part of the authenticator, in hexadecimal.
    pub received_authenticator: Option<String>,
    /// The trip counter that the receiver expected.
    pub expected_trip: Option<u32>,
    /// The reset counter that it expected.
    pub expected_reset: Option<u32>,
    /// The message counter that it expected.
    pub expected_message: Option<u64>,
}

impl<'a> VerdictRow<'a> {
    /// Takes a record that has a frame with this identifier; `counts` are those of its stream.
    #[must_use]
    pub fn new(checked: &CheckedRecord, id: Id, counts: Option<&'a StreamCounts>) -> Self {
        let IdentifierFields {
            id,
            id_hex,
            extended,
        } = id.into();
        let report = checked.freshness.unwrap_or_default();
        let epoch = |value: Option<FreshnessValue>| value.and_then(|value| value.epoch);
        let (verified, expected) = (report.verified, report.expected);
        let received = report.received;
        VerdictRow {
            time_ns: checked.record.at_ns,
            channel: counts.map_or("", |counts| &counts.channel),
            id,
            id_hex,
            extended,
            stream: counts.map_or("", |counts| &counts.stream),
            verdict: checked.verdict,
            result: checked.verdict.verification_result(),
            trip: epoch(verified).map(|epoch| epoch.trip),
            reset: epoch(verified).map(|epoch| epoch.reset),
            message: verified.and_then(|value| value.message),
            received_freshness: received.and_then(freshness_digits),
            received_authenticator: received.map(code_digits),
            expected_trip: epoch(expected).map(|epoch| epoch.trip),
            expected_reset: epoch(expected).map(|epoch| epoch.reset),
            expected_message: expected.and_then(|value| value.message),
        }
    }
}

/// Writes what travels of the freshness value in hexadecimal, if anything does.
fn freshness_digits(received: Trailer) -> Option<String> {
    let digits = usize::from(received.freshness_bits).div_ceil(4);
    (digits > 0).then(|| format!("0x{:0digits$X}", received.freshness))
}

/// Writes what travels of the code in hexadecimal, its first bit first.
fn code_digits(received: Trailer) -> String {
    let digits = format!("{:032X}", u128::from_be_bytes(received.code));
    let length = usize::from(received.code_bits).div_ceil(4);
    format!("0x{}", digits.get(..length).unwrap_or(&digits))
}
