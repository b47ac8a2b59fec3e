//! The model of each curve, on which multiples are computed, and the arithmetic that serves it.

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384, Weierstrass};
use crate::group::{Affine, Jacobian};
use crate::limbs::{from_bytes, small, sub, to_bytes};
use crate::multiply::{Base, FixedBase, Form, Shape, Tabulated, Term, odd_multiples, sum};
use crate::residue::{Prime, Residue};

fn integer<const N: usize>(limbs: &[u64; N]) -> BigUint {
    let mut bytes = std::vec![0; 8 * N];
    to_bytes(limbs, &mut bytes);
    BigUint::from_bytes_be(&bytes)
}

fn limbs<const N: usize>(integer: &BigUint) -> [u64; N] {
    from_bytes(&integer.to_bytes_be()).expect("in range")
}

fn same<C: Weierstrass<N>, const N: usize>(a: &Affine<C, N>, b: &Affine<C, N>) -> bool {
    a.x.equals(&b.x) && a.y.equals(&b.y)
}

/// A multiple of the generator by doublings and additions on the curve itself.
fn multiple<C: Weierstrass<N>, const N: usize>(scalar: &BigUint) -> Affine<C, N> {
    let generator = Affine::<C, N>::GENERATOR;
    let mut point = Jacobian::INFINITY;
    for bit in (0..scalar.bits()).rev() {
        point = point.double();
        if scalar.bit(bit) {
            point = point.add_affine(&generator);
        }
    }
    point.to_affine().expect("not infinity")
}

fn random_point<C: Weierstrass<N>, const N: usize>(random: &mut Random) -> Affine<C, N> {
    let scalar = BigUint::from_bytes_be(&random.bytes(8 * N - 1)) + 1_u8;
    multiple(&scalar)
}

/// a u^4, b u^6 and the generator are those of the model, and points go there and back.
fn isomorphism<C: Weierstrass<N>, const N: usize>(random: &mut Random) {
    let p = integer(&C::Field::MODULUS);
    let u = integer(&C::SCALE);
    let scaled = |value: &[u64; N], power: u32| integer(value) * u.pow(power) % &p;
    assert_eq!(scaled(&C::A, 4), integer(&C::Model::A));
    assert_eq!(scaled(&C::B, 6), integer(&C::Model::B));
    assert_eq!(scaled(&C::GENERATOR_X, 2), integer(&C::Model::GENERATOR_X));
    assert_eq!(scaled(&C::GENERATOR_Y, 3), integer(&C::Model::GENERATOR_Y));
    assert!(C::Model::A_IS_MINUS_THREE && C::Model::IS_MODEL);
    assert_eq!(C::Model::CURVE, C::CURVE);

    for _ in 0..cases(8) {
        let point = random_point::<C, N>(random);
        let there = point.to_model();
        assert!(Affine::<C::Model, N>::new(there.x, there.y).is_some());
        // Any Z, so that it is seen to be scaled.
        let twice = Jacobian::<C, N>::from_model(&there.to_jacobian().double());
        let expected = point.to_jacobian().double();
        assert!(same(
            &twice.to_affine().expect("not infinity"),
            &expected.to_affine().expect("not infinity")
        ));
        let back = Jacobian::<C, N>::from_model(&there.to_jacobian());
        assert!(same(&back.to_affine().expect("not infinity"), &point));
    }
    assert!(Jacobian::<C, N>::from_model(&Jacobian::INFINITY).is_infinity());
}

#[test]
fn models_are_isomorphic_to_their_curves() {
    let mut random = Random::of_test("models");
    isomorphism::<P256, 4>(&mut random);
    isomorphism::<P384, 6>(&mut random);
    isomorphism::<BrainpoolP256r1, 4>(&mut random);
    isomorphism::<BrainpoolP384r1, 6>(&mut random);
}

/// The odd multiples of points, the generator and its negative among them, as additions give them.
fn multiples<C: Weierstrass<N>, const N: usize>(random: &mut Random) {
    let generator = Affine::<C, N>::GENERATOR;
    let mut points = std::vec![generator, generator.negate_if(true)];
    points.extend((0..cases(8)).map(|_| random_point::<C, N>(random)));
    for point in points {
        let table: [_; 40] = odd_multiples(&point);
        let twice = point.to_jacobian().double();
        let mut expected = point.to_jacobian();
        for multiple in table {
            assert!(same(
                &multiple,
                &expected.to_affine().expect("not infinity")
            ));
            expected = expected.add(&twice);
        }
        assert!(same(&odd_multiples::<C, N, 1>(&point)[0], &point));
    }
}

