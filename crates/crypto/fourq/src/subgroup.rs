//! Does a point of the curve have order N? Answered by three reduced Tate pairings.
//!
//! E(GF(p^2)) is Z/8 x Z/7 x Z/7 x Z/N, so P has order dividing N exactly if it is an eighth and
//! a seventh multiple: P in 8E and P in 7E. For n | p^2 - 1 the reduced Tate pairing
//! `t_n(T, P) = f_{n,T}(P)^((p^2 - 1)/n)` is a perfect pairing of E\[n\] with E/nE (the test is
//! Koshelev's, ePrint 2022/037). Hence P is in 8E exactly if t_8(T8, P) = 1 for one T8 of order 8,
//! and in 7E exactly if t_7(T, P) = 1 for two T that span E\[7\]. That is three power chains of 125
//! squarings instead of a multiplication by N. The tests compare the two, coset by coset.
//!
//! The Miller functions live on the Weierstrass form v² = u³ + A u² + C u (monic, so that they are
//! normalised at infinity), with K = -(1 + d)/4, A = (d - 1)/2, C = K² and
//! u = K (1 + y)/(1 - y), v = u/x. Their lines have constant coefficients, which `const`
//! evaluation derives from the torsion points. Both final powers ignore factors:
//! * (p² - 1)/8 = 2^124 (p - 1) kills GF(p)*, so 1/x may be replaced by conj(x);
//! * (p² - 1)/7 = (p + 1)(p - 1)/7 is the norm followed by a power in GF(p), where 1/x may be
//!   replaced by x^6.
//!
//! A zero or pole of a line means that P is a multiple of T: refused, as zero is not one.
//! For public points only in purpose, though in fact free of branches until the last line.

use crate::backend::Fp;
use crate::constants::{D, TORSION_7, TORSION_8};
use crate::curve::{Affine, Extended};
use crate::endomorphism;
use crate::field2::Fp2;
use crate::power;

/// -(1 + d), which is 4K.
const FOUR_K: Fp2 = Fp2::ONE.add(D).neg();

/// (u, v) of a fixed torsion point.
#[derive(Clone, Copy)]
struct Weierstrass {
    u: Fp2,
    v: Fp2,
}

/// [U : V : W] = [u : v : 1] of the point under test.
struct Projective {
    u: Fp2,
    v: Fp2,
    w: Fp2,
}

impl Weierstrass {
    const fn new(point: &Extended) -> Self {
        let Affine { x, y } = point.to_affine();
        let denominator = Fp2::ONE.sub(y).double().double();
        let u = FOUR_K
            .mul(Fp2::ONE.add(y))
            .mul(power::inverse2(denominator));
        Self {
            u,
            v: u.mul(power::inverse2(x)),
        }
    }
}

impl Projective {
    const fn new(point: &Affine) -> Self {
        let v = FOUR_K.mul(Fp2::ONE.add(point.y));
        let w = Fp2::ONE.sub(point.y).mul(point.x).double().double();
        Self {
            u: v.mul(point.x),
            v,
            w,
        }
    }
}

/// The line v - slope u + offset = 0.
struct Line {
    slope: Fp2,
    offset: Fp2,
}

impl Line {
    const fn through(point: &Weierstrass, slope: Fp2) -> Self {
        Self {
            slope,
            offset: slope.mul(point.u).sub(point.v),
        }
    }

    /// (3u² + 2Au + C)/(2v), with 2A = d - 1.
    const fn tangent(point: &Weierstrass) -> Self {
        let uu = point.u.sqr();
        let c = FOUR_K.sqr().mul(power::inverse2(Fp2::new(16, 0)));
        let rise = uu.double().add(uu).add(D.sub(Fp2::ONE).mul(point.u)).add(c);
        Self::through(point, rise.mul(power::inverse2(point.v.double())))
    }

    const fn chord(a: &Weierstrass, b: &Weierstrass) -> Self {
        Self::through(a, b.v.sub(a.v).mul(power::inverse2(b.u.sub(a.u))))
    }

