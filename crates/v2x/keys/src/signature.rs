//! Signature of a store.

use waywarden_ecverify::{Curve, EncodedPoint, EncodedSignature as Encoded};
use waywarden_v2x_wire::ieee1609dot2::{CurvePoint, EcdsaSignature, Signature as Wire};

use crate::secret::LONGEST;

/// Form in which a signature gives its nonce point R \[1609.2 §6.3.30\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceForm {
    /// The integer r alone.
    XOnly,
    /// R, compressed: it adds the parity of the y-coordinate, with which a receiver verifies many
    /// signatures together.
    Point,
}

/// An ECDSA signature \[1609.2 §6.3.29\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    curve: Curve,
    /// Integer r, or the x-coordinate of R.
    r: [u8; LONGEST],
    s: [u8; LONGEST],
    /// True if the y-coordinate of R is odd; `None` if the signature gives r alone.
    is_odd: Option<bool>,
}

impl Signature {
    /// Takes `r` and `s` as long as the curve's coordinates, and whether the y-coordinate of R is
    /// odd, where it is known; then `r` is the x-coordinate of R. `None` for another length.
    #[must_use]
    pub fn new(curve: Curve, r: &[u8], s: &[u8], is_odd: Option<bool>) -> Option<Self> {
        let length = curve.field_bytes();
        if r.len() != length || s.len() != length {
            return None;
        }
        let mut own = Self {
            curve,
            r: [0; LONGEST],
            s: [0; LONGEST],
            is_odd,
        };
        own.r[..length].copy_from_slice(r);
        own.s[..length].copy_from_slice(s);
        Some(own)
    }

    /// Returns the curve of the signature.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Returns the form of the nonce point.
    #[must_use]
    pub fn form(&self) -> NonceForm {
        match self.is_odd {
            Some(_) => NonceForm::Point,
            None => NonceForm::XOnly,
        }
    }

    /// Returns r, or the x-coordinate of R.
    #[must_use]
    pub fn r(&self) -> &[u8] {
        &self.r[..self.curve.field_bytes()]
    }

    /// Returns s.
    #[must_use]
    pub fn s(&self) -> &[u8] {
        &self.s[..self.curve.field_bytes()]
    }

    /// Returns the signature as `waywarden-ecverify` takes it.
    #[must_use]
    pub fn encoded(&self) -> Encoded<'_> {
        let r = match self.is_odd {
            None => EncodedPoint::XOnly(self.r()),
            Some(false) => EncodedPoint::CompressedY0(self.r()),
            Some(true) => EncodedPoint::CompressedY1(self.r()),
        };
        Encoded { r, s: self.s() }
    }

    /// Returns the signature as it is written in messages and certificates.
    #[must_use]
    pub fn wire(&self) -> Wire<'_> {
        match self.curve {
            Curve::P256 => Wire::EcdsaNistP256(self.parts()),
            Curve::BrainpoolP256r1 => Wire::EcdsaBrainpoolP256r1(self.parts()),
            Curve::P384 => Wire::EcdsaNistP384(self.parts()),
            Curve::BrainpoolP384r1 => Wire::EcdsaBrainpoolP384r1(self.parts()),
        }
    }

    fn parts<const N: usize>(&self) -> EcdsaSignature<'_, N> {
        let (r, s) = (first(&self.r), first(&self.s));
        let r = match self.is_odd {
            None => CurvePoint::XOnly(r),
            Some(false) => CurvePoint::CompressedY0(r),
            Some(true) => CurvePoint::CompressedY1(r),
        };
        EcdsaSignature { r, s }
    }
}

/// The first bytes of a coordinate, as many as the curve has.
fn first<const N: usize>(bytes: &[u8; LONGEST]) -> &[u8; N] {
    const { assert!(N <= LONGEST) };
    let first = bytes.first_chunk();
    first.expect("48 bytes have N first ones")
}
