//! Certificates that come by themselves: trust anchors, and those whose issuer is known.

use alloc::sync::Arc;

use waywarden_ecverify::{Job, Verdict};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, IssuerIdentifier};

use crate::chain::{self, Chain, KnownCertificates, Link};
use crate::consistency::{check_own_region, check_periods, check_permissions, check_size};
use crate::forms::FormCheck;
use crate::holder::{HolderKey, IssuerCertificate, check_hash, signed_digest};
use crate::jobs::SignatureJobs;
use crate::key::{SignerKey, signature_on, verification_key};
use crate::prepared::{NOT_VERIFIED, verified};
use crate::result::{Reason, Refusal, ResultCode};
use crate::revoked::Unexpanded;
use crate::store::Verified;
use crate::verifier::Verifier;

impl Verifier {
    /// Trusts a certificate that issued itself, after its own signature was verified.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add_trust_anchor(&mut self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let link = Link::new(parse(certificate)?)?;
        let anchor = Arc::new(self_signed(&link)?);
        self.keep(Arc::clone(&anchor));
        Ok(anchor)
    }

    /// Adds a certificate whose issuer is known, after its signature was verified; an implicit one
    /// has none, and is added with whatever key comes out.
    ///
    /// # Errors
    /// The first rule that does not hold: with an unknown issuer
    /// [`ResultCode::ChainNotEnoughInformationToConstructChain`].
    pub fn add_certificate(&mut self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let certificate = self.verify_certificate(certificate)?;
        self.keep(Arc::clone(&certificate));
        Ok(certificate)
    }

    /// Adds a certificate that a stranger sent, if its issuer is known and its signature verifies.
    /// It is held as those of messages are: the oldest ones go when there are too many.
    ///
    /// # Errors
    /// As in [`add_certificate`](Self::add_certificate).
    pub fn learn_certificate(&mut self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let certificate = self.verify_certificate(certificate)?;
        Ok(self.hold(certificate))
    }

    /// Verifies a certificate against its issuer, which is known.
    ///
    /// # Errors
    /// As in [`add_certificate`](Self::add_certificate).
    pub fn verify_certificate(&self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let mut prepared = self.prepare_certificate(certificate)?;
        prepared.verify();
        self.finish_certificate(prepared)
    }

    /// Reads a certificate, finds its issuer, and lists its signature as a job. Nothing is
    /// verified and nothing changes, so that the signature can be verified while other threads use
    /// the verifier.
    ///
    /// # Errors
    /// The first rule that does not hold: with an unknown issuer
    /// [`ResultCode::ChainNotEnoughInformationToConstructChain`].
    pub fn prepare_certificate<'m>(
        &self,
        certificate: &'m [u8],
    ) -> Result<PreparedCertificate<'m>, Refusal> {
        let link = Link::new(parse(certificate)?)?;
        let known = KnownCertificates {
            store: self.store(),
            provisional: None,
        };
        let limits = self.limits();
        let chain = chain::build(link, core::iter::empty(), &known, limits)?;
        self.state().check_revoked(&chain, Unexpanded::Refused)?;
        PreparedCertificate::of(chain)
    }

    /// Finishes what [`prepare_certificate`](Self::prepare_certificate) began, after the signature
    /// was verified. Nothing changes.
    ///
    /// # Errors
    /// [`ResultCode::CryptoVerificationFailure`] for a signature that is wrong or was not verified;
    /// what is wrong with the rest of the certificate.
    pub fn finish_certificate(
        &self,
        prepared: PreparedCertificate<'_>,
    ) -> Result<Arc<Verified>, Refusal> {
        let PreparedCertificate { chain, unverified } = prepared;
        let (Some(link), Some(Unverified { key, check })) = (chain.links.first(), unverified)
        else {
            return Ok(chain.top);
        };
        if let Some(check) = check {
            let decided = check.decided();
            let decided = decided.ok_or_else(|| wrong_signature(link, NOT_VERIFIED))?;
            decided.map_err(|refusal| wrong_signature(link, Reason::Signature(refusal)))?;
        }
        check_periods(&chain)?;
        check_permissions(&chain, self.borders())?;
        let certificate = verified(link, key, Arc::clone(&chain.top))?;
        // A key that cannot be rebuilt is found here, not at the first message.
        match certificate.key.point() {
            Ok(point) => Ok(Arc::new(certificate.with_key(SignerKey::Point(point)))),
            Err(_) => Err(link.refuse(
                ResultCode::CryptoVerificationFailure,
                "verifyKeyIndicator",
                "no key can be rebuilt from it",
            )),
        }
    }

    /// Learns what [`prepare_certificate`](Self::prepare_certificate) prepared, after its signature
    /// was verified, as [`learn_certificate`](Self::learn_certificate) does. No signature is
    /// verified here. The verifier may be another one by now: it has to know the same issuer.
    ///
    /// # Errors
    /// As in [`finish_certificate`](Self::finish_certificate), for an issuer that is not known any
    /// more, and for a certificate that was revoked meanwhile.
    pub fn learn_prepared(
        &mut self,
        prepared: PreparedCertificate<'_>,
    ) -> Result<Arc<Verified>, Refusal> {
        let top = &prepared.chain.top;
        let known = self.store().find(top.id());
        if known.is_none_or(|known| known.digest() != top.digest()) {
            return Err(Refusal {
                code: ResultCode::ChainNotEnoughInformationToConstructChain,
                certificate: prepared.chain.links.first().map(Link::id),
                field: "issuer",
                reason: Reason::Missing(top.id()),
            });
        }
        self.state()
            .check_revoked(&prepared.chain, Unexpanded::Refused)?;
        let certificate = self.finish_certificate(prepared)?;
        Ok(self.hold(certificate))
    }
}

