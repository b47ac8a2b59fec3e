//! FourQ again, slowly: affine points, big integers, no endomorphism, no table, nothing shared
//! with the crate but the definition of the curve. Serves as the oracle of the random tests.

use std::vec::Vec;

use num_bigint::BigUint;
use sha2::{Digest, Sha512};

/// p.
fn prime() -> BigUint {
    (BigUint::from(1u32) << 127) - 1u32
}

fn parse(text: &str) -> BigUint {
    BigUint::parse_bytes(text.as_bytes(), 16).unwrap()
}

/// N.
pub(crate) fn order() -> BigUint {
    parse("29cbc14e5e0a72f05397829cbc14e5dfbd004dfe0f79992fb2540ec7768ce7")
}

/// An element of GF(p²), both halves reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element(pub(crate) BigUint, pub(crate) BigUint);

impl Element {
    fn new(re: BigUint, im: BigUint) -> Self {
        Self(re % prime(), im % prime())
    }

    pub(crate) fn small(re: u32, im: u32) -> Self {
        Self(re.into(), im.into())
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self::new(&self.0 + &other.0, &self.1 + &other.1)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        Self::new(prime() + &self.0 - &other.0, prime() + &self.1 - &other.1)
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let square = prime() * prime();
        Self::new(
            &self.0 * &other.0 + square - &self.1 * &other.1,
            &self.0 * &other.1 + &self.1 * &other.0,
        )
    }

    fn inverse(&self) -> Self {
        let norm = (&self.0 * &self.0 + &self.1 * &self.1) % prime();
        let inverse = norm.modinv(&prime()).expect("not zero");
        Self::new(&self.0 * &inverse, (prime() - &self.1) * inverse)
    }

    /// A square root, by the definition (re + im i)² alone: the half of the norm's root.
    fn root(&self) -> Option<Self> {
        let exponent = BigUint::from(1u32) << 125;
        let root = |value: &BigUint| {
            let root = value.modpow(&exponent, &prime());
            (&root * &root % prime() == *value).then_some(root)
        };
        let norm = root(&((&self.0 * &self.0 + &self.1 * &self.1) % prime()))?;
        let half = BigUint::from(1u32) << 126;
        for norm in [norm.clone(), prime() - norm] {
            let Some(re) = root(&((&self.0 + norm) * &half % prime())) else {
                continue;
            };
            let im = if re == BigUint::ZERO {
                match root(&((prime() - &self.0) % prime())) {
                    Some(im) => im,
                    None => continue,
                }
            } else {
                &self.1 * (&re * 2u32).modinv(&prime()).expect("not zero") % prime()
            };
            let candidate = Self(re, im);
            if candidate.times(&candidate) == *self {
                return Some(candidate);
            }
        }
        None
    }

    /// Bit 126 of the real half, or of the imaginary one if the real half is zero.
    fn sign(&self) -> bool {
        if self.0 == BigUint::ZERO {
            self.1.bit(126)
        } else {
            self.0.bit(126)
        }
    }
}

/// d.
fn d() -> Element {
    Element(
        parse("e40000000000000142"),
        parse("5e472f846657e0fcb3821488f1fc0c8d"),
    )
}

/// A point of the curve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) x: Element,
    pub(crate) y: Element,
}

impl Point {
    pub(crate) fn neutral() -> Self {
        Self {
            x: Element::small(0, 0),
            y: Element::small(1, 0),
        }
    }

    pub(crate) fn generator() -> Self {
        Self {
            x: Element(
                parse("1a3472237c2fb305286592ad7b3833aa"),
                parse("1e1f553f2878aa9c96869fb360ac77f6"),
            ),
            y: Element(
                parse("0e3fee9ba120785ab924a2462bcbb287"),
                parse("6e1c4af8630e024249a7c344844c8b5c"),
            ),
        }
    }

    pub(crate) fn on_curve(&self) -> bool {
        let (xx, yy) = (self.x.times(&self.x), self.y.times(&self.y));
        yy.minus(&xx) == Element::small(1, 0).plus(&d().times(&xx).times(&yy))
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let one = Element::small(1, 0);
        let xy = self.x.times(&other.y);
        let yx = self.y.times(&other.x);
        let xx = self.x.times(&other.x);
        let yy = self.y.times(&other.y);
        let t = d().times(&xx).times(&yy);
        let (a, b) = (one.plus(&t), one.minus(&t));
        let inverse = a.times(&b).inverse();
        Self {
            x: xy.plus(&yx).times(&b).times(&inverse),
            y: yy.plus(&xx).times(&a).times(&inverse),
        }
    }

    pub(crate) fn times(&self, scalar: &BigUint) -> Self {
        let mut result = Self::neutral();
        for bit in (0..scalar.bits()).rev() {
            result = result.plus(&result);
            if scalar.bit(bit) {
                result = result.plus(self);
            }
        }
        result
    }

    pub(crate) fn encode(&self) -> [u8; 32] {
        let mut bytes = coordinate(&self.y);
        bytes[31] |= u8::from(self.x.sign()) << 7;
        bytes
    }

    /// The point of any order with this encoding.
    pub(crate) fn decode(bytes: &[u8; 32]) -> Option<Self> {
        let negative = bytes[31] >> 7 == 1;
        let mut bytes = *bytes;
        bytes[31] &= 0x7f;
        let y = Element(
            BigUint::from_bytes_le(&bytes[..16]),
            BigUint::from_bytes_le(&bytes[16..]),
        );
        if y.0 >= prime() || y.1 >= prime() {
            return None;
        }
        let yy = y.times(&y);
        let one = Element::small(1, 0);
        let x = yy
            .minus(&one)
            .times(&d().times(&yy).plus(&one).inverse())
            .root()?;
        let x = if x.sign() == negative {
            x
        } else {
            Element::small(0, 0).minus(&x)
        };
        (x.sign() == negative).then_some(Self { x, y })
    }
}

/// 16 bytes of each half.
pub(crate) fn coordinate(element: &Element) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (half, value) in bytes.chunks_exact_mut(16).zip([&element.0, &element.1]) {
        let digits = value.to_bytes_le();
        half[..digits.len()].copy_from_slice(&digits);
    }
    bytes
}

fn low_half(parts: &[&[u8]]) -> BigUint {
    BigUint::from_bytes_le(&Sha512::digest(parts.concat())[..32]) % order()
}

/// The share of a secret.
pub(crate) fn share(secret: &[u8; 32]) -> [u8; 32] {
    Point::generator()
        .times(&BigUint::from_bytes_le(secret))
        .encode()
}

/// y of [392 m]P, or `None` if that is the neutral point or P is no point.
pub(crate) fn extract(secret: &[u8; 32], share: &[u8; 32]) -> Option<[u8; 32]> {
    let product = Point::decode(share)?.times(&(BigUint::from_bytes_le(secret) * 392u32));
    (product != Point::neutral()).then(|| coordinate(&product.y))
}

/// The signature of `message` under `secret`, and the public key.
pub(crate) fn sign(secret: &[u8; 32], message: &[u8]) -> ([u8; 64], [u8; 32]) {
    let k = Sha512::digest(secret);
    let a = BigUint::from_bytes_le(&k[..32]);
    let public = Point::generator().times(&a).encode();
    let nonce = low_half(&[&k[32..], message]);
    let commitment = Point::generator().times(&nonce).encode();
    let challenge = low_half(&[&commitment, &public, message]);
    let response = (nonce + order() - a * challenge % order()) % order();
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&commitment);
    let digits: Vec<u8> = response.to_bytes_le();
    signature[32..32 + digits.len()].copy_from_slice(&digits);
    (signature, public)
}
