//! Computing with private scalars, generic over the curves of RustCrypto, whose arithmetic is
//! constant-time. Scalars cross the borders of this module as big-endian bytes.

use ecdsa::elliptic_curve::group::{Curve as _, Group as _};
use ecdsa::elliptic_curve::ops::Reduce;
use ecdsa::elliptic_curve::point::AffineCoordinates as _;
use ecdsa::elliptic_curve::{
    AffinePoint, Field as _, FieldBytes, NonZeroScalar, PrimeField as _, ProjectivePoint, Scalar,
};
use hkdf::Hkdf;
use sha2::Sha256;
use waywarden_ecverify::{Curve, EncodedPoint, Point};
use zeroize::Zeroizing;

use crate::curves::{SigningCurve, on_curve};
use crate::error::KeyError;
use crate::secret::{LONGEST, SharedSecret};
use crate::signature::{NonceForm, Signature};

/// A private scalar, in the first bytes.
pub(crate) type ScalarBytes = Zeroizing<[u8; LONGEST]>;

/// Reads a private scalar: in 1..n.
pub(crate) fn scalar<C: SigningCurve>(bytes: &[u8]) -> Result<NonZeroScalar<C>, KeyError> {
    let bytes = FieldBytes::<C>::try_from(bytes).map_err(|_| KeyError::ScalarOutOfRange)?;
    let bytes = Zeroizing::new(bytes);
    let scalar = NonZeroScalar::<C>::from_repr(*bytes);
    scalar.into_option().ok_or(KeyError::ScalarOutOfRange)
}

/// Writes a private scalar.
fn written<C: SigningCurve>(scalar: &Scalar<C>) -> ScalarBytes {
    let repr = Zeroizing::new(scalar.to_repr());
    let mut bytes = Zeroizing::new([0; LONGEST]);
    bytes[..repr.len()].copy_from_slice(&repr);
    bytes
}

/// Reduces a number of any length modulo n, 16 bytes at a time: the time depends on the length
/// alone.
fn reduced<C: SigningCurve>(number: &[u8]) -> Scalar<C> {
    let small = |bytes: &[u8]| {
        let mut repr = FieldBytes::<C>::default();
        let start = repr.len() - bytes.len();
        repr[start..].copy_from_slice(bytes);
        <Scalar<C> as Reduce<FieldBytes<C>>>::reduce(&repr)
    };
    // 2^128 as a scalar: a 1 before 16 zeros.
    let mut shift = [0; 17];
    shift[0] = 1;
    let shift = small(&shift);
    let (head, chunks) = number.as_rchunks::<16>();
    let mut chunks = chunks.iter();
    let head = match head {
        [] => chunks
            .next()
            .map_or_else(|| small(&[]), |chunk| small(chunk)),
        head => small(head),
    };
    chunks.fold(head, |sum, chunk| sum * shift + small(chunk))
}

/// Turns a seed into a private scalar: HKDF-SHA-256 of it, 64 bytes, modulo n. Those are at least
/// 128 bits more than n has, so the scalar is as good as uniform.
pub(crate) fn scalar_of_seed(
    curve: Curve,
    seed: &[u8; 32],
    purpose: &[u8],
    number: u64,
) -> Result<ScalarBytes, KeyError> {
    on_curve!(curve, "keys", scalar_of_seed_on(seed, purpose, number))
}

fn scalar_of_seed_on<C: SigningCurve>(
    seed: &[u8; 32],
    purpose: &[u8],
    number: u64,
) -> Result<ScalarBytes, KeyError> {
    let mut wide = Zeroizing::new([0; 64]);
    let derivation = Hkdf::<Sha256>::new(Some(b"waywarden-v2x-keys"), seed);
    let info: [&[u8]; 3] = [purpose, &[C::CURVE as u8], &number.to_be_bytes()];
    let derived = derivation.expand_multi_info(&info, &mut *wide);
    derived.map_err(|_| KeyError::Failed("the key derivation gives no 64 bytes"))?;
    let scalar = reduced::<C>(&*wide);
    let scalar = NonZeroScalar::<C>::new(scalar).into_option();
    Ok(written::<C>(scalar.ok_or(KeyError::Infinity)?.as_ref()))
}

