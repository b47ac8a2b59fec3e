//! Secrets, encrypted with AES-256-GCM under a data key.
//!
//! The associated data are the table, the row and what the row is called, so that a value that is
//! moved to another row does not decrypt. That an earlier value of the same row is put back is not
//! noticed.

use std::path::Path;

use aes_gcm::aead::{AeadInOut as _, KeyInit as _};
use aes_gcm::{Aes256Gcm, Nonce, Tag};
use pkcs8::der::Decode as _;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::spki::AlgorithmIdentifier;
use pkcs8::{EncryptedPrivateKeyInfoRef, ObjectIdentifier, PrivateKeyInfoRef, SecretDocument};
use rusqlite::{Transaction, params};
use waywarden_host::random as host_random;
use zeroize::Zeroizing;

use super::{Database, DatabaseError, Fault};
use crate::pbes2;

/// aes256-GCM \[NIST CSOR\].
const AES_256_GCM: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.46");

const KEY_LENGTH: usize = 32;
const NONCE_LENGTH: usize = 12;
const TAG_LENGTH: usize = 16;

/// The longest wrapped data key that is read.
const WRAPPED_MAX: usize = 1_024;

/// Associated data of the proof of the data key.
const PROOF: &[u8] = b"waywarden data key";

/// The kind of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// The seed of linkage values; its name is that of the linkage authority and the seed's.
    LinkageSeed,
    /// A private key; its name is that of the certificate.
    PrivateKey,
}

impl SecretKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::LinkageSeed => "linkage-seed",
            Self::PrivateKey => "private-key",
        }
    }
}

/// The key that encrypts the secrets of a database. It is wiped when it is dropped.
///
/// In the database it is PKCS#8: under the passphrase of the PKI where that has one, else plain, as
/// the private keys of such a PKI are.
pub struct DataKey(Zeroizing<[u8; KEY_LENGTH]>);

impl Database {
    /// Returns the data key. The first call makes it, under this passphrase: the caller has checked
    /// that it is the passphrase of the PKI.
    ///
    /// # Errors
    /// [`DatabaseError::Passphrase`], [`DatabaseError::Encrypted`], [`DatabaseError::DataKey`].
    pub fn data_key(&mut self, passphrase: Option<&[u8]>) -> Result<DataKey, DatabaseError> {
        let query = "SELECT wrapped, proof FROM data_key";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        if self.row(query, [], read)?.is_none() {
            let key = DataKey::random()?;
            let (wrapped, proof) = (key.wrap(passphrase)?, key.seal(PROOF, &[])?);
            self.change(|transaction| {
                // Another process may have made one meanwhile, which counts then.
                let insert = "INSERT INTO data_key (id, wrapped, proof) VALUES (1, ?1, ?2)
                              ON CONFLICT DO NOTHING";
                transaction.execute(insert, params![wrapped.as_bytes(), proof])?;
                Ok(())
            })?;
        }
        let (wrapped, proof): (Vec<u8>, Vec<u8>) = self
            .row(query, [], read)?
            .ok_or_else(|| DatabaseError::DataKey("it is gone".to_owned()))?;
        let key = DataKey::unwrap(&self.path, &wrapped, passphrase)?;
        match key.open(PROOF, &proof) {
            Some(_) => Ok(key),
            None => Err(DatabaseError::Passphrase(self.path.clone())),
        }
    }

    /// Keeps a secret under a name, in place of an earlier one.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn keep_secret(
        &mut self,
        key: &DataKey,
        kind: SecretKind,
        name: &[u8],
        secret: &[u8],
    ) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let id = row_of(transaction, kind, name)?;
            let value = key.seal(&associated(id, kind, name), secret)?;
            let insert = "INSERT INTO secret (id, kind, name, value) VALUES (?1, ?2, ?3, ?4)
                          ON CONFLICT (id) DO UPDATE SET value = excluded.value";
            transaction.execute(insert, params![id, kind.name(), name, value])?;
            Ok(())
        })
    }

    /// Returns a secret by its name.
    ///
    /// # Errors
    /// [`DatabaseError::Secret`] for one that was changed or moved.
    pub fn secret(
        &self,
        key: &DataKey,
        kind: SecretKind,
        name: &[u8],
    ) -> Result<Option<Zeroizing<Vec<u8>>>, DatabaseError> {
        let query = "SELECT id, value FROM secret WHERE kind = ?1 AND name = ?2";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(i64, Vec<u8>)> = self.row(query, params![kind.name(), name], read)?;
        let Some((id, value)) = found else {
            return Ok(None);
        };
        let opened = key.open(&associated(id, kind, name), &value);
        let wrong = || DatabaseError::Secret(self.path.clone());
        opened.map(Some).ok_or_else(wrong)
    }

    /// Returns true if a secret of this name exists. Needs no key.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn has_secret(&self, kind: SecretKind, name: &[u8]) -> Result<bool, DatabaseError> {
        let query = "SELECT id FROM secret WHERE kind = ?1 AND name = ?2";
        let found = self.row(query, params![kind.name(), name], |row| {
            row.get::<_, i64>(0)
        })?;
        Ok(found.is_some())
    }

    /// Returns the names of all secrets of a kind, in the order in which they were kept.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn secret_names(&self, kind: SecretKind) -> Result<Vec<Vec<u8>>, DatabaseError> {
        let query = "SELECT name FROM secret WHERE kind = ?1 ORDER BY id";
        self.rows(query, [kind.name()], |row| row.get(0))
    }

    /// Forgets a secret. Returns whether there was one.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn forget_secret(&mut self, kind: SecretKind, name: &[u8]) -> Result<bool, DatabaseError> {
        self.change(|transaction| {
            let delete = "DELETE FROM secret WHERE kind = ?1 AND name = ?2";
            Ok(transaction.execute(delete, params![kind.name(), name])? > 0)
        })
    }
}

