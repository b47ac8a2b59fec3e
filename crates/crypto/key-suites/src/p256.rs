//! NIST P-256: Diffie-Hellman on x-coordinates, and ECDSA with SHA-256 and nonces of RFC 6979.
//!
//! A share is the x-coordinate alone, 32 bytes: a compressed point has 33 and would not fit half a
//! CAN FD frame. x stands for a point and its negative, whose multiples have the same x in their
//! turn, so it does not matter which of the two is taken. [`P256Compressed`] is for protocols whose
//! messages have whole points.

mod compressed;
#[cfg(test)]
mod tests;

pub use compressed::P256Compressed;

use ::p256::ecdsa::signature::{Signer, Verifier};
use ::p256::ecdsa::{SigningKey, VerifyingKey};
use ::p256::elliptic_curve::ff::FromUniformBytes;
use ::p256::elliptic_curve::ops::Reduce;
use ::p256::elliptic_curve::point::{AffineCoordinates, DecompressPoint};
use ::p256::{AffinePoint, FieldBytes, ProjectivePoint, Scalar};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use waywarden_work::{Algorithm, Operation, OperationKind};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    AgreementError, CurveSuite, DiffieHellman, Meter, PublicKey, Secret, Share, SignatureScheme,
    VerifyError, symmetric,
};

/// P-256 with ECDSA: about 128 bits of security. Shares have 32 bytes, public keys 64 (x ‖ y).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct P256;

/// A secret scalar of P-256, never zero. Wiped on drop; no `Debug`, no comparison.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct P256Scalar(Scalar);

impl P256Scalar {
    /// The scalar, or one for zero.
    fn new(scalar: &Scalar) -> Self {
        let zero = scalar.ct_eq(&Scalar::ZERO);
        P256Scalar(Scalar::conditional_select(scalar, &Scalar::ONE, zero))
    }
}

super::agree_by_diffie_hellman!(P256);

impl DiffieHellman for P256 {
    type Scalar = P256Scalar;

    /// 64 bytes from HKDF-SHA-256 of the 32, as a big-endian integer modulo n: within 2^-256 of
    /// uniform as far as HKDF is (the 48 bytes of RFC 9380 §5.2 would be within 2^-128; 64 are as
    /// many blocks of SHA-256). Zero is replaced by one.
    fn scalar(secret: &Secret) -> P256Scalar {
        let wide = symmetric::stretch(secret, b"waywarden P-256 scalar");
        let scalar = Zeroizing::new(Scalar::from_uniform_bytes(&wide));
        P256Scalar::new(&scalar)
    }

    /// The 16 bytes as a big-endian integer.
    fn scalar_as_published(bytes: &[u8; 16]) -> P256Scalar {
        let mut wide = Zeroizing::new([0; 32]);
        wide[16..].copy_from_slice(bytes);
        P256Scalar::new(&reduce(&wide))
    }

    fn share(meter: &mut impl Meter, scalar: &P256Scalar) -> Share {
        meter.record(Operation::new(OperationKind::Share, Self::ALGORITHM, 0));
        point(scalar).x().into()
    }

    /// The secret is the x-coordinate of the common point, 32 bytes: Z of SP 800-56A §5.7.1.2.
    fn extract(
        meter: &mut impl Meter,
        scalar: &P256Scalar,
        share: &Share,
    ) -> Result<Secret, AgreementError> {
        meter.record(Operation::new(OperationKind::Extract, Self::ALGORITHM, 0));
        let point = decompress(share)?;
        // n is prime and neither factor zero, so the product is not the neutral point.
        let product = Zeroizing::new(ProjectivePoint::from(point) * scalar.0);
        let affine = Zeroizing::new(product.to_affine());
        Ok(Secret::from_bytes(affine.x().into()))
    }
}

/// The public point of a scalar.
fn point(scalar: &P256Scalar) -> AffinePoint {
    (ProjectivePoint::GENERATOR * scalar.0).to_affine()
}

/// 32 bytes as a big-endian integer modulo n.
fn reduce(bytes: &[u8; 32]) -> Zeroizing<Scalar> {
    let bytes = Zeroizing::new(FieldBytes::from(*bytes));
    Zeroizing::new(Scalar::reduce(&*bytes))
}

/// One of the two points with this x. Variable time: shares are public.
fn decompress(x: &Share) -> Result<AffinePoint, AgreementError> {
    /// p, big endian.
    const FIELD: [u8; 32] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ];
    if *x >= FIELD {
        return Err(AgreementError::NotCanonical);
    }
    // (0, √b) is a point of order n; but it comes only from an empty buffer, or from an attacker
    // who wants to see zeros go by inside a multiplication.
    if *x == [0; 32] {
        return Err(AgreementError::Weak);
    }
    let point = AffinePoint::decompress(&FieldBytes::from(*x), Choice::from(0));
    Option::from(point).ok_or(AgreementError::NotOnCurve)
}

impl SignatureScheme for P256 {
    const PUBLIC_KEY_LENGTH: usize = 64;
    const SIGNATURE_LENGTH: usize = 64;

    type SigningKey = SigningKey;
    type PublicKey = PublicKey;
    type Signature = [u8; 64];

    /// The 32 bytes as a big-endian integer modulo n: as they are, unless they are n or more, which
    /// is one in 2^32 of random ones. Zero and n are replaced by one.
    fn signing_key(secret: &Secret) -> SigningKey {
        let scalar = P256Scalar::new(&reduce(secret.as_bytes()));
        let bytes = Zeroizing::new(scalar.0.to_bytes());
        SigningKey::from_bytes(&bytes).expect("1 to n - 1")
    }

    fn public_key(key: &SigningKey) -> PublicKey {
        let point = key.verifying_key().to_sec1_point(false);
        let mut bytes = [0; 64];
        bytes.copy_from_slice(&point.as_bytes()[1..]);
        PublicKey::long(bytes)
    }

    fn sign(meter: &mut impl Meter, key: &SigningKey, message: &[u8]) -> [u8; 64] {
        meter.record(super::over(OperationKind::Sign, Self::ALGORITHM, message));
        let signature: ::p256::ecdsa::Signature = key.sign(message);
        signature.to_bytes().into()
    }

    /// Anyone can make a second valid signature (r, n - s) of one (r, s), as the standard has it: a
    /// signature is a proof and no name for a message.
    fn verify(
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        meter.record(super::over(OperationKind::Verify, Self::ALGORITHM, message));
        let mut encoded = [0x04; 65];
        let coordinates: &[u8; 64] = public
            .as_bytes()
            .try_into()
            .map_err(|_| VerifyError::PublicKey)?;
        encoded[1..].copy_from_slice(coordinates);
        verify(&encoded, message, signature)
    }
}

/// Checks an ECDSA signature under a key in one of the encodings of SEC 1 §2.3.3.
fn verify(public: &[u8], message: &[u8], signature: &[u8; 64]) -> Result<(), VerifyError> {
    let key = VerifyingKey::from_sec1_bytes(public).map_err(|_| VerifyError::PublicKey)?;
    let signature =
        ::p256::ecdsa::Signature::from_slice(signature).map_err(|_| VerifyError::Malformed)?;
    key.verify(message, &signature)
        .map_err(|_| VerifyError::Mismatch)
}

impl CurveSuite for P256 {
    const NAME: &'static str = "p256";
    const IDENTIFIER: u8 = 2;
    const ALGORITHM: Algorithm = Algorithm::P256;
}
