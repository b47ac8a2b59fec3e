//! Certificates that come by themselves: trust anchors, and those whose issuer is known.

use alloc::sync::Arc;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, IssuerIdentifier};

use crate::chain::{self, KnownCertificates, Link};
use crate::consistency::{check_own_region, check_periods, check_permissions, check_size};
use crate::forms::FormCheck;
use crate::holder::{HolderKey, IssuerCertificate, check_hash, signed_digest};
use crate::key::{SignerKey, signature_on, verification_key};
use crate::prepared::verified;
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
    /// What is wrong with it: with an unknown issuer
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
        let link = Link::new(parse(certificate)?)?;
        let known = KnownCertificates {
            store: self.store(),
            provisional: None,
        };
        let limits = self.limits();
        let chain = chain::build(link, core::iter::empty(), &known, limits)?;
        self.state().check_revoked(&chain, Unexpanded::Refused)?;
        let Some(link) = chain.links.first() else {
            return Ok(chain.top);
        };
        let view = chain.top.view()?;
        let issuer = IssuerCertificate {
            certificate: &view,
            digest: chain.top.digest(),
        };
        let issuer_key = HolderKey::Known(Arc::clone(&chain.top));
        let key = HolderKey::of(link, issuer, &issuer_key)?;
        if link.certificate.signature.is_some() {
            verify_signature(link, Some(issuer), &issuer_key)?;
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
    let wrong = |reason| Refusal {
        code: ResultCode::CryptoVerificationFailure,
        certificate: Some(link.id()),
        field: "signature",
        reason,
    };
    check_hash(link, key.curve())?;
    let own = link.certificate.signature.as_ref();
    let another = Reason::Words("of another curve than the key");
    let signature = own
        .and_then(|own| signature_on(key.curve(), own))
        .ok_or_else(|| wrong(another))?;
    let digest = signed_digest(link, issuer)?;
    FormCheck::new(digest, signature)
        .verify(key.curve(), key.job_key())
        .map_err(|refusal| wrong(Reason::Signature(refusal)))
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
