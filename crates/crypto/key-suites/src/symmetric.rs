//! Hashes, tags, key derivation and encryption, metered.
//!
//! The same for every suite. Where a function takes `parts`, it hashes them in a row: the caller
//! gives each a fixed length or writes its length before it.

mod gcm;
#[cfg(test)]
mod tests;

pub use gcm::{open_gcm, seal_gcm};

use aes::Aes128;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use waywarden_work::{Algorithm, Operation, OperationKind};
use zeroize::Zeroizing;

use super::Meter;
#[cfg(any(feature = "p256", feature = "post-quantum"))]
use super::Secret;

/// HKDF with SHA-256 (RFC 5869): fills `out` from the secret `ikm`, bound to `salt` and to `info`,
/// the parts of which are put in a row. An empty salt counts as 32 zero bytes. At most 8160 bytes
/// come out; more do not compile. Metered as `KeyDerive` over the bytes of `ikm`.
pub fn hkdf_sha256<const LENGTH: usize>(
    meter: &mut impl Meter,
    salt: &[u8],
    ikm: &[u8],
    info: &[&[u8]],
    out: &mut [u8; LENGTH],
) {
    const { assert!(LENGTH <= 255 * 32, "HKDF-SHA-256 gives 8160 bytes at most") }
    meter.record(super::over(
        OperationKind::KeyDerive,
        Algorithm::HkdfSha256,
        ikm,
    ));
    Hkdf::<Sha256>::new(Some(salt), ikm)
        .expand_multi_info(info, out)
        .expect("the length was checked by the compiler");
}

/// Encrypts `data` in place with AES-128 in counter mode (SP 800-38A §6.5); the counter block
/// begins at `iv` and counts over its 128 bits, big endian. Metered as `Encrypt`.
///
/// One key and counter block must never serve twice, and nothing here shows tampering: what is
/// encrypted has to carry its own proof.
pub fn encrypt_ctr(meter: &mut impl Meter, key: &[u8; 16], iv: &[u8; 16], data: &mut [u8]) {
    meter.record(super::over(
        OperationKind::Encrypt,
        Algorithm::Aes128Ctr,
        data,
    ));
    apply_keystream(key, iv, data);
}

/// Undoes [`encrypt_ctr`]. Metered as `Decrypt`.
pub fn decrypt_ctr(meter: &mut impl Meter, key: &[u8; 16], iv: &[u8; 16], data: &mut [u8]) {
    meter.record(super::over(
        OperationKind::Decrypt,
        Algorithm::Aes128Ctr,
        data,
    ));
    apply_keystream(key, iv, data);
}

fn apply_keystream(key: &[u8; 16], iv: &[u8; 16], data: &mut [u8]) {
    Ctr128BE::<Aes128>::new(key.into(), iv.into()).apply_keystream(data);
}

/// SHA-256 of the parts in a row. Metered as `Hash` over their bytes.
pub fn sha256(meter: &mut impl Meter, parts: &[&[u8]]) -> [u8; 32] {
    meter.record(Operation::new(
        OperationKind::Hash,
        Algorithm::Sha256,
        total(parts),
    ));
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The first `LENGTH` bytes of HMAC-SHA-256 over the parts in a row; 4 to 32, others do not
/// compile. Metered as `Tag` over the bytes of the parts.
pub fn hmac_tag<const LENGTH: usize>(
    meter: &mut impl Meter,
    key: &[u8; 32],
    parts: &[&[u8]],
) -> [u8; LENGTH] {
    const {
        assert!(
            4 <= LENGTH && LENGTH <= 32,
            "a tag of HMAC-SHA-256 has 4 to 32 bytes"
        );
    }
    meter.record(Operation::new(
        OperationKind::Tag,
        Algorithm::HmacSha256,
        total(parts),
    ));
    let whole = hmac(key, parts);
    let mut tag = [0; LENGTH];
    tag.copy_from_slice(&whole[..LENGTH]);
    tag
}

/// A tag that does not belong to the message and the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagError;

impl core::fmt::Display for TagError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the tag does not match the message and the key")
    }
}

impl core::error::Error for TagError {}

/// Checks a tag of [`hmac_tag`] in constant time. Metered alike.
///
/// # Errors
/// [`TagError`] unless it is the tag of these parts under this key.
pub fn verify_hmac_tag<const LENGTH: usize>(
    meter: &mut impl Meter,
    key: &[u8; 32],
    parts: &[&[u8]],
    tag: &[u8; LENGTH],
) -> Result<(), TagError> {
    let right = hmac_tag::<LENGTH>(meter, key, parts);
    if right.ct_eq(tag).into() {
        Ok(())
    } else {
        Err(TagError)
    }
}

#[cfg(any(feature = "p256", feature = "post-quantum"))]
/// More bytes of one secret by HKDF-SHA-256, for the one purpose that `label` names. Unmetered.
pub(super) fn stretch<const LENGTH: usize>(
    secret: &Secret,
    label: &[u8],
) -> Zeroizing<[u8; LENGTH]> {
    const { assert!(LENGTH <= 255 * 32, "HKDF-SHA-256 gives 8160 bytes at most") }
    let mut out = Zeroizing::new([0; LENGTH]);
    Hkdf::<Sha256>::new(None, secret.as_bytes())
        .expand(label, &mut *out)
        .expect("the length was checked by the compiler");
    out
}

/// HMAC-SHA-256 over the parts in a row, unmetered.
pub(super) fn hmac(key: &[u8; 32], parts: &[&[u8]]) -> Zeroizing<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// The bytes of all parts, as an operation counts them.
fn total(parts: &[&[u8]]) -> u32 {
    parts
        .iter()
        .fold(0u32, |sum, part| sum.saturating_add(super::length(part)))
}
