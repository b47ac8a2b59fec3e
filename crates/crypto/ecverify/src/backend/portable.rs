//! The portable kernel: one signature after the other in 64-bit limbs, inversions shared.
//!
//! Decides every request. The inverses of all s of a batch cost one inversion, and so do the
//! affine ordinates of those R that came compressed. An implicit key takes one sum of multiples
//! instead of two: u2 (e P + C) as (u2 e) P + u2 C, kept apart from u1 G until it has been seen not
//! to be infinity.

use super::{Answer, BATCH, Known, Request, RequestKey, Unavailable};
use crate::curves::{FieldElement, Scalar, Weierstrass};
use crate::encoding::{Coordinates, Ordinate, PointError};
use crate::group::{Affine, Jacobian};
use crate::job::{SignatureRefusal, Verdict};
use crate::limbs::{add, less};
use crate::multiply::{Base, Tabulated, Term, sum};
use crate::residue::{Prime, Residue};

/// Verifies all requests; never unavailable, never undecided.
pub(crate) fn verify<C: Tabulated<N>, const N: usize>(
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) -> Result<(), Unavailable> {
    let chunks = requests.chunks(BATCH).zip(known.chunks(BATCH));
    for ((requests, known), answers) in chunks.zip(answers.chunks_mut(BATCH)) {
        verify_batch::<C, N>(requests, known, answers);
    }
    Ok(())
}

/// Verifies at most [`BATCH`] requests.
fn verify_batch<C: Tabulated<N>, const N: usize>(
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) {
    let count = requests.len();
    let mut inverses = [Scalar::<C, N>::ONE; BATCH];
    let mut products = [Scalar::<C, N>::ONE; BATCH];
    for (inverse, request) in inverses.iter_mut().zip(requests) {
        *inverse = Residue::from_integer(&request.s);
    }
    Residue::invert_all(&mut inverses[..count], &mut products[..count]);

    let mut unfinished = Unfinished::<C, N>::new();
    for (i, request) in requests.iter().enumerate() {
        let verdict = match equation(request, known[i], &inverses[i]) {
            Err(refusal) => Verdict::Refused(refusal),
            Ok(point) => match request.nonce {
                None => Verdict::Valid,
                Some(nonce) => compare(&point, &nonce).unwrap_or_else(|odd| {
                    unfinished.push(i, &point, odd);
                    // Until the ordinates are known.
                    Verdict::Refused(SignatureRefusal::NoncePoint)
                }),
            },
        };
        answers[i] = Answer::Decided(verdict);
    }
    unfinished.finish(answers);
}

/// R = u1 G + u2 Q, if its abscissa gives r.
fn equation<C: Tabulated<N>, const N: usize>(
    request: &Request<N>,
    known: Known<'_>,
    inverse: &Scalar<C, N>,
) -> Result<Jacobian<C, N>, SignatureRefusal> {
    let u1 = inverse.mul(&Residue::from_integer(&request.z)).to_integer();
    let u2 = inverse.mul(&Residue::from_integer(&request.r));
    let generator = Term::generator(u1);
    let scalar = u2.to_integer();
    let sum = match (known.key, &request.key) {
        (Some(table), _) => {
            let base = Base::Fixed(table);
            sum(&[generator, Term { scalar, base }])
        }
        (None, RequestKey::Explicit(key)) => {
            let base = Base::Point(point(key).map_err(SignatureRefusal::Key)?);
            sum(&[generator, Term { scalar, base }])
        }
        (
            None,
            RequestKey::Implicit {
                e,
                reconstruction,
                ca,
            },
        ) => {
            let reconstruction = Term {
                scalar: u2.mul(&Residue::from_integer(e)).to_integer(),
                base: Base::Point(point(reconstruction).map_err(SignatureRefusal::Reconstruction)?),
            };
            let base = match known.issuer {
                Some(table) => Base::Fixed(table),
                None => Base::Point(point(ca).map_err(SignatureRefusal::Ca)?),
            };
            let multiple = sum(&[reconstruction, Term { scalar, base }]);
            // u2 Q with u2 not zero, in a group of prime order: infinity only if Q is.
            if multiple.is_infinity() {
                return Err(SignatureRefusal::KeyAtInfinity);
            }
            sum(&[generator]).add(&multiple)
        }
    };
    if has_remainder(&sum, &request.r) {
        Ok(sum)
    } else {
        Err(SignatureRefusal::Equation)
    }
}

