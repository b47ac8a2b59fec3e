//! ECIES as IEEE 1609.2 uses it: one AES-128 key, encrypted to a public key \[1609.2 §5.3.5\].
//!
//! The sender's ephemeral key v and the recipient's agree on a secret S. KDF2 of S and the
//! parameter P1 gives a key of 16 bytes, which is added to the encrypted one bit by bit, and one of
//! 32 bytes, with which the result is authenticated. P1 is the hash of what the recipient's public
//! key stands in, so that a ciphertext cannot be passed on to another place.

use core::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use waywarden_ecverify::{Curve, Point};
use zeroize::Zeroizing;

use crate::error::KeyError;
use crate::key_store::{KeyHandle, KeyStore, Uses};

/// Length of the encrypted key and of the tag, in bytes.
const PART: usize = 16;

/// An encrypted key: all of it is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncryptedKey {
    /// Ephemeral public key of the sender.
    pub v: Point,
    /// Encrypted key.
    pub c: [u8; PART],
    /// Authentication tag.
    pub t: [u8; PART],
}

/// Reason why a key is not encrypted or decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EciesError {
    /// The store fails.
    Key(KeyError),
    /// The tag is wrong: the key was encrypted to another key or place, or was changed.
    Tag,
}

impl From<KeyError> for EciesError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl fmt::Display for EciesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::Tag => f.write_str("the tag is wrong: encrypted to another key, or changed"),
        }
    }
}

impl core::error::Error for EciesError {}

/// KDF2 of IEEE 1363a with SHA-256: fills `output` from a secret and a parameter that is public.
///
/// # Panics
/// Never: `output` is bounded by the callers of this crate, at 48 bytes, and would have to be
/// longer than 128 GiB.
pub fn kdf2(secret: &[u8], parameter: &[u8], output: &mut [u8]) {
    for (counter, block) in (1_u32..).zip(output.chunks_mut(32)) {
        let mut hash = Sha256::new();
        hash.update(secret);
        hash.update(counter.to_be_bytes());
        hash.update(parameter);
        let digest = Zeroizing::new(<[u8; 32]>::from(hash.finalize()));
        block.copy_from_slice(&digest[..block.len()]);
    }
}

/// MAC1 of IEEE 1363a with SHA-256, its first 16 bytes.
#[must_use]
pub fn mac1(key: &[u8], message: &[u8]) -> [u8; PART] {
    // HMAC takes keys of any length.
    let mut tag = [0; PART];
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) {
        mac.update(message);
        tag.copy_from_slice(&mac.finalize().into_bytes()[..PART]);
    }
    tag
}

/// The two keys of one encryption.
struct Keys(Zeroizing<[u8; PART + 32]>);

impl Keys {
    fn new(secret: &[u8], parameter: &[u8]) -> Self {
        let mut keys = Zeroizing::new([0; PART + 32]);
        kdf2(secret, parameter, &mut *keys);
        Self(keys)
    }

    /// Adds the first key.
    fn mask(&self, text: &[u8; PART]) -> [u8; PART] {
        core::array::from_fn(|index| text[index] ^ self.0[index])
    }

    fn tag(&self, c: &[u8; PART]) -> [u8; PART] {
        mac1(&self.0[PART..], c)
    }
}

/// Refuses curves on which the standard has no encryption.
fn check_curve(curve: Curve) -> Result<(), KeyError> {
    match curve {
        Curve::P256 | Curve::BrainpoolP256r1 => Ok(()),
        Curve::P384 | Curve::BrainpoolP384r1 => Err(KeyError::Unsupported {
            operation: "ECIES",
            curve,
        }),
    }
}

/// Encrypts a key to a public key. `p1` is the hash of the certificate or message in which the
/// public key stands, or of nothing for a response key. `seed` is 32 bytes of a random generator,
/// for the ephemeral key, which lives in `store` for the time of the call.
///
/// # Errors
/// [`KeyError::Unsupported`] for curves of 384 bits, [`KeyError::Full`].
pub fn encrypt<S: KeyStore + ?Sized>(
    store: &mut S,
    recipient: &Point,
    key: &[u8; PART],
    p1: &[u8],
    seed: &[u8; 32],
) -> Result<EncryptedKey, EciesError> {
    check_curve(recipient.curve())?;
    let ephemeral = store.generate(recipient.curve(), Uses::AGREE, seed)?;
    let agreed = store.agree(ephemeral, recipient);
    let v = store.public_key(ephemeral);
    store.retire(ephemeral)?;
    let keys = Keys::new(agreed?.as_bytes(), p1);
    let c = keys.mask(key);
    let t = keys.tag(&c);
    Ok(EncryptedKey { v: v?, c, t })
}

/// Decrypts a key. One multiplication, whatever is wrong; the tag is compared in constant time.
///
/// # Errors
/// [`EciesError::Tag`]; [`KeyError::OtherCurve`] and what the store says of `private`.
pub fn decrypt<S: KeyStore + ?Sized>(
    store: &mut S,
    private: KeyHandle,
    encrypted: &EncryptedKey,
    p1: &[u8],
) -> Result<Zeroizing<[u8; PART]>, EciesError> {
    check_curve(encrypted.v.curve())?;
    let agreed = store.agree(private, &encrypted.v)?;
    let keys = Keys::new(agreed.as_bytes(), p1);
    let tag = keys.tag(&encrypted.c);
    match bool::from(tag.ct_eq(&encrypted.t)) {
        true => Ok(Zeroizing::new(keys.mask(&encrypted.c))),
        false => Err(EciesError::Tag),
    }
}
