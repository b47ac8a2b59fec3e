//! Residues against big integers, on random values and on the ends of the range.

use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384, Weierstrass};
use crate::limbs::{bits, from_bytes, multiply_add, multiply_add_in_halves, to_bytes};
use crate::residue::{Prime, Residue};

fn limbs<const N: usize>(integer: &BigUint) -> [u64; N] {
    from_bytes(&integer.to_bytes_be()).expect("in range")
}

fn integer<const N: usize>(limbs: &[u64; N]) -> BigUint {
    let mut bytes = std::vec![0; 8 * N];
    to_bytes(limbs, &mut bytes);
    BigUint::from_bytes_be(&bytes)
}

/// Ends of the range, words of ones and zeros, random values.
fn values<const N: usize>(p: &BigUint, random: &mut Random) -> Vec<BigUint> {
    let mut values: Vec<BigUint> = (0..4_u8).map(BigUint::from).collect();
    values.extend((1..4_u8).map(|i| p - i));
    values.extend([p >> 1, (p >> 1) + 1_u8]);
    for _ in 0..cases(60) {
        let words: [u64; N] = [(); N].map(|()| match random.index(4) {
            0 => 0,
            1 => u64::MAX,
            _ => random.u64(),
        });
        values.push(integer(&words) % p);
    }
    values
}

fn prime<P: Prime<N>, const N: usize>(random: &mut Random) {
    let p = integer(&P::MODULUS);
    let values = values::<N>(&p, random);
    let residue = |value: &BigUint| Residue::<P, N>::from_integer(&limbs(value));
    let back = |residue: Residue<P, N>| integer(&residue.to_integer());
    for a in &values {
        let x = residue(a);
        assert_eq!(&back(x), a);
        assert_eq!(x.is_zero(), *a == BigUint::ZERO);
        assert_eq!(back(x.sqr()), a * a % &p);
        assert_eq!(back(x.double()), a * 2_u8 % &p);
        assert_eq!(back(x.triple()), a * 3_u8 % &p);
        assert_eq!(back(x.neg()), (&p - a) % &p);
        assert_eq!(back(x.half()) * 2_u8 % &p, *a);
        for b in &values {
            let y = residue(b);
            assert_eq!(back(x.mul(&y)), a * b % &p);
            assert_eq!(back(x.add(&y)), (a + b) % &p);
            assert_eq!(back(x.sub(&y)), (a + &p - b) % &p);
            assert_eq!(x.equals(&y), a == b);
        }
    }
    // Powers are slow in big integers.
    for a in &values[..20] {
        let x = residue(a);
        assert_eq!(back(x.invert()), a.modpow(&(&p - 2_u8), &p));
        let exponent = &values[10];
        assert_eq!(back(x.power(&limbs(exponent))), a.modpow(exponent, &p));
    }
    let nonzero: Vec<_> = values.iter().filter(|a| **a != BigUint::ZERO).collect();
    let mut many: Vec<_> = nonzero.iter().map(|value| residue(value)).collect();
    let mut room = many.clone();
    Residue::invert_all(&mut many, &mut room);
    for (inverse, value) in many.iter().zip(&nonzero) {
        assert!(inverse.mul(&residue(value)).equals(&Residue::ONE));
    }
    for length in 0..=2 * 8 * N + 5 {
        let bytes = random.bytes(length);
        let expected = BigUint::from_bytes_be(&bytes) % &p;
        assert_eq!(back(Residue::<P, N>::from_bytes_reduced(&bytes)), expected);
        let ones = std::vec![0xff; length];
        let expected = BigUint::from_bytes_be(&ones) % &p;
        assert_eq!(back(Residue::<P, N>::from_bytes_reduced(&ones)), expected);
    }
}

