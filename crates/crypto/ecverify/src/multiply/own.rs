//! Odd multiples of a point that is multiplied once, affine.
//!
//! The points are computed in Jacobian coordinates with one Z for two points at a time (N. Meloni,
//! "New Point Addition Formulae for ECC Applications", 2007), so that a sum takes six products and
//! yields the quotient of the next Z and the last. Then one inversion and those quotients make all
//! of them affine.

use crate::curves::{FieldElement, Weierstrass};
use crate::group::Affine;
use crate::residue::Residue;

/// Two points with a common Z, which is known elsewhere.
struct CommonZ<C: Weierstrass<N>, const N: usize> {
    /// 2 P.
    twice: Affine<C, N>,
    /// The last odd multiple of P.
    last: Affine<C, N>,
}

impl<C: Weierstrass<N>, const N: usize> CommonZ<C, N> {
    /// 2 P and P, and Z = 2 Y. No point has y = 0, since the order is odd.
    fn new(point: &Affine<C, N>) -> (Self, FieldElement<C, N>) {
        let Affine { x, y } = point;
        let a = const { Residue::from_integer(&C::A) };
        let m = x.sqr().triple().add(&a);
        let z = y.double();
        let z_squared = z.sqr();
        // 4 X Y^2 and 8 Y^4: P with this Z.
        let last = Affine {
            x: z_squared.mul(x),
            y: z_squared.sqr().half(),
        };
        let x = m.sqr().sub(&last.x.double());
        let y = m.mul(&last.x.sub(&x)).sub(&last.y);
        let twice = Affine { x, y };
        (Self { twice, last }, z)
    }

    /// Adds 2 P to the last multiple, and returns the new Z over the old one: the difference of
    /// the abscissas, which must not be zero.
    fn step(&mut self) -> FieldElement<C, N> {
        let Self { twice, last } = self;
        let h = last.x.sub(&twice.x);
        let r = last.y.sub(&twice.y);
        let h_squared = h.sqr();
        let x1 = twice.x.mul(&h_squared);
        let x2 = last.x.mul(&h_squared);
        let y1 = twice.y.mul(&x2.sub(&x1));
        last.x = r.sqr().sub(&x1).sub(&x2);
        last.y = r.mul(&x1.sub(&last.x)).sub(&y1);
        *twice = Affine { x: x1, y: y1 };
        h
    }
}

/// The odd multiples 1, 3, 5, ... of a point, affine; fewer than a hundred.
///
/// No abscissas are equal on the way: k P = 2 P or k P = -2 P for an odd k would make the order,
/// which is a prime of hundreds of bits, divide k - 2 or k + 2. So no Z is zero, either.
pub(crate) fn odd_multiples<C: Weierstrass<N>, const N: usize, const COUNT: usize>(
    point: &Affine<C, N>,
) -> [Affine<C, N>; COUNT] {
    const { assert!(COUNT < 100) };
    let (mut pair, mut z) = CommonZ::new(point);
    let (mut multiples, mut quotients) = ([*point; COUNT], [Residue::ONE; COUNT]);
    for (multiple, quotient) in multiples.iter_mut().zip(&mut quotients).skip(1) {
        *quotient = pair.step();
        *multiple = pair.last;
        z = z.mul(quotient);
    }
    let mut inverse = z.invert();
    // The first has been affine from the beginning.
    for (multiple, quotient) in multiples.iter_mut().zip(&quotients).skip(1).rev() {
        let squared = inverse.sqr();
        multiple.x = multiple.x.mul(&squared);
        multiple.y = multiple.y.mul(&squared.mul(&inverse));
        inverse = inverse.mul(quotient);
    }
    multiples
}
