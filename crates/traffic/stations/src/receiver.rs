//! Judgement of received messages, by symbols or by a whole verifier.

use std::sync::Arc;

use waywarden_v2x_security::store::{CertificateStore, Verified};
use waywarden_v2x_security::{Capacity, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_signing::{MessageSigner, Observation, Seed};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, HeaderInfo, Time64};

use crate::messages::SentMessage;
use crate::settings::{CertificateSource, NoCertificate};

/// Certificates that a vehicle holds at most: more than there are vehicles in reach.
const HELD_MOST: usize = 1 << 20;

/// The judge of a vehicle's received messages.
pub(crate) enum Receiver {
    /// Signatures are symbols: a message is what its sender made it, and the certificates are the
    /// stack's.
    Symbols(CertificateStore),
    /// Each message is verified.
    Whole(Box<Verifier>),
}

/// Judgement of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It is accepted. `is_new`: it brought a certificate that was not known.
    Accepted { is_new: bool },
    /// The certificate of its signer is not known.
    UnknownSigner,
    /// It is refused for another reason.
    Refused(ResultCode),
}

impl Receiver {
    /// Judges by symbols, or with real signatures by a verifier that knows the authorities.
    pub(crate) fn new(
        is_real: bool,
        certificates: &impl CertificateSource,
    ) -> Result<Self, NoCertificate> {
        if !is_real {
            return Ok(Self::Symbols(CertificateStore::with_capacity(HELD_MOST)));
        }
        let mut verifier = Verifier::new(Capacity::DEFAULT);
        certificates.trust(&mut verifier)?;
        Ok(Self::Whole(Box::new(verifier)))
    }

    /// Knows the vehicle's own certificate from now on.
    pub(crate) fn learn_own(&mut self, own: &Arc<Verified>) -> Result<(), NoCertificate> {
        match self {
            Self::Symbols(known) => _ = known.hold(Arc::clone(own)),
            Self::Whole(verifier) => {
                let learnt = verifier.learn_certificate(own.bytes());
                learnt.map_err(|refusal| NoCertificate(refusal.to_string()))?;
            }
        }
        Ok(())
    }

    /// Judges a message, and has the station's signer take note of it: of what is missing, and of
    /// what is asked.
    pub(crate) fn judge(
        &mut self,
        message: &SentMessage,
        signer: &mut MessageSigner,
        now: Time64,
    ) -> Judgement {
        let seed = Seed::new([0; 32]);
        match self {
            Self::Symbols(known) => {
                let is_known = known.find(message.id).is_some();
                let judgement = match (is_known, message.brings_certificate) {
                    (true, _) => Judgement::Accepted { is_new: false },
                    (false, true) => {
                        known.hold(Arc::clone(&message.signer));
                        Judgement::Accepted { is_new: true }
                    }
                    (false, false) => Judgement::UnknownSigner,
                };
                let observation = observe(message, judgement);
                // No certificate is offered that is not the signer's.
                let _ = signer
                    .distribution()
                    .hear(known, &observation, (now, &seed));
                judgement
            }
            Self::Whole(verifier) => {
                let verdict = verifier.verify(&message.spdu, &ReceptionContext::at(now));
                let judgement = match &verdict {
                    Ok(accepted) => Judgement::Accepted {
                        is_new: accepted.signer_is_new,
                    },
                    Err(refusal) => match refusal.code {
                        ResultCode::ParsingCertificateNotFound => Judgement::UnknownSigner,
                        code => Judgement::Refused(code),
                    },
                };
                let verdict = verdict.as_ref();
                let _ = signer.observe(verifier, &message.spdu, verdict, (now, &seed));
                judgement
            }
        }
    }
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
