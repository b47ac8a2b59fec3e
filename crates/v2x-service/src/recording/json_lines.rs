//! JSON Lines: one object a verdict. Its fields are also those of a subscription's events.

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use waywarden_v2x_security::time::Civil;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, ThreeDLocation, Time64};

use super::encoder::Encoder;
use crate::verdict::{Report, VerdictEvent};

/// A verdict as a JSON object. `docs/recordings.md` has the table of its fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictFields<'e> {
    sequence: u64,
    received: String,
    received_microseconds: u64,
    latency_microseconds: u64,
    accepted: bool,
    verdict: &'static str,
    report: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Hex<'e>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    field: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<Hex<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    psid: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Hex<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_time_microseconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_location: Option<Location>,
    message: Hex<'e>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Hex<'e>>,
}

impl<'e> VerdictFields<'e> {
    /// Returns the fields of a verdict.
    #[must_use]
    pub fn of(event: &'e VerdictEvent) -> Self {
        let verification = &*event.verification;
        let id = |id: &'e HashedId8| Hex(&id.0);
        Self {
            sequence: event.sequence,
            received: utc(event.received),
            received_microseconds: event.received.0,
            latency_microseconds: u64::try_from(event.latency.as_micros()).unwrap_or(u64::MAX),
            accepted: verification.is_accepted(),
            verdict: verification.result.name(),
            report: report_name(verification.report),
            reason: &verification.reason,
            certificate: verification.certificate.as_ref().map(id),
            field: &verification.field,
            signer: verification.signer.as_ref().map(id),
            psid: verification.psid.map(|psid| psid.0),
            permissions: verification.permissions.as_deref().map(Hex),
            generation_time: verification.generation_time.map(utc),
            generation_time_microseconds: verification.generation_time.map(|time| time.0),
            generation_location: verification.generation_location.map(Location::from),
            message: Hex(&event.message),
            payload: verification.payload.as_deref().map(Hex),
        }
    }
}

/// A place in the units of IEEE 1609.2.
#[derive(Debug, Serialize)]
struct Location {
    latitude: i32,
    longitude: i32,
    elevation: u16,
}

impl From<ThreeDLocation> for Location {
    fn from(location: ThreeDLocation) -> Self {
        Self {
            latitude: location.latitude.0,
            longitude: location.longitude.0,
            elevation: location.elevation.0,
        }
    }
}

/// Bytes that are written as hexadecimal digits.
#[derive(Debug)]
struct Hex<'b>(&'b [u8]);

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut digits = String::with_capacity(2 * self.0.len());
        for byte in self.0 {
            for half in [byte >> 4, byte & 15] {
                digits.push(char::from(b"0123456789abcdef"[usize::from(half)]));
            }
        }
        serializer.serialize_str(&digits)
    }
}

/// A time in UTC by ISO 8601, or what a calendar does not hold as its number.
fn utc(time: Time64) -> String {
    Civil::of(time).map_or_else(|| time.0.to_string(), |date| date.to_string())
}

/// The name of a report in ETSI TS 102 723-8, table 5.
pub(super) fn report_name(report: Report) -> &'static str {
    match report {
        Report::Success => "SUCCESS",
        Report::FalseSignature => "FALSE_SIGNATURE",
        Report::InvalidCertificate => "INVALID_CERTIFICATE",
        Report::RevokedCertificate => "REVOKED_CERTIFICATE",
        Report::InconsistentChain => "INCONSISTENT_CHAIN",
        Report::InvalidTimestamp => "INVALID_TIMESTAMP",
        Report::DuplicateMessage => "DUPLICATE_MESSAGE",
        Report::InvalidMobilityData => "INVALID_MOBILITY_DATA",
        Report::UnsignedMessage => "UNSIGNED_MESSAGE",
        Report::SignerCertificateNotFound => "SIGNER_CERTIFICATE_NOT_FOUND",
        Report::UnsupportedSignerIdentifierType => "UNSUPPORTED_SIGNER_IDENTIFIER_TYPE",
        Report::IncompatibleProtocol => "INCOMPATIBLE_PROTOCOL",
    }
}

/// How each line, and so each file, begins.
pub(super) const BEGINNING: &[u8] = b"{\"sequence\":";

/// Writes JSON Lines.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
    lines: Vec<u8>,
}

impl<W: Write + Send> JsonLines<W> {
    /// Begins a file.
    pub fn new(out: W) -> Self {
        Self {
            out,
            lines: Vec::new(),
        }
    }
}

impl<W: Write + Send> Encoder for JsonLines<W> {
    fn push(&mut self, event: &VerdictEvent) -> io::Result<usize> {
        serde_json::to_writer(&mut self.lines, &VerdictFields::of(event))?;
        self.lines.push(b'\n');
        Ok(self.lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        self.out.flush()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}
