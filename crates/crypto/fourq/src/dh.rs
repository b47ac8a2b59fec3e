//! Diffie-Hellman with cofactor: 32-byte shares, 32-byte secrets.
//!
//! share = encode(\[m\]G); secret = y of \[m\]\[392\]P, 32 bytes, P the peer's share [4Q §5]. The
//! cofactor is cleared before the secret scalar touches the point, so a share need not be of
//! order N, only on the curve and not of small order. The secret is not uniform: derive keys from
//! it with a hash that also takes both shares.

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::encoding::{self, EncodedFourQPoint, Malformed};
use crate::multiply::{fixed, variable};
use crate::scalar::{self, Scalar};

/// A secret scalar: 256 bits, any value. Wiped on drop; no `Debug`, no comparison.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct DhSecret([u64; 4]);

/// The secret that two parties agree on. Wiped on drop; no `Debug`, no comparison.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct DhSharedSecret([u8; 32]);

/// Reason why a share gives no secret. The first cause that applies is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// Bit 127 of the share is set.
    ReservedBit,
    /// The share is not the canonical encoding of anything.
    NotCanonical,
    /// No point of the curve has this y.
    NotOnCurve,
    /// The share has an order dividing 392 (the neutral point included): any secret would do.
    SmallOrder,
    /// The secret scalar is a multiple of N, so that the result is the neutral point.
    Neutral,
}

impl From<Malformed> for ExtractError {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::ReservedBit => Self::ReservedBit,
            Malformed::NotCanonical => Self::NotCanonical,
            Malformed::NotOnCurve => Self::NotOnCurve,
        }
    }
}

impl core::fmt::Display for ExtractError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::ReservedBit => "bit 127 of the share is set",
            Self::NotCanonical => "the encoding of the share is not the canonical one",
            Self::NotOnCurve => "the share is not on the curve",
            Self::SmallOrder => "the share has small order",
            Self::Neutral => "the secret scalar is zero modulo the group order",
        })
    }
}

impl core::error::Error for ExtractError {}

impl DhSecret {
    /// The scalar with these little-endian bytes, which must come from a good random source.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(scalar::limbs(bytes))
    }

    /// The public share `[m]G`. Constant time.
    pub fn share(&self) -> EncodedFourQPoint {
        let scalar = Zeroizing::new(Scalar::reduce(self.0));
        EncodedFourQPoint(encoding::compress(&fixed::multiply(&scalar).to_affine()))
    }

    /// The secret shared with the party that knows the logarithm of `share`. Constant time in
    /// `self`; what the share looks like, and whether the result is neutral, is public.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn extract(&self, share: &EncodedFourQPoint) -> Result<DhSharedSecret, ExtractError> {
        let point = encoding::decompress(&share.0)?
            .to_extended()
            .clear_cofactor();
        if point.is_neutral() {
            return Err(ExtractError::SmallOrder);
        }
        let product = Zeroizing::new(variable::multiply(&self.0, &point));
        if product.is_neutral() {
            return Err(ExtractError::Neutral);
        }
        let affine = Zeroizing::new(product.to_affine());
        Ok(DhSharedSecret(encoding::field_bytes(affine.y)))
    }
}

impl DhSharedSecret {
    /// The 32 bytes, input of a key derivation.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
