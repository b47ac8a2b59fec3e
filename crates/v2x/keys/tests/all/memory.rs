//! Secrets are wiped where they stand: what is read is the memory of this process.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use p256::elliptic_curve::PrimeField as _;
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, PrecomputedNonces, SoftwareStore};

use crate::support::{all_uses, exported, scalar};

type Store = SoftwareStore<2, 2>;

/// The bytes of a value, as they are in memory, padding and all.
fn bytes_of<T>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; size_of::<T>()];
    let memory = File::open("/proc/self/mem").unwrap();
    let address = std::ptr::from_ref(value).addr() as u64;
    memory.read_exact_at(&mut bytes, address).unwrap();
    bytes
}

fn holds<T>(value: &T, secret: &[u8]) -> bool {
    let bytes = bytes_of(value);
    bytes.windows(secret.len()).any(|window| window == secret)
}

#[test]
fn a_retired_key_is_wiped_where_it_was() {
    let mut store = Box::new(Some(Store::new()));
    let own = store.as_mut().as_mut().unwrap();
    let [first, second] = [1, 2].map(|seed| own.generate(Curve::P256, all_uses(), &[seed; 32]));
    let (first, second) = (first.unwrap(), second.unwrap());
    let secrets = [first, second].map(|key| exported(own, key));
    assert!(secrets.iter().all(|secret| holds(&*store, secret)));
    store.as_mut().as_mut().unwrap().retire(first).unwrap();
    assert!(
        !holds(&*store, &secrets[0]),
        "the retired key is still there"
    );
    assert!(holds(&*store, &secrets[1]));
    *store = None;
    assert!(
        !holds(&*store, &secrets[1]),
        "a key of a dropped store is still there"
    );
}

#[test]
fn a_used_nonce_is_wiped_where_it_was() {
    let mut nonces = PrecomputedNonces::new(Curve::P256, &[3; 32]);
    nonces.reserve(0..2).unwrap();
    while nonces.precompute().unwrap() {}
    let mut store = Box::new(Store::new().with_nonces(nonces));
    let key = store.generate(Curve::P256, all_uses(), &[1; 32]).unwrap();
    let before = bytes_of(&*store);
    let digest = [1; 32];
    let signature = store.sign(key, &digest, Nonce::Precomputed, NonceForm::XOnly);
    let signature = signature.unwrap();
    // 1 / k = s / (z + r d), which the pool holds in place of k.
    let private = scalar(&exported(&*store, key));
    let sum = scalar(&digest) + scalar(signature.r()) * private;
    let inverse = scalar(signature.s()) * sum.invert().unwrap();
    let inverse = inverse.to_repr();
    let found = |bytes: &[u8]| bytes.windows(32).any(|window| window == inverse.as_slice());
    assert!(found(&before), "the nonce was ready");
    assert!(!found(&bytes_of(&*store)), "the used nonce is still there");
}
