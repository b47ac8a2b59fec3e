//! Sums of multiples of points, by non-adjacent forms: fast, in variable time, for public scalars.
//!
//! A scalar is written with signed odd digits, any two of which are a window apart (width-w NAF;
//! D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", §3.3), and the
//! multiples of several points share their doublings. Scalars have full length; nothing is halved,
//! no point recovered.

#[cfg(any(test, feature = "alloc"))]
mod build;
mod digits;
mod fixed;
mod own;

pub(crate) use fixed::{FixedBase, Tabulated};
#[cfg(any(test, feature = "alloc", target_arch = "x86_64"))]
pub(crate) use fixed::{Form, Shape};

use crate::curves::Weierstrass;
use crate::group::{Affine, Jacobian};
use digits::{NonAdjacentForm, index};
pub(crate) use own::odd_multiples;

/// Window of points without a table: odd multiples 1, 3, ..., 15.
const POINT_WINDOW: u32 = 5;
const POINT_MULTIPLES: usize = 1 << (POINT_WINDOW - 2);

/// A multiple of a point, to be summed. The scalar may be anything below 2^(64 N).
pub(crate) struct Term<'a, C: Weierstrass<N>, const N: usize> {
    pub(crate) scalar: [u64; N],
    pub(crate) base: Base<'a, C, N>,
}

/// A point to be multiplied.
pub(crate) enum Base<'a, C: Weierstrass<N>, const N: usize> {
    /// A point without a table.
    Point(Affine<C, N>),
    /// A point with a table of its multiples.
    Fixed(FixedBase<'a>),
}

impl<C: Tabulated<N>, const N: usize> Term<'static, C, N> {
    /// A multiple of the generator.
    pub(crate) fn generator(scalar: [u64; N]) -> Self {
        let base = Base::Fixed(C::GENERATOR_TABLE);
        Self { scalar, base }
    }
}

/// The sum of the terms, doublings shared by all: as many as the scalars have digits, or, if all
/// have tables, as the widest piece has.
pub(crate) fn sum<C: Weierstrass<N>, const N: usize, const TERMS: usize>(
    terms: &[Term<'_, C, N>; TERMS],
) -> Jacobian<C, N> {
    let running = terms.each_ref().map(Running::new);
    let positions = running.iter().map(Running::positions).max().unwrap_or(0);
    let mut sum = Jacobian::INFINITY;
    for position in (0..positions).rev() {
        sum = sum.double();
        for term in &running {
            term.add_at(position, &mut sum);
        }
    }
    Jacobian::from_model(&sum)
}

/// A term with its digits and multiples.
struct Running<'a, C: Weierstrass<N>, const N: usize> {
    form: NonAdjacentForm,
    multiples: Multiples<'a, C, N>,
}

enum Multiples<'a, C: Weierstrass<N>, const N: usize> {
    Own([Affine<C::Model, N>; POINT_MULTIPLES]),
    Kept(FixedBase<'a>),
}

impl<'a, C: Weierstrass<N>, const N: usize> Running<'a, C, N> {
    fn new(term: &Term<'a, C, N>) -> Self {
        match &term.base {
            Base::Point(point) => Self {
                form: NonAdjacentForm::new(&term.scalar, POINT_WINDOW),
                multiples: Multiples::Own(odd_multiples(&point.to_model())),
            },
            Base::Fixed(base) => Self {
                form: NonAdjacentForm::new(&term.scalar, base.shape.window),
                multiples: Multiples::Kept(*base),
            },
        }
    }

    /// Positions at which something may have to be added.
    fn positions(&self) -> usize {
        match &self.multiples {
            Multiples::Own(_) => self.form.length,
            // The carry at position 64 N belongs to the last piece, which is a digit longer.
            Multiples::Kept(base) => self.form.length.min(base.shape.spacing::<N>() + 1),
        }
    }

    #[inline(always)]
    fn add_at(&self, position: usize, sum: &mut Jacobian<C::Model, N>) {
        match &self.multiples {
            Multiples::Own(table) => {
                let digit = self.form.digits[position];
                if digit != 0 {
                    *sum = sum.add_affine(&table[index(digit)].negate_if(digit < 0));
                }
            }
            Multiples::Kept(base) => self.add_kept(*base, position, sum),
        }
    }

    #[inline(always)]
    fn add_kept(&self, base: FixedBase<'_>, position: usize, sum: &mut Jacobian<C::Model, N>) {
        let (spacing, pieces) = (base.shape.spacing::<N>(), base.shape.pieces);
        let first = match position {
            _ if position < spacing => 0,
            _ if position == spacing => pieces - 1,
            _ => return,
        };
        for piece in first..pieces {
            let digit = self.form.digits[piece * spacing + position];
            if digit != 0 {
                let entry = base.entry::<C, N>(piece, index(digit));
                *sum = sum.add_affine(&entry.negate_if(digit < 0));
            }
        }
    }
}