/// A certificate that came by itself, whose issuer is known and whose signature is left to verify.
#[derive(Debug)]
pub struct PreparedCertificate<'m> {
    chain: Chain<'m>,
    /// `None`: the certificate is known.
    unverified: Option<Unverified<'m>>,
}

#[derive(Debug)]
struct Unverified<'m> {
    key: HolderKey<'m>,
    /// `None`: an implicit certificate has no signature.
    check: Option<FormCheck<'m>>,
}

impl<'m> PreparedCertificate<'m> {
    fn of(chain: Chain<'m>) -> Result<Self, Refusal> {
        let Some(link) = chain.links.first() else {
            return Ok(Self {
                chain,
                unverified: None,
            });
        };
        let view = chain.top.view()?;
        let issuer = IssuerCertificate {
            certificate: &view,
            digest: chain.top.digest(),
        };
        let issuer_key = HolderKey::Known(Arc::clone(&chain.top));
        let key = HolderKey::of(link, issuer, &issuer_key)?;
        let check = match link.certificate.signature {
            Some(_) => Some(form_check(link, Some(issuer), &issuer_key)?),
            None => None,
        };
        Ok(Self {
            unverified: Some(Unverified { key, check }),
            chain,
        })
    }

    /// Returns true if the certificate is known or has a signature. An implicit certificate has
    /// none: any bytes under a known issuer pass, until its holder has signed something.
    #[must_use]
    pub fn is_known_or_signed(&self) -> bool {
        let unverified = self.unverified.as_ref();
        unverified.is_none_or(|unverified| unverified.check.is_some())
    }

    /// Returns true if no signature is left to verify and none is wrong.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        let check = self.unverified.as_ref().and_then(|one| one.check.as_ref());
        check.is_none_or(|check| check.decided() == Some(Ok(())))
    }

    /// Verifies the signature that is left: at most two jobs, of the two forms that may be signed.
    pub fn verify(&mut self) {
        while let Some(job) = self.job() {
            let verdict = waywarden_ecverify::verify(&job).into();
            self.record(verdict);
        }
    }
}

impl SignatureJobs for PreparedCertificate<'_> {
    fn job(&self) -> Option<Job<'_>> {
        let check = self.unverified.as_ref()?.check.as_ref()?;
        let issuer = &self.chain.top.key;
        check.job(issuer.curve(), issuer.job_key(), None)
    }

    fn record(&mut self, verdict: Verdict) {
        let unverified = self.unverified.as_mut();
        if let Some(check) = unverified.and_then(|unverified| unverified.check.as_mut()) {
            check.record(verdict);
        }
    }
}

