//! A message of which signatures are left to verify, and what a verified one leaves behind.

use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_ecverify::{Curve, Job, Verdict, negated};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, SignedData, Time64};

use crate::canonical::NonceParity;
use crate::chain::{Chain, Link};
use crate::context::ReceptionContext;
use crate::forms::FormCheck;
use crate::hash::{Digest, HashFunction, hash};
use crate::holder::{HolderKey, IssuerCertificate, check_hash, signed_digest};
use crate::key::{sender, signature_on, x_of};
use crate::limits::{Limits, work_of};
use crate::profile::SecurityProfile;
use crate::replay::{SignatureKey, SignerStream};
use crate::result::{Reason, Refusal, ResultCode};
use crate::signed::Signed;
use crate::store::Verified;

/// A signature that has to be verified.
#[derive(Debug)]
struct Step<'m> {
    check: FormCheck<'m>,
    /// The place of the signer's key among the keys.
    key: usize,
    /// The certificate with this signature; `None` for that of the message.
    certificate: Option<HashedId8>,
}

pub(crate) const NOT_VERIFIED: Reason = Reason::Words("not verified");

fn wrong_signature(step: &Step<'_>, reason: Reason) -> Refusal {
    Refusal {
        code: ResultCode::CryptoVerificationFailure,
        certificate: step.certificate,
        field: "signature",
        reason,
    }
}

/// A message of which only signatures are left to verify, one after the other from the top of its
/// chain: the first that is wrong ends the work.
#[derive(Debug)]
pub struct Prepared<'m> {
    data: SignedData<'m>,
    profile: SecurityProfile,
    pub(crate) now: Time64,
    pub(crate) chain: Chain<'m>,
    /// Key of the top of the chain, then those of the links down to the signer's.
    pub(crate) keys: Vec<HolderKey<'m>>,
    /// From the top of the chain down; the last one is the message's own.
    steps: Vec<Step<'m>>,
    signature_key: SignatureKey,
    /// Number of steps that have verified.
    verified: usize,
    /// Refusal of the next step, if it has failed.
    failed: Option<Refusal>,
}

impl<'m> Prepared<'m> {
    /// Returns the signature to verify next; `None` when all have verified, or one is wrong.
    #[must_use]
    pub fn job(&self) -> Option<Job<'_>> {
        if self.failed.is_some() {
            return None;
        }
        let step = self.steps.get(self.verified)?;
        let key = &self.keys[step.key];
        let is_message = step.certificate.is_none();
        let sender = is_message.then(|| sender(self.signer()));
        step.check.job(key.curve(), key.job_key(), sender)
    }

    /// Takes the verdict on the [`job`](Self::job). There is another one then, unless all have
    /// verified.
    ///
    /// # Errors
    /// [`ResultCode::CryptoVerificationFailure`] if the signature is wrong: the message is refused.
    pub fn record(&mut self, verdict: Verdict) -> Result<(), Refusal> {
        let Some(step) = self.steps.get_mut(self.verified) else {
            return Ok(());
        };
        step.check.record(verdict);
        match step.check.decided() {
            None => Ok(()),
            Some(Ok(())) => {
                self.verified += 1;
                Ok(())
            }
            Some(Err(refusal)) => {
                let failed = wrong_signature(step, Reason::Signature(refusal));
                self.failed = Some(failed);
                Err(failed)
            }
        }
    }

    /// All signatures have verified.
    pub(crate) fn check_verified(&self) -> Result<(), Refusal> {
        match (self.failed, self.steps.get(self.verified)) {
            (Some(refusal), _) => Err(refusal),
            (None, Some(step)) => Err(wrong_signature(step, NOT_VERIFIED)),
            (None, None) => Ok(()),
        }
    }

    /// Finds the signatures that a message with this chain has.
    pub(crate) fn of(
        data: SignedData<'m>,
        chain: Chain<'m>,
        profile: SecurityProfile,
        context: &ReceptionContext<'_>,
        limits: &Limits,
    ) -> Result<Self, Refusal> {
        let (keys, mut steps) = certificates(&chain)?;
        let own = message_step(&data, &chain, &keys, context)?;
        // Not when the message is accepted: then other messages wait.
        let signature_key = signature_key(&data, &own, keys[own.key].curve());
        steps.push(own);
        let work = |step: &Step<'_>| {
            let key = &keys[step.key];
            step.check.attempts() * work_of(key.curve(), matches!(key, HolderKey::Implicit(_)))
        };
        let work = steps.iter().map(work).sum();
        // What a known signer says costs two signatures at most.
        if !chain.links.is_empty() && !limits.allow(context.source, steps.len(), work) {
            return Err(Refusal::message(
                ResultCode::ChainWasTooLongForImplementation,
                "signer",
                "more signatures than an unverified message may cost; give the receiver the \
                 certificates of its authorities",
            ));
        }
        Ok(Self {
            data,
            profile,
            now: context.now,
            chain,
            keys,
            steps,
            signature_key,
            verified: 0,
            failed: None,
        })
    }

    /// Takes over the verdicts of an earlier preparation of the same message, of whose chain fewer
    /// certificates may have been known.
    pub(crate) fn adopt(&mut self, earlier: &Self) {
        // The steps of both end with the message's own; those before it are in the same order.
        let Some(more) = earlier.steps.len().checked_sub(self.steps.len()) else {
            return;
        };
        if let Some(verified) = earlier.verified.checked_sub(more)
            && self.chain.digests().eq(earlier.chain.digests())
        {
            self.verified = verified;
            self.failed = earlier.failed;
        }
    }

    /// Returns the signed data.
    #[must_use]
    pub fn data(&self) -> &SignedData<'m> {
        &self.data
    }

    /// Returns by what the signer's certificate is called.
    #[must_use]
    pub fn signer(&self) -> HashedId8 {
        self.chain.signer().0
    }

    /// Returns the profile that it was held against.
    #[must_use]
    pub fn profile(&self) -> &SecurityProfile {
        &self.profile
    }

    /// Returns the signed digest, by which the message is recognized in any form of its signature.
    pub(crate) fn digest(&self) -> &Digest {
        &self.own_step().check.digest.canonical
    }

    fn own_step(&self) -> &Step<'m> {
        // There is always one.
        &self.steps[self.steps.len() - 1]
    }

    /// Returns by what its signature is known again, with the bytes that it may be over.
    pub(crate) fn signature_key(&self) -> SignatureKey {
        self.signature_key
    }

    /// Returns among which messages it would be a replay.
    pub(crate) fn stream(&self) -> SignerStream {
        SignerStream {
            signer: self.signer(),
            psid: self.data.tbs_data.header_info.psid,
        }
    }

    /// Returns the generation time, or else the time of reception.
    pub(crate) fn made(&self) -> Time64 {
        let header = &self.data.tbs_data.header_info;
        header.generation_time.unwrap_or(self.now)
    }
}

