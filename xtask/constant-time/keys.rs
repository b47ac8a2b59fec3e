//! Computations of `waywarden-v2x-keys` with private keys of P-256, from a secret to bytes. A store
//! takes the secret unmarked, so that its public key is what it is: public. Then the private key is
//! marked where it stands in the store's memory, and used once.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::butterfly::{Expansion, Purpose, cocoon_key};
use waywarden_v2x_keys::{
    KeyHandle, KeyStore as _, Nonce, NonceForm, PrivateKey, SoftwareStore, Uses,
};

use crate::memcheck::request;

type Store = SoftwareStore<4>;

/// The hash of a certificate, and a digest.
const E: [u8; 32] = *b"a hash as every one of them is: ";
/// A number below the order.
const R: [u8; 32] = *b"a contribution of the authority ";
const ENTROPY: [u8; 32] = *b"32 bytes from a random generator";

/// Takes in a key, and marks it in its place if the secret is marked.
fn import(store: &mut Store, secret: &[u8; 32], uses: Uses) -> KeyHandle {
    let mut open = *secret;
    let is_marked = request::secret_bits(&open) > 0;
    request::declassify(&mut open);
    let key = PrivateKey::new(Curve::P256, &open).expect("32 bytes");
    let handle = store.import(&key, uses).expect("below the order");
    if is_marked {
        let address = std::ptr::from_mut(store).addr();
        // Read through the system, since padding is not initialised.
        let mut bytes = vec![0; size_of::<Store>()];
        let memory = File::open("/proc/self/mem").expect("Linux");
        let read = memory.read_exact_at(&mut bytes, address as u64);
        read.expect("the store's own memory");
        let found = bytes.windows(32).position(|window| window == open);
        let place = address + found.expect("the key is in the store");
        request::classify_at(place as u64, 32);
    }
    handle
}

/// `Sign`.
pub(crate) fn sign(secret: &[u8; 32]) -> Vec<u8> {
    let mut store = Store::new();
    let key = import(&mut store, secret, Uses::SIGN);
    let nonce = Nonce::Hedged { entropy: &ENTROPY };
    let signature = store.sign(key, &E, nonce, NonceForm::Point).expect("signs");
    [signature.r(), signature.s()].concat()
}

/// `CrtGen`: the issuer's key and the ephemeral one are both secret.
pub(crate) fn contribute(secret: &[u8; 32]) -> Vec<u8> {
    let mut store = Store::new();
    let issuer = import(&mut store, secret, Uses::ISSUE_IMPLICIT);
    let ephemeral = secret.map(|byte| byte ^ 0x15);
    let ephemeral = import(&mut store, &ephemeral, Uses::RECONSTRUCT);
    store
        .contribute(issuer, ephemeral, &E)
        .expect("a number")
        .to_vec()
}

/// The private key of `CRTReception`.
pub(crate) fn reconstruct(secret: &[u8; 32]) -> Vec<u8> {
    let mut store = Store::new();
    let own = import(&mut store, secret, Uses::RECONSTRUCT);
    let key = store.reconstruct(own, &E, &R, Uses::SIGN).expect("a key");
    store.export(key).expect("a key").as_bytes().to_vec()
}

/// Key agreement.
pub(crate) fn agree(secret: &[u8; 32]) -> Vec<u8> {
    let mut store = Store::new();
    let peer = import(&mut store, &R, Uses::AGREE);
    let peer = store.public_key(peer).expect("a key");
    let own = import(&mut store, secret, Uses::AGREE);
    store
        .agree(own, &peer)
        .expect("a secret")
        .as_bytes()
        .to_vec()
}

/// A holder's cocoon private key, of a secret caterpillar key.
pub(crate) fn expand(secret: &[u8; 32]) -> Vec<u8> {
    let mut store = Store::new();
    let own = import(&mut store, secret, Uses::EXPAND);
    let f = Expansion::new(Purpose::Signing, &[7; 16]).f(1, 2);
    let key = store.expand(own, &f, Uses::SIGN).expect("a key");
    store.export(key).expect("a key").as_bytes().to_vec()
}

/// A registration authority's cocoon public key, by a secret expansion key.
pub(crate) fn cocoon(secret: &[u8; 32]) -> Vec<u8> {
    let mut store = Store::new();
    let caterpillar = import(&mut store, &R, Uses::EXPAND);
    let caterpillar = store.public_key(caterpillar).expect("a key");
    let key = secret.first_chunk().expect("32 bytes");
    let f = Expansion::new(Purpose::Signing, key).f(1, 2);
    let public = cocoon_key(&caterpillar, &f).expect("a key");
    [public.x(), public.y()].concat()
}
