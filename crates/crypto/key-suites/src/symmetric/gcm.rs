//! AES-256-GCM with tags of 8 bytes: `AES_256_GCM_8` in the names of \[LASAN\]'s suites.
//!
//! Read SP 800-38D. Its appendix C says how often a key may meet forgeries while a tag has 64 bits:
//! a role has to stop after a number of refusals, for each is a try at a forgery and, in GCM, a
//! success gives away the key of the tags.

use aes_gcm::aead::consts::{U8, U12};
use aes_gcm::aes::Aes256;
use aes_gcm::{AeadInOut, AesGcm, KeyInit};
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::TagError;
use crate::{Meter, length};

type Cipher = AesGcm<Aes256, U12, U8>;

/// An operation over the message and what is associated with it.
fn over(kind: OperationKind, aad: &[u8], data: &[u8]) -> Operation {
    let bytes = length(data).saturating_add(length(aad));
    Operation::new(kind, Algorithm::Aes256Gcm, bytes)
}

/// Encrypts `data` in place and returns the tag over it and `aad`. Metered as `Encrypt` over the
/// bytes of both. One key and nonce must never serve twice: that gives away the key of the tags.
///
/// # Panics
/// If `data` has 64 GiB or more.
pub fn seal_gcm(
    meter: &mut impl Meter,
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    data: &mut [u8],
) -> [u8; 8] {
    meter.record(over(OperationKind::Encrypt, aad, data));
    Cipher::new(key.into())
        .encrypt_inout_detached(nonce.into(), aad, data.into())
        .expect("less than 64 GiB")
        .into()
}

/// Undoes [`seal_gcm`], if the tag is right: compared in constant time, before anything is
/// decrypted. Metered as `Decrypt` over the bytes of `aad` and `data`, refused or not.
///
/// # Errors
/// [`TagError`] unless it is the tag of this message under this key and nonce. `data` is then left
/// as it came: encrypted.
pub fn open_gcm(
    meter: &mut impl Meter,
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    data: &mut [u8],
    tag: &[u8; 8],
) -> Result<(), TagError> {
    meter.record(over(OperationKind::Decrypt, aad, data));
    Cipher::new(key.into())
        .decrypt_inout_detached(nonce.into(), aad, data.into(), tag.into())
        .map_err(|_| TagError)
}

#[cfg(test)]
mod tests {
    use waywarden_testkit::bytes_of;

    use super::*;
    use crate::RecordedOperations;
    use crate::tests::{blocks, entropy, flipped, heard};

    /// CAVP's answers, as they stand in the file of this repository.
    const VECTORS: &str = include_str!("../../../../../vectors/aes-256-gcm-8.txt");

    #[test]
    fn known_answers_are_met() {
        let mut counts = [0; 3];
        for fields in blocks(VECTORS) {
            let field = |name: &str| bytes_of(fields[name]);
            let key: [u8; 32] = field("key").try_into().unwrap();
            let nonce: [u8; 12] = field("nonce").try_into().unwrap();
            let tag: [u8; 8] = field("tag").try_into().unwrap();
            let (aad, cipher) = (field("aad"), field("cipher"));
            let meter = &mut RecordedOperations::new();
            let mut data = cipher.clone();
            let opened = open_gcm(meter, &key, &nonce, &aad, &mut data, &tag);
            let Some(plain) = fields.get("plain").map(|text| bytes_of(text)) else {
                assert_eq!((opened, data), (Err(TagError), cipher), "{fields:?}");
                counts[2] += 1;
                continue;
            };
            assert_eq!((opened, &data), (Ok(()), &plain), "{fields:?}");
            if fields["kind"] == "seal" {
                let made = seal_gcm(meter, &key, &nonce, &aad, &mut data);
                assert_eq!((made, data), (tag, cipher), "{fields:?}");
                counts[0] += 1;
            } else {
                counts[1] += 1;
            }
        }
        assert_eq!(counts, [25; 3], "sealed, opened, refused");
    }

    #[test]
    fn a_change_anywhere_is_refused_and_leaves_the_message_as_it_was() {
        let mut entropy = entropy("a change anywhere");
        let meter = &mut RecordedOperations::new();
        for length in [0, 1, 15, 16, 17, 48] {
            let key = *entropy.draw().as_bytes();
            let (nonce, aad, plain) = ([length as u8; 12], [0x3c; 21], [0xa5; 48]);
            let mut sealed = plain[..length].to_vec();
            let tag = seal_gcm(meter, &key, &nonce, &aad, &mut sealed);
            let size = length as u32 + 21;
            let done = Operation::new(OperationKind::Encrypt, Algorithm::Aes256Gcm, size);
            assert_eq!(heard(meter), [done]);

            let mut refuse =
                |key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], sealed: &[u8], tag: &[u8; 8]| {
                    let mut data = sealed.to_vec();
                    let opened = open_gcm(meter, key, nonce, aad, &mut data, tag);
                    assert_eq!((opened, &data[..]), (Err(TagError), sealed));
                    heard(meter);
                };
            for bit in 0..8 * length {
                refuse(&key, &nonce, &aad, &flipped(&sealed, bit), &tag);
            }
            for bit in 0..64 {
                let tag = flipped(&tag, bit).try_into().unwrap();
                refuse(&key, &nonce, &aad, &sealed, &tag);
            }
            for bit in 0..8 * aad.len() {
                refuse(&key, &nonce, &flipped(&aad, bit), &sealed, &tag);
            }
            for bit in 0..96 {
                let nonce = flipped(&nonce, bit).try_into().unwrap();
                refuse(&key, &nonce, &aad, &sealed, &tag);
            }
            for bit in 0..256 {
                let key = flipped(&key, bit).try_into().unwrap();
                refuse(&key, &nonce, &aad, &sealed, &tag);
            }
            refuse(&key, &nonce, &aad[..20], &sealed, &tag);
            open_gcm(meter, &key, &nonce, &aad, &mut sealed, &tag).unwrap();
            assert_eq!(sealed, plain[..length]);
            let done = Operation::new(OperationKind::Decrypt, Algorithm::Aes256Gcm, size);
            assert_eq!(heard(meter), [done]);
        }
    }
}
