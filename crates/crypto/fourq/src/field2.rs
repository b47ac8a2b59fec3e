//! GF(p^2) = GF(p)(i), i^2 = -1: the field that the coordinates live in.
//!
//! Everything is written over [`Fp`] and is therefore the same on both backends and constant
//! time. `const fn` because the tables and the derived constants of the curve are computed by
//! the compiler, not stored. Read [FourQ §4.1] first.

use zeroize::Zeroize;

use crate::backend::{Fp, Mask};

/// `re + im·i`.
#[derive(Clone, Copy, Zeroize)]
pub(crate) struct Fp2 {
    pub(crate) re: Fp,
    pub(crate) im: Fp,
}

impl Fp2 {
    pub(crate) const ZERO: Self = Self {
        re: Fp::ZERO,
        im: Fp::ZERO,
    };
    pub(crate) const ONE: Self = Self {
        re: Fp::ONE,
        im: Fp::ZERO,
    };

    /// The element `re + im·i`; both at most p.
    pub(crate) const fn new(re: u128, im: u128) -> Self {
        Self {
            re: Fp::from_u128(re),
            im: Fp::from_u128(im),
        }
    }

    /// Returns true if this is zero; see [`Fp::is_zero`].
    #[inline(always)]
    pub(crate) const fn is_zero(self) -> bool {
        self.re.is_zero() & self.im.is_zero()
    }

    #[inline(always)]
    pub(crate) const fn add(self, other: Self) -> Self {
        Self {
            re: self.re.add(other.re),
            im: self.im.add(other.im),
        }
    }

    #[inline(always)]
    pub(crate) const fn sub(self, other: Self) -> Self {
        Self {
            re: self.re.sub(other.re),
            im: self.im.sub(other.im),
        }
    }

    #[inline(always)]
    pub(crate) const fn neg(self) -> Self {
        Self {
            re: self.re.neg(),
            im: self.im.neg(),
        }
    }

    #[inline(always)]
    pub(crate) const fn double(self) -> Self {
        Self {
            re: self.re.double(),
            im: self.im.double(),
        }
    }

    /// The conjugate re - im·i, which is also the p-th power.
    #[inline(always)]
    pub(crate) const fn conj(self) -> Self {
        Self {
            re: self.re,
            im: self.im.neg(),
        }
    }

    /// Schoolbook: each half is one lazily reduced sum of two products. Karatsuba would save four
    /// word products of sixteen and pay with three more reductions.
    #[inline(always)]
    pub(crate) const fn mul(self, other: Self) -> Self {
        Self {
            // a0 b0 - a1 b1
            re: Fp::mul_pair(self.re, other.re, self.im.neg(), other.im),
            // a0 b1 + a1 b0
            im: Fp::mul_pair(self.re, other.im, self.im, other.re),
        }
    }

    /// (a0 + a1)(a0 - a1) + 2 a0 a1 i.
    #[inline(always)]
    pub(crate) const fn sqr(self) -> Self {
        Self {
            re: self.re.add(self.im).mul(self.re.sub(self.im)),
            im: self.re.double().mul(self.im),
        }
    }

    /// The norm a0^2 + a1^2, an element of GF(p).
    #[inline(always)]
    pub(crate) const fn norm(self) -> Fp {
        Fp::mul_pair(self.re, self.re, self.im, self.im)
    }

    /// Product with an element of GF(p).
    #[inline(always)]
    pub(crate) const fn scale(self, factor: Fp) -> Self {
        Self {
            re: self.re.mul(factor),
            im: self.im.mul(factor),
        }
    }

    /// `other` where the mask is set, else `self`.
    #[inline(always)]
    pub(crate) fn select(self, other: Self, mask: Mask) -> Self {
        Self {
            re: self.re.select(other.re, mask),
            im: self.im.select(other.im, mask),
        }
    }
}
