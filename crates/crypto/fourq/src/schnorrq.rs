//! SchnorrQ: 32-byte keys, 64-byte signatures.
//!
//! k = SHA-512(secret); a = k\[0..32\], A = aG. To sign M: r = SHA-512(k\[32..64\] ‖ M), R = rG,
//! h = SHA-512(R ‖ A ‖ M), s = r - a h mod N; of each hash the low 32 bytes count, as a
//! little-endian integer modulo N. The signature is R ‖ s; it is valid if sG + hA = R.
//!
//! What is decided here where the paper is silent:
//! * A must have order N ([`VerifyingKey::decode`]); FourQlib only asks that it be on the curve.
//! * s must be below N. FourQlib accepts every s below 2^246, hence sometimes two signatures for
//!   one; no honest signer makes the second, so nothing valid is lost.
//! * The equation is checked as it stands, without the cofactor, by comparing encodings. So R has
//!   order N and is canonical whenever the signature is valid.

use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::encoding::{self, DecodeError, EncodedFourQPoint, FourQPoint};
use crate::multiply::{fixed, vartime};
use crate::scalar::Scalar;

/// 64 bytes R ‖ s that claim to be a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchnorrQSignature(pub [u8; 64]);

/// A secret key with all that is derived from it. Wiped on drop; no `Debug`, no comparison.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SigningKey {
    /// a mod N.
    scalar: Scalar,
    /// k\[32..64\], from which nonces are derived.
    nonce_key: [u8; 32],
    /// encode(A).
    public: [u8; 32],
}

/// A public key: a point of order N and its encoding.
#[derive(Clone, Copy)]
pub struct VerifyingKey {
    point: FourQPoint,
    encoded: EncodedFourQPoint,
}

/// Bytes of the wrong number for a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureLengthError;

/// Reason why a signature is refused. The first cause that applies is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchnorrQVerifyError {
    /// Bit 127 of R is set.
    ReservedBit,
    /// s is 2^246 or more: FourQlib refuses it too.
    ScalarTooLarge,
    /// s is below 2^246 but not below N: FourQlib accepts it, we do not.
    ScalarNotReduced,
    /// The equation sG + hA = R does not hold; this includes every R that is no point of order N.
    Mismatch,
}

impl core::fmt::Display for SignatureLengthError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("a signature has 64 bytes")
    }
}

impl core::error::Error for SignatureLengthError {}

impl core::fmt::Display for SchnorrQVerifyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::ReservedBit => "bit 127 of the signature is set",
            Self::ScalarTooLarge => "the scalar of the signature exceeds 246 bits",
            Self::ScalarNotReduced => "the scalar of the signature is not below the group order",
            Self::Mismatch => "the signature does not match the message and the key",
        })
    }
}

impl core::error::Error for SchnorrQVerifyError {}

/// The low half of SHA-512 over `parts`.
fn hash(parts: &[&[u8]]) -> Zeroizing<[u8; 64]> {
    let mut hasher = Sha512::new();
    for part in parts {
        hasher.update(part);
    }
    let mut digest = Zeroizing::new([0; 64]);
    hasher.finalize_into((&mut *digest).into());
    digest
}

/// The low 32 bytes of SHA-512 over `parts`, modulo N.
fn hash_to_scalar(parts: &[&[u8]]) -> Scalar {
    let mut low = Zeroizing::new([0; 32]);
    low.copy_from_slice(&hash(parts)[..32]);
    Scalar::from_bytes(&low)
}

impl SigningKey {
    /// The key of 32 secret bytes, which must come from a good random source. Constant time.
    pub fn from_bytes(secret: &[u8; 32]) -> Self {
        let k = hash(&[secret]);
        let mut low = Zeroizing::new([0; 32]);
        low.copy_from_slice(&k[..32]);
        let mut nonce_key = [0; 32];
        nonce_key.copy_from_slice(&k[32..]);
        let scalar = Scalar::from_bytes(&low);
        let public = encoding::compress(&fixed::multiply(&scalar).to_affine());
        Self {
            scalar,
            nonce_key,
            public,
        }
    }

    /// The encoding of the public key.
    pub fn public(&self) -> EncodedFourQPoint {
        EncodedFourQPoint(self.public)
    }

    /// Signs `message`. Deterministic; constant time but for the length of the message.
    pub fn sign(&self, message: &[u8]) -> SchnorrQSignature {
        let nonce = Zeroizing::new(hash_to_scalar(&[&self.nonce_key, message]));
        let commitment = encoding::compress(&fixed::multiply(&nonce).to_affine());
        let challenge = hash_to_scalar(&[&commitment, &self.public, message]);
        let product = Zeroizing::new(self.scalar.mul(challenge));
        let mut bytes = [0; 64];
        bytes[..32].copy_from_slice(&commitment);
        bytes[32..].copy_from_slice(&nonce.sub(*product).to_bytes());
        SchnorrQSignature(bytes)
    }
}

impl SchnorrQSignature {
    /// Takes the bytes as they come.
    ///
    /// # Errors
    /// [`SignatureLengthError`] unless there are 64.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, SignatureLengthError> {
        Ok(Self(bytes.try_into().map_err(|_| SignatureLengthError)?))
    }

    /// R and s.
    pub(crate) fn parse(&self) -> Result<([u8; 32], Scalar), SchnorrQVerifyError> {
        let (mut commitment, mut response) = ([0; 32], [0; 32]);
        commitment.copy_from_slice(&self.0[..32]);
        response.copy_from_slice(&self.0[32..]);
        if commitment[15] & 0x80 != 0 {
            return Err(SchnorrQVerifyError::ReservedBit);
        }
        if response[31] != 0 || response[30] & 0xc0 != 0 {
            return Err(SchnorrQVerifyError::ScalarTooLarge);
        }
        let scalar =
            Scalar::from_canonical_bytes(&response).ok_or(SchnorrQVerifyError::ScalarNotReduced)?;
        Ok((commitment, scalar))
    }
}

impl VerifyingKey {
    /// The key with this encoding. Variable time.
    ///
    /// # Errors
    /// See [`EncodedFourQPoint::decode`].
    pub fn decode(encoded: &EncodedFourQPoint) -> Result<Self, DecodeError> {
        Ok(Self {
            point: encoded.decode()?,
            encoded: *encoded,
        })
    }

    /// The encoding of this key.
    pub fn encode(&self) -> EncodedFourQPoint {
        self.encoded
    }

    /// Verifies `signature` as this key's for `message`. Variable time: all of it is public.
    ///
    /// # Errors
    /// See [`SchnorrQVerifyError`].
    pub fn verify(
        &self,
        message: &[u8],
        signature: &SchnorrQSignature,
    ) -> Result<(), SchnorrQVerifyError> {
        let (commitment, response) = signature.parse()?;
        let challenge = self.challenge(&commitment, message);
        let sum = vartime::double_multiply(
            &response.to_limbs(),
            &challenge.to_limbs(),
            &self.point.to_extended(),
        );
        if encoding::compress(&sum.to_affine()) == commitment {
            Ok(())
        } else {
            Err(SchnorrQVerifyError::Mismatch)
        }
    }

    /// h.
    pub(crate) fn challenge(&self, commitment: &[u8; 32], message: &[u8]) -> Scalar {
        hash_to_scalar(&[commitment, &self.encoded.0, message])
    }

    pub(crate) fn point(&self) -> &FourQPoint {
        &self.point
    }
}
