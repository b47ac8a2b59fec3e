//! The key of a certificate's holder, and what its issuer signed \[1609.2 §5.3, §6.4.8\].

use alloc::sync::Arc;

use waywarden_ecverify::{Curve, EncodedPoint, JobKey, Point};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, VerificationKeyIndicator};

use crate::canonical::misplaced_point;
use crate::chain::Link;
use crate::hash::{
    Digest, HashFunction, hash, hash_certificate, hash_for_signature, hash_part,
    is_canonical_certificate, is_canonical_part,
};
use crate::key::{ImplicitKey, SignerKey, hash_of, verification_key};
use crate::result::{Refusal, ResultCode};
use crate::store::Verified;

/// Digests that a signature covers or a key is rebuilt with \[1609.2 §5.3.1, §6.4.8\].
#[derive(Debug)]
pub(crate) struct SignedDigest {
    /// Of the canonical form, which the standard asks for.
    pub(crate) canonical: Digest,
    /// Of the bytes as they came, where they are not canonical: some sign those.
    pub(crate) as_is: Option<Digest>,
}

/// A certificate was signed over the hash that goes with its issuer's key \[1609.2 §5.3.1\].
pub(crate) fn check_hash(link: &Link<'_>, issuer: Curve) -> Result<(), Refusal> {
    match link.function()? == hash_of(issuer) {
        true => Ok(()),
        false => Err(link.refuse(
            ResultCode::CryptoVerificationFailure,
            "issuer",
            "another hash function than that of the issuer's key",
        )),
    }
}

/// The certificate that issued another one.
#[derive(Clone, Copy)]
pub(crate) struct IssuerCertificate<'i> {
    pub(crate) certificate: &'i Certificate<'i>,
    /// The hash that it is called by.
    pub(crate) digest: &'i Digest,
}

/// Returns the digest of a certificate and its issuer; without an issuer it issued itself.
pub(crate) fn signed_digest(
    link: &Link<'_>,
    issuer: Option<IssuerCertificate<'_>>,
) -> Result<SignedDigest, Refusal> {
    let function = link.function()?;
    let unwritten = |_| link.unsupported("not to be written");
    let own = &link.certificate.to_be_signed;
    let own_canonical = hash_part(function, &link.certificate).map_err(unwritten)?;
    let above_canonical = match issuer {
        // Mostly it is called by a hash of the same function.
        Some(issuer) if issuer.digest.as_bytes().len() == function.bytes() => *issuer.digest,
        Some(issuer) => hash_certificate(function, issuer.certificate).map_err(unwritten)?,
        None => hash(function, &[]),
    };
    let canonical = hash_for_signature(function, &own_canonical, &above_canonical);
    let above_is_canonical =
        issuer.is_none_or(|issuer| is_canonical_certificate(issuer.certificate));
    if is_canonical_part(own) && above_is_canonical {
        return Ok(SignedDigest {
            canonical,
            as_is: None,
        });
    }
    let bytes = own.bytes().unwrap_or(&[]);
    let above = issuer.and_then(|issuer| issuer.certificate.bytes());
    let above = hash(function, above.unwrap_or(&[]));
    Ok(SignedDigest {
        canonical,
        as_is: Some(hash_for_signature(function, &hash(function, bytes), &above)),
    })
}

/// The key of a certificate's holder, wherever it is.
#[derive(Clone, Debug)]
pub(crate) enum HolderKey<'m> {
    /// In a certificate that was verified.
    Known(Arc<Verified>),
    /// In one that was not, as it has it.
    Encoded(Curve, EncodedPoint<'m>),
    /// To be rebuilt.
    Implicit(ImplicitKey),
}

impl<'m> HolderKey<'m> {
    /// Finds the key of a certificate under its issuer's.
    pub(crate) fn of(
        link: &Link<'m>,
        issuer: IssuerCertificate<'_>,
        issuer_key: &HolderKey<'_>,
    ) -> Result<Self, Refusal> {
        if let Some(field) =
            misplaced_point(&link.certificate.to_be_signed, Some(issuer_key.curve()))
        {
            let why = "an uncompressed point that does not lie on its curve";
            return Err(link.refuse(ResultCode::CryptoVerificationFailure, field, why));
        }
        match &link.certificate.to_be_signed.verify_key_indicator {
            VerificationKeyIndicator::VerificationKey(key) => match verification_key(key) {
                Some((curve, point)) => Ok(Self::Encoded(curve, point)),
                None => Err(no_key(link, "SM2 is not supported")),
            },
            VerificationKeyIndicator::ReconstructionValue(value) => {
                if hash_of(issuer_key.curve()) != HashFunction::Sha256 {
                    return Err(no_key(link, "a value of 256 bits under a key of 384"));
                }
                check_hash(link, issuer_key.curve())?;
                let ca = issuer_key.point().map_err(|why| no_key(link, why))?;
                let e = signed_digest(link, Some(issuer))?.canonical;
                match ImplicitKey::new(e, value, ca) {
                    Some(key) => Ok(Self::Implicit(key)),
                    None => Err(no_key(link, "a value without a y-coordinate")),
                }
            }
        }
    }

    pub(crate) fn curve(&self) -> Curve {
        match self {
            Self::Known(certificate) => certificate.key.curve(),
            Self::Encoded(curve, _) => *curve,
            Self::Implicit(key) => key.ca.curve(),
        }
    }

    /// The key as a job has it.
    pub(crate) fn job_key(&self) -> JobKey<'_> {
        match self {
            Self::Known(certificate) => certificate.key.job_key(),
            Self::Encoded(_, point) => JobKey::Explicit(*point),
            Self::Implicit(key) => key.job_key(),
        }
    }

    /// Computes the point: a square root, or a multiplication.
    pub(crate) fn point(&self) -> Result<Point, &'static str> {
        match self {
            Self::Known(certificate) => certificate.key.point().map_err(|_| "no key of the issuer"),
            Self::Encoded(curve, point) => {
                Point::decode(*curve, point).map_err(|_| "the issuer's key is no point")
            }
            Self::Implicit(key) => key.rebuild().map_err(|_| "no key of the issuer"),
        }
    }

    /// Returns the form of the key that the store keeps.
    pub(crate) fn into_signer(self, link: &Link<'_>) -> Result<SignerKey, Refusal> {
        match self {
            Self::Implicit(key) => Ok(SignerKey::Implicit(key)),
            other => other
                .point()
                .map(SignerKey::Point)
                .map_err(|_| no_key(link, "no point of the curve")),
        }
    }
}

fn no_key(link: &Link<'_>, why: &'static str) -> Refusal {
    link.refuse(
        ResultCode::CryptoVerificationFailure,
        "verifyKeyIndicator",
        why,
    )
}
