//! The crate against the slow reference on random input, and both backends by a digest.

use num_bigint::BigUint;
use sha2::{Digest, Sha512};
use waywarden_testkit::{Random, cases, hex_of};

use super::reference::{self, Point};
use crate::multiply::{fixed, variable, vartime};
use crate::scalar::{self, Scalar};
use crate::{EncodedFourQPoint, SigningKey, VerifyingKey, dh, encoding};

fn big(limbs: &[u64; 4]) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |value, &limb| (value << 64) + limb)
}

/// 32 random bytes, or now and then an edge of the scalar range.
fn scalar_bytes(random: &mut Random) -> [u8; 32] {
    let order = reference::order();
    let edge = match random.u64() % 16 {
        0 => BigUint::from(random.u64() % 4 + 1),
        1 => &order - random.u64() % 4 - 1u32,
        2 => &order * 2u32 + random.u64() % 4 + 1u32,
        3 => (BigUint::from(1u32) << 256) - 1u32 - random.u64() % 4,
        4 => BigUint::from(1u32) << (random.u64() % 256),
        _ => return random.array(),
    };
    let mut bytes = [0; 32];
    let digits = edge.to_bytes_le();
    bytes[..digits.len()].copy_from_slice(&digits);
    bytes
}

#[test]
fn shares_and_secrets_are_the_references() {
    let mut random = Random::of_test("agreement");
    for _ in 0..cases(500).div_ceil(2) {
        let (secret, other) = (scalar_bytes(&mut random), scalar_bytes(&mut random));
        let share = dh::DhSecret::from_bytes(&secret).share();
        assert_eq!(share.0, reference::share(&secret), "{}", hex_of(&secret));
        let agreed = dh::DhSecret::from_bytes(&other).extract(&share).ok();
        assert_eq!(
            agreed.map(|agreed| *agreed.as_bytes()),
            reference::extract(&other, &share.0),
            "{} {}",
            hex_of(&secret),
            hex_of(&other),
        );
    }
}

#[test]
fn secrets_of_shares_of_any_order_are_the_references() {
    let mut random = Random::of_test("any order");
    let mut agreed = 0;
    for _ in 0..cases(500).div_ceil(2) {
        // Half of these are on the curve, nearly all with a component of small order.
        let (secret, share) = (scalar_bytes(&mut random), random.array());
        let ours = dh::DhSecret::from_bytes(&secret)
            .extract(&EncodedFourQPoint(share))
            .ok();
        let ours = ours.map(|secret| *secret.as_bytes());
        assert_eq!(
            ours,
            reference::extract(&secret, &share),
            "{}",
            hex_of(&share)
        );
        agreed += usize::from(ours.is_some());
    }
    // Of a few it may be none.
    assert!(agreed > 0 || cases(500) < 100);
}

#[test]
fn signatures_are_the_references() {
    let mut random = Random::of_test("signatures");
    for _ in 0..cases(500).div_ceil(2) {
        let secret = random.array();
        let message = random.bytes_up_to(200);
        let (signature, public) = reference::sign(&secret, &message);
        let key = SigningKey::from_bytes(&secret);
        assert_eq!(key.public().0, public, "{}", hex_of(&secret));
        assert_eq!(key.sign(&message).0, signature, "{}", hex_of(&secret));
        let public = VerifyingKey::decode(&key.public()).unwrap();
        assert_eq!(public.verify(&message, &key.sign(&message)), Ok(()));
    }
}

#[test]
fn decoding_is_the_references() {
    let mut random = Random::of_test("decoding");
    for _ in 0..cases(500) {
        let mut bytes: [u8; 32] = random.array();
        if !random.u64().is_multiple_of(4) {
            bytes[15] &= 0x7f;
        }
        let ours = encoding::decompress(&bytes).ok();
        let theirs = Point::decode(&bytes);
        assert_eq!(ours.is_some(), theirs.is_some(), "{}", hex_of(&bytes));
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            assert!(theirs.on_curve());
            assert_eq!(
                encoding::field_bytes(ours.x),
                reference::coordinate(&theirs.x)
            );
            assert_eq!(encoding::compress(&ours), bytes);
            assert_eq!(theirs.encode(), bytes);
        }
    }
}

