//! Tables that are built at run time, for points that are met again.

use super::{FixedBase, Form, Shape};
use crate::curves::{FieldElement, Weierstrass};
use crate::group::{Affine, Jacobian};
use crate::residue::Residue;

/// The most points in such a table.
const BUILT_MOST: usize = 64;

impl<'a> FixedBase<'a> {
    /// A table that [`FixedBase::build`] has written.
    pub(crate) fn new<const N: usize>(words: &'a [u64], shape: Shape, form: Form) -> Self {
        debug_assert_eq!(words.len(), shape.words::<N>());
        Self { words, shape, form }
    }

    /// Writes the table of a point. Costs as many doublings as the last piece lies up, an addition
    /// for each entry, and one inversion.
    ///
    /// # Panics
    /// If the shape has more than 64 entries, or `words` is not as long as it says.
    pub(crate) fn build<C: Weierstrass<N>, const N: usize>(
        point: &Affine<C, N>,
        shape: Shape,
        form: Form,
        words: &mut [u64],
    ) {
        assert!(words.len() == shape.words::<N>());
        let stored = match form {
            Form::Residues => Residue::stored,
            Form::Lanes => |own: &FieldElement<C, N>| own.times_sixteen().stored(),
        };
        Self::fill(&point.to_model(), shape, stored, words);
    }

    /// Writes the table, each coordinate as `stored` says.
    fn fill<C: Weierstrass<N>, const N: usize>(
        point: &Affine<C, N>,
        shape: Shape,
        stored: fn(&FieldElement<C, N>) -> [u64; N],
        words: &mut [u64],
    ) {
        let count = shape.pieces * shape.multiples();
        assert!(count <= BUILT_MOST);
        // No multiple is infinity: the factors are below the order, which is prime, or odd times a
        // power of two.
        let mut points = [Jacobian::<C, N>::INFINITY; BUILT_MOST];
        let mut base = point.to_jacobian();
        for (piece, points) in points[..count].chunks_mut(shape.multiples()).enumerate() {
            if piece > 0 {
                (0..shape.spacing::<N>()).for_each(|_| base = base.double());
            }
            odd_multiples(&base, points);
        }
        let (mut inverses, mut room) = ([Residue::ONE; BUILT_MOST], [Residue::ONE; BUILT_MOST]);
        for (inverse, point) in inverses.iter_mut().zip(&points[..count]) {
            *inverse = point.z;
        }
        Residue::invert_all(&mut inverses[..count], &mut room[..count]);
        for ((entry, point), inverse) in words.chunks_mut(2 * N).zip(&points).zip(&inverses) {
            let affine = point.scale(inverse);
            entry[..N].copy_from_slice(&stored(&affine.x));
            entry[N..].copy_from_slice(&stored(&affine.y));
        }
    }
}

/// 1, 3, 5, ... times `base`.
fn odd_multiples<C: Weierstrass<N>, const N: usize>(
    base: &Jacobian<C, N>,
    points: &mut [Jacobian<C, N>],
) {
    let twice = base.double().cache();
    let mut last = *base;
    for point in points {
        *point = last;
        last = last.add_cached(&twice);
    }
}
