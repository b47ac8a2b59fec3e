//! Judges one record: what it is, whether its signature is valid, whether it is accepted. Reading
//! comes first and depends on the record alone; what a verifier says of it comes at its turn.

mod judgement;
mod unsigned;

use std::collections::BTreeMap;

use waywarden_v2x_payload::{PayloadCheck, check_accepted};
use waywarden_v2x_security::profile::CRL_PSID;
use waywarden_v2x_security::result::Reason;
use waywarden_v2x_security::{
    Accepted, IncomingMessage, Lookahead, MessageSource, ReceptionContext, Refusal, Refused,
    ResultCode, SignatureCheck, Verifier, verify_certificate_signature, verify_in_rounds,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::{Envelope, FoundSpdu};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateType, HashedId8, Ieee1609Dot2Content, IssuerIdentifier, Psid,
    SignedData, Time64,
};

use super::expand::Expander;
use waywarden_v2x_input::certificates::{KnownKey, Trust};
use waywarden_v2x_input::record::{InputRecord, Recognized};
use waywarden_v2x_input::records;
use waywarden_v2x_input::time::{self, At};

pub(crate) use judgement::{Judgement, envelope};
use judgement::{PayloadReport, signer};

/// Settings by which records are judged, apart from what a verifier learns of them.
pub(crate) struct Judge {
    pub(crate) trust: Trust,
    pub(crate) keys: BTreeMap<HashedId8, KnownKey>,
    pub(crate) at: At,
    /// UDP ports of captures that have messages; none: any may.
    pub(crate) udp_ports: Vec<u16>,
    pub(crate) expander: Expander,
    /// True if payloads are checked.
    pub(crate) checks_payloads: bool,
}

/// A record that was read, before it is judged.
pub(super) struct Draft<'r> {
    judgement: Judgement,
    subject: Subject<'r>,
    /// It does not say when it was made or captured, and is judged at this moment instead.
    pub(super) is_undated: bool,
}

/// The part of a record that is still to be judged.
enum Subject<'r> {
    /// Nothing: the record cannot be read.
    Nothing,
    Certificate(&'r [u8], Box<Certificate<'r>>),
    Message(Box<Message<'r>>),
}

/// A message as it came.
pub(super) struct Message<'r> {
    pub(super) received: IncomingMessage<'r, 'r>,
    signed: Option<SignedData<'r>>,
    signer: Option<HashedId8>,
}

