//! Constants, products, sums and carries, against big integers.

use core::array::from_fn;

use num_bigint::BigUint;
use waywarden_testkit::Random;

use super::{OfPrime, alleged, each, in_pairs, integer, modulus};
use crate::curves::{P256, Weierstrass};
use crate::lanes::model::Model;
use crate::lanes::{Elements, LanePrime, Lanes, form_of, limbs_of};
use crate::limbs::{small, sub};

/// The forms, up to `high` p, as they stand.
fn pack<V: Lanes, P: LanePrime>(forms: &[BigUint], high: i32) -> Elements<V, P> {
    let limb = |value: &BigUint, i: u32| {
        let digit = (value >> (52 * i)) & BigUint::from((1_u64 << 52) - 1);
        u64::try_from(digit).expect("52 bits")
    };
    let limbs = from_fn(|i| V::from_array(from_fn(|lane| limb(&forms[lane], i as u32))));
    Elements::of_limbs(limbs, high)
}

/// The forms below p.
fn forms<V: Lanes, P: LanePrime>(elements: &Elements<V, P>) -> [BigUint; 8] {
    let limbs = elements.canonical().map(V::to_array);
    let words = elements.to_words().map(V::to_array);
    from_fn(|lane| {
        let value = integer(&limbs.map(|limb| limb[lane]), 52);
        assert_eq!(value, integer(&words.map(|word| word[lane]), 64));
        assert!(value < modulus::<P>());
        value
    })
}

/// Asserts that lane by lane the form of `found` is `expected` modulo p.
#[track_caller]
fn equal<V: Lanes, P: LanePrime>(found: &Elements<V, P>, expected: [BigUint; 8]) {
    let p = modulus::<P>();
    assert_eq!(forms(found), expected.map(|form| form % &p));
}

#[derive(Clone, Copy)]
struct Constants;

impl OfPrime for Constants {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let p = modulus::<P>();
        let radix = BigUint::from(1_u8) << 260;
        assert_eq!(integer(&P::LIMBS, 52), p);
        assert_eq!(integer(&P::ONE, 52), &radix % &p);
        assert_eq!(integer(&P::RADIX_SQUARED, 52), &radix * &radix % &p);
        let limb = BigUint::from(1_u8) << 52;
        assert_eq!((&p * P::NEGATED_INVERSE + 1_u8) % limb, BigUint::ZERO);
        let reciprocal = (BigUint::from(1_u8) << 300) / &p;
        assert_eq!(BigUint::from(P::RECIPROCAL), reciprocal - (1_u32 << 20));
        for value in [small(2), sub(&P::MODULUS, &small(2)).0] {
            let form = integer(&value, 64) * &radix % &p;
            assert_eq!(integer(&form_of::<P>(&value), 64), form);
            assert_eq!(integer(&limbs_of(&form_of::<P>(&value)), 52), form);
        }
    }
}

#[test]
fn constants_are_what_their_formulas_say() {
    each("constants", Constants);
}

#[derive(Clone, Copy)]
struct Products;

impl OfPrime for Products {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let mut random = Random::of_test("products");
        let p = modulus::<P>();
        let radix: BigUint = BigUint::from(1_u8) << 260;
        let inverse = radix.modpow(&(&p - 2_u8), &p);
        for (high, other) in [(1, 1), (2, 2), (4, 4), (2, 8), (6, 12), (15, 15), (16, 15)] {
            let a = alleged::<P>(high, &mut random);
            let b = alleged::<P>(other, &mut random);
            in_pairs(&a, &b, |a, b| {
                let (x, y) = (pack::<V, P>(a, high), pack::<V, P>(b, other));
                let expected = || from_fn(|i| &a[i] * &b[i] * &inverse);
                equal(&x.multiply(&y), expected());
                equal(&y.multiply(&x), expected());
            });
            for eight in b.chunks_exact(8) {
                let x = pack::<V, P>(eight, other);
                equal(&x.square(), from_fn(|i| &eight[i] * &eight[i] * &inverse));
            }
        }
    }
}

