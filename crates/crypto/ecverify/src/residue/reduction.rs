//! Montgomery's reduction, with shifts instead of products for the primes of P-256 and P-384.

use super::product::{WIDE, add_row, for_each_limb};
use super::{Prime, Residue};
use crate::limbs::{add_carry, equal, from_hex, mul_wide, sub_borrow};

/// Computation of multiples of a prime.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
    P256,
    /// p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
    P384,
    /// Any prime.
    Other,
}

impl<P: Prime<N>, const N: usize> Residue<P, N> {
    pub(super) const SHAPE: Shape = {
        let mut padded = [0; 6];
        padded.split_at_mut(N).0.copy_from_slice(&P::MODULUS);
        let p256 = from_hex(
            "00000000000000000000000000000000\
             ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        );
        let p384 = from_hex(
            "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
             ffffffff0000000000000000ffffffff",
        );
        if equal(&padded, &p256) {
            Shape::P256
        } else if equal(&padded, &p384) {
            Shape::P384
        } else {
            Shape::Other
        }
    };
    /// -1/p mod 2^64, by Newton's iteration: p itself is 1/p mod 8, each step doubles the bits.
    const NEGATED_INVERSE: u64 = {
        let (mut inverse, mut i) = (P::MODULUS[0], 0);
        while i < 5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(P::MODULUS[0].wrapping_mul(inverse)));
            i += 1;
        }
        inverse.wrapping_neg()
    };
    /// 1/p mod 2^62.
    pub(super) const INVERSE_62: u64 = Self::NEGATED_INVERSE.wrapping_neg() & (u64::MAX >> 2);

    /// `wide` / 2^(64 N) modulo p, of a product of two residues.
    #[inline(always)]
    pub(super) const fn reduce(wide: &[u64; WIDE]) -> Self {
        // Below 2^(64 N) + p, and below 2 p if both residues are below p.
        let (sum, carry) = match Self::SHAPE {
            Shape::Other => Self::reduce_in_place(*wide),
            _ => Self::reduce_lower_half(wide),
        };
        Self::new(Self::reduce_once(sum, carry))
    }

    /// (`wide` + m p) / 2^(64 N) for the m below 2^(64 N) that makes it an integer, by primes
    /// without a form: the rows of m p are added where they stand.
    #[inline(always)]
    const fn reduce_in_place(mut wide: [u64; WIDE]) -> ([u64; N], bool) {
        for_each_limb!(I, N, {
            let m = wide[I].wrapping_mul(Self::NEGATED_INVERSE);
            // The lowest word is zero now: it keeps the word that belongs N words further up.
            wide[I] = add_row(&mut wide, I, &P::MODULUS, m);
        });
        let (mut sum, mut carry, mut i) = ([0; N], false, 0);
        while i < N {
            (sum[i], carry) = add_carry(wide[i], wide[N + i], carry);
            i += 1;
        }
        (sum, carry)
    }

    /// The same where words are reduced by shifts: the lower half first, which is short.
    #[inline(always)]
    const fn reduce_lower_half(wide: &[u64; WIDE]) -> ([u64; N], bool) {
        let (mut sum, mut i) = ([0; N], 0);
        while i < N {
            sum[i] = wide[i];
            i += 1;
        }
        i = 0;
        while i < N {
            sum = Self::reduce_word(sum);
            i += 1;
        }
        // At most p so far.
        let mut carry = false;
        i = 0;
        while i < N {
            (sum[i], carry) = add_carry(sum[i], wide[N + i], carry);
            i += 1;
        }
        (sum, carry)
    }

    /// (`minuend` - `subtrahend`) / 2^(64 N) modulo p, of two products of residues below p.
    #[inline(always)]
    pub(super) const fn reduce_difference(minuend: &[u64; WIDE], subtrahend: &[u64; WIDE]) -> Self {
        debug_assert!(!Self::LOOSE);
        let (mut wide, mut borrow, mut i) = ([0; WIDE], false, 0);
        while i < 2 * N {
            (wide[i], borrow) = sub_borrow(minuend[i], subtrahend[i], borrow);
            i += 1;
        }
        // Where it is negative, p 2^(64 N) is added, which is above every product: the sum is
        // below p 2^(64 N) in either case, as a product is, and the carry cancels the borrow.
        let (prime, mut carry, mut i) = (Self::prime_if(borrow), false, 0);
        while i < N {
            (wide[N + i], carry) = add_carry(wide[N + i], prime[i], carry);
            i += 1;
        }
        Self::reduce(&wide)
    }

    /// (t + m p)/2^64 for the m below 2^64 that makes it an integer. With t of N limbs this is
    /// below p + 2^(64 N - 64) - p/2^64 < 2^(64 N).
    #[inline(always)]
    const fn reduce_word(t: [u64; N]) -> [u64; N] {
        let mut next = [0; N];
        match Self::SHAPE {
            Shape::P256 => {
                // m = t0, and m p + m = m 2^96 + m (2^64 - 2^32 + 1) 2^192.
                let m = t[0];
                let (low, high) = mul_wide(m, P::MODULUS[3]);
                let mut carry;
                (next[0], carry) = add_carry(t[1], m << 32, false);
                (next[1], carry) = add_carry(t[2], m >> 32, carry);
                (next[2], carry) = add_carry(t[3], low, carry);
                next[3] = high + carry as u64;
            }
            Shape::P384 => {
                // m = t0 (2^32 + 1), and m p = m 2^384 - q, q = m (2^128 + 2^96 - 2^32 + 1), whose
                // lowest word is t0.
                let m = t[0].wrapping_add(t[0] << 32);
                let (_, borrow) = sub_borrow(m, m << 32, false);
                let (q1, borrow) = sub_borrow(m << 32, m >> 32, borrow);
                let (q2, carry) = add_carry(m, m >> 32, false);
                let (q2, borrow) = sub_borrow(q2, 0, borrow);
                let q3 = carry as u64 - borrow as u64;
                let mut borrow;
                (next[0], borrow) = sub_borrow(t[1], q1, false);
                (next[1], borrow) = sub_borrow(t[2], q2, borrow);
                (next[2], borrow) = sub_borrow(t[3], q3, borrow);
                (next[3], borrow) = sub_borrow(t[4], 0, borrow);
                (next[4], borrow) = sub_borrow(t[5], 0, borrow);
                next[5] = m - borrow as u64;
            }
            Shape::Other => unreachable!(),
        }
        next
    }
}
