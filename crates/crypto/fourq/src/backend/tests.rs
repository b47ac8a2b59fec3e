//! Both backends against big integers and against each other.

use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::{u32, u64};

const P: u128 = (1 << 127) - 1;

/// Zero twice, the ends, carries in every word, and then random numbers.
fn operands(random: &mut Random, count: usize) -> Vec<u128> {
    let mut values = std::vec![0, 1, 2, P, P - 1, P - 2, 1 << 126, (1 << 126) - 1, P >> 1];
    for shift in [31, 32, 63, 64, 95, 96] {
        values.extend([
            1 << shift,
            (1 << shift) - 1,
            P ^ (1 << shift),
            P ^ ((1 << shift) - 1),
        ]);
    }
    while values.len() < count {
        values.push(random.u128() & P);
    }
    values
}

/// All operations of both backends on four operands, as canonical integers.
macro_rules! results {
    ($backend:ident, $v:expr) => {{
        let [a, b, c, d] = $v.map($backend::Fp::from_u128);
        let mask = $backend::Mask::from_bit($v[0] as core::primitive::u64);
        [
            a.add(b),
            a.sub(b),
            a.neg(),
            a.double(),
            a.half(),
            a.mul(b),
            a.sqr(),
            $backend::Fp::mul_pair(a, b, c, d),
            a.sqr_times(5),
            a.select(b, mask),
        ]
        .map($backend::Fp::to_u128)
    }};
}

/// The same by big integers.
fn expected([a, b, c, d]: [u128; 4]) -> [u128; 10] {
    let p = BigUint::from(P);
    let big = |value: u128| BigUint::from(value);
    let reduce = |value: BigUint| u128::try_from(value % &p).unwrap();
    let half = big(P.div_ceil(2));
    let odd = a & 1 == 1;
    [
        reduce(big(a) + big(b)),
        reduce(big(a) + big(P) - big(b)),
        reduce(big(P) - big(a)),
        reduce(big(a) * 2u32),
        reduce(big(a) * half),
        reduce(big(a) * big(b)),
        reduce(big(a) * big(a)),
        reduce(big(a) * big(b) + big(c) * big(d)),
        reduce(big(a).modpow(&big(32), &p)),
        reduce(big(if odd { b } else { a })),
    ]
}

#[test]
fn both_backends_compute_what_big_integers_do() {
    let mut random = Random::of_test("backends");
    let count = cases(500).max(10_000);
    let values = operands(&mut random, 64);
    for case in 0..count {
        // All pairs of the special values, then random quadruples.
        let v = if case < values.len() * values.len() {
            let (a, b) = (values[case / values.len()], values[case % values.len()]);
            [a, b, values[case % 61], values[case % 59]]
        } else {
            [(); 4].map(|()| random.u128() & P)
        };
        let wide = results!(u64, v);
        assert_eq!(wide, results!(u32, v), "{v:x?}");
        assert_eq!(wide, expected(v), "{v:x?}");
    }
}

#[test]
fn the_largest_sums_of_products_reduce() {
    for a in [P, P - 1] {
        for b in [P, P - 1] {
            assert_eq!(results!(u64, [a, b, P, P]), expected([a, b, P, P]));
            assert_eq!(results!(u32, [a, b, P, P]), expected([a, b, P, P]));
        }
    }
}

#[test]
fn masks_are_all_or_nothing() {
    for a in 0..40 {
        for b in 0..40 {
            let ones = if a == b { !0 } else { 0 };
            assert_eq!(u64::Mask::equal(a, b).and(!0), ones);
            assert_eq!(u32::Mask::equal(a, b).and(!0), ones);
        }
        assert_eq!(u64::Mask::from_bit(a).and(!0), (a & 1).wrapping_neg());
        assert_eq!(u32::Mask::from_bit(a).and(!0), (a & 1).wrapping_neg());
    }
}
