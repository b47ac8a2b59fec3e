//! Signatures without a signer: valid jobs made of a number alone, for measuring and for
//! self-tests.
//!
//! A program that may choose the digest needs no secret: R = u1 G + u2 Q for any factors gives r,
//! then s = r/u2 and the digest u1 s. So a program can time this machine, or see at its start that
//! each kernel verifies, without a key in hand and without another library. Nothing here signs.

use crate::curves::{Curve, Scalar, on_curve};
use crate::encoding::Point;
use crate::job::{EncodedSignature, Job, JobKey, SenderId};
use crate::limbs::to_bytes;
use crate::multiply::{Tabulated, Term, sum};
use crate::residue::Residue;

/// Relation of the two multiples, u1 G and u2 Q, to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Multiples {
    /// In no special way: the signature is valid.
    Ordinary,
    /// They are equal, a case of its own where one is added to the other: the signature is valid.
    Equal,
    /// Their sum is infinity, which has no abscissa: refused as
    /// [`crate::SignatureRefusal::Equation`]. By chance this never happens, and for a forger with a
    /// digest of choice it is easy.
    Opposite,
}

/// Everything that a job borrows; coordinates as traffic has them: compressed.
#[derive(Clone, Debug)]
pub struct JobSample {
    curve: Curve,
    sender: SenderId,
    digest: [u8; 48],
    nonce: Point,
    s: [u8; 48],
    key: SampleKey,
}

#[derive(Clone, Debug)]
enum SampleKey {
    Explicit(Point),
    Implicit {
        e: [u8; 32],
        reconstruction: Point,
        ca: Point,
    },
}

/// Numbers that tell the certificates of samples apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleCertificate {
    /// The issuer.
    pub issuer: u64,
    /// The certificate, which is that of the job as well.
    pub number: u64,
}

impl JobSample {
    /// Job `number` of an explicit key, which no other number has. Takes as long as some
    /// verifications.
    #[must_use]
    pub fn explicit(curve: Curve, number: u64, multiples: Multiples) -> Self {
        on_curve!(curve, explicit(number, multiples))
    }

    /// A job under an implicit certificate.
    #[must_use]
    pub fn implicit(curve: Curve, of: SampleCertificate, multiples: Multiples) -> Self {
        on_curve!(curve, implicit(of.issuer, of.number, multiples))
    }

    /// The job; its sender is the number of the sample.
    #[must_use]
    pub fn job(&self) -> Job<'_> {
        let length = self.curve.field_bytes();
        Job {
            curve: self.curve,
            digest: &self.digest[..length],
            signature: EncodedSignature {
                r: self.nonce.compressed(),
                s: &self.s[..length],
            },
            key: match &self.key {
                SampleKey::Explicit(key) => JobKey::Explicit(key.compressed()),
                SampleKey::Implicit {
                    e,
                    reconstruction,
                    ca,
                } => JobKey::Implicit {
                    e,
                    reconstruction: reconstruction.compressed(),
                    ca: ca.uncompressed(),
                },
            },
            sender: Some(self.sender),
        }
    }
}

/// Bytes that look random: SplitMix64 from both numbers.
fn expand<const M: usize>(purpose: u64, number: u64) -> [u8; M] {
    let mut state = purpose.rotate_left(32) ^ number;
    let mut bytes = [0; M];
    for chunk in bytes.chunks_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        chunk.copy_from_slice(&(z ^ z >> 31).to_be_bytes()[..chunk.len()]);
    }
    bytes
}

/// A scalar for one purpose.
fn scalar<C: Tabulated<N>, const N: usize>(purpose: u64, number: u64) -> Scalar<C, N> {
    Residue::from_bytes_reduced(&expand::<48>(purpose, number))
}

/// A multiple of the generator.
///
/// # Panics
/// If it is infinity.
fn multiple<C: Tabulated<N>, const N: usize>(scalar: &Scalar<C, N>) -> Point {
    let point = sum(&[Term::<C, N>::generator(scalar.to_integer())]).to_affine();
    Point::new(&point.expect("no multiple of n comes out of the numbers"))
}

fn explicit<C: Tabulated<N>, const N: usize>(number: u64, multiples: Multiples) -> JobSample {
    let q = scalar::<C, N>(1, number);
    let key = SampleKey::Explicit(multiple::<C, N>(&q));
    sample::<C, N>(number, &q, key, multiples)
}

fn implicit<C: Tabulated<N>, const N: usize>(
    issuer: u64,
    number: u64,
    multiples: Multiples,
) -> JobSample {
    let (own, issuer) = (scalar::<C, N>(2, number), scalar::<C, N>(3, issuer));
    let e = expand(4, number);
    let q = Scalar::<C, N>::from_bytes_reduced(&e)
        .mul(&own)
        .add(&issuer);
    let key = SampleKey::Implicit {
        e,
        reconstruction: multiple::<C, N>(&own),
        ca: multiple::<C, N>(&issuer),
    };
    sample::<C, N>(number, &q, key, multiples)
}

/// The sample of the key q G.
fn sample<C: Tabulated<N>, const N: usize>(
    number: u64,
    q: &Scalar<C, N>,
    key: SampleKey,
    multiples: Multiples,
) -> JobSample {
    let u2 = scalar::<C, N>(5, number);
    let u1 = match multiples {
        Multiples::Ordinary => scalar::<C, N>(6, number),
        Multiples::Equal => u2.mul(q),
        Multiples::Opposite => u2.mul(q).neg(),
    };
    let nonce = match multiples {
        // Any point: none fits.
        Multiples::Opposite => scalar::<C, N>(7, number),
        _ => u1.add(&u2.mul(q)),
    };
    let nonce = multiple::<C, N>(&nonce);
    let r = Scalar::<C, N>::from_bytes_reduced(nonce.x());
    let s = r.mul(&u2.invert());
    let mut sample = JobSample {
        curve: C::CURVE,
        sender: SenderId(number),
        digest: [0; 48],
        nonce,
        s: [0; 48],
        key,
    };
    to_bytes(&u1.mul(&s).to_integer(), &mut sample.digest[..8 * N]);
    to_bytes(&s.to_integer(), &mut sample.s[..8 * N]);
    sample
}
