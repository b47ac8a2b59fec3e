//! Vectors and the residues in them, against big integers and against plain residues: with the
//! vector in plain Rust always, and with the processor's where it has one.

use core::array::from_fn;
use core::marker::PhantomData;
use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use crate::curves::{BrainpoolP256r1, P256, Weierstrass};
use crate::lanes::model::Model;
use crate::lanes::{Elements, LanePrime, Lanes, Work, form_of, limbs_of, square_roots};
use crate::limbs::{from_bytes, small, sub};
use crate::residue::Residue;

/// With the model, and with the processor's vector if there is one.
fn with_each_vector<W: Work<Output = ()> + Copy>(name: &str, work: W) {
    work.run::<Model>();
    #[cfg(target_arch = "x86_64")]
    match crate::backend::ifma::run(work) {
        Ok(()) => println!("{name}: model and AVX-512 IFMA"),
        Err(_) => println!("{name}: model only, this processor has no AVX-512 IFMA"),
    }
}

/// A test of one prime.
trait OfPrime: Copy {
    fn check<V: Lanes, P: LanePrime>(self);
}

#[derive(Clone, Copy)]
struct On<P, T>(T, PhantomData<P>);

impl<P: LanePrime, T: OfPrime> Work for On<P, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        self.0.check::<V, P>();
    }
}

/// Fields and orders of both curves.
fn each<T: OfPrime>(name: &str, test: T) {
    fn curve<C: Weierstrass<4>, T: OfPrime>(name: &str, test: T) {
        with_each_vector(name, On::<C::Field, T>(test, PhantomData));
        with_each_vector(name, On::<C::Order, T>(test, PhantomData));
    }
    curve::<P256, T>(name, test);
    curve::<BrainpoolP256r1, T>(name, test);
}

fn integer<const N: usize>(digits: &[u64; N], bits: u32) -> BigUint {
    digits.iter().rev().fold(BigUint::ZERO, |value, &digit| {
        (value << bits) + BigUint::from(digit)
    })
}

fn modulus<P: LanePrime>() -> BigUint {
    integer(&P::MODULUS, 64)
}

fn words(integer: &BigUint) -> [u64; 4] {
    from_bytes(&integer.to_bytes_be()).expect("in range")
}

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

/// Forms up to `high` p: ends of the range, multiples of p, limbs of ones, random ones.
fn alleged<P: LanePrime>(high: i32, random: &mut Random) -> Vec<BigUint> {
    let p = modulus::<P>();
    let end = &p * high.cast_unsigned();
    let mut values: Vec<BigUint> = (0..3_u8).map(BigUint::from).collect();
    for i in 1..=high.cast_unsigned() {
        values.extend([&p * i - 1_u8, &p * i]);
    }
    // The lower limbs all ones, the upper as large as the range allows; one limb of ones.
    values.push((&end >> 208 << 208) - 1_u8);
    values.extend((0..4).map(|i| BigUint::from((1_u64 << 52) - 1) << (52 * i)));
    values.extend((0..=255).step_by(17).map(|i| BigUint::from(1_u8) << i));
    for _ in 0..cases(24) {
        let digits: [u64; 5] = from_fn(|_| match random.index(4) {
            0 => 0,
            1 => u64::MAX,
            _ => random.u64(),
        });
        values.push(integer(&digits, 64) % (&end + 1_u8));
    }
    values
}

/// Calls `f` with all pairs of `a` and `b`, eight at a time.
fn in_pairs(a: &[BigUint], b: &[BigUint], mut f: impl FnMut(&[BigUint; 8], &[BigUint; 8])) {
    let pairs: Vec<_> = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| (x, y)))
        .collect();
    for eight in pairs.chunks(8) {
        let pair = |lane: usize| eight[lane.min(eight.len() - 1)];
        f(
            &from_fn(|i| pair(i).0.clone()),
            &from_fn(|i| pair(i).1.clone()),
        );
    }
}

