//! Conversions, inverses and square roots, against plain residues.

use core::array::from_fn;
use core::marker::PhantomData;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::{OfPrime, On, alleged, each, in_pairs, modulus, with_each_vector, words};
use crate::curves::{BrainpoolP256r1, P256, Weierstrass};
use crate::lanes::{Elements, LanePrime, Lanes, square_roots};
use crate::limbs::sub;
use crate::residue::Residue;

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
