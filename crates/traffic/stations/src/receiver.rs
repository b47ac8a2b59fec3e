//! Judgement of received messages, by symbols or by a whole verifier.

use std::sync::Arc;

use waywarden_ecverify::{SignatureRefusal, Verdict};
use waywarden_v2x_security::store::{CertificateStore, Verified};
use waywarden_v2x_security::{Accepted, Capacity, ReceptionContext, Refusal, ResultCode, Verifier};
use waywarden_v2x_signing::{MessageSigner, Observation, Seed};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, HeaderInfo, Time32, Time64};

use crate::messages::SentMessage;
use crate::settings::{CertificateSource, NoCertificate};
use crate::symbols::Symbols;

/// Certificates that a vehicle holds at most: more than there are vehicles in reach.
const HELD_MOST: usize = 1 << 20;

/// The judge of a vehicle's received messages.
pub(crate) enum Receiver {
    /// All messages are honest and fresh: a message is accepted if its signer is known. It knows
    /// the certificates that the stack does.
    Trusting(CertificateStore),
    /// Each message is judged by the verifier, with symbols in place of signatures.
    Symbolic(Box<Verifier>),
    /// Each message is verified.
    Whole(Box<Verifier>),
}

/// Judgement of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is accepted. `is_new`: it brought a certificate that was not known.
    Accepted {
        /// True if it brought a certificate that was not known.
        is_new: bool,
    },
    /// The certificate of its signer is not known.
    UnknownSigner,
    /// It is refused for another reason.
    Refused(ResultCode),
}

impl Receiver {
    /// Judges by symbols, or with real signatures by a verifier that knows the authorities. Where
    /// vehicles may be hostile, a verifier judges in any case.
    pub(crate) fn new(
        is_real: bool,
        has_hostile: bool,
        certificates: &impl CertificateSource,
    ) -> Result<Self, NoCertificate> {
        if !is_real && !has_hostile {
            let known = CertificateStore::with_capacity(HELD_MOST);
            return Ok(Self::Trusting(known));
        }
        let capacity = match is_real {
            true => Capacity::DEFAULT,
            false => Capacity {
                table_bytes: 0,
                ..Capacity::DEFAULT
            },
        };
        let mut verifier = Verifier::new(capacity);
        certificates.trust(&mut verifier)?;
        let verifier = Box::new(verifier);
        Ok(match is_real {
            true => Self::Whole(verifier),
            false => Self::Symbolic(verifier),
        })
    }

    /// Knows the vehicle's own certificate from now on.
    pub(crate) fn learn_own(&mut self, own: &Arc<Verified>) -> Result<(), NoCertificate> {
        match self {
            Self::Trusting(known) => _ = known.hold(Arc::clone(own)),
            Self::Symbolic(verifier) | Self::Whole(verifier) => {
                let learnt = verifier.learn_certificate(own.bytes());
                learnt.map_err(|refusal| NoCertificate(refusal.to_string()))?;
            }
        }
        Ok(())
    }

    /// Refuses what is signed under a certificate from now on.
    pub(crate) fn revoke(&mut self, certificate: &Verified) {
        match self {
            Self::Trusting(_) => {}
            Self::Symbolic(verifier) | Self::Whole(verifier) => {
                let (_, until) = certificate.validity();
                let expiry = Time32((until.0 / 1_000_000).try_into().unwrap_or(u32::MAX));
                let revocations = verifier.revocations_mut();
                revocations.revoke(certificate.digest().id_10(), expiry);
            }
        }
    }

    /// Returns true if a certificate is known.
    pub(crate) fn knows(&self, certificate: HashedId8) -> bool {
        let known = match self {
            Self::Trusting(known) => known,
            Self::Symbolic(verifier) | Self::Whole(verifier) => verifier.store(),
        };
        known.find(certificate).is_some()
    }

    /// Judges a message, and has the station's signer take note of it: of what is missing, and of
    /// what is asked.
    pub(crate) fn judge(
        &mut self,
        message: &SentMessage,
        signer: &mut MessageSigner,
        symbols: &Symbols,
        now: Time64,
    ) -> Judgement {
        let seed = Seed::new([0; 32]);
        let verdict = match self {
            Self::Trusting(known) => {
                let judgement = trusting(known, message);
                let observation = observe(message, judgement);
                // No certificate is offered that is not the signer's.
                let distribution = signer.distribution();
                let _ = distribution.hear(known, &observation, (now, &seed));
                return judgement;
            }
            Self::Symbolic(verifier) => by_symbols(verifier, message, symbols, now),
            Self::Whole(verifier) => verifier.verify(&message.spdu, &ReceptionContext::at(now)),
        };
        let judgement = match &verdict {
            Ok(accepted) => Judgement::Accepted {
                is_new: accepted.signer_is_new,
            },
            Err(refusal) => match refusal.code {
                ResultCode::ParsingCertificateNotFound => Judgement::UnknownSigner,
                code => Judgement::Refused(code),
            },
        };
        if let Self::Symbolic(verifier) | Self::Whole(verifier) = self {
            let verdict = verdict.as_ref();
            let _ = signer.observe(verifier, &message.spdu, verdict, (now, &seed));
        }
        judgement
    }
}

/// Accepts a message of a known signer.
fn trusting(known: &mut CertificateStore, message: &SentMessage) -> Judgement {
    let is_known = known.find(message.id).is_some();
    match (is_known, message.brings_certificate) {
        (true, _) => Judgement::Accepted { is_new: false },
        (false, true) => {
            known.hold(Arc::clone(&message.signer));
            Judgement::Accepted { is_new: true }
        }
        (false, false) => Judgement::UnknownSigner,
    }
}

/// Verifies a message with a symbol in place of its signature. Certificates are those of
/// authorities, as they were issued: their signatures are valid.
fn by_symbols<'m>(
    verifier: &mut Verifier,
    message: &'m SentMessage,
    symbols: &Symbols,
    now: Time64,
) -> Result<Accepted<'m>, Refusal> {
    let mut prepared = verifier.prepare(&message.spdu, &ReceptionContext::at(now))?;
    while let Some(job) = prepared.job() {
        let is_certificate = job.sender.is_none();
        let is_made = || symbols.is_made(message.id, &job);
        let verdict = match is_certificate || *message.is_authentic.get_or_init(is_made) {
            true => Verdict::Valid,
            false => Verdict::Refused(SignatureRefusal::Equation),
        };
        prepared.record(verdict)?;
    }
    verifier.commit(prepared)
}

/// Returns what a message says about certificates to a receiver that judged it so.
fn observe(message: &SentMessage, judgement: Judgement) -> Observation<'_> {
    let missing: Option<HashedId8> = match judgement {
        Judgement::UnknownSigner => Some(message.id),
        _ => None,
    };
    let header = HeaderInfo {
        inline_p2pcd_request: match &message.inline_requests[..] {
            [] => None,
            requests => SequenceOf::new(requests),
        },
        p2pcd_learning_request: message.learning_request,
        ..HeaderInfo::new(message.psid)
    };
    let is_new = judgement == Judgement::Accepted { is_new: true };
    Observation::simulated(header, missing, is_new)
}
