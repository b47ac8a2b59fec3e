//! Encrypted data of IEEE 1609.2, made and opened whole: with the keys of a folder, of files, or a
//! shared one.

use std::fmt::{self, Display};

use waywarden_command_line::exit::Failure;
use waywarden_v2x_signing::{DecryptionKeys, Recipient, decrypt, encrypt, encrypt_under, written};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, Version3,
};
use zeroize::Zeroizing;

use crate::credential::CredentialIdentity;
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

/// Encrypts data with AES-128-CCM.
///
/// # Errors
/// All of [`EnvelopeFault`] but the last.
pub fn seal(content: Content<'_>, addressees: Addressees<'_>) -> Result<Vec<u8>, EnvelopeFault> {
    let failed = |error: &dyn Display| EnvelopeFault::Data(error.to_string());
    let unsecured;
    let data = match content {
        Content::Secured(data) => {
            parse::<Ieee1609Dot2Data<'_>>(data)
                .map_err(|error| EnvelopeFault::NotSecured(error.to_string()))?;
            data
        }
        Content::Payload(data) => {
            let content = Ieee1609Dot2Data {
                version: Version3,
                content: Ieee1609Dot2Content::Unsecured(data),
            };
            unsecured = Zeroizing::new(written(&content).map_err(|error| failed(&error))?);
            &unsecured
        }
    };
    let seed = random::seed()?;
    let sealed = match addressees {
        Addressees::Shared(key) => encrypt_under(key, data, &seed),
        Addressees::Holders(certificates) => {
            let recipients = certificates.iter().enumerate().map(|(at, bytes)| {
                let named = |error: &dyn Display| EnvelopeFault::Recipient(at, error.to_string());
                let view: Certificate<'_> = parse(bytes).map_err(|error| named(&error))?;
                Recipient::certificate(&view).map_err(|error| named(&error))
            });
            let recipients: Vec<Recipient> = recipients.collect::<Result<_, _>>()?;
            encrypt(&mut MemoryKeys::new(), &recipients, data, &seed)
        }
    };
    sealed.map_err(|error| failed(&error))
}

/// Decrypts a secured protocol data unit, and returns the secured data in it, which is not
/// verified.
/// With neither an identity nor a shared key nothing can be opened.
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
    let mut keys = DecryptionKeys::new();
    let mut store = MemoryKeys::new();
    if let Some(key) = shared {
        let with_key = keys.with_symmetric_key(key);
        keys = with_key.map_err(|error| EnvelopeFault::Shared(error.to_string()))?;
    }
    if let Some(identity) = identity {
        for held in identity.recipients()? {
            let (recipient, key) = held.recipient(&mut store, passphrases)?;
            keys = keys.with_private_key(recipient, key);
        }
    }
    let plain = decrypt(&mut store, &keys, spdu);
    plain.map_err(|error| EnvelopeFault::NotDecrypted(error.to_string()))
}