/// Verifies the signature of an explicit certificate under the key that its issuer's certificate
/// has, or under its own where it issued itself, and nothing else: no permission, no time, no
/// chain.
///
/// # Errors
/// [`ResultCode::CryptoVerificationFailure`]; so too for an implicit certificate, which has no
/// signature, and for an issuer that is not called as the certificate says.
pub fn verify_certificate_signature(
    certificate: &Certificate<'_>,
    issuer: Option<&Certificate<'_>>,
) -> Result<(), Refusal> {
    use waywarden_v2x_wire::ieee1609dot2::VerificationKeyIndicator::VerificationKey;
    let link = Link::new(*certificate)?;
    let refuse = |field, why| Err(link.refuse(ResultCode::CryptoVerificationFailure, field, why));
    let above = issuer.map(|issuer| Link::new(*issuer)).transpose()?;
    if link.issuer()? != above.map(|above| above.id()) {
        return refuse("issuer", "another certificate than its issuer's");
    }
    let holder = issuer.unwrap_or(certificate);
    let VerificationKey(key) = &holder.to_be_signed.verify_key_indicator else {
        return refuse(
            "verifyKeyIndicator",
            "an implicit certificate has its key elsewhere",
        );
    };
    let issuer = above.as_ref().map(|above| IssuerCertificate {
        certificate: &above.certificate,
        digest: &above.digest,
    });
    match verification_key(key) {
        Some((curve, point)) => verify_signature(&link, issuer, &HolderKey::Encoded(curve, point)),
        None => refuse("verifyKeyIndicator", "SM2 is not supported"),
    }
}

/// Verifies a certificate's signature under a key.
fn verify_signature(
    link: &Link<'_>,
    issuer: Option<IssuerCertificate<'_>>,
    key: &HolderKey<'_>,
) -> Result<(), Refusal> {
    form_check(link, issuer, key)?
        .verify(key.curve(), key.job_key())
        .map_err(|refusal| wrong_signature(link, Reason::Signature(refusal)))
}

/// Finds a certificate's signature, to be verified under a key.
fn form_check<'m>(
    link: &Link<'m>,
    issuer: Option<IssuerCertificate<'_>>,
    key: &HolderKey<'_>,
) -> Result<FormCheck<'m>, Refusal> {
    check_hash(link, key.curve())?;
    let own = link.certificate.signature.as_ref();
    let another = Reason::Words("of another curve than the key");
    let signature = own
        .and_then(|own| signature_on(key.curve(), own))
        .ok_or_else(|| wrong_signature(link, another))?;
    Ok(FormCheck::new(signed_digest(link, issuer)?, signature))
}

fn wrong_signature(link: &Link<'_>, reason: Reason) -> Refusal {
    Refusal {
        code: ResultCode::CryptoVerificationFailure,
        certificate: Some(link.id()),
        field: "signature",
        reason,
    }
}

/// Verifies a certificate that issued itself.
fn self_signed(link: &Link<'_>) -> Result<Verified, Refusal> {
    check_size(link)?;
    check_own_region(link)?;
    let refuse = |field, why| Err(link.refuse(ResultCode::ChainEndedAtUntrustedRoot, field, why));
    if !matches!(link.certificate.issuer, IssuerIdentifier::SelfIssued(_)) {
        return refuse("issuer", "a trust anchor issues itself");
    }
    use waywarden_v2x_wire::ieee1609dot2::VerificationKeyIndicator::VerificationKey;
    let VerificationKey(key) = &link.certificate.to_be_signed.verify_key_indicator else {
        return refuse("verifyKeyIndicator", "a trust anchor has its key");
    };
    let Some((curve, point)) = verification_key(key) else {
        return refuse("verifyKeyIndicator", "SM2 is not supported");
    };
    let key = HolderKey::Encoded(curve, point);
    verify_signature(link, None, &key)?;
    let key = key.into_signer(link)?;
    Ok(Verified::new(&link.certificate, link.digest, key, None))
}
