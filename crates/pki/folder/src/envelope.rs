//! Encrypted data of IEEE 1609.2, made and opened whole: with the keys of a folder, of files, or a
//! shared one.

use std::fmt::{self, Display};
use std::mem;
use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Point;
use waywarden_v2x_keys::{KeyHandle, KeyStore as _};
use waywarden_v2x_signing::{
    DecryptError, DecryptionKeys, Recipient, decrypt, encrypt, encrypt_under, written,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, Version3,
};
use zeroize::Zeroizing;

use crate::credential::{CredentialIdentity, decryption_key};
use crate::key_store::MemoryKeys;
use crate::passphrase::Passphrases;
use crate::random;

/// A key of AES-128 that both sides have.
pub type SharedKey = Zeroizing<[u8; 16]>;

/// Those who can open an envelope.
#[derive(Clone, Copy, Debug)]
pub enum Addressees<'a> {
    /// The holders of these certificates, which have encryption keys: 1 to
    /// [`RECIPIENTS_MAX`](waywarden_v2x_signing::RECIPIENTS_MAX).
    Holders(&'a [Vec<u8>]),
    /// All who have this key.
    Shared(&'a SharedKey),
}

/// Content of an envelope.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// Secured data of IEEE 1609.2, as a signer makes it.
    Secured(&'a [u8]),
    /// Any bytes, which become unsecured data.
    Payload(&'a [u8]),
}

/// Reason why an envelope is not made or not opened.
#[derive(Debug)]
pub enum EnvelopeFault {
    /// The data cannot be encrypted.
    Data(String),
    /// The data is not secured data of IEEE 1609.2.
    NotSecured(String),
    /// The certificate at this index cannot be a recipient's.
    Recipient(usize, String),
    /// The shared key cannot be used.
    Shared(String),
    /// A certificate or key of a file or folder, or the operating system.
    Failure(Failure),
    /// The message is for other keys, or was changed.
    NotDecrypted(String),
}

impl Display for EnvelopeFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSecured(why) => {
                write!(formatter, "no secured data of IEEE 1609.2: {why}")
            }
            Self::Recipient(at, why) => write!(formatter, "recipient {at}: {why}"),
            Self::Data(why) | Self::Shared(why) | Self::NotDecrypted(why) => {
                formatter.write_str(why)
            }
            Self::Failure(failure) => formatter.write_str(&failure.lines().join("\n")),
        }
    }
}

impl std::error::Error for EnvelopeFault {}

impl From<Failure> for EnvelopeFault {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Content<'_> {
    /// Returns the secured data of IEEE 1609.2 that is encrypted.
    ///
    /// # Errors
    /// [`EnvelopeFault::NotSecured`], and [`EnvelopeFault::Data`] for a payload that is too long.
    pub fn data(&self) -> Result<Zeroizing<Vec<u8>>, EnvelopeFault> {
        match *self {
            Self::Secured(data) => match parse::<Ieee1609Dot2Data<'_>>(data) {
                Ok(_) => Ok(Zeroizing::new(data.to_vec())),
                Err(error) => Err(EnvelopeFault::NotSecured(error.to_string())),
            },
            Self::Payload(payload) => {
                let data = written(&Ieee1609Dot2Data {
                    version: Version3,
                    content: Ieee1609Dot2Content::Unsecured(payload),
                });
                data.map(Zeroizing::new)
                    .map_err(|error| EnvelopeFault::Data(error.to_string()))
            }
        }
    }
}

