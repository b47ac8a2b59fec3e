//! What is said of one record.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_input::certificates::{Trust, id_of};
use waywarden_v2x_input::record::{Record, certificate_kind};
use waywarden_v2x_input::records;
use waywarden_v2x_security::{Refusal, ResultCode};
use waywarden_v2x_wire::detect::Envelope;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, IssuerIdentifier, SignedData, SignerIdentifier,
};

/// What is said of one record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Judgement {
    /// The file and the place in it.
    pub(crate) input: String,
    /// What stands before it in its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    /// What it is.
    pub(crate) kind: &'static str,
    /// Whether it could be read.
    pub(crate) parsed: bool,
    /// Whether its signatures are valid; none if they could not be verified.
    pub(crate) signature_valid: Option<bool>,
    /// Whether it is accepted.
    pub(crate) accepted: bool,
    /// The standard's name for the result.
    pub(crate) verdict: &'static str,
    /// The certificate that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<String>,
    /// The field that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<&'static str>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Of which application it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) psid: Option<u64>,
    /// Who signed it, by the certificate's HashedId8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signer: Option<String>,
    /// When it says that it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) generation_time: Option<String>,
}

impl Judgement {
    pub(super) fn new(record: &Record, kind: &'static str) -> Self {
        Self {
            input: record.place.clone(),
            label: record.label.clone(),
            kind,
            parsed: false,
            signature_valid: None,
            accepted: false,
            verdict: ResultCode::Unknown.name(),
            certificate: None,
            field: None,
            reason: None,
            psid: None,
            signer: None,
            generation_time: None,
        }
    }

    pub(super) fn of_certificate(record: &Record, certificate: &Certificate<'_>) -> Self {
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

    pub(super) fn refuse(&mut self, refusal: &Refusal, trust: &Trust) {
        let refusal = &trust.settled(refusal);
        self.verdict = refusal.code.name();
        self.certificate = refusal.certificate.map(|id| records::show(&id.0));
        self.field = (!refusal.field.is_empty()).then_some(refusal.field);
        self.reason = Some(trust.reason(refusal));
    }
}

/// Who signed, by what the certificate is called by.
pub(super) fn signer(signed: &SignedData<'_>) -> Option<HashedId8> {
    match signed.signer {
        SignerIdentifier::Digest(id) => Some(id),
        SignerIdentifier::Certificate(list) => id_of(&list.iter().next()?.ok()?),
        SignerIdentifier::OwnKey(_) => None,
    }
}

/// What a message is in.
pub(crate) fn envelope(envelope: &Envelope<'_>) -> &'static str {
    match envelope {
        Envelope::Bare => "SPDU",
        Envelope::Wsm(_) => "WSM",
        Envelope::GeoNetworking(_) => "GeoNetworking",
    }
}
