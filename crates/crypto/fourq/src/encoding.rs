//! 32 bytes for a point: y, and one bit that tells x from -x.
//!
//! y0 (16 bytes, little endian) ‖ y1 (16 bytes); bit 127 is zero, bit 255 is the sign of x. The
//! sign is the top bit (126) of x0, or of x1 where x0 is zero. Read [4Q §3].
//!
//! [`EncodedFourQPoint`] is an allegation: any 32 bytes. [`FourQPoint`] is on the curve and of
//! order N. The way from one to the other is [`EncodedFourQPoint::decode`], and there is no other.

use crate::backend::Fp;
use crate::constants::D;
use crate::curve::{Affine, Extended};
use crate::field2::Fp2;
use crate::multiply::fixed::GENERATOR;
use crate::power;
use crate::subgroup;

/// 32 bytes that claim to be a point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodedFourQPoint(pub [u8; 32]);

/// A point of the curve, of prime order N. The neutral point is none.
#[derive(Clone, Copy)]
pub struct FourQPoint(Affine);

/// Reason why bytes are no [`FourQPoint`]. The classes are disjoint; the first that applies is
/// reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// Not 32 bytes.
    Length,
    /// Bit 127 is set.
    ReservedBit,
    /// A half of y is p itself (which is zero), or the sign bit is set where x is zero.
    NotCanonical,
    /// No point of the curve has this y.
    NotOnCurve,
    /// The neutral point (0, 1).
    Neutral,
    /// A point of an order dividing the cofactor 392.
    SmallOrder,
    /// A point of order N times more: one of small order has been added to one of order N.
    MixedOrder,
}

/// Reason why bytes are no point of the curve at all.
#[derive(Clone, Copy)]
pub(crate) enum Malformed {
    ReservedBit,
    NotCanonical,
    NotOnCurve,
}

impl From<Malformed> for DecodeError {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::ReservedBit => Self::ReservedBit,
            Malformed::NotCanonical => Self::NotCanonical,
            Malformed::NotOnCurve => Self::NotOnCurve,
        }
    }
}

impl core::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Length => "an encoded point has 32 bytes",
            Self::ReservedBit => "bit 127 of an encoded point is set",
            Self::NotCanonical => "the encoding of the point is not the canonical one",
            Self::NotOnCurve => "no point of the curve has this y",
            Self::Neutral => "the point is the neutral one",
            Self::SmallOrder => "the point has small order",
            Self::MixedOrder => "the point is outside the prime-order subgroup",
        })
    }
}

impl core::error::Error for DecodeError {}

impl EncodedFourQPoint {
    /// Takes the bytes as they come.
    ///
    /// # Errors
    /// [`DecodeError::Length`] unless there are 32.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(Self(bytes.try_into().map_err(|_| DecodeError::Length)?))
    }

    /// The point, if there is one and it has order N. Variable time: encodings are public.
    ///
    /// # Errors
    /// Every [`DecodeError`] but `Length`.
    pub fn decode(&self) -> Result<FourQPoint, DecodeError> {
        let point = decompress(&self.0)?;
        if subgroup::has_prime_order(&point) {
            return Ok(FourQPoint(point));
        }
        let extended = point.to_extended();
        Err(if extended.is_neutral() {
            DecodeError::Neutral
        } else if extended.clear_cofactor().is_neutral() {
            DecodeError::SmallOrder
        } else {
            DecodeError::MixedOrder
        })
    }
}

impl FourQPoint {
    /// The generator G that keys and shares are multiples of.
    pub const GENERATOR: Self = Self(GENERATOR);

    /// The 32 bytes of this point. Constant time.
    pub fn encode(&self) -> EncodedFourQPoint {
        EncodedFourQPoint(compress(&self.0))
    }

    pub(crate) fn to_extended(self) -> Extended {
        self.0.to_extended()
    }
}

/// The 16 bytes of each half.
pub(crate) fn field_bytes(value: Fp2) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&value.re.to_u128().to_le_bytes());
    bytes[16..].copy_from_slice(&value.im.to_u128().to_le_bytes());
    bytes
}

/// The sign of x, 0 or 1, without a branch; zero for zero.
fn sign(x: Fp2) -> u8 {
    let (re, im) = (x.re.to_u128(), x.im.to_u128());
    // Bit 127 of re - 1 is set for re = 0 alone.
    let re_is_zero = (re.wrapping_sub(1) >> 127) as u8;
    (re >> 126) as u8 | (re_is_zero & (im >> 126) as u8)
}

/// The encoding of any point of the curve. Constant time.
pub(crate) fn compress(point: &Affine) -> [u8; 32] {
    let mut bytes = field_bytes(point.y);
    bytes[31] |= sign(point.x) << 7;
    bytes
}