/// Asserts that lane by lane the form of `found` is `expected` modulo p.
#[track_caller]
fn equal<V: Lanes, P: LanePrime>(found: &Elements<V, P>, expected: [BigUint; 8]) {
    let p = modulus::<P>();
    assert_eq!(forms(found), expected.map(|form| form % &p));
}

#[derive(Clone, Copy)]
struct Instructions;

impl Work for Instructions {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let mut random = Random::of_test("instructions");
        let limb = (1_u64 << 52) - 1;
        for _ in 0..cases(300) {
            let mut vector = || {
                let edges = [
                    0,
                    1,
                    limb,
                    limb + 1,
                    u64::MAX,
                    1 << 63,
                    random.u64(),
                    random.u64(),
                ];
                let words: [u64; 8] = from_fn(|_| edges[random.index(8)]);
                words
            };
            let rows: [[u64; 8]; 8] = from_fn(|_| vector());
            let [a, b, c, ..] = rows.map(V::from_array);
            let [x, y, z, ..] = rows.map(Model);
            let same = |vector: V, model: Model| assert_eq!(vector.to_array(), model.0);
            same(a.add(b), x.add(y));
            same(a.sub(b), x.sub(y));
            same(a.and(b), x.and(y));
            same(a.or(b), x.or(y));
            same(a.xor(b), x.xor(y));
            same(a.shift_left::<12>(), x.shift_left::<12>());
            same(a.shift_right::<52>(), x.shift_right::<52>());
            same(a.shift_right_signed::<52>(), x.shift_right_signed::<52>());
            same(a.multiply_add_low(b, c), x.multiply_add_low(y, z));
            same(a.multiply_add_high(b, c), x.multiply_add_high(y, z));
            same(V::splat(rows[0][0]), Model::splat(rows[0][0]));
            assert_eq!(a.equal_mask(b), x.equal_mask(y));
            let mask = rows[3][0] as u8 ^ rows[4][0] as u8;
            same(V::select(mask, a, b), Model::select(mask, x, y));
            let columns = V::transpose_rows(rows.each_ref());
            let expected = Model::transpose_rows(rows.each_ref());
            assert_eq!(columns.map(V::to_array), expected.map(Model::to_array));
            assert_eq!(V::to_rows(columns), rows);
        }
    }
}

#[test]
fn the_model_multiplies_52_bits() {
    let (ones, limb) = (Model::splat(u64::MAX), (1_u64 << 52) - 1);
    let zero = Model::splat(0);
    // (2^52 - 1)^2 = (2^52 - 2) 2^52 + 1.
    assert_eq!(zero.multiply_add_low(ones, ones).0, [1; 8]);
    assert_eq!(zero.multiply_add_high(ones, ones).0, [limb - 1; 8]);
    assert_eq!(ones.multiply_add_low(ones, ones).0, [0; 8]);
    assert_eq!(
        Model::splat(1 << 63).shift_right_signed::<63>().0,
        [u64::MAX; 8]
    );
}

