//! The RustCrypto implementations of the four curves, as functions on bytes, and signers on top.
//!
//! Points and verdicts are theirs; scalars are integers of num-bigint.

use std::vec::Vec;

use num_bigint::BigUint;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use p256::elliptic_curve::PrimeField;
use p256::elliptic_curve::group::Group;
use p256::elliptic_curve::sec1::{FromSec1Point, ToSec1Point};
use waywarden_testkit::Random;

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384, Weierstrass};
use crate::residue::Prime;
use crate::{Curve, EncodedPoint, EncodedSignature, Job, JobKey};

type Verifying = fn(&[u8], &[u8], &[u8], &[u8]) -> bool;
type Combining = fn(&[u8], &[u8], &[u8]) -> Option<Vec<u8>>;

/// One curve as others implement it. Points are x and y; scalars big-endian, as long as x.
pub(crate) struct Outside {
    pub(crate) curve: Curve,
    /// The order of the group.
    pub(crate) order: BigUint,
    /// The prime of the field.
    pub(crate) prime: BigUint,
    /// Returns true if the signature (digest, r, s) fits the key.
    pub(crate) verify: Verifying,
    /// The scalar times the generator; none for infinity.
    pub(crate) generate: fn(&[u8]) -> Option<Vec<u8>>,
    /// a P + Q; none for infinity.
    pub(crate) combine: Combining,
}

fn integer<const N: usize>(limbs: &[u64; N]) -> BigUint {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigUint::from_bytes_le(&bytes)
}

fn primes<C: Weierstrass<N>, const N: usize>() -> (BigUint, BigUint) {
    (integer(&C::Order::MODULUS), integer(&C::Field::MODULUS))
}

/// 04 and the point.
fn sec1(point: &[u8]) -> Vec<u8> {
    [&[4], point].concat()
}

macro_rules! outside {
    ($curve:ident, $limbs:literal, $($library:ident)::+, $theirs:ty) => {{
        use $($library)::+::{AffinePoint, ProjectivePoint};
        type Scalar = p256::elliptic_curve::Scalar<$theirs>;
        fn scalar(bytes: &[u8]) -> Scalar {
            let bytes = bytes.try_into().expect("the length of a scalar");
            Option::from(Scalar::from_repr(bytes)).expect("below the order")
        }
        fn encode(point: ProjectivePoint) -> Option<Vec<u8>> {
            let bytes = AffinePoint::from(point).to_sec1_point(false);
            (!bool::from(point.is_identity())).then(|| bytes.as_bytes()[1..].to_vec())
        }
        fn decode(point: &[u8]) -> ProjectivePoint {
            AffinePoint::from_sec1_bytes(&sec1(point)).expect("a point").into()
        }
        fn verify(key: &[u8], digest: &[u8], r: &[u8], s: &[u8]) -> bool {
            let Ok(key) = ecdsa::VerifyingKey::<$theirs>::from_sec1_bytes(&sec1(key)) else {
                return false;
            };
            ecdsa::Signature::<$theirs>::from_slice(&[r, s].concat())
                .is_ok_and(|signature| key.verify_prehash(digest, &signature).is_ok())
        }
        let (order, prime) = primes::<$curve, $limbs>();
        Outside {
            curve: Curve::$curve,
            order,
            prime,
            verify,
            generate: |bytes| encode(ProjectivePoint::GENERATOR * scalar(bytes)),
            combine: |a, p, q| encode(decode(p) * scalar(a) + decode(q)),
        }
    }};
}

/// All four.
pub(crate) fn all() -> [Outside; 4] {
    [
        outside!(P256, 4, p256, p256::NistP256),
        outside!(P384, 6, p384, p384::NistP384),
        outside!(BrainpoolP256r1, 4, bp256::r1, bp256::BrainpoolP256r1),
        outside!(BrainpoolP384r1, 6, bp384::r1, bp384::BrainpoolP384r1),
    ]
}

/// A key pair.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) secret: BigUint,
    pub(crate) public: Vec<u8>,
}

/// A job that owns its bytes, and can be damaged.
#[derive(Clone, Debug)]
pub(crate) struct OwnedJob {
    pub(crate) curve: Curve,
    pub(crate) digest: Vec<u8>,
    pub(crate) r: OwnedPoint,
    pub(crate) s: Vec<u8>,
    pub(crate) key: OwnedKey,
}

#[derive(Clone, Debug)]
pub(crate) enum OwnedPoint {
    XOnly(Vec<u8>),
    Compressed(Vec<u8>, bool),
    Uncompressed(Vec<u8>),
}

#[derive(Clone, Debug)]
pub(crate) enum OwnedKey {
    Explicit(OwnedPoint),
    Implicit(Vec<u8>, OwnedPoint, OwnedPoint),
}

impl OwnedPoint {
    /// x and y in a form chosen by `choice`: 0 uncompressed, 1 compressed.
    pub(crate) fn of(point: &[u8], choice: usize) -> Self {
        let (x, y) = point.split_at(point.len() / 2);
        match choice {
            0 => Self::Uncompressed(point.to_vec()),
            1 => Self::Compressed(x.to_vec(), y[y.len() - 1] & 1 == 1),
            _ => Self::XOnly(x.to_vec()),
        }
    }