/// The row of a secret: that of its name, or the next one.
fn row_of(transaction: &Transaction<'_>, kind: SecretKind, name: &[u8]) -> Result<i64, Fault> {
    let query = "SELECT coalesce((SELECT id FROM secret WHERE kind = ?1 AND name = ?2),
                 (SELECT coalesce(max(id), 0) + 1 FROM secret))";
    Ok(transaction.query_row(query, params![kind.name(), name], |row| row.get(0))?)
}

/// Returns the associated data of the value in a row. No two rows have the same.
fn associated(id: i64, kind: SecretKind, name: &[u8]) -> Vec<u8> {
    let kind = kind.name().as_bytes();
    let head: [&[u8]; 5] = [b"secret.value\0", &id.to_be_bytes(), kind, b"\0", name];
    head.concat()
}

impl DataKey {
    fn random() -> Result<Self, DatabaseError> {
        random().map(Self)
    }

    /// Writes the key as PKCS#8.
    fn wrap(&self, passphrase: Option<&[u8]>) -> Result<SecretDocument, DatabaseError> {
        let failed = |error: &dyn std::fmt::Display| DatabaseError::DataKey(error.to_string());
        let algorithm = AlgorithmIdentifier {
            oid: AES_256_GCM,
            parameters: None,
        };
        let own = OctetStringRef::new(&*self.0).map_err(|error| failed(&error))?;
        let info = PrivateKeyInfoRef::new(algorithm, own);
        match passphrase {
            Some(passphrase) => pbes2::encrypt(&info, passphrase).map_err(|error| failed(&error)),
            None => SecretDocument::encode_msg(&info).map_err(|error| failed(&error)),
        }
    }

    /// Reads the key from PKCS#8.
    fn unwrap(
        path: &Path,
        wrapped: &[u8],
        passphrase: Option<&[u8]>,
    ) -> Result<Self, DatabaseError> {
        let wrong = || DatabaseError::Passphrase(path.to_owned());
        if wrapped.len() > WRAPPED_MAX {
            return Err(wrong());
        }
        let Ok(encrypted) = EncryptedPrivateKeyInfoRef::from_der(wrapped) else {
            return Self::of(wrapped).ok_or_else(wrong);
        };
        pbes2::check_cost(&encrypted).map_err(|error| DatabaseError::DataKey(error.to_string()))?;
        let encrypting = || DatabaseError::Encrypted(path.to_owned());
        let passphrase = passphrase.ok_or_else(encrypting)?;
        let document = encrypted.decrypt(passphrase).map_err(|_| wrong())?;
        Self::of(document.as_bytes()).ok_or_else(wrong)
    }

    fn of(document: &[u8]) -> Option<Self> {
        let info = PrivateKeyInfoRef::from_der(document).ok()?;
        let is_own = info.algorithm.oid == AES_256_GCM;
        let key = info.private_key.as_bytes().try_into().ok();
        key.filter(|_| is_own).map(|key| Self(Zeroizing::new(key)))
    }

    /// Encrypts: the nonce, the ciphertext, the tag. Nonces are random: after 2^32 secrets of one
    /// key two are equal with a probability of 2^-33.
    fn seal(&self, associated: &[u8], secret: &[u8]) -> Result<Vec<u8>, DatabaseError> {
        let nonce: Zeroizing<[u8; NONCE_LENGTH]> = random()?;
        let mut sealed = [&nonce[..], secret].concat();
        let cipher = Aes256Gcm::new((&*self.0).into());
        let tag = cipher
            .encrypt_inout_detached(
                &Nonce::from(*nonce),
                associated,
                (&mut sealed[NONCE_LENGTH..]).into(),
            )
            .map_err(|_| DatabaseError::DataKey("the secret is too long".to_owned()))?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    fn open(&self, associated: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_LENGTH>()?;
        let (ciphertext, tag) = rest.split_last_chunk::<TAG_LENGTH>()?;
        let mut secret = Zeroizing::new(ciphertext.to_vec());
        let cipher = Aes256Gcm::new((&*self.0).into());
        let opened = cipher.decrypt_inout_detached(
            &Nonce::from(*nonce),
            associated,
            (&mut secret[..]).into(),
            &Tag::from(*tag),
        );
        opened.ok().map(|()| secret)
    }
}

fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, DatabaseError> {
    host_random::bytes().map_err(|error| DatabaseError::DataKey(error.to_string()))
}
