//! The verdict on one record, owned, and its JSON.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use waywarden_v2x_input::certificates::{Trust, id_of};
use waywarden_v2x_input::record::{InputRecord, certificate_kind};
use waywarden_v2x_input::records;
use waywarden_v2x_payload::{NotChecked, PayloadCheck, PayloadContradiction, Subject};
use waywarden_v2x_security::{Refusal, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, IssuerIdentifier, SignedData, SignerIdentifier, Time64,
};

/// A verdict on one record.
///
/// Its JSON is what `waywarden verify` prints of the record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Verdict {
    /// The file and the place in it.
    pub input: String,
    /// The label before the record in its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Kind of the record.
    pub kind: &'static str,
    /// True if the record could be read.
    pub parsed: bool,
    /// True if its signatures are valid; none if they could not be verified.
    pub signature_valid: Option<bool>,
    /// True if the record is accepted.
    pub accepted: bool,
    /// The standard's name for the result.
    pub verdict: &'static str,
    /// The payload against the signer's certificate, which is no part of the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PayloadFindings>")]
    pub payload_check: Option<PayloadReport>,
    /// The certificate that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The field that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// Reason for the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// PSID of its application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psid: Option<u64>,
    /// HashedId8 of the signer's certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Generation time in its header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation_time: Option<String>,
    /// The same as a number.
    #[serde(skip)]
    pub generated: Option<Time64>,
    /// Payload of an accepted message, unless it is encrypted or not in the message.
    #[serde(skip)]
    pub payload: Option<Vec<u8>>,
    /// True if the record lacks the time at which it was to be judged, so that it was judged now.
    #[serde(skip)]
    pub is_undated: bool,
}

/// Findings of a payload check, serialized as `PayloadFindings`.
#[derive(Clone, Debug)]
pub struct PayloadReport(pub PayloadCheck);

impl Serialize for PayloadReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let check = &self.0;
        let findings = PayloadFindings {
            result: check.name(),
            checked: check.checked.iter().map(|one| one.name()).collect(),
            not_checked: check.not_checked.iter().map(PayloadGap::from).collect(),
            failures: check.failures.iter().map(PayloadFault::from).collect(),
        };
        findings.serialize(serializer)
    }
}

/// The check of a payload.
#[derive(Serialize, JsonSchema)]
struct PayloadFindings {
    /// `passed`, `failed`, or `not-checked` if nothing could be compared.
    result: &'static str,
    /// Properties that were compared: application, place, permissions, station-type.
    checked: Vec<&'static str>,
    /// Properties that were not compared.
    not_checked: Vec<PayloadGap>,
    /// Contradictions to the certificate; with one the message is not accepted.
    failures: Vec<PayloadFault>,
}

/// A property that was not compared.
#[derive(Serialize, JsonSchema)]
struct PayloadGap {
    /// The property.
    property: &'static str,
    /// The reason for not comparing it.
    why_text: String,
}

impl From<&(Subject, NotChecked)> for PayloadGap {
    fn from((subject, why): &(Subject, NotChecked)) -> Self {
        Self {
            property: subject.name(),
            why_text: why.to_string(),
        }
    }
}

/// A contradiction.
#[derive(Serialize, JsonSchema)]
struct PayloadFault {
    /// The property.
    property: &'static str,
    /// The contradiction in words.
    failure_cause: String,
}

impl From<&PayloadContradiction> for PayloadFault {
    fn from(failure: &PayloadContradiction) -> Self {
        Self {
            property: failure.subject().name(),
            failure_cause: failure.to_string(),
        }
    }
}

impl Verdict {
    /// Returns the verdict in JSON, on one line: that of `waywarden verify --format jsonl`.
    ///
    /// # Errors
    /// None: every value can be written.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Returns the verdict in JSON over several lines: that of `waywarden verify --format json`,
    /// where each line but the first has four spaces more before it.
    ///
    /// # Errors
    /// None: every value can be written.
    pub fn to_json_pretty(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    pub(crate) fn new(record: &InputRecord, kind: &'static str) -> Self {
        Self {
            input: record.place.clone(),
            label: record.label.clone(),
            kind,
            parsed: false,
            signature_valid: None,
            accepted: false,
            verdict: ResultCode::Unknown.name(),
            payload_check: None,
            certificate: None,
            field: None,
            reason: None,
            psid: None,
            signer: None,
            generation_time: None,
            generated: None,
            payload: None,
            is_undated: false,
        }
    }

    pub(crate) fn of_certificate(record: &InputRecord, certificate: &Certificate<'_>) -> Self {
        let kind = certificate_kind(certificate);
        let id = match certificate.issuer {
            IssuerIdentifier::SelfIssued(_) => id_of(certificate),
            IssuerIdentifier::Sha256AndDigest(id)
            | IssuerIdentifier::Sha384AndDigest(id)
            | IssuerIdentifier::Sm3AndDigest(id) => Some(id),
        };
        Self {
            parsed: true,
            signer: id.map(|id| records::show(&id.0)),
            ..Self::new(record, kind)
        }
    }

    pub(crate) fn refuse(&mut self, refusal: &Refusal, trust: &Trust) {
        let refusal = &trust.settled(refusal);
        self.verdict = refusal.code.name();
        self.certificate = refusal.certificate.map(|id| records::show(&id.0));
        self.field = (!refusal.field.is_empty()).then_some(refusal.field);
        self.reason = Some(trust.reason(refusal));
    }
}

/// Returns the HashedId8 of the signer's certificate.
pub(crate) fn signer(signed: &SignedData<'_>) -> Option<HashedId8> {
    match signed.signer {
        SignerIdentifier::Digest(id) => Some(id),
        SignerIdentifier::Certificate(list) => id_of(&list.iter().next()?.ok()?),
        SignerIdentifier::OwnKey(_) => None,
    }
}
