//! Every stored constant, recomputed from where it comes from.

use num_bigint::{BigInt, BigUint};
use waywarden_testkit::Random;

use super::reference::{self, Element, Point, order};
use crate::curve::Extended;
use crate::decompose::{self, decompose};
use crate::encoding::{compress, field_bytes};
use crate::endomorphism::{self, phi, psi};
use crate::field2::Fp2;
use crate::multiply::fixed::GENERATOR;
use crate::{constants, multiply::vartime};

/// i^turns ((a + b r) + (c + e r) s/divisor) with r = 2^64 and s the square root of 5 that makes d
/// what it is.
fn closed_form(turns: u32, [a, b, c, e]: [i32; 4], divisor: u32) -> Element {
    let signed = |value: i32| {
        let size = Element::small(value.unsigned_abs(), 0);
        if value < 0 {
            Element::small(0, 0).minus(&size)
        } else {
            size
        }
    };
    let r = Element(BigUint::from(1u32) << 64, BigUint::ZERO);
    // 5 is no square mod p, -5 is: s = i sqrt(-5), of the two the one with an even square root.
    let p: BigUint = (BigUint::from(1u32) << 127) - 1u32;
    let root = (&p - 5u32).modpow(&(BigUint::from(1u32) << 125), &p);
    assert_eq!(&root * &root % &p, &p - 5u32);
    let root = if root.bit(0) { &p - root } else { root };
    let s = Element(
        BigUint::ZERO,
        root * BigUint::from(divisor).modinv(&p).unwrap() % &p,
    );
    let value = signed(a)
        .plus(&signed(b).times(&r))
        .plus(&signed(c).plus(&signed(e).times(&r)).times(&s));
    (0..turns).fold(value, |value, _| value.times(&Element::small(0, 1)))
}

#[test]
fn field_constants_have_their_closed_forms() {
    use endomorphism as e;
    let table: [(&str, Fp2, u32, [i32; 4], u32); 17] = [
        ("d", constants::D, 0, [322, 228, 144, 102], 1),
        ("tau", e::TAU, 1, [18, 12, 8, 6], 1),
        ("tau dual", e::TAU_DUAL, 1, [18, -12, 8, -6], 1),
        ("phi 0", e::PHI_0, 0, [-9, 6, -4, 3], 1),
        ("phi 1", e::PHI_1, 0, [7, 5, 3, 2], 1),
        ("phi 2", e::PHI_2, 0, [21, 15, 10, 7], 1),
        ("phi 3", e::PHI_3, 0, [3, 2, 1, 1], 1),
        ("phi 4", e::PHI_4, 0, [3, 3, 2, 1], 1),
        ("phi 5", e::PHI_5, 0, [15, 10, 6, 4], 1),
        ("phi 6", e::PHI_6, 0, [24, 18, 12, 8], 1),
        ("phi 7", e::PHI_7, 0, [35, 24, 74, 54], 5),
        ("phi 8", e::PHI_8, 0, [240, 170, 108, 76], 1),
        ("phi 9", e::PHI_9, 0, [3055, 2160, 1366, 966], 1),
        ("psi 1", e::PSI_1, 1, [314, 222, -140, -99], 1),
        ("psi 2", e::PSI_2, 0, [323, 228, -144, -102], 1),
        ("psi 3", e::PSI_3, 0, [9, 6, -4, -3], 1),
        ("psi 4", e::PSI_4, 0, [-9, -6, 4, 3], 1),
    ];
    for (name, constant, turns, integers, divisor) in table {
        let expected = reference::coordinate(&closed_form(turns, integers, divisor));
        assert_eq!(field_bytes(constant), expected, "{name}");
    }
}

/// The integer with these signed limbs modulo 2^64.
fn signed(value: u64) -> BigInt {
    BigInt::from(value as i64)
}

fn big(limbs: &[u64; 4]) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |value, &limb| (value << 64) + limb)
}

/// lambda_phi, lambda_psi and their product, from the lattice: the basis vectors are relations.
fn eigenvalues() -> [BigUint; 4] {
    // lambda_phi² = -80 and lambda_psi² = 32; N = 7 mod 8 has square roots by a power.
    let n = order();
    let exponent = (&n + 1u32) >> 2;
    let phi = (&n - 80u32).modpow(&exponent, &n);
    let psi = BigUint::from(32u32).modpow(&exponent, &n);
    assert_eq!(&phi * &phi % &n, &n - 80u32);
    assert_eq!(&psi * &psi % &n, BigUint::from(32u32));
    for phi in [phi.clone(), &n - phi] {
        for psi in [psi.clone(), &n - &psi] {
            let values = [
                BigUint::from(1u32),
                phi.clone(),
                psi.clone(),
                &phi * &psi % &n,
            ];
            if decompose::BASIS
                .iter()
                .all(|row| combine(row, &values) == BigInt::ZERO)
            {
                return values;
            }
        }
    }
    panic!("no signs of the eigenvalues make the basis vectors relations")
}