    const fn at(&self, point: &Projective) -> Fp2 {
        point
            .v
            .sub(self.slope.mul(point.u))
            .add(self.offset.mul(point.w))
    }
}

/// u - c = 0 at the point, times W.
const fn vertical(u: Fp2, point: &Projective) -> Fp2 {
    point.u.sub(u.mul(point.w))
}

/// f_8 of T8: with T2 = 2 T8, `f_8 = (tangent_1 / (u - u_2))^4 tangent_2^2 / u`.
struct MillerEight {
    tangent_1: Line,
    tangent_2: Line,
    u_2: Fp2,
}

/// f_7 of T: `f_7 = (tangent_1 chord_12 / ((u - u_2)(u - u_3)))^2 tangent_3`.
struct MillerSeven {
    tangent_1: Line,
    chord_12: Line,
    tangent_3: Line,
    u_2: Fp2,
    u_3: Fp2,
}

impl MillerEight {
    const fn new(torsion: &Extended) -> Self {
        let (one, two) = (
            Weierstrass::new(torsion),
            Weierstrass::new(&torsion.double()),
        );
        Self {
            tangent_1: Line::tangent(&one),
            tangent_2: Line::tangent(&two),
            u_2: two.u,
        }
    }

    /// f_8(P) up to a factor in GF(p)*; zero at the multiples of T8.
    const fn at(&self, point: &Projective) -> Fp2 {
        let quarter = self
            .tangent_1
            .at(point)
            .mul(vertical(self.u_2, point).conj());
        let half = quarter.sqr().mul(self.tangent_2.at(point));
        half.sqr().mul(point.u.mul(point.w).conj())
    }
}

impl MillerSeven {
    const fn new(torsion: &Extended) -> Self {
        let double = torsion.double();
        let one = Weierstrass::new(torsion);
        let two = Weierstrass::new(&double);
        let three = Weierstrass::new(&double.add(&torsion.to_cached()));
        Self {
            tangent_1: Line::tangent(&one),
            chord_12: Line::chord(&one, &two),
            tangent_3: Line::tangent(&three),
            u_2: two.u,
            u_3: three.u,
        }
    }

    /// The norm of f_7(P) up to seventh powers; zero at the multiples of T.
    const fn at(&self, point: &Projective) -> Fp {
        let numerator = self.tangent_1.at(point).mul(self.chord_12.at(point)).norm();
        let denominator = vertical(self.u_2, point)
            .mul(vertical(self.u_3, point))
            .norm();
        let tail = self.tangent_3.at(point).norm();
        let w = point.w.norm();
        // n² t / (m² w) = n² t m^5 w^6 up to seventh powers.
        let m2 = denominator.sqr();
        let m5 = m2.sqr().mul(denominator);
        let w3 = w.sqr().mul(w);
        numerator.sqr().mul(tail).mul(m5).mul(w3.sqr())
    }
}

const EIGHT: MillerEight = MillerEight::new(&torsion(TORSION_8));
const SEVEN: [MillerSeven; 2] = [
    MillerSeven::new(&torsion(TORSION_7)),
    MillerSeven::new(&endomorphism::phi(&torsion(TORSION_7))),
];

const fn torsion((x, y): (Fp2, Fp2)) -> Extended {
    Affine { x, y }.to_extended()
}

/// Returns true if f^((p² - 1)/8) = 1, f not zero.
///
/// The power is (conj(f)/f)^(2^124), one exactly if f^(2^124) is its own conjugate.
fn eighth_residue(f: Fp2) -> bool {
    let mut power = f;
    for _ in 0..124 {
        power = power.sqr();
    }
    !power.is_zero() & power.im.is_zero()
}

/// Returns true if `point`, a point of the curve, has order exactly N. The neutral point has not.
pub(crate) fn has_prime_order(point: &Affine) -> bool {
    let point = Projective::new(point);
    let eighth = eighth_residue(EIGHT.at(&point));
    let [a, b] = power::seventh_residues([SEVEN[0].at(&point), SEVEN[1].at(&point)]);
    eighth & a.sub(Fp::ONE).is_zero() & b.sub(Fp::ONE).is_zero()
}
