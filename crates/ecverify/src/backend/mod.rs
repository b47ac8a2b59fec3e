//! Kernels: who does the arithmetic of a verification, and the contract they all keep.
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
//!   computed nonsense. Those are put to the next kernel, all of a batch together.
//! * The last kernel is [`portable::verify`], which is always available and decides everything.
//! * Every verdict that a kernel gives is the one that the portable kernel would give, refusals
//!   included; of several reasons the first in the order of [`crate::Refusal`].
//! * A batch has any length, 0 included. [`Request::PADDING`] fills lanes without a job.
//! * A kernel keeps nothing between calls. What is [`Known`] of a request's keys comes with it; it
//!   is true, and changes no verdict.
//! * Full-length scalars only, and no verification from a recovered R (patents).

pub(crate) mod portable;

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384};
use crate::encoding::{Coordinates, Ordinate};
use crate::job::{Sender, Verdict};
use crate::limbs::small;
use crate::multiply::{FixedBase, Tabulated};

/// One equation to check, in little-endian limbs: R = (z/s) G + (r/s) Q.
#[derive(Clone, Copy)]
pub(crate) struct Request<const N: usize> {
    /// In 1..n.
    pub(crate) r: [u64; N],
    /// In 1..n.
    pub(crate) s: [u64; N],
    /// The digest, reduced modulo n.
    pub(crate) z: [u64; N],
    /// R, where all of it was sent; then r is x mod n.
    pub(crate) nonce: Option<Coordinates<N>>,
    pub(crate) key: RequestKey<N>,
    #[cfg_attr(
        not(any(test, feature = "alloc")),
        expect(dead_code, reason = "asked by a verifier with a memory")
    )]
    pub(crate) sender: Option<Sender>,
}

/// Tables of a request's keys, where there are any. They stand for points of the curve.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Of the key itself, also where the certificate is implicit.
    pub(crate) key: Option<FixedBase<'a>>,
    /// Of the issuer's.
    pub(crate) issuer: Option<FixedBase<'a>>,
}

impl Known<'_> {
    pub(crate) const NOTHING: Self = Self {
        key: None,
        issuer: None,
    };
}

/// The key of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKey<const N: usize> {
    /// Q.
    Explicit(Coordinates<N>),
    /// Q = e P + C.
    Implicit {
        /// Reduced modulo n; may be zero.
        e: [u64; N],
        reconstruction: Coordinates<N>,
        ca: Coordinates<N>,
    },
}

impl<const N: usize> Request<N> {
    /// A request that is refused.
    pub(crate) const PADDING: Self = Self {
        r: small(1),
        s: small(1),
        z: [0; N],
        nonce: None,
        key: RequestKey::Explicit(Coordinates {
            x: [0; N],
            y: Ordinate::Whole([0; N]),
        }),
        sender: None,
    };
}

/// What a kernel says of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The verdict is final.
    Decided(Verdict),
    /// A special case was met that this kernel does not compute.
    Undecided,
}

/// This kernel does not run here or now; the next one shall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable;

/// A kernel for one curve; the slices have equal lengths.
pub(crate) type Kernel<const N: usize> =
    fn(&[Request<N>], &[Known<'_>], &mut [Answer]) -> Result<(), Unavailable>;

/// A curve with kernels.
pub(crate) trait Verifiable<const N: usize>: Tabulated<N> {
    /// Best first; the last is the portable one.
    const KERNELS: &'static [Kernel<N>] = &[portable::verify::<Self, N>];
}

impl Verifiable<4> for P256 {}
impl Verifiable<6> for P384 {}
impl Verifiable<4> for BrainpoolP256r1 {}
impl Verifiable<6> for BrainpoolP384r1 {}

/// The most requests that are put to a kernel at once.
pub(crate) const BATCH: usize = 32;

/// Puts at most [`BATCH`] requests to `kernels`, the undecided ones to the next in line.
pub(crate) fn run<const N: usize>(
    kernels: &[Kernel<N>],
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) {
    answers.fill(Answer::Undecided);
    let mut kernels = kernels.iter();
    // The first that is available takes the batch as it stands.
    if !kernels.any(|kernel| kernel(requests, known, answers).is_ok()) {
        return;
    }
    for kernel in kernels {
        if answers.iter().all(|answer| *answer != Answer::Undecided) {
            return;
        }
        again(*kernel, requests, known, answers);
    }
}

/// Puts the undecided requests, gathered, to one more kernel. Not inlined, for the room it takes.
#[cold]
#[inline(never)]
fn again<const N: usize>(
    kernel: Kernel<N>,
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) {
    let mut gathered = [Request::PADDING; BATCH];
    let mut gathered_known = [Known::NOTHING; BATCH];
    let mut found = [Answer::Undecided; BATCH];
    let mut count = 0;
    for ((request, known), answer) in requests.iter().zip(known).zip(answers.iter()) {
        if *answer == Answer::Undecided && count < BATCH {
            gathered[count] = *request;
            gathered_known[count] = *known;
            count += 1;
        }
    }
    let (gathered, known) = (&gathered[..count], &gathered_known[..count]);
    if kernel(gathered, known, &mut found[..count]).is_ok() {
        let open = answers
            .iter_mut()
            .filter(|answer| **answer == Answer::Undecided);
        for (answer, found) in open.zip(&found[..count]) {
            *answer = *found;
        }
    }
}
