//! Fixed powers in GF(p): inverse, inverse square root, seventh-power residues.
//!
//! The exponents are public constants, so each is one addition chain of squarings and products;
//! the sequence of operations never depends on the base.

use crate::backend::Fp;
use crate::field2::Fp2;

/// a^(2^125 - 1), which is 1/sqrt(a) for a square a and zero for zero.
///
/// (p - 3)/4 = 2^125 - 1, and a^((p - 3)/2) = 1/a for a square. The chain doubles the run of
/// ones: 1, 2, 4, 5, 10, 20, 25, 50, 100, 125.
pub(crate) const fn inverse_sqrt(a: Fp) -> Fp {
    let run2 = a.sqr().mul(a);
    let run4 = run2.sqr_times(2).mul(run2);
    let run5 = run4.sqr().mul(a);
    let run10 = run5.sqr_times(5).mul(run5);
    let run20 = run10.sqr_times(10).mul(run10);
    let run25 = run20.sqr_times(5).mul(run5);
    let run50 = run25.sqr_times(25).mul(run25);
    let run100 = run50.sqr_times(50).mul(run50);
    run100.sqr_times(25).mul(run25)
}

/// 1/a, and zero for zero: the power p - 2 = 4 (2^125 - 1) + 1.
pub(crate) const fn inverse(a: Fp) -> Fp {
    inverse_sqrt(a).sqr_times(2).mul(a)
}

/// 1/a = conj(a)/norm(a), and zero for zero.
pub(crate) const fn inverse2(a: Fp2) -> Fp2 {
    a.conj().scale(inverse(a.norm()))
}

/// a^((p - 1)/7): one exactly for the seventh powers of GF(p)*, zero for zero.
///
/// (p - 1)/7 = 2 (1 + 8 + 8^2 + ... + 8^41); the chain adds up runs of that repunit: 1, 2, 4, 5,
/// 10, 20, 21, 42.
pub(crate) const fn seventh_residue(a: Fp) -> Fp {
    let run2 = a.sqr_times(3).mul(a);
    let run4 = run2.sqr_times(6).mul(run2);
    let run5 = run4.sqr_times(3).mul(a);
    let run10 = run5.sqr_times(15).mul(run5);
    let run20 = run10.sqr_times(30).mul(run10);
    let run21 = run20.sqr_times(3).mul(a);
    run21.sqr_times(63).mul(run21).sqr()
}