impl<'r> Draft<'r> {
    /// Returns the message, if it is one.
    pub(super) fn message(&self) -> Option<&Message<'r>> {
        match &self.subject {
            Subject::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Judges it at its turn. `ahead` is what was found out of a message; `signed_by_known` says
    /// whether its signature is that of a known key, where that was asked.
    pub(super) fn judge(
        self,
        judge: &Judge,
        verifier: &mut Verifier,
        ahead: Option<Lookahead<'r, 'r>>,
        signed_by_known: Option<bool>,
    ) -> Judgement {
        let mut judgement = self.judgement;
        match (self.subject, ahead) {
            (Subject::Certificate(bytes, certificate), _) => {
                judge.certificate(&mut judgement, bytes, &certificate, verifier);
            }
            (Subject::Message(message), Some(ahead)) => {
                match judge.accepts(verifier, &message, ahead) {
                    Ok(payload) => {
                        judgement.signature_valid = Some(true);
                        let failed = payload.as_ref().and_then(PayloadCheck::failure_text);
                        judgement.accepted = failed.is_none();
                        judgement.verdict = ResultCode::Success.name();
                        judgement.payload_check = payload.map(PayloadReport);
                        judgement.reason = failed.or_else(|| unchecked(verifier, judgement.psid));
                    }
                    Err(refused) => {
                        let unsigned = judgement.reason.take();
                        judgement.refuse(&refused.refusal, &judge.trust);
                        judgement.reason = unsigned.or(judgement.reason);
                        let known = || judge.check(&message).and_then(is_valid);
                        judgement.signature_valid =
                            signed_by_known.or_else(known).or(refused.signatures_valid);
                    }
                }
            }
            _ => {}
        }
        judgement
    }
}

/// Says what verification does not check of an application's messages though it does of others.
fn unchecked(verifier: &Verifier, psid: Option<u64>) -> Option<String> {
    let psid = Psid(psid?);
    let profile = verifier.profiles().of(psid);
    // Lists are in use until the next one; that is checked.
    let is_list = psid == CRL_PSID || profile.list_tolerance.is_some();
    (profile.past.is_none() && !profile.checks_replay && !is_list).then(|| {
        let name = profile.name;
        format!("age and repetition of a {name} not checked: it is repeated until it expires")
    })
}

/// Returns whether a signature is valid, if it can be verified; verifies it if that is not known
/// yet.
fn is_valid(check: Result<SignatureCheck<'_>, Refusal>) -> Option<bool> {
    let mut checks = [check.ok()?];
    verify_in_rounds(&mut checks, waywarden_ecverify::verify_many);
    checks[0].is_valid()
}

impl Judge {
    /// Reads a record; `None` if it is a frame of other traffic.
    pub(super) fn read<'r>(&self, record: &'r InputRecord) -> Option<Draft<'r>> {
        let draft = |judgement, subject| Draft {
            judgement,
            subject,
            is_undated: false,
        };
        let unread = match record.recognize(&self.udp_ports) {
            Recognized::Certificate(certificate) => {
                let judgement = Judgement::of_certificate(record, &certificate);
                return Some(draft(
                    judgement,
                    Subject::Certificate(&record.bytes, certificate),
                ));
            }
            Recognized::Message(found) => return Some(self.read_message(record, &found)),
            Recognized::Other => return None,
            Recognized::Unread(unread) => unread,
        };
        let mut judgement = Judgement::new(record, unread.kind);
        let code = match unread.is_unsupported {
            true => ResultCode::ParsingUnsupportedCriticalInformationField,
            false => ResultCode::ParsingInvalidInput,
        };
        judgement.verdict = code.name();
        let remedy = unsigned::remedy_alone(&record.bytes).unwrap_or_default();
        judgement.reason = Some(unread.why + &remedy);
        Some(draft(judgement, Subject::Nothing))
    }

    fn read_message<'r>(&self, record: &'r InputRecord, found: &FoundSpdu<'r>) -> Draft<'r> {
        let mut judgement = Judgement::new(record, envelope(&found.envelope));
        judgement.parsed = true;
        judgement.reason = unsigned::reason(found.spdu, &found.data);
        let signed = match found.data.content {
            Ieee1609Dot2Content::Signed(signed) => Some(signed),
            _ => None,
        };
        let signer = signed.as_ref().and_then(signer);
        judgement.signer = signer.map(|id| records::show(&id.0));
        let made = signed.as_ref().and_then(|signed| {
            let header = &signed.tbs_data.header_info;
            judgement.psid = Some(header.psid.0);
            header.generation_time
        });
        judgement.generation_time = made.map(time::show);
        let given = match signed {
            Some(_) => self.time(record, made),
            None => Some(time::now()),
        };
        let context = ReceptionContext {
            // What is around a message says of which application it is; so must the message.
            psid: match &found.envelope {
                Envelope::Wsm(wsm) => Some(wsm.psid),
                _ => None,
            },
            source: match record.is_packet() {
                true => MessageSource::Radio,
                false => MessageSource::File,
            },
            ..ReceptionContext::at(given.unwrap_or_else(time::now))
        };
        let received = IncomingMessage {
            message: found.spdu,
            context,
        };
        let message = Message {
            received,
            signed,
            signer,
        };
        Draft {
            judgement,
            subject: Subject::Message(Box::new(message)),
            is_undated: given.is_none(),
        }
    }

    /// Returns true if the key of a message's signer is known from elsewhere.
    pub(super) fn knows_signer(&self, message: &Message<'_>) -> bool {
        let id = message.signer.as_ref();
        id.is_some_and(|id| self.keys.contains_key(id))
    }

    /// Returns the signature check under a key that is known from elsewhere; `None` if none is.
    pub(super) fn check<'r>(
        &'r self,
        message: &Message<'r>,
    ) -> Option<Result<SignatureCheck<'r>, Refusal>> {
        let known = self.keys.get(message.signer.as_ref()?)?;
        let signed = message.signed.as_ref()?;
        let certificate: Certificate<'_> = parse(&known.certificate).ok()?;
        Some(SignatureCheck::new(signed, &certificate, &known.key, None))
    }

    /// Checks the payload of an accepted message, unless that is turned off.
    fn payload(&self, accepted: &Accepted<'_>, verifier: &Verifier) -> Option<PayloadCheck> {
        let check = || check_accepted(accepted, verifier.borders());
        self.checks_payloads.then(check)
    }

    /// Returns the payload check of an accepted message, or the refusal. Expands revocation lists
    /// if the message's certificate requires it.
    fn accepts<'r>(
        &self,
        verifier: &mut Verifier,
        message: &Message<'r>,
        ahead: Lookahead<'r, 'r>,
    ) -> Result<Option<PayloadCheck>, Refused> {
        let refused = match verifier.verify_ahead(ahead) {
            Ok(accepted) => return Ok(self.payload(&accepted, verifier)),
            Err(refused) => refused,
        };
        if !self.expands(verifier, &refused.refusal) {
            return Err(refused);
        }
        let IncomingMessage { message, context } = &message.received;
        // All signatures are valid: the rest of the chain was judged before.
        let verdict = verifier.verify(message, context);
        let verdict = verdict.map(|accepted| self.payload(&accepted, verifier));
        verdict.map_err(|refusal| Refused {
            refusal,
            signatures_valid: Some(true),
        })
    }

    /// Expands the lists for the period that a refusal names. Returns whether the verdict can
    /// change.
    fn expands(&self, verifier: &mut Verifier, refusal: &Refusal) -> bool {
        match refusal.reason {
            Reason::NotExpanded(period) => self.expander.expand(verifier, period),
            _ => false,
        }
    }

    fn certificate(
        &self,
        judgement: &mut Judgement,
        bytes: &[u8],
        certificate: &Certificate<'_>,
        verifier: &mut Verifier,
    ) {
        let mut verified = verifier.verify_certificate(bytes);
        if let Err(refusal) = &verified
            && self.expands(verifier, refusal)
        {
            verified = verifier.verify_certificate(bytes);
        }
        match verified {
            Ok(_) if certificate.kind == CertificateType::Implicit => {
                judgement.reason = Some(
                    "its key can be rebuilt; that it was issued, only a signature under that key \
                     shows"
                        .to_owned(),
                );
            }
            Ok(verified) => {
                judgement.signature_valid = Some(true);
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
    }

    /// Returns true if the folder's issuer signed a certificate, whatever that may issue; `None` if
    /// the folder has no such issuer.
    fn is_signed(&self, certificate: &Certificate<'_>) -> Option<bool> {
        let issuer = match certificate.issuer {
            IssuerIdentifier::SelfIssued(_) => None,
            IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => {
                Some(self.trust.by_id.get(&id)?)
            }
            IssuerIdentifier::Sm3AndDigest(_) => return None,
        };
        let issuer = issuer.map(|issuer| parse::<Certificate<'_>>(issuer));
        let issuer = issuer.transpose().ok()?;
        Some(verify_certificate_signature(certificate, issuer.as_ref()).is_ok())
    }

    /// Returns the time at which a message is judged; `None` if it lacks the time to judge it by.
    fn time(&self, record: &InputRecord, made: Option<Time64>) -> Option<Time64> {
        match self.at {
            At::Now => Some(time::now()),
            At::Time(time) => Some(time),
            At::Capture => record.captured,
            At::Generation => made,
        }
    }
}
