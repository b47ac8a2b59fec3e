//! Judges one record: what it is, whether its signature is valid, whether it is accepted.

use std::collections::BTreeMap;

use serde::Serialize;
use waywarden_v2x_security::{
    ReceptionContext, Refusal, ResultCode, Source, Verifier, verify_certificate_signature,
    verify_signature,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::{Envelope, Found};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateType, HashedId8, Ieee1609Dot2Content, IssuerIdentifier, SignedData,
    SignerIdentifier, Time64,
};
use waywarden_v2x_wire::{Fault, WireError};

use crate::v2x::certificates::{KnownKey, Trust, begins_as_certificate, id_of};
use crate::v2x::record::{Missed, Record};
use crate::v2x::records;
use crate::v2x::time::{self, At};

/// What is said of one record.
#[derive(Debug, Serialize)]
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
    /// Whether its signatures are valid.
    pub(crate) signature_valid: bool,
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

/// Judges records, one after the other.
pub(crate) struct Judge {
    pub(crate) verifier: Verifier,
    pub(crate) trust: Trust,
    pub(crate) keys: BTreeMap<HashedId8, KnownKey>,
    pub(crate) at: At,
    /// How many were judged at this moment though they were to be judged at their own.
    pub(crate) undated: usize,
}

impl Judge {
    /// Judges one; `None` if it is a frame of other traffic.
    pub(crate) fn judge(&mut self, record: &Record) -> Option<Judgement> {
        if !record.is_packet() {
            match parse::<Certificate<'_>>(&record.bytes) {
                Ok(certificate) => return Some(self.certificate(record, &certificate)),
                // A certificate, and of an algorithm that is not known: no message begins so.
                Err(error) if is_unsupported_certificate(&record.bytes, &error) => {
                    let mut judgement = Judgement::new(record, "certificate");
                    judgement.refuse(&Refusal::from(error), &self.trust);
                    return Some(judgement);
                }
                Err(_) => {}
            }
        }
        let (code, why) = match record.find() {
            Ok(found) => return Some(self.message(record, &found)),
            Err(Missed::Other) => return None,
            Err(Missed::Unread(why)) => (ResultCode::ParsingInvalidInput, why),
            Err(Missed::Unsupported(why)) => {
                (ResultCode::ParsingUnsupportedCriticalInformationField, why)
            }
        };
        let mut judgement = Judgement::new(record, "unknown");
        judgement.verdict = code.name();
        judgement.reason = Some(foreign(record).unwrap_or(why));
        Some(judgement)
    }

    fn message(&mut self, record: &Record, found: &Found<'_>) -> Judgement {
        let mut judgement = Judgement::new(record, envelope(&found.envelope));
        judgement.parsed = true;
        let signed = match &found.data.content {
            Ieee1609Dot2Content::Signed(signed) => Some(signed),
            _ => None,
        };
        let made = signed.and_then(|signed| {
            let header = &signed.tbs_data.header_info;
            judgement.psid = Some(header.psid.0);
            judgement.signer = signer(signed).map(|id| records::show(&id.0));
            header.generation_time
        });
        judgement.generation_time = made.map(time::show);
        let now = match signed {
            Some(_) => self.time(record, made),
            None => time::now(),
        };
        let context = ReceptionContext {
            // What is around a message says of which application it is; so must the message.
            psid: match &found.envelope {
                Envelope::Wsm(wsm) => Some(wsm.psid),
                _ => None,
            },
            source: match record.is_packet() {
                true => Source::Radio,
                false => Source::File,
            },
            ..ReceptionContext::at(now)
        };
        match self.verifier.verify(found.spdu, &context) {
            Ok(_) => {
                judgement.signature_valid = true;
                judgement.accepted = true;
                judgement.verdict = ResultCode::Success.name();
            }
            Err(refusal) => {
                judgement.refuse(&refusal, &self.trust);
                judgement.signature_valid = match signed.and_then(|signed| self.known(signed)) {
                    Some(is_valid) => is_valid,
                    None => {
                        let verdict = self.verifier.verify_signatures(found.spdu, &context);
                        verdict.is_ok()
                    }
                };
            }
        }
        judgement
    }

    /// Whether the signature is that of a key that is known otherwise; `None` if none is.
    fn known(&self, signed: &SignedData<'_>) -> Option<bool> {
        let known = self.keys.get(&signer(signed)?)?;
        let certificate: Certificate<'_> = parse(&known.certificate).ok()?;
        Some(verify_signature(signed, &certificate, &known.key, None).is_ok())
    }

    fn certificate(&self, record: &Record, certificate: &Certificate<'_>) -> Judgement {
        let mut judgement = Judgement::new(
            record,
            match certificate.kind {
                CertificateType::Explicit => "explicit certificate",
                CertificateType::Implicit => "implicit certificate",
            },
        );
        judgement.parsed = true;
        judgement.signer = match certificate.issuer {
            IssuerIdentifier::SelfIssued(_) => id_of(certificate),
            IssuerIdentifier::Sha256AndDigest(id)
            | IssuerIdentifier::Sha384AndDigest(id)
            | IssuerIdentifier::Sm3AndDigest(id) => Some(id),
        }
        .map(|id| records::show(&id.0));
        match self.verifier.verify_certificate(&record.bytes) {
            Ok(_) if certificate.kind == CertificateType::Implicit => {
                judgement.reason = Some(
                    "its key can be rebuilt; that it was issued, only a signature under that key \
                     shows"
                        .to_owned(),
                );
            }
            Ok(verified) => {
                judgement.signature_valid = true;
                let (start, end) = verified.validity();
                let code = match self.at {
                    At::Time(time) if time < start => {
                        ResultCode::ConsistencyFutureCertificateAtGenerationTime
                    }
                    At::Time(time) if time >= end => ResultCode::CertificateExpired,
                    _ => ResultCode::Success,
                };
                judgement.accepted = code == ResultCode::Success;
                judgement.verdict = code.name();
                if !judgement.accepted {
                    judgement.field = Some("validityPeriod");
                    let (start, end) = (time::show(start), time::show(end));
                    judgement.reason = Some(format!("valid from {start} until {end}"));
                }
            }
            Err(refusal) => {
                judgement.refuse(&refusal, &self.trust);
                judgement.signature_valid = self.is_signed(certificate);
            }
        }
        judgement
    }

    /// Whether a certificate has a signature of the issuer that the folder has, whatever that may
    /// issue.
    fn is_signed(&self, certificate: &Certificate<'_>) -> bool {
        let issuer = match certificate.issuer {
            IssuerIdentifier::SelfIssued(_) => None,
            IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => {
                match self.trust.by_id.get(&id) {
                    Some(issuer) => Some(issuer),
                    None => return false,
                }
            }
            IssuerIdentifier::Sm3AndDigest(_) => return false,
        };
        let issuer = issuer.map(|issuer| parse::<Certificate<'_>>(issuer));
        match issuer.transpose() {
            Ok(issuer) => verify_certificate_signature(certificate, issuer.as_ref()).is_ok(),
            Err(_) => false,
        }
    }

    fn time(&mut self, record: &Record, made: Option<Time64>) -> Time64 {
        let given = match self.at {
            At::Now => return time::now(),
            At::Time(time) => Some(time),
            At::Capture => record.captured,
            At::Generation => made,
        };
        given.unwrap_or_else(|| {
            self.undated += 1;
            time::now()
        })
    }
}

impl Judgement {
    fn new(record: &Record, kind: &'static str) -> Self {
        Self {
            input: record.place.clone(),
            label: record.label.clone(),
            kind,
            parsed: false,
            signature_valid: false,
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

    fn refuse(&mut self, refusal: &Refusal, trust: &Trust) {
        let refusal = &trust.settled(refusal);
        self.verdict = refusal.code.name();
        self.certificate = refusal.certificate.map(|id| records::show(&id.0));
        self.field = (!refusal.field.is_empty()).then_some(refusal.field);
        self.reason = Some(trust.reason(refusal));
    }
}

/// Who signed, by what the certificate is called by.
fn signer(signed: &SignedData<'_>) -> Option<HashedId8> {
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

/// What bytes of a file are that are nothing of ours, where their beginning says so.
pub(crate) fn foreign(record: &Record) -> Option<String> {
    let bytes = (!record.is_packet()).then_some(&record.bytes)?;
    crate::v2x::foreign::foreign(bytes).map(str::to_owned)
}

fn is_unsupported_certificate(bytes: &[u8], error: &WireError) -> bool {
    matches!(error.fault, Fault::UnknownCritical(_)) && begins_as_certificate(bytes)
}
