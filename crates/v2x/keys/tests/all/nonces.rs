//! Nonces that were computed beforehand: each is used once, over resets too.

use std::collections::HashSet;

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{
    KeyError, KeyHandle, KeyStore, Nonce, NonceForm, PrecomputedNonces, SoftwareStore, Uses,
};

use crate::support::verified;

type Store = SoftwareStore<2, 4>;

/// A device that was started: the same key, nonces from a seed.
fn started(curve: Curve, seed: &[u8; 32]) -> (Store, KeyHandle) {
    let mut store = Store::new().with_nonces(PrecomputedNonces::new(curve, seed));
    let key = store.generate(curve, Uses::SIGN, &[3; 32]).unwrap();
    (store, key)
}

/// Signs a digest with a precomputed nonce and returns R.
fn signed(store: &mut Store, key: KeyHandle, digest: &[u8]) -> Result<Vec<u8>, KeyError> {
    let signature = store.sign(key, digest, Nonce::Precomputed, NonceForm::Point)?;
    let public = store.public_key(key).unwrap();
    assert_eq!(verified(&public, digest, &signature), Ok(()));
    Ok(signature.r().to_vec())
}

/// Random signatures, refills, reservations and resets. The device keeps the end of the numbers it
/// reserved; at a reset its seed is fresh or, where its generator is broken, the same again.
#[test]
fn no_nonce_is_used_twice_over_resets() {
    let mut random = Random::of_test("no_nonce_is_used_twice_over_resets");
    for curve in [Curve::P256, Curve::BrainpoolP256r1] {
        let mut points = HashSet::new();
        let mut seed = random.array();
        let mut reserved = 0;
        let (mut store, mut key) = started(curve, &seed);
        let (mut resets, mut signatures) = (0, 0);
        for _ in 0..cases(600) {
            match random.below(12) {
                0 => {
                    resets += 1;
                    if random.once_in(2) {
                        seed = random.array();
                    }
                    (store, key) = started(curve, &seed);
                }
                1 | 2 => {
                    let numbers = reserved..reserved + random.below(8);
                    reserved = numbers.end;
                    store.nonces().unwrap().reserve(numbers).unwrap();
                }
                3..7 => {
                    let ready = store.nonces().unwrap().ready();
                    match store.nonces().unwrap().precompute() {
                        Ok(added) => assert_eq!(added, ready < 4, "bounded at four"),
                        Err(error) => assert_eq!(error, KeyError::NoNumbers),
                    }
                }
                _ => {
                    let ready = store.nonces().unwrap().ready();
                    match signed(&mut store, key, &random.bytes(32)) {
                        Ok(point) => {
                            signatures += 1;
                            assert!(points.insert(point), "a nonce was used twice");
                            assert_eq!(store.nonces().unwrap().ready(), ready - 1);
                        }
                        Err(error) => {
                            assert_eq!((error, ready), (KeyError::NoNonce, 0));
                        }
                    }
                }
            }
        }
        println!("{curve:?}: {signatures} signatures over {resets} resets");
        assert!(signatures > 20 && resets > 10 || cases(600) < 600);
    }
}

/// With the same seed, the same numbers give the same nonces: this is the reason to reserve
/// numbers.
#[test]
fn the_same_seed_and_number_give_the_same_nonce() {
    let point = |numbers: std::ops::Range<u64>, seed| {
        let (mut store, key) = started(Curve::P256, &[seed; 32]);
        store.nonces().unwrap().reserve(numbers).unwrap();
        store.nonces().unwrap().precompute().unwrap();
        signed(&mut store, key, &[1; 32]).unwrap()
    };
    assert_eq!(point(5..9, 1), point(5..6, 1));
    assert_ne!(point(5..9, 1), point(6..9, 1));
    assert_ne!(point(5..9, 1), point(5..9, 2));
}

#[test]
fn numbers_that_were_reserved_are_refused() {
    let mut nonces = PrecomputedNonces::<2>::new(Curve::P256, &[1; 32]);
    assert_eq!(nonces.precompute(), Err(KeyError::NoNumbers));
    nonces.reserve(10..20).unwrap();
    for numbers in [10..20, 0..30, 19..40, 0..5] {
        assert_eq!(nonces.reserve(numbers), Err(KeyError::NumbersUsed));
    }
    // A range that ends below its start is empty, and makes no used number free.
    #[expect(
        clippy::reversed_empty_ranges,
        reason = "it is what a caller may get wrong"
    )]
    nonces.reserve(20..12).unwrap();
    assert_eq!(nonces.precompute(), Err(KeyError::NoNumbers));
    for numbers in [12..20, 0..1, 19..21] {
        assert_eq!(nonces.reserve(numbers), Err(KeyError::NumbersUsed));
    }
    nonces.reserve(u64::MAX - 1..u64::MAX).unwrap();
    assert_eq!(nonces.precompute(), Ok(true));
    assert_eq!(nonces.precompute(), Err(KeyError::NoNumbers));
    assert_eq!(nonces.ready(), 1);
}

#[test]
fn nonces_of_another_curve_are_not_used() {
    let (mut store, _) = started(Curve::P256, &[1; 32]);
    store.nonces().unwrap().reserve(0..4).unwrap();
    store.nonces().unwrap().precompute().unwrap();
    let other = store.generate(Curve::BrainpoolP256r1, Uses::SIGN, &[1; 32]);
    let refused = signed(&mut store, other.unwrap(), &[1; 32]);
    assert_eq!(refused, Err(KeyError::NoNonce));
    assert!(store.capabilities(Curve::P256).precomputed_nonce);
    assert!(!store.capabilities(Curve::BrainpoolP256r1).precomputed_nonce);
    assert_eq!(store.nonces().unwrap().ready(), 1);
}
