//! Points as bytes: the forms of IEEE 1609.2 and SEC 1, decoding, and what a decoded point offers.
//!
//! An [`EncodedPoint`] is an allegation and borrows its bytes; a [`Point`] has been checked to be
//! on its curve. Read IEEE 1609.2 §6.3.23 (EccP256CurvePoint) and SEC 1 §2.3.

use core::fmt;

use crate::Curve;
use crate::curves::{FieldElement, Weierstrass, on_curve};
use crate::group::Affine;
use crate::limbs::{from_bytes, less, to_bytes};
use crate::residue::{Prime, Residue};

/// Bytes of the longest coordinate.
const LONGEST: usize = 48;

/// A point as it came: coordinates are big-endian, of exactly [`Curve::field_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncodedPoint<'a> {
    /// Only an integer: r of a signature. Never a key.
    XOnly(&'a [u8]),
    /// The choice `fill` of IEEE 1609.2: nothing. Neither r nor a key.
    Fill,
    /// The abscissa; the ordinate is even.
    CompressedY0(&'a [u8]),
    /// The abscissa; the ordinate is odd.
    CompressedY1(&'a [u8]),
    /// Both coordinates.
    Uncompressed {
        /// The abscissa.
        x: &'a [u8],
        /// The ordinate.
        y: &'a [u8],
    },
}

impl<'a> EncodedPoint<'a> {
    /// Reads SEC 1's octet string: 02 or 03 and x, or 04, x and y. Only splits; the coordinates
    /// are checked where the point is used.
    ///
    /// # Errors
    /// [`PointError::Infinity`] for the single octet 00, [`PointError::Length`] for no octets or an
    /// odd number of them after 04, [`PointError::Form`] for another first octet (hybrid forms
    /// among them).
    pub fn from_sec1(bytes: &'a [u8]) -> Result<Self, PointError> {
        match *bytes {
            [] => Err(PointError::Length),
            [0] => Err(PointError::Infinity),
            [2, ref x @ ..] => Ok(Self::CompressedY0(x)),
            [3, ref x @ ..] => Ok(Self::CompressedY1(x)),
            [4, ref both @ ..] if both.len().is_multiple_of(2) => {
                let (x, y) = both.split_at(both.len() / 2);
                Ok(Self::Uncompressed { x, y })
            }
            [4, ..] => Err(PointError::Length),
            _ => Err(PointError::Form),
        }
    }

    /// The same point with y as a single bit: what IEEE 1609.2 hashes of a certificate's points.
    /// Nothing is checked; the other forms stay as they are.
    #[must_use]
    pub fn to_compressed(self) -> Self {
        match self {
            Self::Uncompressed { x, y } => match y.last() {
                Some(last) if last & 1 == 1 => Self::CompressedY1(x),
                _ => Self::CompressedY0(x),
            },
            other => other,
        }
    }
}

/// Reason why an encoding is no point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointError {
    /// A coordinate does not have the field's length.
    Length,
    /// An octet string that does not begin with 02, 03 or 04.
    Form,
    /// An abscissa without a bit of the ordinate: two points or none.
    XOnly,
    /// The choice `fill`, which holds nothing.
    Fill,
    /// The point at infinity, which is no key.
    Infinity,
    /// A coordinate is not below the field's prime.
    NotCanonical,
    /// No point of the curve has these coordinates.
    NotOnCurve,
}

impl fmt::Display for PointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "a coordinate has the wrong length",
            Self::Form => "the octet string begins with none of 02, 03 and 04",
            Self::XOnly => "an abscissa alone is no point",
            Self::Fill => "fill is no point",
            Self::Infinity => "the point is at infinity",
            Self::NotCanonical => "a coordinate is not below the prime",
            Self::NotOnCurve => "the point is not on the curve",
        })
    }
}

impl core::error::Error for PointError {}

/// The sent part of an ordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ordinate<const N: usize> {
    /// Its parity: true if it is odd.
    Odd(bool),
    /// All of it, below the prime.
    Whole([u64; N]),
}

/// Coordinates below the prime, of a point that may not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Coordinates<const N: usize> {
    pub(crate) x: [u64; N],
    pub(crate) y: Ordinate<N>,
}

/// Reads a coordinate.
fn coordinate<P: Prime<N>, const N: usize>(bytes: &[u8]) -> Result<[u64; N], PointError> {
    if bytes.len() != 8 * N {
        return Err(PointError::Length);
    }
    match from_bytes(bytes) {
        Some(limbs) if less(&limbs, &P::MODULUS) => Ok(limbs),
        _ => Err(PointError::NotCanonical),
    }
}

