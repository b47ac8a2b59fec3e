//! The kernels that verify eight requests in each vector of the processor.
//!
//! The first leaves special cases to the second, which computes the same in formulas that know
//! them, at a tenth more cost, eight of one path at a time. So jobs made to be special cost two
//! runs each.

use core::marker::PhantomData;

use super::{Answer, Known, PATHS, Request, Unavailable, ifma};
use crate::lanes::{Batch, LaneTabulated, Path, WORTHWHILE, Work};
#[cfg(any(test, feature = "alloc"))]
use crate::multiply::Form;

/// Verifies with the vectors of this processor, everything or, unless `CHECKED`, all but special
/// cases.
pub(super) fn verify<C: LaneTabulated, const CHECKED: bool>(
    requests: &[Request<4>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) -> Result<(), Unavailable>
where
    for<'a> Batch<'a, C, CHECKED>: Work<Output = ()>,
{
    if requests.len() < WORTHWHILE {
        return Err(Unavailable);
    }
    ifma::run(Batch::<C, CHECKED> {
        requests,
        known,
        answers,
        curve: PhantomData,
    })
}

/// Lanes of this processor's vectors; one where it has none.
pub(super) fn lanes() -> u32 {
    if ifma::available() { 8 } else { 1 }
}

/// The path of a request.
pub(super) fn path(request: &Request<4>, known: &Known<'_>) -> usize {
    const { assert!(Path::ALL.len() == PATHS) };
    Path::of(request, known) as usize
}

/// The form of tables on this processor.
#[cfg(any(test, feature = "alloc"))]
pub(super) fn form() -> Form {
    if ifma::available() {
        Form::Lanes
    } else {
        Form::Residues
    }
}
