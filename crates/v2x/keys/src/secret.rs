//! Secrets that leave a store: each is wiped when it is dropped, and cannot be printed.

use waywarden_ecverify::Curve;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes of the longest private key or coordinate.
pub(crate) const LONGEST: usize = 48;

/// A secret that two keys share: the x-coordinate of their product. Not uniform: derive keys from
/// it. It is wiped when it is dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct SharedSecret {
    bytes: [u8; LONGEST],
    #[zeroize(skip)]
    curve: Curve,
}

impl SharedSecret {
    pub(crate) fn new(curve: Curve, x: &[u8]) -> Self {
        let mut bytes = [0; LONGEST];
        let length = curve.field_bytes();
        bytes[..length].copy_from_slice(&x[..length]);
        Self { bytes, curve }
    }

    /// Takes an x-coordinate from a store outside of this crate; `None` if it is not as long as the
    /// curve's coordinates.
    #[must_use]
    pub fn from_coordinate(curve: Curve, x: &[u8]) -> Option<Self> {
        (x.len() == curve.field_bytes()).then(|| Self::new(curve, x))
    }

    /// Returns the bytes, big-endian: 32 or 48.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.curve.field_bytes()]
    }
}

/// A private key outside a store: on its way from or to a file. It is wiped when it is dropped.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct PrivateKey {
    bytes: [u8; LONGEST],
    #[zeroize(skip)]
    curve: Curve,
}

impl PrivateKey {
    /// Takes the bytes of a private key, big-endian; `None` if they are not as long as the curve's
    /// order. Whether they are in 1..n is checked where a store takes the key.
    #[must_use]
    pub fn new(curve: Curve, scalar: &[u8]) -> Option<Self> {
        let mut bytes = [0; LONGEST];
        if scalar.len() != curve.field_bytes() {
            return None;
        }
        bytes[..scalar.len()].copy_from_slice(scalar);
        Some(Self { bytes, curve })
    }

    /// Returns the curve.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Returns the bytes, big-endian: 32 or 48.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.curve.field_bytes()]
    }
}
