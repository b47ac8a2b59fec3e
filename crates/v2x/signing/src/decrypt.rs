//! Messages decrypted \[1609.2 §5.3.4, §6.3.31\].

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::ccm::{self, CcmError};
use waywarden_v2x_keys::ecies::{self, EciesError, EncryptedKey};
use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_security::encoded;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    EncryptedData, EncryptedDataEncryptionKey, Ieee1609Dot2Content, Ieee1609Dot2Data,
    One28BitCcmCiphertext, PkRecipientInfo, RecipientInfo, SymmetricCiphertext,
};
use waywarden_v2x_wire::{EmitError, WireError};
use zeroize::Zeroizing;

use crate::recipient::{RECIPIENTS_MAX, Recipient, RecipientId, symmetric_key_id};

/// An error of decryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecryptError {
    /// The bytes are no message.
    Parse(WireError),
    /// The message is not encrypted.
    NotEncrypted,
    /// It has more than 64 recipients.
    TooManyRecipients,
    /// None of its recipients is one of our keys.
    NotForUs,
    /// It is encrypted with something that is not supported.
    Unsupported(
        /// With what.
        &'static str,
    ),
    /// The sender's ephemeral key is no point of its curve.
    NoPoint,
    /// The key or the message was changed, or is encrypted to another key under this name.
    Tag,
    /// The store of keys cannot.
    Key(waywarden_v2x_keys::KeyError),
}

impl From<WireError> for DecryptError {
    fn from(error: WireError) -> Self {
        Self::Parse(error)
    }
}

impl fmt::Display for DecryptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(error) => error.fmt(f),
            Self::NotEncrypted => f.write_str("content: not encryptedData"),
            Self::TooManyRecipients => f.write_str("recipients: more than 64"),
            Self::NotForUs => f.write_str("recipients: none of them is one of these keys"),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
            Self::NoPoint => f.write_str("encKey: v is no point of its curve"),
            Self::Tag => f.write_str("the tag is wrong: changed, or encrypted to another key"),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DecryptError {}

/// The private and symmetric keys for decryption.
#[derive(Clone, Default)]
pub struct DecryptionKeys {
    // Found by name: a message has up to 64 recipients, and a station a key for each pseudonym.
    private: BTreeMap<RecipientId, (Recipient, KeyHandle)>,
    symmetric: BTreeMap<RecipientId, Zeroizing<[u8; ccm::KEY]>>,
}

impl DecryptionKeys {
    /// Has no key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a private key, by what messages to it name.
    #[must_use]
    pub fn with_private_key(mut self, recipient: Recipient, key: KeyHandle) -> Self {
        self.private.entry(recipient.id).or_insert((recipient, key));
        self
    }

    /// Adds a symmetric key.
    ///
    /// # Errors
    /// None: a key of 16 bytes can be written.
    pub fn with_symmetric_key(mut self, key: &[u8; ccm::KEY]) -> Result<Self, EmitError> {
        let id = RecipientId::SymmetricKey(symmetric_key_id(key)?);
        self.symmetric.insert(id, Zeroizing::new(*key));
        Ok(self)
    }

    fn private_key(&self, id: RecipientId) -> Option<&(Recipient, KeyHandle)> {
        self.private.get(&id)
    }
}

/// Decrypts a message, encoded as `Ieee1609Dot2Data`; returns what was encrypted, which is encoded
/// so, too, and not yet verified.
///
/// The first recipient that is one of our keys is decrypted: at most one multiplication, whatever
/// the message says, and a look-up for each of its recipients, however many keys there are.
///
/// # Errors
/// [`DecryptError`].
pub fn decrypt<S: KeyStore + ?Sized>(
    store: &mut S,
    keys: &DecryptionKeys,
    message: &[u8],
) -> Result<Zeroizing<Vec<u8>>, DecryptError> {
    Ok(decrypt_with_key(store, keys, message)?.data)
}

/// Decrypted data, and the key that it was encrypted under: an answer is encrypted under it, too
/// \[TS 102 941 §6.2.3\].
pub struct Decrypted {
    /// Decrypted data.
    pub data: Zeroizing<Vec<u8>>,
    /// Symmetric key of the message.
    pub key: Zeroizing<[u8; ccm::KEY]>,
}

