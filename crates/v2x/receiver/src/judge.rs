//! Reading of one record: what it is, and what of it is still to be judged. It depends on the
//! record alone; the verifier's part comes at the record's turn.

use waywarden_v2x_input::record::{InputRecord, Recognized, envelope};
use waywarden_v2x_input::records;
use waywarden_v2x_input::time;
use waywarden_v2x_security::{
    IncomingMessage, MessageSource, ReceptionContext, Refusal, ResultCode, SignatureCheck,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::{Envelope, FoundSpdu};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignedData,
};

use crate::reception::Reception;
use crate::rules::Rules;
use crate::unsigned;
use crate::verdict::{Verdict, signer};

/// A record that was read, before it is judged.
pub(crate) struct Draft<'r> {
    pub(crate) verdict: Verdict,
    pub(crate) subject: Subject<'r>,
}

/// The part of a record that is still to be judged.
pub(crate) enum Subject<'r> {
    /// Nothing: the record cannot be read.
    Nothing,
    Certificate(&'r [u8], Box<Certificate<'r>>),
    Message(Box<Message<'r>>),
}

/// A message as it came.
pub(crate) struct Message<'r> {
    pub(crate) received: IncomingMessage<'r, 'r>,
    pub(crate) signed: Option<SignedData<'r>>,
    pub(crate) signer: Option<HashedId8>,
}

impl Rules {
    /// Returns true if the key of a message's signer is known from elsewhere.
    pub(crate) fn knows_signer(&self, message: &Message<'_>) -> bool {
        let id = message.signer.as_ref();
        id.is_some_and(|id| self.keys.contains_key(id))
    }

    /// Returns the signature check under a key that is known from elsewhere; `None` if none is.
    pub(crate) fn check<'r>(
        &'r self,
        message: &Message<'r>,
    ) -> Option<Result<SignatureCheck<'r>, Refusal>> {
        let known = self.keys.get(message.signer.as_ref()?)?;
        let signed = message.signed.as_ref()?;
        let certificate: Certificate<'_> = parse(&known.certificate).ok()?;
        Some(SignatureCheck::new(signed, &certificate, &known.key, None))
    }
}

impl<'r> Draft<'r> {
    /// Returns the message, if it is one.
    pub(crate) fn message(&self) -> Option<&Message<'r>> {
        match &self.subject {
            Subject::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Reads a record; `None` if it is a frame of other traffic.
    pub(crate) fn read(
        record: &'r InputRecord,
        rules: &Rules,
        reception: &Reception,
    ) -> Option<Self> {
        let unread = match record.recognize(&rules.udp_ports) {
            Recognized::Certificate(certificate) => {
                return Some(Self {
                    verdict: Verdict::of_certificate(record, &certificate),
                    subject: Subject::Certificate(&record.bytes, certificate),
                });
            }
            Recognized::Message(found) => {
                return Some(Self::of_message(record, &found, rules, reception));
            }
            Recognized::Other => return None,
            Recognized::Unread(unread) => unread,
        };
        let mut verdict = Verdict::new(record, unread.kind);
        let code = match unread.is_unsupported {
            true => ResultCode::ParsingUnsupportedCriticalInformationField,
            false => ResultCode::ParsingInvalidInput,
        };
        verdict.verdict = code.name();
        let remedy = unsigned::remedy_alone(&record.bytes).unwrap_or_default();
        verdict.reason = Some(unread.why + &remedy);
        Some(Self {
            verdict,
            subject: Subject::Nothing,
        })
    }

    fn of_message(
        record: &'r InputRecord,
        found: &FoundSpdu<'r>,
        rules: &Rules,
        reception: &Reception,
    ) -> Self {
        let mut verdict = Verdict::new(record, envelope(&found.envelope));
        verdict.parsed = true;
        verdict.reason = unsigned::reason(found.spdu, &found.data);
        let signed = match found.data.content {
            Ieee1609Dot2Content::Signed(signed) => Some(signed),
            _ => None,
        };
        let signer = signed.as_ref().and_then(signer);
        verdict.signer = signer.map(|id| records::show(&id.0));
        let made = signed.as_ref().and_then(|signed| {
            let header = &signed.tbs_data.header_info;
            verdict.psid = Some(header.psid.0);
            header.generation_time
        });
        verdict.generation_time = made.map(time::show);
        verdict.generated = made;
        let given = match signed {
            Some(_) => Rules::time(reception.at.unwrap_or(rules.at), record, made),
            None => Some(time::now()),
        };
        verdict.is_undated = given.is_none();
        let context = ReceptionContext {
            psid: expected(reception.psid, &found.envelope, verdict.psid),
            place: reception.place,
            source: match record.is_packet() {
                true => MessageSource::Radio,
                false => reception.source,
            },
            ..ReceptionContext::at(given.unwrap_or_else(time::now))
        };
        let received = IncomingMessage {
            message: found.spdu,
            context,
        };
        Self {
            verdict,
            subject: Subject::Message(Box::new(Message {
                received,
                signed,
                signer,
            })),
        }
    }
}

/// Returns the application that a message has to be of: that which the caller expects, and that
/// which the envelope names. Where they differ, the one that the message does not have.
fn expected(asked: Option<Psid>, envelope: &Envelope<'_>, own: Option<u64>) -> Option<Psid> {
    let named = match envelope {
        Envelope::Wsm(wsm) => Some(wsm.psid),
        _ => None,
    };
    match (asked, named) {
        (Some(asked), Some(named)) if own == Some(asked.0) => Some(named),
        (asked, named) => asked.or(named),
    }
}

/// Returns the innermost payload of signed data; `None` if the payload is encrypted, elsewhere, or
/// signed data of another kind.
pub(crate) fn payload(data: &SignedData<'_>) -> Option<Vec<u8>> {
    innermost(&data.tbs_data.payload.data.as_ref()?.view().ok()?)
}

fn innermost(data: &Ieee1609Dot2Data<'_>) -> Option<Vec<u8>> {
    match &data.content {
        Ieee1609Dot2Content::Signed(signed) => payload(signed),
        Ieee1609Dot2Content::Unsecured(bytes) => Some(bytes.to_vec()),
        _ => None,
    }
}
