//! Canonical forms \[1609.2 §6.1.2, §6.4.3\]: decides by the forms of points alone whether bytes
//! can be hashed as they were read.

use crate::ieee1609dot2::{
    BasePublicEncryptionKey, Certificate, CurvePoint, EncryptionKey, PublicEncryptionKey,
    PublicVerificationKey, Signature, ToBeSignedCertificate, ToBeSignedData,
    VerificationKeyIndicator,
};

fn is_uncompressed<const N: usize>(point: &CurvePoint<'_, N>) -> bool {
    matches!(point, CurvePoint::Uncompressed { .. })
}

fn key_is_uncompressed(key: &PublicVerificationKey<'_>) -> bool {
    match key {
        PublicVerificationKey::EcdsaNistP256(point)
        | PublicVerificationKey::EcdsaBrainpoolP256r1(point)
        | PublicVerificationKey::EcsigSm2(point) => is_uncompressed(point),
        PublicVerificationKey::EcdsaNistP384(point)
        | PublicVerificationKey::EcdsaBrainpoolP384r1(point) => is_uncompressed(point),
    }
}

fn encryption_key_is_uncompressed(key: &PublicEncryptionKey<'_>) -> bool {
    match &key.key {
        BasePublicEncryptionKey::EciesNistP256(point)
        | BasePublicEncryptionKey::EciesBrainpoolP256r1(point)
        | BasePublicEncryptionKey::EcencSm2(point) => is_uncompressed(point),
        BasePublicEncryptionKey::Unknown(..) => false,
    }
}

/// Returns true if the signed part of a certificate is in canonical form: bytes that were read are,
/// unless a point in them is uncompressed.
#[must_use]
pub fn is_canonical_part(own: &ToBeSignedCertificate<'_>) -> bool {
    let key = match &own.verify_key_indicator {
        VerificationKeyIndicator::VerificationKey(key) => key_is_uncompressed(key),
        VerificationKeyIndicator::ReconstructionValue(value) => is_uncompressed(value),
    };
    let encryption = own.encryption_key.as_ref();
    !key && !encryption.is_some_and(encryption_key_is_uncompressed)
}

/// Returns true if a whole certificate is in canonical form: the `r` of its signature is an
/// x-coordinate, too.
#[must_use]
pub fn is_canonical_certificate(certificate: &Certificate<'_>) -> bool {
    fn is_point<const N: usize>(r: &CurvePoint<'_, N>) -> bool {
        !matches!(r, CurvePoint::XOnly(_) | CurvePoint::Fill)
    }
    let is_point = match &certificate.signature {
        None | Some(Signature::Sm2(_)) => false,
        Some(Signature::EcdsaNistP256(own) | Signature::EcdsaBrainpoolP256r1(own)) => {
            is_point(&own.r)
        }
        Some(Signature::EcdsaNistP384(own) | Signature::EcdsaBrainpoolP384r1(own)) => {
            is_point(&own.r)
        }
    };
    !is_point && is_canonical_part(&certificate.to_be_signed)
}

/// Returns true if the signed part of a message, as it was read, is in canonical form. Its payload
/// and all that follows an extension marker are hashed unchanged.
#[must_use]
pub fn is_canonical_data(own: &ToBeSignedData<'_>) -> bool {
    match &own.header_info.encryption_key {
        Some(EncryptionKey::Public(key)) => !encryption_key_is_uncompressed(key),
        _ => true,
    }
}
