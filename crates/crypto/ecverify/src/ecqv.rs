//! ECQV: the public key that an implicit certificate stands for, Q = e P + C.
//!
//! P is the certificate's reconstruction point and C the issuer's public key. The two standards
//! differ in e, and so in every key: IEEE 1609.2 §5.3.2 takes the whole hash as an integer modulo
//! n, SEC 4 §2.3 only its leftmost bits, one fewer than the order has. [`rebuild`] is the former;
//! the latter has its own name. The caller hashes.

use core::fmt;

use crate::curves::{Curve, Scalar, on_curve};
use crate::encoding::{EncodedPoint, Point, PointError, decode};
use crate::group::Affine;
use crate::limbs::{from_bytes, shift_right};
use crate::multiply::{Base, Tabulated, Term, sum};
use crate::residue::Residue;

/// Reason why no key is rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RebuildError {
    /// The hash has neither 32 nor 48 bytes.
    HashLength,
    /// The reconstruction value is no point of the curve.
    Reconstruction(PointError),
    /// The issuer's key is no point of the curve.
    Ca(PointError),
    /// The sum is infinity: e P = -C.
    Infinity,
}

impl fmt::Display for RebuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HashLength => f.write_str("the hash has neither 32 nor 48 bytes"),
            Self::Reconstruction(error) => write!(f, "reconstruction value: {error}"),
            Self::Ca(error) => write!(f, "the issuer's key: {error}"),
            Self::Infinity => f.write_str("the rebuilt key is at infinity"),
        }
    }
}

impl core::error::Error for RebuildError {}

/// Rebuilds a key in IEEE 1609.2's form: all of `hash`, 32 or 48 bytes, is e, modulo n.
///
/// # Errors
/// Every [`RebuildError`].
pub fn rebuild(
    curve: Curve,
    hash: &[u8],
    reconstruction: &EncodedPoint<'_>,
    ca: &EncodedPoint<'_>,
) -> Result<Point, RebuildError> {
    if !is_hash(hash) {
        return Err(RebuildError::HashLength);
    }
    on_curve!(curve, rebuild_on(hash, 0, reconstruction, ca))
}

/// Rebuilds a key in SEC 4's form: e is the leftmost bits of `hash`, one fewer than the order has.
/// IEEE 1609.2 uses [`rebuild`] instead, and the keys differ.
///
/// # Errors
/// Every [`RebuildError`].
pub fn rebuild_sec4(
    curve: Curve,
    hash: &[u8],
    reconstruction: &EncodedPoint<'_>,
    ca: &EncodedPoint<'_>,
) -> Result<Point, RebuildError> {
    if !is_hash(hash) {
        return Err(RebuildError::HashLength);
    }
    // All orders have 8 bits for each byte of a coordinate, so floor(log2 n) is one bit fewer; a
    // shorter hash stays whole.
    let length = curve.field_bytes();
    let leftmost = &hash[..hash.len().min(length)];
    let shift = u32::from(leftmost.len() == length);
    on_curve!(curve, rebuild_on(leftmost, shift, reconstruction, ca))
}

/// Returns true if these bytes can be a hash: SHA-256's or SHA-384's length.
pub(crate) fn is_hash(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 32 | 48)
}

/// Returns (`integer` >> `shift`) P + C.
fn rebuild_on<C: Tabulated<N>, const N: usize>(
    integer: &[u8],
    shift: u32,
    reconstruction: &EncodedPoint<'_>,
    ca: &EncodedPoint<'_>,
) -> Result<Point, RebuildError> {
    let reconstruction = decode::<C, N>(reconstruction).map_err(RebuildError::Reconstruction)?;
    let ca = decode::<C, N>(ca).map_err(RebuildError::Ca)?;
    let e: Scalar<C, N> = match from_bytes(integer) {
        Some(limbs) if shift > 0 => Residue::from_integer(&shift_right(&limbs, shift)),
        _ => Residue::from_bytes_reduced(integer),
    };
    reconstruct(&e.to_integer(), reconstruction, &ca)
        .map(|key| Point::new(&key))
        .ok_or(RebuildError::Infinity)
}

/// e P + C; none if that is infinity.
pub(crate) fn reconstruct<C: Tabulated<N>, const N: usize>(
    e: &[u64; N],
    reconstruction: Affine<C, N>,
    ca: &Affine<C, N>,
) -> Option<Affine<C, N>> {
    let term = Term {
        scalar: *e,
        base: Base::Point(reconstruction),
    };
    sum(&[term]).add_affine(ca).to_affine()
}