#[test]
fn the_three_multiplications_agree() {
    let mut random = Random::of_test("multiplications");
    let generator = fixed::GENERATOR.to_extended();
    for _ in 0..cases(500) {
        let (a, b) = (scalar_bytes(&mut random), scalar_bytes(&mut random));
        let (a, b) = (scalar::limbs(&a), scalar::limbs(&b));
        let first = fixed::multiply(&Scalar::reduce(a));
        let second = variable::multiply(&b, &first);
        // aG + b (aG) in one go, and in two.
        let both = vartime::double_multiply(&a, &b, &first).to_affine();
        let sum = first.add(&second.to_cached()).to_affine();
        assert_eq!(encoding::compress(&both), encoding::compress(&sum));
        let again = variable::multiply(&a, &generator).to_affine();
        assert_eq!(
            encoding::compress(&again),
            encoding::compress(&first.to_affine())
        );
    }
}

#[test]
fn scalars_are_integers_modulo_the_order() {
    let mut random = Random::of_test("scalars");
    let order = reference::order();
    for _ in 0..cases(500) {
        let (a, b) = (scalar_bytes(&mut random), scalar_bytes(&mut random));
        let (big_a, big_b) = (BigUint::from_bytes_le(&a), BigUint::from_bytes_le(&b));
        let (a, b) = (Scalar::from_bytes(&a), Scalar::from_bytes(&b));
        assert_eq!(big(&a.to_limbs()), &big_a % &order);
        assert_eq!(big(&a.add(b).to_limbs()), (&big_a + &big_b) % &order);
        assert_eq!(big(&a.mul(b).to_limbs()), (&big_a * &big_b) % &order);
        let difference = (&big_a % &order + &order - &big_b % &order) % &order;
        assert_eq!(big(&a.sub(b).to_limbs()), difference);
        assert_eq!(big(&a.to_odd()) % &order, &big_a % &order);
        assert!(big(&a.to_odd()).bit(0));
        assert_eq!(
            Scalar::from_canonical_bytes(&a.to_bytes())
                .unwrap()
                .to_limbs(),
            a.to_limbs()
        );
    }
}

/// SHA-512 over the results of 10,000 cases of every operation. Whichever backend the crate is
/// built with must arrive at the same digest, which was written down once from the 64-bit one.
#[test]
fn ten_thousand_cases_have_the_digest_of_both_backends() {
    const DIGEST: &str = concat!(
        "305c3d28f279a0e589a024f5c892f37233eabf49bfecba3fba1c5235b4a45d7f",
        "6aa30d5054dad5a91f4f097590d028d75c14cda3bf5fc4a2834e264e415f1316",
    );
    let mut hasher = Sha512::new();
    let mut seed = [0; 64];
    for case in 0..10_000_u32 {
        seed = Sha512::new()
            .chain_update(seed)
            .chain_update(case.to_le_bytes())
            .finalize()
            .into();
        let (low, high) = (
            seed[..32].try_into().unwrap(),
            seed[32..].try_into().unwrap(),
        );
        let secret = dh::DhSecret::from_bytes(&low);
        let key = SigningKey::from_bytes(&high);
        let signature = key.sign(&seed[..case as usize % 64]);
        let decoded = EncodedFourQPoint(high).decode().map(|_| ());
        let agreed = secret
            .extract(&key.public())
            .map(|secret| *secret.as_bytes());
        let mut wrong = signature;
        wrong.0[case as usize % 64] ^= 1 << (case % 8);
        let verdict = VerifyingKey::decode(&key.public()).map(|public| {
            let message = &seed[..case as usize % 64];
            (
                public.verify(message, &signature),
                public.verify(message, &wrong),
            )
        });
        hasher.update(secret.share().0);
        hasher.update(key.public().0);
        hasher.update(signature.0);
        hasher.update(std::format!("{decoded:?} {agreed:?} {verdict:?}"));
    }
    assert_eq!(hex_of(&hasher.finalize()), DIGEST);
}
