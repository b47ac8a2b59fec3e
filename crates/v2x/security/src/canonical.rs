//! Checks of the parts that canonical forms omit from hashes \[1609.2 §6.1.2, §6.4.3\].
//!
//! Hashing compresses the points of keys and reduces the `r` of a signature to its x-coordinate, so
//! one hash belongs to several encodings. The y-coordinate of an uncompressed point does not enter
//! the hash but for one bit: a receiver must check that it lies on the curve, or an outsider can
//! write anything there.

use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_wire::ieee1609dot2::{
    BasePublicEncryptionKey, CurvePoint, EncryptionKey, PublicEncryptionKey, Signature,
    ToBeSignedCertificate, VerificationKeyIndicator,
};

use crate::key::{encoded, signature, verification_key};

/// Returns true unless the point is uncompressed and off its curve: hashes cover all other forms.
fn lies_on(curve: Curve, point: &EncodedPoint<'_>) -> bool {
    !matches!(point, EncodedPoint::Uncompressed { .. }) || Point::decode(curve, point).is_ok()
}

fn encryption_key_lies(key: &PublicEncryptionKey<'_>) -> bool {
    match &key.key {
        BasePublicEncryptionKey::EciesNistP256(point) => lies_on(Curve::P256, &encoded(point)),
        BasePublicEncryptionKey::EciesBrainpoolP256r1(point) => {
            lies_on(Curve::BrainpoolP256r1, &encoded(point))
        }
        // The curve of SM2 is not supported: whether a point lies on it cannot be told.
        BasePublicEncryptionKey::EcencSm2(point) => {
            !matches!(point, CurvePoint::Uncompressed { .. })
        }
        BasePublicEncryptionKey::Unknown(..) => true,
    }
}

/// Finds a field with an uncompressed point that does not lie on its curve. `issuer` is the curve
/// of a reconstruction value, which is that of the issuer's key.
///
/// Bounded: at most two evaluations of a curve's equation.
pub(crate) fn misplaced_point(
    own: &ToBeSignedCertificate<'_>,
    issuer: Option<Curve>,
) -> Option<&'static str> {
    let lies = match &own.verify_key_indicator {
        VerificationKeyIndicator::VerificationKey(key) => {
            verification_key(key).is_none_or(|(curve, point)| lies_on(curve, &point))
        }
        VerificationKeyIndicator::ReconstructionValue(value) => {
            issuer.is_none_or(|curve| lies_on(curve, &encoded(value)))
        }
    };
    if !lies {
        return Some("verifyKeyIndicator");
    }
    let encryption = own.encryption_key.as_ref();
    (!encryption.is_none_or(encryption_key_lies)).then_some("encryptionKey")
}

/// Returns true unless the encryption key in a message's header is uncompressed and off its curve.
pub(crate) fn header_key_lies(key: Option<&EncryptionKey<'_>>) -> bool {
    match key {
        Some(EncryptionKey::Public(key)) => encryption_key_lies(key),
        _ => true,
    }
}

/// The form in which a signature gives its nonce point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NonceParity {
    /// As an x-coordinate: it does not say which of two points.
    Unsaid,
    /// As a point whose y-coordinate is odd, or not.
    Odd(bool),
    /// As both coordinates of something that lies on no curve.
    Misplaced,
}

impl NonceParity {
    /// The parity that a signature says.
    pub(crate) fn of(own: &Signature<'_>) -> Self {
        use waywarden_ecverify::EncodedPoint::{
            CompressedY0, CompressedY1, Fill, Uncompressed, XOnly,
        };
        let Some((curve, own)) = signature(own) else {
            return Self::Unsaid;
        };
        match own.r {
            XOnly(_) | Fill => Self::Unsaid,
            CompressedY0(_) => Self::Odd(false),
            CompressedY1(_) => Self::Odd(true),
            Uncompressed { y, .. } => match Point::decode(curve, &own.r) {
                Ok(_) => Self::Odd(y.last().is_some_and(|byte| byte & 1 == 1)),
                Err(_) => Self::Misplaced,
            },
        }
    }

    /// The other point with the same x-coordinate.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Odd(is_odd) => Self::Odd(!is_odd),
            other => other,
        }
    }

    /// Returns true if a signature of this form is valid wherever one of form `verified` is, all
    /// else being equal.
    pub(crate) fn follows_from(self, verified: Self) -> bool {
        match self {
            Self::Unsaid => true,
            Self::Odd(_) => self == verified,
            Self::Misplaced => false,
        }
    }
}