    pub(crate) fn encoded(&self) -> EncodedPoint<'_> {
        match self {
            Self::XOnly(x) => EncodedPoint::XOnly(x),
            Self::Compressed(x, false) => EncodedPoint::CompressedY0(x),
            Self::Compressed(x, true) => EncodedPoint::CompressedY1(x),
            Self::Uncompressed(point) => {
                let (x, y) = point.split_at(point.len() / 2);
                EncodedPoint::Uncompressed { x, y }
            }
        }
    }
}

impl OwnedJob {
    pub(crate) fn job(&self) -> Job<'_> {
        let key = match &self.key {
            OwnedKey::Explicit(point) => JobKey::Explicit(point.encoded()),
            OwnedKey::Implicit(e, reconstruction, ca) => JobKey::Implicit {
                e,
                reconstruction: reconstruction.encoded(),
                ca: ca.encoded(),
            },
        };
        Job {
            curve: self.curve,
            digest: &self.digest,
            signature: EncodedSignature {
                r: self.r.encoded(),
                s: &self.s,
            },
            key,
            sender: None,
        }
    }
}

impl Outside {
    pub(crate) fn length(&self) -> usize {
        self.curve.field_bytes()
    }

    /// The integer in as many bytes as a coordinate has.
    pub(crate) fn bytes(&self, integer: &BigUint) -> Vec<u8> {
        let bytes = integer.to_bytes_be();
        let mut padded = std::vec![0; self.length() - bytes.len()];
        padded.extend(bytes);
        padded
    }

    /// The inverse modulo the order.
    pub(crate) fn invert(&self, scalar: &BigUint) -> BigUint {
        scalar.modpow(&(&self.order - 2_u8), &self.order)
    }

    /// A scalar in 1..n.
    pub(crate) fn scalar(&self, random: &mut Random) -> BigUint {
        let wide = BigUint::from_bytes_be(&random.bytes(self.length() + 8));
        wide % (&self.order - 1_u8) + 1_u8
    }

    pub(crate) fn point(&self, scalar: &BigUint) -> Vec<u8> {
        (self.generate)(&self.bytes(scalar)).expect("not infinity")
    }

    pub(crate) fn pair(&self, secret: BigUint) -> Pair {
        let public = self.point(&secret);
        Pair { secret, public }
    }

    /// -P.
    pub(crate) fn negate(&self, point: &[u8]) -> Vec<u8> {
        let (x, y) = point.split_at(point.len() / 2);
        let minus = &self.prime - BigUint::from_bytes_be(y);
        [x, &self.bytes(&minus)].concat()
    }

    /// The digest's leftmost bits as an integer.
    pub(crate) fn leftmost(&self, digest: &[u8]) -> BigUint {
        BigUint::from_bytes_be(&digest[..digest.len().min(self.length())])
    }

    /// Signs with the ephemeral k: the point R, and s.
    pub(crate) fn sign(&self, secret: &BigUint, digest: &[u8], k: &BigUint) -> (Vec<u8>, BigUint) {
        let point = self.point(k);
        let r = BigUint::from_bytes_be(&point[..self.length()]) % &self.order;
        let s = self.invert(k) * (self.leftmost(digest) + r * secret) % &self.order;
        (point, s)
    }

    /// The integer r of a point R.
    pub(crate) fn remainder(&self, point: &[u8]) -> BigUint {
        BigUint::from_bytes_be(&point[..self.length()]) % &self.order
    }

    /// R in one of three forms: uncompressed, compressed, the integer r.
    pub(crate) fn nonce(&self, point: &[u8], choice: usize) -> OwnedPoint {
        match choice {
            2 => OwnedPoint::XOnly(self.bytes(&self.remainder(point))),
            _ => OwnedPoint::of(point, choice),
        }
    }

    /// A valid job by a random key, in random forms, explicit or implicit.
    pub(crate) fn valid(&self, random: &mut Random) -> OwnedJob {
        let ca = self.pair(self.scalar(random));
        let (key, secret) = match random.index(2) {
            0 => (
                OwnedKey::Explicit(OwnedPoint::of(&ca.public, random.index(2))),
                ca.secret,
            ),
            _ => self.implicit(&ca, random),
        };
        self.signed(&key, &secret, random)
    }

    /// A random implicit key under an issuer, and its secret.
    pub(crate) fn implicit(&self, ca: &Pair, random: &mut Random) -> (OwnedKey, BigUint) {
        // d = e k + d_CA for the reconstruction point k G.
        let k = self.pair(self.scalar(random));
        let length = if random.index(2) == 0 { 32 } else { 48 };
        let e = random.bytes(length);
        let secret = (BigUint::from_bytes_be(&e) * k.secret + &ca.secret) % &self.order;
        let point = OwnedPoint::of(&k.public, random.index(2));
        let issuer = OwnedPoint::of(&ca.public, random.index(2));
        (OwnedKey::Implicit(e, point, issuer), secret)
    }

    /// A valid job by this key over a random digest.
    pub(crate) fn signed(&self, key: &OwnedKey, secret: &BigUint, random: &mut Random) -> OwnedJob {
        let length = if random.index(2) == 0 { 32 } else { 48 };
        let digest = random.bytes(length);
        let (point, s) = self.sign(secret, &digest, &self.scalar(random));
        OwnedJob {
            curve: self.curve,
            digest,
            r: self.nonce(&point, random.index(3)),
            s: self.bytes(&s),
            key: key.clone(),
        }
    }
}
