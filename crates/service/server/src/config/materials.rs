//! `[trust]`, `[[signer]]` and `[[decryption]]`: certificates and keys.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::quantity::{number_between, some_psids};

/// Trust anchors and revocation lists for received messages.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrustSection {
    /// A trust store (`waywarden pki trust`), or a folder with certificates.
    pub folder: Option<PathBuf>,
    /// Revocation lists of IEEE 1609.2 in files.
    pub crl: Vec<PathBuf>,
    /// Most certificates of messages that are kept: 16 to 1,048,576, by default 4,096.
    #[serde(deserialize_with = "number_between::<16, 1_048_576, _, _>")]
    pub certificates: usize,
    /// Most messages that are remembered to detect replays: 16 to 16,777,216, by default 65,536.
    #[serde(deserialize_with = "number_between::<16, 16_777_216, _, _>")]
    pub messages: usize,
}

impl Default for TrustSection {
    fn default() -> Self {
        Self {
            folder: None,
            crl: Vec::new(),
            certificates: 4_096,
            messages: 65_536,
        }
    }
}

/// A certificate that signs.
#[derive(Clone, Debug, PartialEq)]
pub struct SignerSection {
    /// Its name in logs and metrics.
    pub name: String,
    /// Location of the certificate and its key.
    pub identity: IdentityFiles,
    /// The applications that it signs for; `None`: all that the certificate permits.
    pub psids: Option<BTreeSet<Psid>>,
    /// True if all pseudonyms of the station are meant, one of which signs at a time.
    pub pseudonyms: bool,
}

/// Use of pseudonyms.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PseudonymsSection {
    /// The file that keeps which were used; `None`: the service forgets it when it ends.
    pub used: Option<PathBuf>,
}

/// A private key that decrypts.
#[derive(Clone, Debug, PartialEq)]
pub struct DecryptionSection {
    /// Its name in logs.
    pub name: String,
    /// Location of the certificate and its key.
    pub identity: IdentityFiles,
}

/// The location of a certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityFiles {
    /// In the folder of a PKI.
    Pki {
        /// The folder.
        folder: PathBuf,
        /// The name or the HashedId8 of the certificate.
        subject: String,
        /// Index of the pseudonym within its week: 0 by default.
        index: u8,
        /// The file with the passphrase of the key.
        passphrase_file: Option<PathBuf>,
    },
    /// In files.
    Files {
        /// The certificate.
        certificate: PathBuf,
        /// Those above it, up to the root.
        chain: Vec<PathBuf>,
        /// The private key.
        key: PathBuf,
        /// The file with the passphrase of the key.
        passphrase_file: Option<PathBuf>,
    },
}

/// The keys of an entry, as they stand in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    pki: Option<PathBuf>,
    #[serde(rename = "as")]
    subject: Option<String>,
    index: Option<u8>,
    certificate: Option<PathBuf>,
    #[serde(default)]
    chain: Vec<PathBuf>,
    key: Option<PathBuf>,
    passphrase_file: Option<PathBuf>,
    #[serde(default, deserialize_with = "some_psids")]
    psids: Option<BTreeSet<Psid>>,
    pseudonyms: Option<bool>,
}

impl Entry {
    fn identity(self) -> Result<SignerSection, String> {
        let name = self.name;
        let is_name = (1..=64).contains(&name.chars().count());
        if !is_name || name.contains(char::is_control) {
            return Err("name: give 1 to 64 characters".to_owned());
        }
        let pseudonyms = self.pseudonyms.unwrap_or(false);
        let is_one = self.index.is_some() || self.pki.is_none();
        if pseudonyms && is_one {
            return Err(format!(
                "{name:?}: pseudonyms = true is for pki = FOLDER and as = NAME, without index"
            ));
        }
        let files = self.certificate.is_some() || self.key.is_some() || !self.chain.is_empty();
        let identity = match (self.pki, self.subject, self.certificate, self.key) {
            (Some(folder), Some(subject), None, None) if !files => IdentityFiles::Pki {
                folder,
                subject,
                index: self.index.unwrap_or(0),
                passphrase_file: self.passphrase_file,
            },
            (None, None, Some(certificate), Some(key)) if self.index.is_none() => {
                IdentityFiles::Files {
                    certificate,
                    chain: self.chain,
                    key,
                    passphrase_file: self.passphrase_file,
                }
            }
            _ => {
                return Err(format!(
                    "{name:?}: give pki = FOLDER and as = NAME, or certificate = FILE, key = FILE \
                     and chain = [FILES], not both"
                ));
            }
        };
        Ok(SignerSection {
            name,
            identity,
            psids: self.psids,
            pseudonyms,
        })
    }
}

impl<'de> Deserialize<'de> for SignerSection {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let entry = Entry::deserialize(input)?.identity();
        entry.map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for DecryptionSection {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let entry = Entry::deserialize(input)?;
        let misplaced = match (&entry.psids, entry.pseudonyms) {
            (Some(_), _) => {
                Some("psids belongs to [[signer]]; who may decrypt stands in [[access]]")
            }
            (None, Some(_)) => Some("pseudonyms belongs to [[signer]]"),
            (None, None) => None,
        };
        if let Some(problem) = misplaced {
            return Err(D::Error::custom(format!("{:?}: {problem}", entry.name)));
        }
        let SignerSection { name, identity, .. } = entry.identity().map_err(D::Error::custom)?;
        Ok(Self { name, identity })
    }
}

impl IdentityFiles {
    /// Returns the file with the passphrase.
    #[must_use]
    pub fn passphrase_file(&self) -> Option<&std::path::Path> {
        match self {
            Self::Pki {
                passphrase_file, ..
            }
            | Self::Files {
                passphrase_file, ..
            } => passphrase_file.as_deref(),
        }
    }

    fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let (all, chain, passphrase): ([Option<&mut PathBuf>; 2], &mut [PathBuf], _) = match self {
            Self::Pki {
                folder,
                passphrase_file,
                ..
            } => ([Some(folder), None], &mut [], passphrase_file),
            Self::Files {
                certificate,
                chain,
                key,
                passphrase_file,
            } => ([Some(certificate), Some(key)], chain, passphrase_file),
        };
        all.into_iter().flatten().chain(chain).chain(passphrase)
    }
}

impl SignerSection {
    pub(super) fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.identity.paths()
    }
}

impl DecryptionSection {
    pub(super) fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.identity.paths()
    }
}