/// Encrypts data with AES-128-CCM.
///
/// # Errors
/// All of [`EnvelopeFault`] but the last.
pub fn seal(content: Content<'_>, addressees: Addressees<'_>) -> Result<Vec<u8>, EnvelopeFault> {
    let data = content.data()?;
    let seed = random::seed()?;
    let sealed = match addressees {
        Addressees::Shared(key) => encrypt_under(key, &data, &seed),
        Addressees::Holders(certificates) => {
            let recipients = certificates.iter().enumerate().map(|(at, bytes)| {
                let named = |error: &dyn Display| EnvelopeFault::Recipient(at, error.to_string());
                let view: Certificate<'_> = parse(bytes).map_err(|error| named(&error))?;
                Recipient::certificate(&view).map_err(|error| named(&error))
            });
            let recipients: Vec<Recipient> = recipients.collect::<Result<_, _>>()?;
            encrypt(&mut MemoryKeys::new(), &recipients, &data, &seed)
        }
    };
    sealed.map_err(|error| EnvelopeFault::Data(error.to_string()))
}

/// Keys that open envelopes, for as many as there are. Without any nothing can be opened.
#[expect(missing_debug_implementations, reason = "private keys are not shown")]
pub struct EnvelopeKeys {
    keys: DecryptionKeys,
    store: MemoryKeys,
}

impl EnvelopeKeys {
    /// Returns a set without a key, or with one that both sides have.
    ///
    /// # Errors
    /// [`EnvelopeFault::Shared`].
    pub fn new(shared: Option<&SharedKey>) -> Result<Self, EnvelopeFault> {
        let keys = DecryptionKeys::new();
        let keys = match shared {
            None => keys,
            Some(key) => keys
                .with_symmetric_key(key)
                .map_err(|error| EnvelopeFault::Shared(error.to_string()))?,
        };
        let store = MemoryKeys::new();
        Ok(Self { keys, store })
    }

    /// Adds the keys of an identity's certificates.
    ///
    /// # Errors
    /// [`Failure`] for its files.
    pub fn add_identity(
        &mut self,
        identity: &CredentialIdentity,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<(), Failure> {
        for held in identity.recipients()? {
            let (recipient, key) = held.recipient(&mut self.store, passphrases)?;
            self.add(recipient, key);
        }
        Ok(())
    }

    /// Adds a key of a file; `recipient` is told its public key, and returns who it makes us.
    ///
    /// # Errors
    /// [`Failure`] for the file, and what `recipient` returns.
    pub fn add_file(
        &mut self,
        path: &Path,
        passphrases: &mut Passphrases<'_>,
        recipient: impl FnOnce(&Point) -> Result<Recipient, Failure>,
    ) -> Result<(), Failure> {
        let key = decryption_key(path, &mut self.store, passphrases)?;
        let public = self.store.public_key(key).map_err(Failure::new)?;
        self.add(recipient(&public)?, key);
        Ok(())
    }

    fn add(&mut self, recipient: Recipient, key: KeyHandle) {
        self.keys = mem::take(&mut self.keys).with_private_key(recipient, key);
    }

    /// Decrypts a secured protocol data unit, and returns the secured data in it, which is not
    /// verified.
    ///
    /// # Errors
    /// The unit is for other keys, or was changed.
    pub fn open(&mut self, spdu: &[u8]) -> Result<Zeroizing<Vec<u8>>, DecryptError> {
        decrypt(&mut self.store, &self.keys, spdu)
    }
}

/// Decrypts one secured protocol data unit, as [`EnvelopeKeys`] does many.
///
/// # Errors
/// [`EnvelopeFault::NotDecrypted`], [`EnvelopeFault::Shared`], and [`EnvelopeFault::Failure`] for
/// the files of the identity.
pub fn open(
    spdu: &[u8],
    identity: Option<&CredentialIdentity>,
    shared: Option<&SharedKey>,
    passphrases: &mut Passphrases<'_>,
) -> Result<Zeroizing<Vec<u8>>, EnvelopeFault> {
    let mut keys = EnvelopeKeys::new(shared)?;
    if let Some(identity) = identity {
        keys.add_identity(identity, passphrases)?;
    }
    keys.open(spdu)
        .map_err(|error| EnvelopeFault::NotDecrypted(error.to_string()))
}