/// y and the sign bit of 32 bytes.
fn parse(bytes: &[u8; 32]) -> Result<(Fp2, u8), Malformed> {
    const P: u128 = (1 << 127) - 1;
    let half = |from: usize| {
        let mut limb = [0; 16];
        limb.copy_from_slice(&bytes[from..from + 16]);
        u128::from_le_bytes(limb)
    };
    let (re, im) = (half(0), half(16));
    if re > P {
        return Err(Malformed::ReservedBit);
    }
    let (im, negative) = (im & P, (im >> 127) as u8);
    if re == P || im == P {
        return Err(Malformed::NotCanonical);
    }
    Ok((Fp2::new(re, im), negative))
}

/// The point of the curve, of whatever order, that 32 bytes stand for. Variable time.
pub(crate) fn decompress(bytes: &[u8; 32]) -> Result<Affine, Malformed> {
    let [point] = decompress_all([bytes]);
    point
}

/// [`decompress`] of several encodings, whose square roots are taken side by side.
pub(crate) fn decompress_all<const COUNT: usize>(
    encodings: [&[u8; 32]; COUNT],
) -> [Result<Affine, Malformed>; COUNT] {
    let parsed = encodings.map(parse);
    // What is malformed is carried along as y = 0 and its result ignored.
    let roots = recover_x(parsed.map(|parsed| parsed.map_or(Fp2::ZERO, |(y, _)| y)));
    let mut results = parsed.map(|parsed| parsed.map(|(y, _)| Affine { x: Fp2::ZERO, y }));
    for ((result, parsed), root) in results.iter_mut().zip(parsed).zip(roots) {
        let Ok((y, negative)) = parsed else { continue };
        *result = match root {
            None => Err(Malformed::NotOnCurve),
            Some(x) if x.is_zero() && negative == 1 => Err(Malformed::NotCanonical),
            Some(x) => Ok(Affine {
                x: if sign(x) == negative { x } else { x.neg() },
                y,
            }),
        };
    }
    results
}

/// Values from y that enter the two power chains of the square root.
#[derive(Clone, Copy)]
struct Quotient {
    /// y² - 1.
    u: Fp2,
    /// d y² + 1.
    v: Fp2,
    /// norm(v).
    t2: Fp,
    /// u conj(v) = t0 + t1 i.
    product: Fp2,
}

impl Quotient {
    fn new(y: Fp2) -> Self {
        let yy = y.sqr();
        let (u, v) = (yy.sub(Fp2::ONE), yy.mul(D).add(Fp2::ONE));
        Self {
            u,
            v,
            t2: v.norm(),
            product: u.mul(v.conj()),
        }
    }

    /// x from t and a = (t t2³)^((p-3)/4).
    fn root(&self, t: Fp, a: Fp) -> Option<Fp2> {
        let at2 = a.mul(self.t2);
        let (b, c) = (at2.mul(t), at2.mul(self.product.im));
        // b² t2 = t if a was a root, else b² t2 = -t.
        let x = if b.sqr().mul(self.t2).sub(t).is_zero() {
            Fp2 {
                re: b.half(),
                im: c,
            }
        } else {
            Fp2 {
                re: c,
                im: b.half(),
            }
        };
        [x, x.conj()]
            .into_iter()
            .find(|x| x.sqr().mul(self.v).sub(self.u).is_zero())
    }
}

/// One root x each of x² = u/v, u = y² - 1, v = d y² + 1 (never zero: -1/d is no square).
///
/// u/v = (t0 + t1 i)/t2 with t2 = norm(v). If r = sqrt(t0² + t1²), then x0² = (t0 ± r)/(2 t2) and
/// x1 = t1/(2 t2 x0) [4Q Appendix B]. With t = 2 (t0 + r) and a = (t t2³)^((p-3)/4), a t2 t is
/// sqrt(t/t2) = 2 x0 and a t2 t1 is x1, if t t2 is a square; if it is not, the other sign of r
/// would have made one, and since (t0 + r)(t0 - r) = -t1² the same two numbers are x1 and x0 up to
/// signs. The curve equation decides.
fn recover_x<const COUNT: usize>(ys: [Fp2; COUNT]) -> [Option<Fp2>; COUNT] {
    let quotients = ys.map(Quotient::new);
    let squares = quotients.map(|quotient| quotient.product.norm());
    // square^((p+1)/4).
    let inverses = power::inverse_sqrts(squares);
    let mut ts = [Fp::ZERO; COUNT];
    for (i, t) in ts.iter_mut().enumerate() {
        let (t0, r) = (quotients[i].product.re, squares[i].mul(inverses[i]));
        *t = t0.add(r).double();
        if t.is_zero() {
            *t = t0.sub(r).double();
        }
    }
    let mut bases = ts;
    for (base, Quotient { t2, .. }) in bases.iter_mut().zip(&quotients) {
        *base = base.mul(t2.sqr().mul(*t2));
    }
    let roots = power::inverse_sqrts(bases);
    core::array::from_fn(|i| quotients[i].root(ts[i], roots[i]))
}