/// A point as the other libraries take it.
pub(crate) fn point_of<C: SigningCurve>(point: &AffinePoint<C>) -> Result<Point, KeyError> {
    let (x, y) = (point.x(), point.y());
    let encoded = EncodedPoint::Uncompressed { x: &x, y: &y };
    Point::decode(C::CURVE, &encoded).map_err(|_| KeyError::Infinity)
}

/// A point that was checked, as the curve's arithmetic takes it.
fn affine<C: SigningCurve>(point: &Point) -> Result<AffinePoint<C>, KeyError> {
    let coordinate =
        |bytes: &[u8]| FieldBytes::<C>::try_from(bytes).map_err(|_| KeyError::OtherCurve);
    let (x, y) = (coordinate(point.x())?, coordinate(point.y())?);
    let point = AffinePoint::<C>::from_coordinates(&x, &y);
    point.into_option().ok_or(KeyError::OtherCurve)
}

/// The public key of a private one.
pub(crate) fn public_key(curve: Curve, private: &[u8]) -> Result<Point, KeyError> {
    on_curve!(curve, "keys", public_key_on(private))
}

fn public_key_on<C: SigningCurve>(private: &[u8]) -> Result<Point, KeyError> {
    let private = scalar::<C>(private)?;
    point_of::<C>(&ProjectivePoint::<C>::mul_by_generator(&private).to_affine())
}

/// The sum of two public points.
pub(crate) fn sum(one: &Point, other: &Point) -> Result<Point, KeyError> {
    on_curve!(one.curve(), "keys", sum_on(one, other))
}

fn sum_on<C: SigningCurve>(one: &Point, other: &Point) -> Result<Point, KeyError> {
    if other.curve() != C::CURVE {
        return Err(KeyError::OtherCurve);
    }
    let sum = ProjectivePoint::<C>::from(affine::<C>(one)?)
        + ProjectivePoint::<C>::from(affine::<C>(other)?);
    point_of::<C>(&sum.to_affine())
}

/// The x-coordinate of a private key's product with a public one.
pub(crate) fn agree(
    curve: Curve,
    private: &[u8],
    public: &Point,
) -> Result<SharedSecret, KeyError> {
    if public.curve() != curve {
        return Err(KeyError::OtherCurve);
    }
    on_curve!(curve, "key agreement", agree_on(private, public))
}

fn agree_on<C: SigningCurve>(private: &[u8], public: &Point) -> Result<SharedSecret, KeyError> {
    let private = scalar::<C>(private)?;
    let product = ProjectivePoint::<C>::from(affine::<C>(public)?) * private.as_ref();
    let x = Zeroizing::new(product.to_affine().x());
    Ok(SharedSecret::new(C::CURVE, &x))
}

/// factor * e + addend mod n: the key of an implicit certificate, or the issuer's contribution.
pub(crate) fn multiply_add(
    curve: Curve,
    factor: &[u8],
    e: &[u8; 32],
    addend: &[u8],
) -> Result<ScalarBytes, KeyError> {
    if curve.field_bytes() != 32 {
        let operation = "implicit certificates";
        return Err(KeyError::Unsupported { operation, curve });
    }
    on_curve!(
        curve,
        "implicit certificates",
        multiply_add_on(factor, e, addend)
    )
}

fn multiply_add_on<C: SigningCurve>(
    factor: &[u8],
    e: &[u8; 32],
    addend: &[u8],
) -> Result<ScalarBytes, KeyError> {
    let (factor, addend) = (scalar::<C>(factor)?, scalar::<C>(addend)?);
    let sum = reduced::<C>(e) * *factor + *addend;
    let sum = NonZeroScalar::<C>::new(sum).into_option();
    Ok(written::<C>(sum.ok_or(KeyError::Infinity)?.as_ref()))
}

/// private + f mod n.
pub(crate) fn expand(curve: Curve, private: &[u8], f: &[u8; 48]) -> Result<ScalarBytes, KeyError> {
    on_curve!(curve, "butterfly expansion", expand_on(private, f))
}

fn expand_on<C: SigningCurve>(private: &[u8], f: &[u8; 48]) -> Result<ScalarBytes, KeyError> {
    let sum = *scalar::<C>(private)? + reduced::<C>(f);
    let sum = NonZeroScalar::<C>::new(sum).into_option();
    Ok(written::<C>(sum.ok_or(KeyError::Infinity)?.as_ref()))
}

