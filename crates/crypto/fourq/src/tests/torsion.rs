//! The subgroup test against a multiplication by N, on every coset of the prime-order group.

use std::vec::Vec;

use waywarden_testkit::{Random, cases};

use super::reference::{self, Point};
use crate::constants::{ORDER, TORSION_7, TORSION_8};
use crate::curve::{Affine, Extended};
use crate::encoding::{compress, decompress};
use crate::endomorphism::phi;
use crate::multiply::fixed;
use crate::scalar::Scalar;
use crate::subgroup::has_prime_order;

/// `[scalar]P` by doubling and adding: right for points of every order.
pub(crate) fn plain_multiply(scalar: &[u64; 4], point: &Extended) -> Extended {
    let cached = point.to_cached();
    let mut sum = Extended::NEUTRAL;
    for bit in (0..256).rev() {
        sum = sum.double();
        if scalar[bit / 64] >> (bit % 64) & 1 == 1 {
            sum = sum.add(&cached);
        }
    }
    sum
}

fn affine((x, y): (crate::field2::Fp2, crate::field2::Fp2)) -> Extended {
    Affine { x, y }.to_extended()
}

/// All 392 points of small order: the multiples of T8 plus those of T7 and phi(T7).
pub(crate) fn small_order_points() -> Vec<Extended> {
    let generators = [
        (affine(TORSION_8), 8),
        (affine(TORSION_7), 7),
        (phi(&affine(TORSION_7)), 7),
    ];
    let mut points = std::vec![Extended::NEUTRAL];
    for (generator, order) in generators {
        let mut next = Vec::new();
        for point in points {
            let mut sum = point;
            for _ in 0..order {
                next.push(sum);
                sum = sum.add(&generator.to_cached());
            }
        }
        points = next;
    }
    points
}

#[test]
fn the_392_points_of_small_order_are_distinct_and_refused() {
    let points = small_order_points();
    let mut encodings: Vec<_> = points
        .iter()
        .map(|point| compress(&point.to_affine()))
        .collect();
    for (point, encoding) in points.iter().zip(&encodings) {
        assert!(Point::decode(encoding).unwrap().on_curve());
        assert!(point.clear_cofactor().is_neutral());
        assert!(!has_prime_order(&point.to_affine()));
    }
    encodings.sort_unstable();
    encodings.dedup();
    assert_eq!(encodings.len(), 392);
}

#[test]
fn torsion_constants_have_the_order_they_claim() {
    let decode = |point| Point::decode(&compress(&affine(point).to_affine())).unwrap();
    let (eight, seven) = (decode(TORSION_8), decode(TORSION_7));
    assert_eq!(eight.times(&8u32.into()), Point::neutral());
    assert_ne!(eight.times(&4u32.into()), Point::neutral());
    assert_eq!(seven.times(&7u32.into()), Point::neutral());
    assert_ne!(seven, Point::neutral());
    assert_eq!(
        Point::generator().times(&reference::order()),
        Point::neutral()
    );
}

#[test]
fn exactly_the_coset_of_zero_passes() {
    let mut random = Random::of_test("cosets");
    for round in 0..cases(500).div_ceil(100) {
        let member = fixed::multiply(&Scalar::from_bytes(&random.array()));
        for (i, small) in small_order_points().iter().enumerate() {
            let point = member.add(&small.to_cached()).to_affine();
            assert_eq!(has_prime_order(&point), i == 0, "round {round}, coset {i}");
        }
    }
}

#[test]
fn random_points_pass_exactly_if_n_kills_them() {
    let mut random = Random::of_test("subgroup");
    for _ in 0..cases(500) {
        let bytes: [u8; 32] = random.array();
        let Ok(point) = decompress(&bytes) else {
            continue;
        };
        // As it is, and cleared of 2-torsion, of 7-torsion, and of both.
        let extended = point.to_extended();
        for factor in [1, 8, 49, 392] {
            let multiple = plain_multiply(&[factor, 0, 0, 0], &extended);
            let killed = plain_multiply(&ORDER, &multiple).is_neutral();
            assert_eq!(
                has_prime_order(&multiple.to_affine()),
                killed,
                "{bytes:02x?} {factor}"
            );
        }
    }
}