fn point<C: Weierstrass<N>, const N: usize>(
    coordinates: &Coordinates<N>,
) -> Result<Affine<C, N>, PointError> {
    coordinates.point().ok_or(PointError::NotOnCurve)
}

/// Returns true if the abscissa of `point`, modulo n, is `r`: x = r, or x = r + n where that is
/// below p. Compared as X = x Z^2, without a division; infinity has no abscissa.
fn has_remainder<C: Weierstrass<N>, const N: usize>(point: &Jacobian<C, N>, r: &[u64; N]) -> bool {
    if point.is_infinity() {
        return false;
    }
    let z_squared = point.z.sqr();
    let is = |x: &[u64; N]| -> bool {
        let x: FieldElement<C, N> = Residue::from_integer(x);
        x.mul(&z_squared).equals(&point.x)
    };
    is(r) || less(r, &C::FIELD_ABOVE_ORDER) && is(&add(r, &C::Order::MODULUS).0)
}

/// Compares with R as it was sent. Where only the parity of y was sent, and x is right, the
/// verdict has to wait: the error is that parity.
fn compare<C: Weierstrass<N>, const N: usize>(
    point: &Jacobian<C, N>,
    sent: &Coordinates<N>,
) -> Result<Verdict, bool> {
    let z_squared = point.z.sqr();
    let x: FieldElement<C, N> = Residue::from_integer(&sent.x);
    if !x.mul(&z_squared).equals(&point.x) {
        return Ok(Verdict::Refused(SignatureRefusal::NoncePoint));
    }
    match &sent.y {
        Ordinate::Odd(odd) => Err(*odd),
        Ordinate::Whole(y) => {
            let y: FieldElement<C, N> = Residue::from_integer(y);
            if y.mul(&z_squared.mul(&point.z)).equals(&point.y) {
                Ok(Verdict::Valid)
            } else {
                Ok(Verdict::Refused(SignatureRefusal::NoncePoint))
            }
        }
    }
}

/// The points R of a batch that wait for the parity of their ordinates.
struct Unfinished<C: Weierstrass<N>, const N: usize> {
    /// Y and Z of each.
    ordinates: [FieldElement<C, N>; BATCH],
    denominators: [FieldElement<C, N>; BATCH],
    /// Index of each request, and the parity that was sent.
    origins: [(usize, bool); BATCH],
    count: usize,
}

impl<C: Weierstrass<N>, const N: usize> Unfinished<C, N> {
    fn new() -> Self {
        Self {
            ordinates: [Residue::ONE; BATCH],
            denominators: [Residue::ONE; BATCH],
            origins: [(0, false); BATCH],
            count: 0,
        }
    }

    fn push(&mut self, request: usize, point: &Jacobian<C, N>, odd: bool) {
        self.ordinates[self.count] = point.y;
        self.denominators[self.count] = point.z;
        self.origins[self.count] = (request, odd);
        self.count += 1;
    }

    /// Accepts the requests whose parity, of y = Y/Z^3, is the one that was sent.
    fn finish(mut self, answers: &mut [Answer]) {
        if self.count == 0 {
            return;
        }
        let mut products = [Residue::ONE; BATCH];
        Residue::invert_all(
            &mut self.denominators[..self.count],
            &mut products[..self.count],
        );
        for i in 0..self.count {
            let inverse = &self.denominators[i];
            let y = self.ordinates[i].mul(&inverse.sqr().mul(inverse));
            let (request, odd) = self.origins[i];
            if (y.to_integer()[0] & 1 == 1) == odd {
                answers[request] = Answer::Decided(Verdict::Valid);
            }
        }
    }
}