/// point + f G, with f modulo n; the time does not depend on f.
pub(crate) fn add_multiple_of_generator(point: &Point, f: &[u8; 48]) -> Result<Point, KeyError> {
    on_curve!(
        point.curve(),
        "butterfly expansion",
        add_multiple_of_generator_on(point, f)
    )
}

fn add_multiple_of_generator_on<C: SigningCurve>(
    point: &Point,
    f: &[u8; 48],
) -> Result<Point, KeyError> {
    let multiple = Zeroizing::new(ProjectivePoint::<C>::mul_by_generator(&reduced::<C>(f)));
    let sum = *multiple + affine::<C>(point)?;
    point_of::<C>(&sum.to_affine())
}

/// Signs with a nonce of RFC 6979; `entropy` is its additional data.
pub(crate) fn sign(
    curve: Curve,
    private: &[u8],
    digest: &[u8],
    entropy: &[u8],
    form: NonceForm,
) -> Result<Signature, KeyError> {
    on_curve!(curve, "signing", sign_on(private, digest, entropy, form))
}

fn sign_on<C: SigningCurve>(
    private: &[u8],
    digest: &[u8],
    entropy: &[u8],
    form: NonceForm,
) -> Result<Signature, KeyError> {
    let private = scalar::<C>(private)?;
    let (signature, recovery) =
        ecdsa::hazmat::sign_prehashed_rfc6979::<C, C::Hash>(&private, digest, entropy);
    let (r, s) = signature.split_bytes();
    // Once in 2^120 signatures x is not r but r + n: then r alone is given.
    let is_point = form == NonceForm::Point && !recovery.is_x_reduced();
    let is_odd = is_point.then(|| recovery.is_y_odd());
    Signature::new(C::CURVE, &r, &s, is_odd).ok_or(KeyError::Failed("a signature of another curve"))
}

/// A nonce computed beforehand: the inverse of k, and R = k G.
pub(crate) struct ReadyNonce {
    inverse: ScalarBytes,
    pub(crate) point: Point,
}

/// Computes what a nonce needs before the digest is known.
pub(crate) fn prepare_nonce(curve: Curve, k: &[u8]) -> Result<ReadyNonce, KeyError> {
    on_curve!(curve, "precomputed nonces", prepare_nonce_on(k))
}

fn prepare_nonce_on<C: SigningCurve>(k: &[u8]) -> Result<ReadyNonce, KeyError> {
    use ecdsa::elliptic_curve::ops::Invert as _;
    let k = scalar::<C>(k)?;
    let inverse = k.invert();
    let point = point_of::<C>(&ProjectivePoint::<C>::mul_by_generator(&k).to_affine())?;
    Ok(ReadyNonce {
        inverse: written::<C>(inverse.as_ref()),
        point,
    })
}

/// Signs with a nonce that was computed beforehand, which is used up.
pub(crate) fn sign_with(
    private: &[u8],
    digest: &[u8],
    nonce: &ReadyNonce,
    form: NonceForm,
) -> Result<Signature, KeyError> {
    on_curve!(
        nonce.point.curve(),
        "signing",
        sign_with_on(private, digest, nonce, form)
    )
}

fn sign_with_on<C: SigningCurve>(
    private: &[u8],
    digest: &[u8],
    nonce: &ReadyNonce,
    form: NonceForm,
) -> Result<Signature, KeyError> {
    let private = scalar::<C>(private)?;
    let inverse = scalar::<C>(&nonce.inverse[..C::CURVE.field_bytes()])?;
    let r = reduced::<C>(nonce.point.x());
    // The leftmost bits of the digest, as many as n has (FIPS 186-5 §6.4.1).
    let leftmost = &digest[..digest.len().min(C::CURVE.field_bytes())];
    let z = reduced::<C>(leftmost);
    let s = *inverse * (z + r * *private);
    if bool::from(r.is_zero() | s.is_zero()) {
        return Err(KeyError::Infinity);
    }
    let is_odd = nonce.point.y().last().is_some_and(|byte| byte & 1 == 1);
    let (x, is_odd) = match form {
        NonceForm::XOnly => (&r.to_repr()[..], None),
        NonceForm::Point => (nonce.point.x(), Some(is_odd)),
    };
    Signature::new(C::CURVE, x, &s.to_repr(), is_odd)
        .ok_or(KeyError::Failed("a signature of another curve"))
}