/// Forms that are not below the prime, and those next to the ends.
fn loose<P: Prime<N>, const N: usize>(random: &mut Random) {
    if !Residue::<P, N>::is_loose() {
        return;
    }
    let p = integer(&P::MODULUS);
    let radix = BigUint::from(1_u8) << (64 * N);
    let mut forms: Vec<BigUint> = (0..4_u8)
        .flat_map(|i| [&p + i, &radix - 1_u8 - i])
        .collect();
    forms.extend((0..4_u8).flat_map(|i| [&p - 1_u8 - i, BigUint::from(i)]));
    forms.extend((0..20).map(|_| {
        let words: [u64; N] = [(); N].map(|()| random.u64());
        &p + integer(&words) % (&radix - &p)
    }));
    let inverse = radix.modpow(&(&p - 2_u8), &p);
    let back = |residue: Residue<P, N>| integer(&residue.to_integer());
    for a in &forms {
        let x = Residue::<P, N>::from_loose(limbs(a));
        let a = a * &inverse % &p;
        assert_eq!(back(x), a);
        assert_eq!(integer(&x.stored()), &a * &radix % &p);
        assert_eq!(x.is_zero(), a == BigUint::ZERO);
        assert_eq!(back(x.sqr()), &a * &a % &p);
        assert_eq!(back(x.double()), &a * 2_u8 % &p);
        assert_eq!(back(x.triple()), &a * 3_u8 % &p);
        assert_eq!(back(x.neg()), (&p - &a) % &p);
        assert_eq!(back(x.half()) * 2_u8 % &p, a);
        assert_eq!(back(x.invert()), a.modpow(&(&p - 2_u8), &p));
        for b in &forms {
            let y = Residue::<P, N>::from_loose(limbs(b));
            let b = b * &inverse % &p;
            assert_eq!(back(x.mul(&y)), &a * &b % &p);
            assert_eq!(back(x.add(&y)), (&a + &b) % &p);
            assert_eq!(back(x.sub(&y)), (&a + &p - &b) % &p);
            assert_eq!(x.equals(&y), a == b);
        }
    }
}

fn both<C: Weierstrass<N>, const N: usize>(random: &mut Random) {
    prime::<C::Field, N>(random);
    prime::<C::Order, N>(random);
    loose::<C::Field, N>(random);
    loose::<C::Order, N>(random);
    // Half of the elements are squares, and their roots are found.
    let mut roots = 0;
    for _ in 0..200 {
        let value: Residue<C::Field, N> = Residue::from_bytes_reduced(&random.bytes(8 * N));
        let root = value.sqr().square_root().expect("a square");
        assert!(root.equals(&value) || root.equals(&value.neg()));
        if let Some(root) = value.square_root() {
            assert!(root.sqr().equals(&value));
            roots += 1;
        } else {
            // -1 is no square, p = 3 (mod 4).
            assert!(value.neg().square_root().is_some());
        }
    }
    assert!((50..150).contains(&roots));
}

#[test]
fn residues_are_integers_modulo_the_primes() {
    let mut random = Random::of_test("residues");
    both::<P256, 4>(&mut random);
    both::<P384, 6>(&mut random);
    both::<BrainpoolP256r1, 4>(&mut random);
    both::<BrainpoolP384r1, 6>(&mut random);
}

#[test]
fn bits_of_an_integer() {
    let mut random = Random::of_test("bits");
    let value: [u64; 4] = [(); 4].map(|()| random.u64());
    let whole = integer(&value);
    for from in 0..300 {
        for count in 1..=8 {
            let expected = (&whole >> from) & BigUint::from((1_u32 << count) - 1);
            assert_eq!(BigUint::from(bits(&value, from, count)), expected);
        }
    }
}

/// Words of 64 bits from halves, as processors of 32 bits multiply them.
#[test]
fn products_in_halves_are_products() {
    let mut random = Random::of_test("halves");
    let half = u64::from(u32::MAX);
    let ends = [0, 1, half, half + 1, half << 32, u64::MAX - 1, u64::MAX];
    let mut word = |i: usize| ends.get(i).copied().unwrap_or_else(|| random.u64());
    let check = |[a, b, c, d]: [u64; 4]| {
        let expected = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
        let (low, high) = multiply_add_in_halves(a, b, c, d);
        assert_eq!(u128::from(low) | u128::from(high) << 64, expected);
        assert_eq!(multiply_add(a, b, c, d), (low, high));
    };
    for i in 0..10_usize.pow(4) {
        check([i / 1000, i / 100 % 10, i / 10 % 10, i % 10].map(&mut word));
    }
}