/// a1 + a2 lambda_phi + a3 lambda_psi + a4 lambda_phi lambda_psi mod N of signed coordinates.
fn combine(row: &[u64; 4], values: &[BigUint; 4]) -> BigInt {
    let n = BigInt::from(order());
    let sum: BigInt = row
        .iter()
        .zip(values)
        .map(|(&a, value)| signed(a) * BigInt::from(value.clone()))
        .sum();
    ((sum % &n) + &n) % n
}

fn slow(point: &Extended) -> Point {
    Point::decode(&compress(&point.to_affine())).unwrap()
}

#[test]
fn the_endomorphisms_multiply_by_the_eigenvalues_of_the_lattice() {
    let [_, lambda_phi, lambda_psi, lambda_both] = eigenvalues();
    let mut point = GENERATOR.to_extended();
    for _ in 0..4 {
        let reference = slow(&point);
        assert_eq!(slow(&phi(&point)), reference.times(&lambda_phi));
        assert_eq!(slow(&psi(&point)), reference.times(&lambda_psi));
        assert_eq!(slow(&psi(&phi(&point))), reference.times(&lambda_both));
        point = phi(&point).double();
    }
}

/// The minor of the basis without row i and column 0, with its sign: alpha_i, if N is the
/// determinant.
fn cofactor(i: usize) -> BigInt {
    let rows: [usize; 3] = match i {
        0 => [1, 2, 3],
        1 => [0, 2, 3],
        2 => [0, 1, 3],
        _ => [0, 1, 2],
    };
    let entry = |row: usize, column: usize| signed(decompose::BASIS[rows[row]][column]);
    let minor = entry(0, 1) * (entry(1, 2) * entry(2, 3) - entry(1, 3) * entry(2, 2))
        - entry(0, 2) * (entry(1, 1) * entry(2, 3) - entry(1, 3) * entry(2, 1))
        + entry(0, 3) * (entry(1, 1) * entry(2, 2) - entry(1, 2) * entry(2, 1));
    if i % 2 == 1 { -minor } else { minor }
}

#[test]
fn the_rounding_constants_are_the_coordinates_of_one() {
    let n = BigInt::from(order());
    // N (1, 0, 0, 0) = sum alpha_i b_i.
    for column in 0..4 {
        let sum: BigInt = (0..4)
            .map(|i| cofactor(i) * signed(decompose::BASIS[i][column]))
            .sum();
        assert_eq!(sum, if column == 0 { n.clone() } else { BigInt::ZERO });
    }
    for i in 0..4 {
        let exact = (cofactor(i) << 257) / &n; // 2 (2^256 alpha_i / N), truncated
        let rounded: BigInt = (exact + 1) >> 1;
        assert_eq!(
            BigInt::from(big(&decompose::ROUNDING[i])),
            rounded,
            "L{}",
            i + 1
        );
    }
}

#[test]
fn decompositions_represent_the_scalar_in_four_short_parts() {
    let mut random = Random::of_test("decompositions");
    let values = eigenvalues();
    let n = order();
    let edges = [
        [0; 4],
        [u64::MAX; 4],
        constants::ORDER,
        [1, 0, 0, 0],
        [0, 0, 0, 1 << 63],
    ];
    let random = (0..20_000).map(|_| [(); 4].map(|()| random.u64()));
    for scalar in edges.into_iter().chain(random) {
        let parts = decompose(&scalar);
        assert_eq!(parts[0] & 1, 1);
        let sum: BigUint = parts
            .iter()
            .zip(&values)
            .map(|(&part, value)| value * part)
            .sum();
        assert_eq!(sum % &n, big(&scalar) % &n, "{scalar:x?}");
    }
}

#[test]
fn the_order_is_the_hexadecimal_one_and_prime() {
    let n = order();
    assert_eq!(big(&constants::ORDER), n);
    assert_eq!(n.bits(), 246);
    for base in [2u32, 3, 5, 7, 11, 13, 17, 19, 23, 29] {
        // N = 3 mod 4: strong test with one step.
        let power = BigUint::from(base).modpow(&((&n - 1u32) >> 1), &n);
        assert!(power == BigUint::from(1u32) || power == &n - 1u32, "{base}");
    }
}

#[test]
fn non_adjacent_forms_sum_to_the_scalar() {
    let mut random = Random::of_test("forms");
    for case in 0..2_000 {
        let scalar = if case == 0 {
            u64::MAX
        } else {
            random.u64() >> (case % 64)
        };
        for window in 3..=8 {
            let digits = vartime::non_adjacent::<1, 65>(&[scalar], window);
            let sum = digits
                .iter()
                .rev()
                .fold(0i128, |sum, &digit| 2 * sum + i128::from(digit));
            assert_eq!(sum, i128::from(scalar));
            let limit = 1 << (window - 1);
            assert!(
                digits
                    .iter()
                    .all(|&d| d == 0 || (d % 2 != 0 && i32::from(d).abs() < limit))
            );
            let places: std::vec::Vec<_> = (0..65).filter(|&i| digits[i] != 0).collect();
            assert!(
                places
                    .windows(2)
                    .all(|pair| pair[1] - pair[0] >= window as usize)
            );
        }
    }
}
