//! Keys and signatures, from the forms in which they travel to those of the arithmetic.

use waywarden_ecverify::{
    Curve, EncodedPoint, EncodedSignature, JobKey, Point, RebuildError, SenderId, rebuild,
};
use waywarden_v2x_wire::ieee1609dot2::{
    CurvePoint, EccP256CurvePoint, HashedId8, PublicVerificationKey, Signature,
};

use crate::hash::{Digest, HashFunction};

/// A point of a certificate or message, for the arithmetic.
#[must_use]
pub fn encoded<'a, const N: usize>(point: &CurvePoint<'a, N>) -> EncodedPoint<'a> {
    match *point {
        CurvePoint::XOnly(x) => EncodedPoint::XOnly(x),
        CurvePoint::Fill => EncodedPoint::Fill,
        CurvePoint::CompressedY0(x) => EncodedPoint::CompressedY0(x),
        CurvePoint::CompressedY1(x) => EncodedPoint::CompressedY1(x),
        CurvePoint::Uncompressed { x, y } => EncodedPoint::Uncompressed { x, y },
    }
}

/// The x-coordinate of a point, in whatever form it is.
pub(crate) fn x_of<'p>(point: &EncodedPoint<'p>) -> &'p [u8] {
    match *point {
        EncodedPoint::Fill => &[],
        EncodedPoint::XOnly(x)
        | EncodedPoint::CompressedY0(x)
        | EncodedPoint::CompressedY1(x)
        | EncodedPoint::Uncompressed { x, .. } => x,
    }
}

/// Returns the key by which tables of a certificate holder's key are found.
pub(crate) fn sender(id: HashedId8) -> SenderId {
    SenderId(u64::from_be_bytes(id.0))
}

/// A verification key and its curve; `None` for SM2.
pub(crate) fn verification_key<'a>(
    key: &PublicVerificationKey<'a>,
) -> Option<(Curve, EncodedPoint<'a>)> {
    Some(match key {
        PublicVerificationKey::EcdsaNistP256(point) => (Curve::P256, encoded(point)),
        PublicVerificationKey::EcdsaBrainpoolP256r1(point) => {
            (Curve::BrainpoolP256r1, encoded(point))
        }
        PublicVerificationKey::EcdsaNistP384(point) => (Curve::P384, encoded(point)),
        PublicVerificationKey::EcdsaBrainpoolP384r1(point) => {
            (Curve::BrainpoolP384r1, encoded(point))
        }
        PublicVerificationKey::EcsigSm2(_) => return None,
    })
}

/// Reads a verification key; `None` for SM2, and for what is no point of its curve.
#[must_use]
pub fn verification_point(key: &PublicVerificationKey<'_>) -> Option<Point> {
    let (curve, point) = verification_key(key)?;
    Point::decode(curve, &point).ok()
}

/// A signature and its curve; `None` for SM2.
pub(crate) fn signature<'a>(signature: &Signature<'a>) -> Option<(Curve, EncodedSignature<'a>)> {
    let of = |curve, r, s: &'a [u8]| Some((curve, EncodedSignature { r, s }));
    match signature {
        Signature::EcdsaNistP256(own) => of(Curve::P256, encoded(&own.r), own.s),
        Signature::EcdsaBrainpoolP256r1(own) => of(Curve::BrainpoolP256r1, encoded(&own.r), own.s),
        Signature::EcdsaNistP384(own) => of(Curve::P384, encoded(&own.r), own.s),
        Signature::EcdsaBrainpoolP384r1(own) => of(Curve::BrainpoolP384r1, encoded(&own.r), own.s),
        Signature::Sm2(_) => None,
    }
}

/// A signature, if it is of this curve.
pub fn signature_on<'a>(curve: Curve, own: &Signature<'a>) -> Option<EncodedSignature<'a>> {
    signature(own).and_then(|(own, signature)| (own == curve).then_some(signature))
}

/// The hash function that goes with a curve \[1609.2 §5.3.1\].
pub(crate) fn hash_of(curve: Curve) -> HashFunction {
    match curve.field_bytes() {
        32 => HashFunction::Sha256,
        _ => HashFunction::Sha384,
    }
}

/// The key of a certificate's holder.
#[derive(Clone, Debug)]
pub(crate) enum SignerKey {
    /// An explicit public key, decoded to a point.
    Point(Point),
    /// Inputs for the reconstruction of an implicit key.
    Implicit(ImplicitKey),
}

/// Inputs for the reconstruction of an implicit certificate's key \[1609.2 §5.3.2\].
#[derive(Clone, Debug)]
pub(crate) struct ImplicitKey {
    /// The hash of the certificate and its issuer's: all of it.
    pub(crate) e: Digest,
    /// True if the y-coordinate of the reconstruction value is odd.
    is_odd: bool,
    /// The x-coordinate of the reconstruction value.
    x: [u8; 32],
    /// The issuer's key.
    pub(crate) ca: Point,
}

impl ImplicitKey {
    /// Takes the parts; `None` for a reconstruction value without a y-coordinate.
    pub(crate) fn new(e: Digest, value: &EccP256CurvePoint<'_>, ca: Point) -> Option<Self> {
        let (is_odd, x) = match value.compressed()? {
            CurvePoint::CompressedY0(x) => (false, *x),
            CurvePoint::CompressedY1(x) => (true, *x),
            _ => return None,
        };
        Some(Self { e, is_odd, x, ca })
    }

    fn reconstruction(&self) -> EncodedPoint<'_> {
        match self.is_odd {
            false => EncodedPoint::CompressedY0(&self.x),
            true => EncodedPoint::CompressedY1(&self.x),
        }
    }

    /// The key as a job has it.
    pub(crate) fn job_key(&self) -> JobKey<'_> {
        JobKey::Implicit {
            e: self.e.as_bytes(),
            reconstruction: self.reconstruction(),
            ca: self.ca.uncompressed(),
        }
    }

    /// Computes the key.
    pub(crate) fn rebuild(&self) -> Result<Point, RebuildError> {
        rebuild(
            self.ca.curve(),
            self.e.as_bytes(),
            &self.reconstruction(),
            &self.ca.uncompressed(),
        )
    }
}

impl SignerKey {
    pub(crate) fn curve(&self) -> Curve {
        match self {
            Self::Point(point) => point.curve(),
            Self::Implicit(key) => key.ca.curve(),
        }
    }

    /// The key as a job has it.
    pub(crate) fn job_key(&self) -> JobKey<'_> {
        match self {
            Self::Point(point) => JobKey::Explicit(point.uncompressed()),
            Self::Implicit(key) => key.job_key(),
        }
    }

    /// Computes the point.
    pub(crate) fn point(&self) -> Result<Point, RebuildError> {
        match self {
            Self::Point(point) => Ok(*point),
            Self::Implicit(key) => key.rebuild(),
        }
    }
}
