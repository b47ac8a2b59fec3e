//! Kernels: the arithmetic of a verification, and the contract that all of them keep.
//!
//! A kernel takes a batch of [`Request`]s on one curve, whose integers are in range and whose
//! points are only alleged, and gives an [`Answer`] to each. It is a free function over a curve's
//! constants, since a trait's methods cannot be compiled for chosen processor features. The list
//! of a curve's kernels is [`Verifiable::KERNELS`]; [`run`] asks them in order.
//!
//! # The contract
//! * A kernel that this processor cannot run, or that is not worth starting for so few requests,
//!   answers [`Unavailable`] at once, and has written nothing.
//! * Otherwise it answers every request. It may leave any of them [`Answer::Undecided`]: vector
//!   formulas are not complete, and a lane that met equal or opposite points or infinity has
//!   computed nonsense. Those are put to the next kernel, as many of one path at once as a vector
//!   has lanes, also of different batches.
//! * The last kernel is [`portable::verify`], which is always available and decides everything.
//! * Every verdict that a kernel gives is the one that the portable kernel would give, refusals
//!   included; of several reasons the first in the order of [`crate::SignatureRefusal`].
//! * A batch has any length, 0 included. [`Request::PADDING`] fills lanes without a job.
//! * A kernel keeps nothing between calls. What is [`Known`] of a request's keys comes with it; it
//!   is true, and changes no verdict.
//! * Full-length scalars only, and no verification from a recovered R (patents).

#[cfg(target_arch = "x86_64")]
mod eight;
#[cfg(target_arch = "x86_64")]
pub(crate) mod ifma;
pub(crate) mod portable;

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384};
#[cfg(target_arch = "x86_64")]
use crate::lanes::LaneTabulated;
#[cfg(any(test, feature = "alloc"))]
use crate::multiply::Form;
use crate::multiply::Tabulated;
pub(crate) use crate::request::{Answer, BATCH, Known, Request, RequestKey, Unavailable};

/// A kernel for one curve; the slices have equal lengths.
pub(crate) type Kernel<const N: usize> =
    fn(&[Request<N>], &[Known<'_>], &mut [Answer]) -> Result<(), Unavailable>;

/// A curve with kernels.
pub(crate) trait Verifiable<const N: usize>: Tabulated<N> {
    /// Best first; the last is the portable one.
    const KERNELS: &'static [Kernel<N>] = &[portable::verify::<Self, N>];

    /// Verifications that this processor does at once.
    fn lanes() -> u32 {
        1
    }

    /// The path, below [`PATHS`], on which the best kernel of this processor verifies a request.
    /// Verdicts do not depend on it.
    fn path(_request: &Request<N>, _known: &Known<'_>) -> usize {
        0
    }

    /// The form of tables that the best kernel of this processor likes; the others take it, too.
    #[cfg(any(test, feature = "alloc"))]
    fn form() -> Form {
        Form::Residues
    }
}

#[cfg(target_arch = "x86_64")]
impl Verifiable<4> for P256 {
    const KERNELS: &'static [Kernel<4>] = &vectors_first::<Self>();

    fn lanes() -> u32 {
        eight::lanes()
    }

    fn path(request: &Request<4>, known: &Known<'_>) -> usize {
        eight::path(request, known)
    }

    #[cfg(any(test, feature = "alloc"))]
    fn form() -> Form {
        eight::form()
    }
}
#[cfg(target_arch = "x86_64")]
impl Verifiable<4> for BrainpoolP256r1 {
    const KERNELS: &'static [Kernel<4>] = &vectors_first::<Self>();

    fn lanes() -> u32 {
        eight::lanes()
    }

    fn path(request: &Request<4>, known: &Known<'_>) -> usize {
        eight::path(request, known)
    }

    #[cfg(any(test, feature = "alloc"))]
    fn form() -> Form {
        eight::form()
    }
}
#[cfg(not(target_arch = "x86_64"))]
impl Verifiable<4> for P256 {}
#[cfg(not(target_arch = "x86_64"))]
impl Verifiable<4> for BrainpoolP256r1 {}
impl Verifiable<6> for P384 {}
impl Verifiable<6> for BrainpoolP384r1 {}

/// The kernels of a curve for which there are vectors.
#[cfg(target_arch = "x86_64")]
const fn vectors_first<C: LaneTabulated + Tabulated<4>>() -> [Kernel<4>; 3] {
    [
        eight::verify::<C, false>,
        eight::verify::<C, true>,
        portable::verify::<C, 4>,
    ]
}

/// Has the vectors of this processor used, or only plain code.
pub(crate) fn enable_vectors(enabled: bool) {
    #[cfg(target_arch = "x86_64")]
    ifma::enable(enabled);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = enabled;
}

/// Kernels that are asked in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The first kernel that is available: at most [`BATCH`] requests.
    First,
    /// The other kernels, for requests that the first left undecided: at most [`AGAIN`] requests.
    Again,
}

/// Number of requests that are put to further kernels at once: the lanes of a vector.
pub(crate) const AGAIN: usize = 8;

/// Number of paths through a kernel; a vector has requests of one path.
pub(crate) const PATHS: usize = 4;

/// Puts requests to the kernels of a curve.
pub(crate) fn run<const N: usize>(
    turn: Turn,
    kernels: &[Kernel<N>],
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) {
    answers.fill(Answer::Undecided);
    let available = |kernel: &Kernel<N>| kernel(requests, known, answers).is_ok();
    match turn {
        Turn::First => _ = kernels.iter().any(available),
        Turn::Again => run_again(kernels, requests, known, answers),
    }
}

/// Puts requests to all kernels but the first, in order, until all are decided.
#[cold]
fn run_again<const N: usize>(
    kernels: &[Kernel<N>],
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) {
    for kernel in kernels.iter().skip(1) {
        let mut left = [Request::PADDING; AGAIN];
        let mut left_known = [Known::NOTHING; AGAIN];
        let mut found = [Answer::Undecided; AGAIN];
        let mut count = 0;
        for ((request, known), answer) in requests.iter().zip(known).zip(answers.iter()) {
            if *answer == Answer::Undecided && count < AGAIN {
                left[count] = *request;
                left_known[count] = *known;
                count += 1;
            }
        }
        if count > 0 && kernel(&left[..count], &left_known[..count], &mut found[..count]).is_ok() {
            let open = answers
                .iter_mut()
                .filter(|answer| **answer == Answer::Undecided);
            for (answer, found) in open.zip(&found[..count]) {
                *answer = *found;
            }
        }
    }
}