#[test]
fn products_are_those_of_integers() {
    each("products", Products);
}

#[derive(Clone, Copy)]
struct Sums;

impl OfPrime for Sums {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let mut random = Random::of_test("sums");
        let p = modulus::<P>();
        let lift = &p * 64_u8;
        for high in [1, 2, 4, 10, 15] {
            let values = alleged::<P>(high, &mut random);
            in_pairs(&values, &values, |a, b| {
                let (x, y) = (pack::<V, P>(a, high), pack::<V, P>(b, high));
                equal(&x.add(&y), from_fn(|i| &a[i] + &b[i]));
                equal(&x.sub(&y), from_fn(|i| &a[i] + &lift - &b[i]));
                let same = (0..8).filter(|&i| &a[i] % &p == &b[i] % &p);
                assert_eq!(x.equal_mask(&y), same.fold(0, |mask, i| mask | 1 << i));
                // As far down as it goes.
                let down = Elements::zero().minus(&x).minus(&y);
                equal(&down.reduce(), from_fn(|i| &lift - &a[i] - &b[i]));
            });
            for eight in values.chunks_exact(8) {
                let a: [BigUint; 8] = from_fn(|i| eight[i].clone());
                let x = pack::<V, P>(&a, high);
                equal(&x, a.clone());
                equal(&x.negate(), from_fn(|i| &lift - &a[i]));
                equal(&x.double(), from_fn(|i| &a[i] * 2_u8));
                let zeros = (0..8).filter(|&i| &a[i] % &p == BigUint::ZERO);
                assert_eq!(x.zero_mask(), zeros.fold(0, |mask, i| mask | 1 << i));
                if high <= 10 {
                    equal(&x.triple(), from_fn(|i| &a[i] * 3_u8));
                }
                let mask = random.u64() as u8;
                let chosen = Elements::select(mask, &x, &Elements::one());
                let one = integer(&P::ONE, 52);
                let either = |i| if mask >> i & 1 == 1 { &a[i] } else { &one };
                equal(&chosen, from_fn(|i| either(i).clone()));
            }
        }
    }
}

#[test]
fn sums_are_those_of_integers() {
    each("sums", Sums);
}

#[derive(Clone, Copy)]
struct Carries;

impl OfPrime for Carries {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let mut random = Random::of_test("carries");
        let lift = modulus::<P>() * 64_u8;
        let one = alleged::<P>(1, &mut random);
        let fifteen = alleged::<P>(15, &mut random);
        in_pairs(&fifteen, &one, |a, b| {
            let (x, y) = (pack::<V, P>(a, 15), pack::<V, P>(b, 1));
            equal(&x.plus(&y).carry::<0>(), from_fn(|i| &a[i] + &b[i]));
            equal(
                &x.minus(&y).carry::<1>(),
                from_fn(|i| &a[i] + &lift - &b[i]),
            );
            equal(
                &y.minus(&x).carry::<15>(),
                from_fn(|i| &b[i] + &lift - &a[i]),
            );
        });
        in_pairs(&one, &one, |a, b| {
            // Limbs as large as those of a sum may be, and the ends of its range.
            let (x, y) = (pack::<V, P>(a, 1), pack::<V, P>(b, 1));
            let eight = x.minus(&y).times::<8>();
            equal(
                &eight.carry::<8>(),
                from_fn(|i| (&a[i] + &lift - &b[i]) * 8_u8),
            );
            let sum = eight
                .times::<3>()
                .plus(&x.sum().times::<4>().carry::<0>())
                .plus(&x);
            let expected = from_fn(|i| &a[i] * 29_u8 + (&lift - &b[i]) * 24_u8);
            equal(&sum.reduce(), expected);
        });
    }
}

#[test]
fn carries_keep_the_value() {
    each("carries", Carries);
}

/// A formula that may leave the range is stopped whatever its operands are.
#[test]
#[should_panic(expected = "+ 0 p")]
fn a_difference_may_not_be_negative() {
    let one = Elements::<Model, <P256 as Weierstrass<4>>::Field>::one();
    let _ = one.minus(&one).carry::<0>();
}