/// Decrypts a message as [`decrypt`] does, and returns its key as well.
///
/// # Errors
/// [`DecryptError`].
pub fn decrypt_with_key<S: KeyStore + ?Sized>(
    store: &mut S,
    keys: &DecryptionKeys,
    message: &[u8],
) -> Result<Decrypted, DecryptError> {
    let message: Ieee1609Dot2Data<'_> = parse(message)?;
    let Ieee1609Dot2Content::Encrypted(data) = &message.content else {
        return Err(DecryptError::NotEncrypted);
    };
    let SymmetricCiphertext::Aes128Ccm(ciphertext) = &data.ciphertext else {
        return Err(DecryptError::Unsupported("SM4"));
    };
    let key = message_key(store, keys, data)?;
    let data = open(&key, ciphertext)?;
    Ok(Decrypted { data, key })
}

/// Finds the key of the message.
fn message_key<S: KeyStore + ?Sized>(
    store: &mut S,
    keys: &DecryptionKeys,
    data: &EncryptedData<'_>,
) -> Result<Zeroizing<[u8; ccm::KEY]>, DecryptError> {
    if data.recipients.len() > RECIPIENTS_MAX {
        return Err(DecryptError::TooManyRecipients);
    }
    for recipient in &data.recipients {
        let (id, info) = match recipient? {
            RecipientInfo::PreSharedKey(id) => {
                let id = RecipientId::SymmetricKey(id);
                match keys.symmetric.get(&id) {
                    Some(key) => return Ok(key.clone()),
                    None => continue,
                }
            }
            RecipientInfo::Symmetric(info) => {
                let id = RecipientId::SymmetricKey(info.recipient_id);
                let Some(key) = keys.symmetric.get(&id) else {
                    continue;
                };
                let SymmetricCiphertext::Aes128Ccm(ciphertext) = &info.enc_key else {
                    return Err(DecryptError::Unsupported("SM4"));
                };
                let key = open(key, ciphertext)?;
                let key = key[..].try_into().map_err(|_| DecryptError::Tag)?;
                return Ok(Zeroizing::new(key));
            }
            RecipientInfo::Certificate(info) => (RecipientId::Certificate(info.recipient_id), info),
            RecipientInfo::SignedData(info) => (RecipientId::SignedData(info.recipient_id), info),
            RecipientInfo::ResponseKey(info) => (RecipientId::ResponseKey(info.recipient_id), info),
        };
        if let Some((recipient, key)) = keys.private_key(id) {
            return unwrap(store, recipient, *key, &info);
        }
    }
    Err(DecryptError::NotForUs)
}

/// Decrypts the key of the message.
fn unwrap<S: KeyStore + ?Sized>(
    store: &mut S,
    recipient: &Recipient,
    key: KeyHandle,
    info: &PkRecipientInfo<'_>,
) -> Result<Zeroizing<[u8; ccm::KEY]>, DecryptError> {
    let (curve, parts) = match &info.enc_key {
        EncryptedDataEncryptionKey::EciesNistP256(parts) => (Curve::P256, parts),
        EncryptedDataEncryptionKey::EciesBrainpoolP256r1(parts) => (Curve::BrainpoolP256r1, parts),
        _ => return Err(DecryptError::Unsupported("a key not encrypted with ECIES")),
    };
    let v = Point::decode(curve, &encoded(&parts.v)).map_err(|_| DecryptError::NoPoint)?;
    let encrypted = EncryptedKey {
        v,
        c: *parts.c,
        t: *parts.t,
    };
    ecies::decrypt(store, key, &encrypted, &recipient.p1).map_err(|error| match error {
        EciesError::Key(error) => DecryptError::Key(error),
        EciesError::Tag => DecryptError::Tag,
    })
}

/// Decrypts with a symmetric key.
fn open(
    key: &[u8; ccm::KEY],
    ciphertext: &One28BitCcmCiphertext<'_>,
) -> Result<Zeroizing<Vec<u8>>, DecryptError> {
    let mut buffer = Zeroizing::new(Vec::from(ciphertext.ciphertext));
    let opened = ccm::decrypt(key, ciphertext.nonce, &mut buffer);
    let length = opened.map_err(|error| match error {
        CcmError::Truncated | CcmError::TooLong | CcmError::Tag => DecryptError::Tag,
    })?;
    let length = length.len();
    buffer.truncate(length);
    Ok(buffer)
}