/// Returns the key by which the signature of a message is recognized.
fn signature_key(data: &SignedData<'_>, step: &Step<'_>, curve: Curve) -> SignatureKey {
    let (digest, signature) = (&step.check.digest, &step.check.signature);
    let x = x_of(&signature.r);
    let parity = NonceParity::of(&data.signature);
    let s = signature.s;
    let other = negated(curve, s);
    let other = other.as_ref().map(|other| &other[..s.len()]);
    // R with s and -R with n - s are one signature: the smaller s stands for both.
    let (s, parity) = match other {
        Some(other) if other < s => (other, parity.negated()),
        _ => (s, parity),
    };
    let as_is = digest.as_is.as_ref().map_or(&[][..], Digest::as_bytes);
    let parts = [x, s, as_is].concat();
    SignatureKey {
        hash: hash(HashFunction::Sha256, &parts).id_8().0,
        parity,
    }
}

/// Finds the keys of a chain from the top down, and the signatures of its explicit certificates.
fn certificates<'m>(chain: &Chain<'m>) -> Result<(Vec<HolderKey<'m>>, Vec<Step<'m>>), Refusal> {
    let mut keys = alloc::vec![HolderKey::Known(Arc::clone(&chain.top))];
    let mut steps = Vec::new();
    for (at, link) in chain.links.iter().enumerate().rev() {
        let view;
        let issuer = match chain.links.get(at + 1) {
            Some(above) => IssuerCertificate {
                certificate: &above.certificate,
                digest: &above.digest,
            },
            None => {
                view = chain.top.view()?;
                IssuerCertificate {
                    certificate: &view,
                    digest: chain.top.digest(),
                }
            }
        };
        let issuer_key = keys.len() - 1;
        let key = HolderKey::of(link, issuer, &keys[issuer_key])?;
        if let Some(own) = &link.certificate.signature {
            check_hash(link, keys[issuer_key].curve())?;
            let Some(signature) = signature_on(keys[issuer_key].curve(), own) else {
                return Err(link.refuse(
                    ResultCode::CryptoVerificationFailure,
                    "signature",
                    "of another curve than the issuer's key",
                ));
            };
            steps.push(Step {
                check: FormCheck::new(signed_digest(link, Some(issuer))?, signature),
                key: issuer_key,
                certificate: Some(link.id()),
            });
        }
        keys.push(key);
    }
    Ok((keys, steps))
}

/// The message's own signature.
fn message_step<'m>(
    data: &SignedData<'m>,
    chain: &Chain<'m>,
    keys: &[HolderKey<'m>],
    context: &ReceptionContext<'_>,
) -> Result<Step<'m>, Refusal> {
    let view;
    let (signer, known) = match (chain.links.first(), &chain.presented) {
        (Some(link), _) => (&link.certificate, &link.digest),
        (None, Some(presented)) => (presented, chain.top.digest()),
        (None, None) => {
            view = chain.top.view()?;
            (&view, chain.top.digest())
        }
    };
    let key = keys.len() - 1;
    let mut signed = Signed::of(data, keys[key].curve(), context.external_data)?;
    signed.hashed = context.data_hash;
    Ok(Step {
        check: FormCheck::new(signed.digest(Some((signer, known)))?, signed.signature),
        key,
        certificate: None,
    })
}

/// Returns a certificate of a message as one that was verified.
pub(crate) fn verified(
    link: &Link<'_>,
    key: HolderKey<'_>,
    issuer: Arc<Verified>,
) -> Result<Arc<Verified>, Refusal> {
    let signer = key.into_signer(link)?;
    let certificate = Verified::new(&link.certificate, link.digest, signer, Some(issuer));
    Ok(Arc::new(certificate))
}
