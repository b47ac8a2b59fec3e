//! Reading of one record: what it is, and what of it is still to be judged. It depends on the
//! record alone; the verifier's part comes at the record's turn.

use waywarden_v2x_input::record::{InputRecord, Recognized, envelope};
use waywarden_v2x_input::records;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_security::hash::DataHash;
use waywarden_v2x_security::{
    IncomingMessage, MessageSource, Reason, ReceptionContext, Refusal, ResultCode, SignatureCheck,
};
use waywarden_v2x_wire::coer::{NestedEncoding, parse};
use waywarden_v2x_wire::detect::{Envelope, FoundSpdu};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignedData,
};

use crate::reception::Reception;
use crate::rules::Rules;
use crate::unsigned;
use crate::verdict::{Verdict, signer};

/// Longest message that is hashed while what is known is locked: no longer one comes by radio.
const HASHED_UNDER_LOCK_MAX: usize = 2_302;

/// Most bytes of a certificate, and of a message beside its payload, which are read and hashed
/// while what is known is locked: far more than any has.
const AROUND_MAX: usize = 1 << 16;

/// The refusal of a longer one.
pub(crate) const TOO_MUCH_AROUND: Refusal = Refusal {
    code: ResultCode::ParsingInvalidInput,
    certificate: None,
    field: "",
    reason: Reason::Words("has more than 65,536 bytes beside a message's payload"),
};

/// Hashes the data of a long message, so that its signature is prepared in a time that does not
/// depend on its length.
///
/// # Errors
/// [`TOO_MUCH_AROUND`] where the rest of the message is long.
pub(crate) fn hash_of_long<'r>(
    spdu: &[u8],
    signed: &SignedData<'r>,
) -> Result<Option<DataHash<'r>>, Refusal> {
    let payload = match &signed.tbs_data.payload.data {
        Some(NestedEncoding::Encoded(bytes)) => bytes.len(),
        _ => 0,
    };
    match spdu.len() {
        length if length.saturating_sub(payload) > AROUND_MAX => Err(TOO_MUCH_AROUND),
        length if length > HASHED_UNDER_LOCK_MAX => Ok(DataHash::of(signed)),
        _ => Ok(None),
    }
}

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
                let mut verdict = Verdict::of_certificate(record, &certificate);
                let is_long = record.bytes.len() > AROUND_MAX;
                if is_long {
                    verdict.refuse(&TOO_MUCH_AROUND, &rules.trust);
                }
                return Some(Self {
                    verdict,
                    subject: match is_long {
                        true => Subject::Nothing,
                        false => Subject::Certificate(&record.bytes, certificate),
                    },
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
        let at = reception.at.unwrap_or(rules.at);
        let given = match (&signed, at) {
            (Some(_), _) | (None, At::Time(_)) => Rules::time(at, record, made),
            (None, At::Now | At::Capture | At::Generation) => Some(time::now()),
        };
        verdict.is_undated = given.is_none();
        let data_hash = signed
            .as_ref()
            .map(|signed| hash_of_long(found.spdu, signed));
        let data_hash = match data_hash.transpose() {
            Ok(data_hash) => data_hash.flatten(),
            Err(refusal) => {
                verdict.refuse(&refusal, &rules.trust);
                let subject = Subject::Nothing;
                return Self { verdict, subject };
            }
        };
        let context = ReceptionContext {
            data_hash,
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

#[cfg(test)]
mod tests {
    use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec};
    use waywarden_v2x_input::certificates::{SignerKeys, Trust};

    use super::*;
    use crate::receiver::Receiver;
    use crate::settings::ReceiverSettings;

    /// Length of the payload of each message.
    const LENGTHS: [usize; 4] = [10, 2_000, 2_400, 1 << 20];

    #[test]
    fn long_message_is_hashed_when_it_is_read_which_takes_no_lock() {
        let station = Holder::issue(&Spec::station(1), None);
        let settings = ReceiverSettings::default();
        let (trust, keys) = (Trust::default(), SignerKeys::default());
        let receiver = Receiver::new(&settings, settings.verifier(), trust, keys);
        let payload = vec![0; 1 << 20];
        for length in LENGTHS {
            let contents = MessageContents {
                payload: &payload[..length],
                named: Named::Digest,
                ..MessageContents::new()
            };
            let record = InputRecord::of("message".to_owned(), contents.sign(&station));
            let draft = Draft::read(&record, receiver.rules(), &Reception::default()).unwrap();
            let message = draft.message().unwrap();
            let hashed = message.received.context.data_hash;
            let is_long = record.bytes.len() > HASHED_UNDER_LOCK_MAX;
            assert_eq!(hashed.is_some(), is_long, "{length}");
            // The verifier parses the same memory again, and takes the hash.
            if let Some(hashed) = hashed {
                let own = DataHash::of(message.signed.as_ref().unwrap());
                assert_eq!(own, Some(hashed));
            }
        }
    }
}