#[test]
fn odd_multiples_are_sums() {
    let mut random = Random::of_test("odd multiples");
    multiples::<P256, 4>(&mut random);
    multiples::<P384, 6>(&mut random);
    multiples::<BrainpoolP256r1, 4>(&mut random);
    multiples::<BrainpoolP384r1, 6>(&mut random);
    // The curves themselves, where a is not -3, and the models.
    multiples::<<BrainpoolP256r1 as Weierstrass<4>>::Model, 4>(&mut random);
    multiples::<<BrainpoolP384r1 as Weierstrass<6>>::Model, 6>(&mut random);
}

/// Multiples by a fresh table and by kept ones of both forms, small and next to the order too.
fn products<C: Tabulated<N>, const N: usize>(random: &mut Random) {
    let order = integer(&C::Order::MODULUS);
    let point = random_point::<C, N>(random);
    let table = |form| {
        let mut words = std::vec![0; Shape::SENDER.words::<N>()];
        FixedBase::build::<C, N>(&point, Shape::SENDER, form, &mut words);
        words
    };
    let tables = [Form::Residues, Form::Lanes].map(|form| (form, table(form)));
    let mut scalars: std::vec::Vec<BigUint> = (1..40_u8).map(BigUint::from).collect();
    scalars.extend((1..40_u8).map(|i| &order - i));
    scalars.extend((0..cases(8)).map(|_| BigUint::from_bytes_be(&random.bytes(8 * N)) % &order));
    for scalar in scalars {
        let mut expected = Jacobian::INFINITY;
        for bit in (0..scalar.bits()).rev() {
            expected = expected.double();
            if scalar.bit(bit) {
                expected = expected.add_affine(&point);
            }
        }
        let fresh = Base::Point(point);
        let kept = tables
            .iter()
            .map(|(form, words)| Base::Fixed(FixedBase::new::<N>(words, Shape::SENDER, *form)));
        for base in [fresh].into_iter().chain(kept) {
            let scalar = limbs(&scalar);
            let found: Jacobian<C, N> = sum(&[Term { scalar, base }]);
            // P - Q is infinity where they are equal.
            let minus = found.to_affine().map(|found| found.negate_if(true));
            let rest = minus.map(|minus| expected.add_affine(&minus).is_infinity());
            assert_eq!(rest, (!expected.is_infinity()).then_some(true));
        }
    }
}

#[test]
fn multiples_agree_with_doublings_and_additions() {
    let mut random = Random::of_test("multiples");
    products::<P256, 4>(&mut random);
    products::<BrainpoolP256r1, 4>(&mut random);
    products::<BrainpoolP384r1, 6>(&mut random);
    products::<P384, 6>(&mut random);
}

/// Differences of products, the largest and the smallest among them, where the minuend is above,
/// equal and below.
fn differences<P: Prime<N>, const N: usize>(random: &mut Random) {
    let p = integer(&P::MODULUS);
    let mut values: std::vec::Vec<[u64; N]> = (0..3).map(small).collect();
    values.extend((1..4).map(|i| sub(&P::MODULUS, &small(i)).0));
    let any = |random: &mut Random| limbs(&(BigUint::from_bytes_be(&random.bytes(8 * N)) % &p));
    values.extend((0..6).map(|_| any(random)));
    // Forms at the ends of the range, which are not those of integers at the ends.
    let residues: std::vec::Vec<Residue<P, N>> = values
        .iter()
        .map(|value| Residue::from_integer(value))
        .chain(values.iter().map(|value| {
            let mut residue = Residue::ZERO;
            residue.copy_stored(value);
            residue
        }))
        .collect();
    for _ in 0..cases(5_000) {
        let [a, b, c, d] = [(); 4].map(|()| &residues[random.index(residues.len())]);
        let product = integer(&a.mul_less_product(b, c, d).to_integer());
        let square = integer(&a.mul_less_square(b, c).to_integer());
        let [a, b, c, d] = [a, b, c, d].map(|residue| integer(&residue.to_integer()));
        // p^2 keeps the difference positive.
        let minuend = a * b + &p * &p;
        assert_eq!(product, (&minuend - &c * d) % &p);
        assert_eq!(square, (minuend - &c * &c) % &p);
    }
}

#[test]
fn differences_of_products_are_reduced() {
    fn both<C: Weierstrass<N>, const N: usize>(random: &mut Random) {
        differences::<C::Field, N>(random);
        differences::<C::Order, N>(random);
    }
    let mut random = Random::of_test("differences");
    both::<P256, 4>(&mut random);
    both::<P384, 6>(&mut random);
    both::<BrainpoolP256r1, 4>(&mut random);
    both::<BrainpoolP384r1, 6>(&mut random);
}
