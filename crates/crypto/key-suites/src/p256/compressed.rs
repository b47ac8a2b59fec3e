//! P-256 as TLS and most protocols encode it: points of 33 bytes, x after the sign of y.
//!
//! Read SEC 1 §2.3.3 and SP 800-56A §5.7.1.2. The arithmetic is that of [`P256`]: of an agreement
//! only x comes out, which is the same for a point and its negative, so the sign of an offer's y
//! is checked for form and then has no effect. Who hashes offers and answers, as
//! [`KeyAgreement`] asks, binds it all the same.

use ::p256::AffinePoint;
use ::p256::ecdsa::SigningKey;
use ::p256::elliptic_curve::sec1::ToSec1Point;
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::{P256, P256Scalar, point, verify};
use crate::{
    AgreementError, DiffieHellman, KeyAgreement, Meter, Secret, Share, SignatureScheme, VerifyError,
};

/// P-256 with points of 33 bytes: agreement by Diffie-Hellman on offers and answers, and ECDSA with
/// SHA-256 and nonces of RFC 6979. About 128 bits of security.
pub enum P256Compressed {}

/// A compressed point as it stands on the bus: an allegation.
type Point = [u8; 33];

/// Computes the offer or answer of a scalar.
fn share(meter: &mut impl Meter, scalar: &P256Scalar) -> Point {
    meter.record(Operation::new(OperationKind::Share, Algorithm::P256, 0));
    compress(&point(scalar))
}

fn compress(point: &AffinePoint) -> Point {
    let encoded = point.to_sec1_point(true);
    encoded
        .as_bytes()
        .try_into()
        .expect("not the neutral point")
}

/// The x-coordinate of a compressed point; whether it is on the curve is not looked at.
fn abscissa(point: &[u8]) -> Result<&Share, AgreementError> {
    let point: &Point = point.try_into().map_err(|_| AgreementError::Length)?;
    match point {
        [0x02 | 0x03, x @ ..] => Ok(x),
        _ => Err(AgreementError::NotCanonical),
    }
}

impl KeyAgreement for P256Compressed {
    const OFFER_LENGTH: usize = 33;
    const ANSWER_LENGTH: usize = 33;

    type Offer = Point;
    type Answer = Point;
    type Pending = P256Scalar;

    fn offer(meter: &mut impl Meter, random: &Secret) -> (P256Scalar, Point) {
        let scalar = P256::scalar(random);
        let offer = share(meter, &scalar);
        (scalar, offer)
    }

    fn answer(
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
    ) -> Result<(Point, Secret), AgreementError> {
        let x = abscissa(offer)?;
        let scalar = P256::scalar(random);
        // The offer first: a bad one shall not cost a share.
        let secret = P256::extract(meter, &scalar, x)?;
        Ok((share(meter, &scalar), secret))
    }

    /// The secret is the x-coordinate of the common point, 32 bytes.
    fn finish(
        meter: &mut impl Meter,
        pending: &P256Scalar,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        P256::extract(meter, pending, abscissa(answer)?)
    }
}

impl SignatureScheme for P256Compressed {
    const PUBLIC_KEY_LENGTH: usize = 33;
    const SIGNATURE_LENGTH: usize = 64;

    type SigningKey = SigningKey;
    type PublicKey = Point;
    type Signature = [u8; 64];

    /// As that of [`P256`].
    fn signing_key(secret: &Secret) -> SigningKey {
        P256::signing_key(secret)
    }

    fn public_key(key: &SigningKey) -> Point {
        compress(key.verifying_key().as_affine())
    }

    fn sign(meter: &mut impl Meter, key: &SigningKey, message: &[u8]) -> [u8; 64] {
        P256::sign(meter, key, message)
    }

    /// Malleable as that of [`P256`].
    fn verify(
        meter: &mut impl Meter,
        public: &Point,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        meter.record(crate::over(OperationKind::Verify, Algorithm::P256, message));
        // 33 bytes are also the length of SEC 1's "compact" points, which begin with 5.
        abscissa(public).map_err(|_| VerifyError::PublicKey)?;
        verify(public, message, signature)
    }
}
