//! Hashes, codes, key derivation and ciphers.

use core::hint::black_box;

use sha2::Digest;
use waywarden_can_auth::mac::{Mac, MacKey};
use waywarden_key_suites::symmetric;
use waywarden_work::NoMeter;

use crate::{Run, bytes};

/// A tag; the key has been set up before, as an ECU does once.
pub(crate) fn tag<M: Mac, const LENGTH: usize>(run: &mut Run<'_>) {
    let code = M::new(&MacKey::from_bytes(bytes(run.secret)));
    let message = bytes::<LENGTH>(2);
    run.count(|| black_box(&code).tag(&[black_box(&message)], &mut NoMeter));
}

pub(crate) fn sha_256<const LENGTH: usize>(run: &mut Run<'_>) {
    let message = bytes::<LENGTH>(1 + run.secret);
    run.count(|| symmetric::sha256(&mut NoMeter, &[black_box(&message)]));
}

/// SHA-384 or SHA-512.
pub(crate) fn sha_2<D: Digest, const LENGTH: usize>(run: &mut Run<'_>) {
    let message = bytes::<LENGTH>(1 + run.secret);
    run.count(|| D::digest(black_box(&message)));
}

/// 32 bytes of key from a secret, bound to 54 bytes.
pub(crate) fn hkdf<const LENGTH: usize>(run: &mut Run<'_>) {
    let secret = bytes::<LENGTH>(run.secret);
    let (salt, info) = (bytes::<32>(2), bytes::<54>(3));
    run.count(|| {
        let mut key = [0; 32];
        let info: [&[u8]; 1] = [black_box(&info)];
        symmetric::hkdf_sha256(&mut NoMeter, &salt, black_box(&secret), &info, &mut key);
        key
    });
}

pub(crate) fn encrypt_ctr<const LENGTH: usize>(run: &mut Run<'_>) {
    let (key, iv, mut data) = (bytes(run.secret), bytes(2), bytes::<LENGTH>(3));
    run.count(|| symmetric::encrypt_ctr(&mut NoMeter, black_box(&key), &iv, black_box(&mut data)));
}

pub(crate) fn decrypt_ctr<const LENGTH: usize>(run: &mut Run<'_>) {
    let (key, iv, mut data) = (bytes(run.secret), bytes(2), bytes::<LENGTH>(3));
    run.count(|| symmetric::decrypt_ctr(&mut NoMeter, black_box(&key), &iv, black_box(&mut data)));
}

/// Associated bytes of GCM; the operation counts them as well.
const ASSOCIATED: usize = 16;

pub(crate) fn seal_gcm<const LENGTH: usize>(run: &mut Run<'_>) {
    let (key, nonce, mut data) = (bytes(run.secret), bytes(2), bytes::<LENGTH>(3));
    run.count(|| {
        let (aad, data) = black_box(&mut data).split_at_mut(ASSOCIATED);
        symmetric::seal_gcm(&mut NoMeter, black_box(&key), &nonce, aad, data)
    });
}

pub(crate) fn open_gcm<const LENGTH: usize>(run: &mut Run<'_>) {
    let (key, nonce, mut data) = (bytes(run.secret), bytes(2), bytes::<LENGTH>(3));
    let (aad, sealed) = data.split_at_mut(ASSOCIATED);
    let tag = symmetric::seal_gcm(&mut NoMeter, &key, &nonce, aad, sealed);
    let opened = run.count(|| {
        let (aad, data) = black_box(&mut data).split_at_mut(ASSOCIATED);
        symmetric::open_gcm(&mut NoMeter, black_box(&key), &nonce, aad, data, &tag)
    });
    assert!(opened.is_ok(), "our own message");
}
