//! Messages encrypted \[1609.2 §5.3.4, §6.3.31\].

use alloc::vec::Vec;
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::ecies::{self, EciesError, EncryptedKey};
use waywarden_v2x_keys::{KeyStore, ccm, compressed};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    EciesP256EncryptedKey, EncryptedData, EncryptedDataEncryptionKey, Ieee1609Dot2Content,
    Ieee1609Dot2Data, One28BitCcmCiphertext, PkRecipientInfo, RecipientInfo, SymmRecipientInfo,
    SymmetricCiphertext, Version3,
};
use zeroize::Zeroizing;

use crate::error::EncryptError;
use crate::recipient::{RECIPIENTS_MAX, Recipient, RecipientId, symmetric_key_id};
use crate::seed::Seed;
use crate::written::written;

/// Encrypts secured data, signed or unsecured, to recipients with public keys: one key of AES-128,
/// encrypted to each. `data` is encoded as `Ieee1609Dot2Data`, and so is what is returned.
///
/// Keys and nonce depend on the seed and on `data`: a seed that comes back after a reset encrypts
/// no second text under the same nonce.
///
/// `store` makes the ephemeral keys, one at a time; a small
/// [`SoftwareStore`](waywarden_v2x_keys::SoftwareStore) of the call's own will do.
///
/// # Errors
/// [`EncryptError`].
pub fn encrypt<S: KeyStore + ?Sized>(
    store: &mut S,
    recipients: &[Recipient],
    data: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, EncryptError> {
    let key = seed.bound_to(&[data]).derive("message key", 0);
    encrypt_with_key(store, recipients, &key, data, seed)
}

/// Encrypts secured data to recipients with public keys under a key of AES-128 that the caller
/// chose: of a random generator, and for this message and its answer alone.
///
/// # Errors
/// As [`encrypt`].
pub fn encrypt_with_key<S: KeyStore + ?Sized>(
    store: &mut S,
    recipients: &[Recipient],
    key: &[u8; ccm::KEY],
    data: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, EncryptError> {
    if recipients.is_empty() {
        return Err(EncryptError::NoRecipient);
    }
    if recipients.len() > RECIPIENTS_MAX {
        return Err(EncryptError::TooManyRecipients);
    }
    let seed = &seed.bound_to(&[data]);
    let encrypted = recipients.iter().zip(0_u32..).map(|(recipient, number)| {
        let ephemeral = seed.derive("ephemeral key", number);
        ecies::encrypt(store, &recipient.public, key, &recipient.p1, &ephemeral)
    });
    let encrypted = encrypted.collect::<Result<Vec<EncryptedKey>, EciesError>>()?;
    let recipients = recipients
        .iter()
        .zip(&encrypted)
        .map(|(recipient, key)| info(recipient, key));
    finish(&recipients.collect::<Vec<_>>(), key, data, seed)
}

/// Encrypts secured data under a key of AES-128 that the recipient has.
///
/// # Errors
/// [`EncryptError::TooLong`], [`EncryptError::Emit`].
pub fn encrypt_under(
    key: &[u8; ccm::KEY],
    data: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, EncryptError> {
    let recipient = RecipientInfo::PreSharedKey(symmetric_key_id(key)?);
    finish(&[recipient], key, data, &seed.bound_to(&[data]))
}

/// Encrypts secured data under a key of its own, and that key under one that the recipient has.
///
/// # Errors
/// [`EncryptError::TooLong`], [`EncryptError::Emit`].
pub fn encrypt_to_symmetric_key(
    key: &[u8; ccm::KEY],
    data: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, EncryptError> {
    let seed = &seed.bound_to(&[data]);
    let own = seed.derive::<{ ccm::KEY }>("message key", 0);
    let nonce = seed.derive::<{ ccm::NONCE }>("nonce of the message key", 0);
    let wrapped = sealed(key, &nonce, &*own)?;
    let recipient = RecipientInfo::Symmetric(SymmRecipientInfo {
        recipient_id: symmetric_key_id(key)?,
        enc_key: SymmetricCiphertext::Aes128Ccm(One28BitCcmCiphertext {
            nonce: &nonce,
            ciphertext: &wrapped,
        }),
    });
    finish(&[recipient], &own, data, seed)
}

/// Encrypts with a symmetric key.
fn sealed(
    key: &[u8; ccm::KEY],
    nonce: &[u8; ccm::NONCE],
    data: &[u8],
) -> Result<Zeroizing<Vec<u8>>, EncryptError> {
    let mut buffer = Zeroizing::new(Vec::with_capacity(data.len() + ccm::TAG));
    buffer.extend_from_slice(data);
    buffer.resize(data.len() + ccm::TAG, 0);
    ccm::encrypt(key, nonce, &mut buffer).map_err(|_| EncryptError::TooLong)?;
    Ok(buffer)
}

/// Encrypts the data itself. `seed` is bound to the data.
fn finish(
    recipients: &[RecipientInfo<'_>],
    key: &[u8; ccm::KEY],
    data: &[u8],
    seed: &Seed,
) -> Result<Vec<u8>, EncryptError> {
    let nonce = seed.derive::<{ ccm::NONCE }>("nonce", 0);
    let buffer = sealed(key, &nonce, data)?;
    let recipients = SequenceOf::new(recipients).ok_or(EncryptError::NoRecipient)?;
    let message = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Encrypted(EncryptedData {
            recipients,
            ciphertext: SymmetricCiphertext::Aes128Ccm(One28BitCcmCiphertext {
                nonce: &nonce,
                ciphertext: &buffer,
            }),
        }),
    };
    Ok(written(&message)?)
}

fn info<'k>(recipient: &Recipient, key: &'k EncryptedKey) -> RecipientInfo<'k> {
    let parts = EciesP256EncryptedKey {
        v: compressed(&key.v),
        c: &key.c,
        t: &key.t,
    };
    let key = match key.v.curve() {
        Curve::BrainpoolP256r1 => EncryptedDataEncryptionKey::EciesBrainpoolP256r1(parts),
        // Other curves were refused when the key was encrypted.
        _ => EncryptedDataEncryptionKey::EciesNistP256(parts),
    };
    let of = |recipient_id| PkRecipientInfo {
        recipient_id,
        enc_key: key,
    };
    match recipient.id {
        RecipientId::Certificate(id) => RecipientInfo::Certificate(of(id)),
        RecipientId::SignedData(id) => RecipientInfo::SignedData(of(id)),
        // A recipient has a public key.
        RecipientId::ResponseKey(id) | RecipientId::SymmetricKey(id) => {
            RecipientInfo::ResponseKey(of(id))
        }
    }
}