impl<const N: usize> Coordinates<N> {
    /// Reads the coordinates, without asking whether they are those of a point.
    pub(crate) fn read<P: Prime<N>>(encoded: &EncodedPoint<'_>) -> Result<Self, PointError> {
        let (x, y) = match encoded {
            EncodedPoint::XOnly(_) => return Err(PointError::XOnly),
            EncodedPoint::Fill => return Err(PointError::Fill),
            EncodedPoint::CompressedY0(x) => (x, Ordinate::Odd(false)),
            EncodedPoint::CompressedY1(x) => (x, Ordinate::Odd(true)),
            EncodedPoint::Uncompressed { x, y } => (x, Ordinate::Whole(coordinate::<P, N>(y)?)),
        };
        Ok(Self {
            x: coordinate::<P, N>(x)?,
            y,
        })
    }

    /// The point with these coordinates, if there is one.
    pub(crate) fn point<C: Weierstrass<N>>(&self) -> Option<Affine<C, N>> {
        let x: FieldElement<C, N> = Residue::from_integer(&self.x);
        match &self.y {
            Ordinate::Odd(odd) => Affine::decompress(x, *odd),
            Ordinate::Whole(y) => Affine::new(x, Residue::from_integer(y)),
        }
    }
}

/// A point of a curve, other than infinity: a sound public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    curve: Curve,
    /// Only the first [`Curve::field_bytes`] of each count; the others are zero.
    x: [u8; LONGEST],
    y: [u8; LONGEST],
}

impl Point {
    /// Decodes and checks a point; takes a square root where y is a single bit.
    ///
    /// # Errors
    /// Every [`PointError`] but `Form` and `Infinity`.
    pub fn decode(curve: Curve, encoded: &EncodedPoint<'_>) -> Result<Self, PointError> {
        on_curve!(curve, Self::decode_on(encoded))
    }

    fn decode_on<C: Weierstrass<N>, const N: usize>(
        encoded: &EncodedPoint<'_>,
    ) -> Result<Self, PointError> {
        Ok(Self::new(&decode::<C, N>(encoded)?))
    }

    pub(crate) fn new<C: Weierstrass<N>, const N: usize>(point: &Affine<C, N>) -> Self {
        let (mut x, mut y) = ([0; LONGEST], [0; LONGEST]);
        to_bytes(&point.x.to_integer(), &mut x);
        to_bytes(&point.y.to_integer(), &mut y);
        let curve = C::CURVE;
        Self { curve, x, y }
    }

    /// The curve.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// The abscissa, big-endian, [`Curve::field_bytes`] long.
    #[must_use]
    pub fn x(&self) -> &[u8] {
        &self.x[..self.curve.field_bytes()]
    }

    /// The ordinate, big-endian, [`Curve::field_bytes`] long.
    #[must_use]
    pub fn y(&self) -> &[u8] {
        &self.y[..self.curve.field_bytes()]
    }

    /// The point in the form `uncompressed`, ready to be a key of a job.
    #[must_use]
    pub fn uncompressed(&self) -> EncodedPoint<'_> {
        EncodedPoint::Uncompressed {
            x: self.x(),
            y: self.y(),
        }
    }

    /// The point in the form `compressed-y-0` or `compressed-y-1`.
    #[must_use]
    pub fn compressed(&self) -> EncodedPoint<'_> {
        self.uncompressed().to_compressed()
    }

    /// SEC 1's octet string with 04, x and y: 65 or 97 bytes.
    #[must_use]
    pub fn to_sec1_uncompressed(&self) -> Sec1 {
        let mut sec1 = Sec1::new(4, self.x());
        let length = self.curve.field_bytes();
        sec1.bytes[1 + length..=2 * length].copy_from_slice(self.y());
        sec1.length += length;
        sec1
    }

    /// SEC 1's octet string with 02 or 03, and x: 33 or 49 bytes.
    #[must_use]
    pub fn to_sec1_compressed(&self) -> Sec1 {
        let odd = self.y().last().is_some_and(|last| last & 1 == 1);
        Sec1::new(2 + u8::from(odd), self.x())
    }
}

/// An octet string of SEC 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sec1 {
    bytes: [u8; 2 * LONGEST + 1],
    length: usize,
}

impl Sec1 {
    fn new(first: u8, x: &[u8]) -> Self {
        let mut bytes = [0; 2 * LONGEST + 1];
        bytes[0] = first;
        bytes[1..=x.len()].copy_from_slice(x);
        let length = 1 + x.len();
        Self { bytes, length }
    }
}

impl AsRef<[u8]> for Sec1 {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Decodes a point for arithmetic.
pub(crate) fn decode<C: Weierstrass<N>, const N: usize>(
    encoded: &EncodedPoint<'_>,
) -> Result<Affine<C, N>, PointError> {
    Coordinates::read::<C::Field>(encoded)?
        .point()
        .ok_or(PointError::NotOnCurve)
}
