//! Fixed powers in GF(p): inverse, inverse square root, seventh-power residues.
//!
//! The exponents are public constants, so each is one addition chain of squarings and products;
//! the sequence of operations never depends on the base. A squaring waits for the one before it and
//! leaves the multiplier idle meanwhile, so the chains take several independent values at once:
//! two cost little more than one.

use crate::backend::Fp;
use crate::field2::Fp2;

/// Values that go through a chain side by side.
#[derive(Clone, Copy)]
struct Lanes<const COUNT: usize>([Fp; COUNT]);

impl<const COUNT: usize> Lanes<COUNT> {
    #[inline(always)]
    const fn mul(mut self, other: Self) -> Self {
        let mut lane = 0;
        while lane < COUNT {
            self.0[lane] = self.0[lane].mul(other.0[lane]);
            lane += 1;
        }
        self
    }

    /// The power 2^n, n public.
    #[inline(always)]
    const fn sqr_times(mut self, n: u32) -> Self {
        let mut step = 0;
        while step < n {
            let mut lane = 0;
            while lane < COUNT {
                self.0[lane] = self.0[lane].sqr();
                lane += 1;
            }
            step += 1;
        }
        self
    }
}

/// a^(2^125 - 1) of each, which is 1/sqrt(a) for a square a and zero for zero.
///
/// (p - 3)/4 = 2^125 - 1, and a^((p - 3)/2) = 1/a for a square. The chain doubles the run of
/// ones: 1, 2, 4, 5, 10, 20, 25, 50, 100, 125.
pub(crate) const fn inverse_sqrts<const COUNT: usize>(a: [Fp; COUNT]) -> [Fp; COUNT] {
    let run1 = Lanes(a);
    let run2 = run1.sqr_times(1).mul(run1);
    let run4 = run2.sqr_times(2).mul(run2);
    let run5 = run4.sqr_times(1).mul(run1);
    let run10 = run5.sqr_times(5).mul(run5);
    let run20 = run10.sqr_times(10).mul(run10);
    let run25 = run20.sqr_times(5).mul(run5);
    let run50 = run25.sqr_times(25).mul(run25);
    let run100 = run50.sqr_times(50).mul(run50);
    run100.sqr_times(25).mul(run25).0
}

/// 1/a, and zero for zero: the power p - 2 = 4 (2^125 - 1) + 1.
pub(crate) const fn inverse(a: Fp) -> Fp {
    let [root] = inverse_sqrts([a]);
    root.sqr_times(2).mul(a)
}

/// 1/a = conj(a)/norm(a), and zero for zero.
pub(crate) const fn inverse2(a: Fp2) -> Fp2 {
    a.conj().scale(inverse(a.norm()))
}

/// a^((p - 1)/7) of each: one exactly for the seventh powers of GF(p)*, zero for zero.
///
/// (p - 1)/7 = 2 (1 + 8 + 8^2 + ... + 8^41); the chain adds up runs of that repunit: 1, 2, 4, 5,
/// 10, 20, 21, 42.
pub(crate) const fn seventh_residues<const COUNT: usize>(a: [Fp; COUNT]) -> [Fp; COUNT] {
    let run1 = Lanes(a);
    let run2 = run1.sqr_times(3).mul(run1);
    let run4 = run2.sqr_times(6).mul(run2);
    let run5 = run4.sqr_times(3).mul(run1);
    let run10 = run5.sqr_times(15).mul(run5);
    let run20 = run10.sqr_times(30).mul(run10);
    let run21 = run20.sqr_times(3).mul(run1);
    run21.sqr_times(63).mul(run21).sqr_times(1).0
}
