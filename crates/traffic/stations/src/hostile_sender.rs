//! Messages of a hostile vehicle.

use std::collections::VecDeque;
use std::sync::Arc;

use waywarden_random::Random;
use waywarden_v2x_keys::NonceForm;
use waywarden_v2x_security::store::Verified;
use waywarden_v2x_signing::{
    Credential, PayloadToSign, Seed, SignError, SignerForm, SigningOptions, UnsignedMessage,
    sign_unchecked,
};
use waywarden_v2x_station::StationMessage;
use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, Time64};

use crate::false_claims::FalseClaims;
use crate::hostile::HostileKind;
use crate::identity::SigningKey;
use crate::messages::SentMessage;
use crate::settings::CertificateCondition;

/// A message is sent again at this age or when it is older, in ns.
const REPLAY_NS: u64 = 300_000_000;
const LATE_NS: u64 = 10_000_000_000;
/// Of the messages that it hears it keeps one each so often, in ns: some hundred of them.
const KEPT_EACH_NS: u64 = 100_000_000;
/// Each so many messages under an expired certificate bring it.
const CERTIFICATE_EACH: u64 = 5;

/// A signed message, and the certificate that it names.
pub(crate) type SignedBy = (Vec<u8>, Arc<Verified>);

/// State of a hostile vehicle's sender.
#[derive(Debug)]
pub(crate) struct HostileSender {
    pub(crate) kind: HostileKind,
    pub(crate) claims: FalseClaims,
    /// Messages of honest vehicles with the time at which they came, the oldest first.
    heard: VecDeque<(u64, SentMessage)>,
    sent: u64,
}

impl HostileSender {
    /// `name` counts its names from 0.
    pub(crate) fn new(kind: HostileKind, name: usize, random: Random) -> Self {
        Self {
            kind,
            claims: FalseClaims::new(kind, name, random),
            heard: VecDeque::new(),
            sent: 0,
        }
    }

    /// Returns the condition of the certificates that it signs under.
    pub(crate) fn condition(&self) -> CertificateCondition {
        match self.kind {
            HostileKind::Expired => CertificateCondition::Expired,
            HostileKind::UnknownAuthority => CertificateCondition::UnknownAuthority,
            _ => CertificateCondition::Valid,
        }
    }

    /// Returns true if it signs its messages in a way of its own.
    pub(crate) fn signs(&self) -> bool {
        matches!(self.kind, HostileKind::Forged | HostileKind::Expired)
    }

    /// Takes note of an honest vehicle's message.
    pub(crate) fn hear(&mut self, now_ns: u64, message: &SentMessage) {
        let age_ns = match self.kind {
            HostileKind::Late => LATE_NS,
            HostileKind::Replayed | HostileKind::Forged => REPLAY_NS,
            HostileKind::DataReplay => {
                if let Some(claimed) = &message.claimed {
                    self.claims.hear(claimed);
                }
                return;
            }
            _ => return,
        };
        let last = self.heard.back().map(|(at, _)| at + KEPT_EACH_NS);
        if last.is_none_or(|due| now_ns >= due) {
            self.heard.push_back((now_ns, message.clone()));
        }
        // One that is old enough stays until there is another.
        while self
            .heard
            .get(1)
            .is_some_and(|(at, _)| at + age_ns <= now_ns)
        {
            self.heard.pop_front();
        }
    }

    /// Returns the message of another vehicle that it sends now, and forgets it; `None` if none is
    /// old enough.
    pub(crate) fn again(&mut self, now_ns: u64) -> Option<SentMessage> {
        let age_ns = match self.kind {
            HostileKind::Late => LATE_NS,
            _ => REPLAY_NS,
        };
        let is_due = |(at, _): &&(u64, SentMessage)| at + age_ns <= now_ns;
        self.heard.front().filter(is_due)?;
        self.heard.pop_front().map(|(_, message)| message)
    }

    /// Signs as a hostile vehicle does, which asks no certificate what it permits. `None`: it has
    /// heard no vehicle whose name it could take.
    pub(crate) fn sign(
        &mut self,
        (credential, key): (&Credential, &mut SigningKey),
        message: &StationMessage,
        (now, seed): (Time64, &Seed),
    ) -> Result<Option<SignedBy>, SignError> {
        let is_forged = self.kind == HostileKind::Forged;
        let form = match !is_forged && self.sent.is_multiple_of(CERTIFICATE_EACH) {
            true => SignerForm::Certificate,
            false => SignerForm::Digest,
        };
        self.sent += 1;
        let own = credential.certificate();
        let spdu = signed((credential, key), message, form, (now, seed))?;
        if !is_forged {
            return Ok(Some((spdu, Arc::clone(own))));
        }
        let Some((_, heard)) = self.heard.back() else {
            return Ok(None);
        };
        let forged = in_the_name_of(spdu, &own.id().0, &heard.id.0);
        Ok(forged.map(|forged| (forged, Arc::clone(&heard.signer))))
    }
}

/// Signs a message in a form, whatever the certificate permits.
fn signed(
    (credential, key): (&Credential, &mut SigningKey),
    message: &StationMessage,
    signer: SignerForm,
    (now, seed): (Time64, &Seed),
) -> Result<Vec<u8>, SignError> {
    let header = HeaderInfo {
        generation_time: Some(now),
        ..HeaderInfo::new(message.psid)
    };
    let unsigned = UnsignedMessage {
        payload: PayloadToSign::Data(&message.payload),
        header,
    };
    let store = key.store();
    let entropy = seed.derive("hostile", 0);
    let options = SigningOptions {
        signer,
        form: NonceForm::Point,
        nonce: store.capabilities(credential.curve()).nonce(&entropy),
    };
    sign_unchecked(store, credential, &unsigned, &options)
}

/// Returns a message with another name in the place of its signer's.
fn in_the_name_of(mut spdu: Vec<u8>, own: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    // The name stands after the signed part, before the signature.
    let at = spdu.windows(own.len()).rposition(|window| window == own)?;
    spdu.get_mut(at..at + own.len())?.copy_from_slice(other);
    Some(spdu)
}
