//! Vectors and the residues in them, against big integers and against plain residues: with the
//! vector in plain Rust always, and with the processor's where it has one.

mod arithmetic;
mod instructions;
mod residues;

use core::array::from_fn;
use core::marker::PhantomData;
use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use crate::curves::{BrainpoolP256r1, P256, Weierstrass};
use crate::lanes::model::Model;
use crate::lanes::{LanePrime, Lanes, Work};
use crate::limbs::from_bytes;

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
