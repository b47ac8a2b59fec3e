//! The other certificate that a holder can make of its own: ECDSA takes `s` and `n - s` alike.

use waywarden_ecverify::negated;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateBase, EcdsaSignature, Signature};

use crate::hash::{Digest, certificate_digest};
use crate::key::signature;

/// Returns the hash of a certificate with the other half of its signature: who holds a certificate
/// can replace `s` by `n - s`, and has another one that is as valid. `None` for implicit ones,
/// which have no signature, and for SM2.
#[must_use]
pub(crate) fn counterpart_digest(certificate: &Certificate<'_>) -> Option<Digest> {
    let (curve, own) = signature(certificate.signature.as_ref()?)?;
    let s = negated(curve, own.s)?;
    let other = with_s(certificate.signature.as_ref()?, &s)?;
    let parts = CertificateBase {
        signature: Some(other),
        ..**certificate
    };
    certificate_digest(&Certificate::new(parts).ok()?)
}

/// The same signature with another `s`.
fn with_s<'a>(signature: &Signature<'a>, s: &'a [u8; 48]) -> Option<Signature<'a>> {
    fn of<'a, const N: usize>(
        own: &EcdsaSignature<'a, N>,
        s: &'a [u8; 48],
    ) -> Option<EcdsaSignature<'a, N>> {
        let s = s.first_chunk::<N>()?;
        Some(EcdsaSignature { r: own.r, s })
    }
    Some(match signature {
        Signature::EcdsaNistP256(own) => Signature::EcdsaNistP256(of(own, s)?),
        Signature::EcdsaBrainpoolP256r1(own) => Signature::EcdsaBrainpoolP256r1(of(own, s)?),
        Signature::EcdsaNistP384(own) => Signature::EcdsaNistP384(of(own, s)?),
        Signature::EcdsaBrainpoolP384r1(own) => Signature::EcdsaBrainpoolP384r1(of(own, s)?),
        Signature::Sm2(_) => return None,
    })
}
