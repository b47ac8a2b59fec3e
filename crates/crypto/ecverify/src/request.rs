//! Requests to kernels and their answers; the contract is in `backend`.

use crate::encoding::{Coordinates, Ordinate};
use crate::job::{SenderId, Verdict};
use crate::limbs::small;
use crate::multiply::FixedBase;

/// The most requests that are put to a kernel at once.
pub(crate) const BATCH: usize = 32;

/// One equation to check, in little-endian limbs: R = (z/s) G + (r/s) Q.
#[derive(Clone, Copy)]
pub(crate) struct Request<const N: usize> {
    /// The signature's r, in 1..n.
    pub(crate) r: [u64; N],
    /// The signature's s, in 1..n.
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
    pub(crate) sender: Option<SenderId>,
}

/// Tables of a request's keys, where there are any. They stand for points of the curve.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Table of the key itself, also where the certificate is implicit.
    pub(crate) key: Option<FixedBase<'a>>,
    /// Table of the issuer's key.
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

/// Answer of a kernel to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The verdict is final.
    Decided(Verdict),
    /// A special case was met that this kernel does not compute.
    Undecided,
}

/// Error of a kernel that does not run here or now; the next one shall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable;