#[test]
fn instructions_do_what_the_model_says() {
    with_each_vector("instructions", Instructions);
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

#[derive(Clone, Copy)]
struct Integers;

impl OfPrime for Integers {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let mut random = Random::of_test("integers");
        let p = modulus::<P>();
        let mut values = alleged::<P>(1, &mut random);
        values.retain(|value| *value < p);
        in_pairs(&values, &values[..8], |a, b| {
            let plain = |value: &[BigUint; 8]| -> [Residue<P, 4>; 8] {
                from_fn(|i| Residue::from_integer(&words(&value[i])))
            };
            let (x, y) = (plain(a), plain(b));
            let [v, w] =
                [a, b].map(|a| Elements::<V, P>::from_integers(&from_fn(|i| words(&a[i]))));
            let same = |found: Elements<V, P>, f: fn(&Residue<P, 4>, &Residue<P, 4>) -> _| {
                let expected: [Residue<P, 4>; 8] = from_fn(|i| f(&x[i], &y[i]));
                assert_eq!(found.to_integers(), expected.map(Residue::to_integer));
            };
            same(v, |x, _| *x);
            same(v.multiply(&w), Residue::mul);
            same(v.square(), |x, _| x.sqr());
            same(v.add(&w), Residue::add);
            same(v.sub(&w), Residue::sub);
            same(v.triple().negate(), |x, _| x.triple().neg());
            let odd = (0..8).filter(|&i| a[i].bit(0));
            assert_eq!(v.odd_mask(), odd.fold(0, |mask, i| mask | 1 << i));
            same(Elements::from_words(v.to_words()), |x, _| *x);
        });
        // Integers that are not reduced.
        let largest = Elements::<V, P>::from_integers(&[[u64::MAX; 4]; 8]);
        let expected = sub(&[u64::MAX; 4], &P::MODULUS).0;
        assert_eq!(largest.to_integers(), [expected; 8]);
    }
}

#[test]
fn integers_are_those_of_plain_residues() {
    each("integers", Integers);
}

#[derive(Clone, Copy)]
struct Powers;

impl OfPrime for Powers {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let mut random = Random::of_test("powers");
        let p = modulus::<P>();
        let mut values = alleged::<P>(1, &mut random);
        values.retain(|value| *value < p);
        let mut values: Vec<[u64; 4]> = values.iter().map(words).collect();
        values.truncate(values.len() / 8 * 8);
        let (eights, _) = values.as_chunks::<8>();
        let plain = |integer: &[u64; 4]| Residue::<P, 4>::from_integer(integer);
        let vectors: Vec<_> = eights.iter().map(Elements::<V, P>::from_integers).collect();
        for (eight, vector) in eights.iter().zip(&vectors) {
            let expected = eight.map(|value| plain(&value).invert().to_integer());
            assert_eq!(vector.invert().to_integers(), expected);
        }
        for count in 0..vectors.len() {
            let mut inverses = vectors[..count].to_vec();
            let mut room = inverses.clone();
            Elements::invert_all(&mut inverses, &mut room);
            for (eight, inverse) in eights.iter().zip(&inverses) {
                let expected = eight.map(|value| plain(&value).invert().to_integer());
                assert_eq!(inverse.to_integers(), expected);
            }
        }
    }
}

#[test]
fn inverses_are_those_of_plain_residues() {
    each("inverses", Powers);
}

#[derive(Clone, Copy)]
struct Roots;

impl OfPrime for Roots {
    #[inline(always)]
    fn check<V: Lanes, P: LanePrime>(self) {
        let mut random = Random::of_test("roots");
        let mut found_in_all = 0;
        for _ in 0..cases(12) {
            let values: [Residue<P, 4>; 8] = from_fn(|i| match i {
                0 => Residue::ZERO,
                1 => Residue::ONE.neg(),
                _ => Residue::from_bytes_reduced(&random.bytes(32)),
            });
            let vector = Elements::<V, P>::from_integers(&values.map(Residue::to_integer));
            let [roots] = square_roots(&[vector]);
            let found = roots.square().equal_mask(&vector);
            let roots = roots.to_integers();
            for (i, value) in values.iter().enumerate() {
                let expected = value.square_root();
                assert_eq!(found >> i & 1 == 1, expected.is_some());
                if let Some(root) = expected {
                    assert_eq!(roots[i], root.to_integer());
                    found_in_all += 1;
                }
            }
        }
        assert!(found_in_all > 12);
    }
}

#[test]
fn square_roots_are_those_of_plain_residues() {
    type Field<C> = <C as Weierstrass<4>>::Field;
    with_each_vector("roots", On::<Field<P256>, Roots>(Roots, PhantomData));
    with_each_vector(
        "roots",
        On::<Field<BrainpoolP256r1>, Roots>(Roots, PhantomData),
    );
}
