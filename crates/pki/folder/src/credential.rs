//! A certificate with its private key, from a PKI or from files.

mod order;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use waywarden_ecverify::Curve;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore, PrivateKey, Uses};
use waywarden_v2x_pki::add_chain;
use waywarden_v2x_security::{Capacity, Verified, Verifier};
use waywarden_v2x_signing::{Credential, Recipient};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time64};

use super::directory::{PkiDirectory, certificate};
use super::index::IndexEntry;
use super::key_file;
use super::passphrase::{PassphraseSource, Passphrases};
use super::pseudonyms;
use crate::key_store::{KeyStoreName, Keys, MemoryKeys};
use waywarden_command_line::exit::Failure;

use order::{named, ordered};

/// The identity that signs or decrypts.
#[derive(Clone, Debug, clap::Args)]
pub struct CredentialIdentity {
    /// The folder of a PKI.
    #[arg(long, value_name = "DIR", requires = "name")]
    pki: Option<PathBuf>,
    /// The name, or the HashedId8, of the certificate in the PKI; of several the newest valid one.
    #[arg(long = "as", value_name = "NAME", requires = "pki")]
    name: Option<String>,
    /// A certificate in a file.
    #[arg(long, value_name = "FILE", requires = "key", conflicts_with = "pki")]
    certificate: Option<PathBuf>,
    /// The private key of --certificate: PKCS#8 (`.p8`) or raw bytes (`.vkey`).
    #[arg(long, value_name = "FILE", conflicts_with = "pki")]
    key: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Most certificates of a name that are tried to decrypt, the newest ones.
const CANDIDATES_MAX: usize = 16;

/// A certificate in files, and its key.
pub struct Held {
    /// The file with the certificate.
    pub certificate_path: PathBuf,
    /// The certificate.
    pub certificate: Vec<u8>,
    /// Those above it, the root last, as far as they are known.
    above: Vec<Vec<u8>>,
    key_path: Option<PathBuf>,
    encryption_key_path: Option<PathBuf>,
    /// The private key of a pseudonym, which has no file.
    pseudonym_key: Option<PrivateKey>,
}

impl CredentialIdentity {
    /// One in the folder of a PKI.
    #[cfg(unix)]
    pub fn in_pki(folder: PathBuf, name: String) -> Self {
        Self {
            pki: Some(folder),
            name: Some(name),
            certificate: None,
            key: None,
            passphrase: PassphraseSource::default(),
        }
    }

    /// One in files.
    #[cfg(unix)]
    pub fn in_files(certificate: PathBuf, key: PathBuf) -> Self {
        Self {
            pki: None,
            name: None,
            certificate: Some(certificate),
            key: Some(key),
            passphrase: PassphraseSource::default(),
        }
    }

    /// Returns true if an identity is given.
    pub fn is_given(&self) -> bool {
        self.pki.is_some() || self.certificate.is_some()
    }

    /// The folder of the PKI, if one is given.
    pub fn pki_folder(&self) -> Option<&Path> {
        self.pki.as_deref()
    }

    /// The name in the PKI, if one is given.
    #[cfg(unix)]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The key file alone, for a response key that has no certificate.
    pub fn lone_key(&self) -> Option<&Path> {
        self.key.as_deref().filter(|_| self.certificate.is_none())
    }

    /// Returns the source of passphrases for key files.
    pub fn passphrases(&self) -> Passphrases<'_> {
        Passphrases::new(&self.passphrase)
    }

    /// Reads the certificates of who signs at this time: in a PKI the newest of the name that is
    /// valid then, or the newest. `chain` has those above a certificate in a file.
    /// Of a vehicle with pseudonyms it is the one with this index in the week.
    pub fn signer(
        &self,
        chain: &[PathBuf],
        at: Time64,
        index: u8,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<Held, Failure> {
        if let (Some(folder), Some(name)) = (&self.pki, &self.name) {
            let directory = PkiDirectory::open(folder)?;
            if directory.index.find(name).is_none()
                && let Some(held) = pseudonym(&directory, name, (at, index), passphrases)?
            {
                return Ok(held);
            }
            let newest = directory.entry(name)?;
            // All of them, for the newest ones may be for later: the index bounds their number.
            for entry in named(&directory, newest, name) {
                let bytes = certificate(&directory.file(&entry.certificate))?;
                let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
                let period = view.to_be_signed.validity_period;
                if (period.start()..period.end()).contains(&at) {
                    return Held::of(&directory, entry);
                }
            }
            return Held::of(&directory, newest);
        }
        let held = self.in_file()?;
        let all = chain.iter().map(|path| certificate(path));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let above = ordered(&held.certificate_path, &held.certificate, &all)?;
        Ok(Held { above, ..held })
    }

    /// Reads the certificates of who decrypts: in a PKI all of the name that have an encryption
    /// key, for a message may be to one that was renewed since.
    pub fn recipients(&self) -> Result<Vec<Held>, Failure> {
        let (Some(folder), Some(name)) = (&self.pki, &self.name) else {
            return Ok(vec![self.in_file()?]);
        };
        let directory = PkiDirectory::open(folder)?;
        let newest = directory.entry(name)?;
        let entries = named(&directory, newest, name);
        let entries = entries.filter(|entry| entry.encryption_key.is_some());
        let held = entries
            .take(CANDIDATES_MAX)
            .map(|entry| Held::of(&directory, entry));
        let held = held.collect::<Result<Vec<_>, _>>()?;
        match held.is_empty() {
            false => Ok(held),
            true => Ok(vec![Held::of(&directory, newest)?]),
        }
    }

    /// Reads a certificate in a file, without its chain.
    fn in_file(&self) -> Result<Held, Failure> {
        let path = self.certificate.clone().ok_or_else(|| {
            Failure::new("give --pki DIR --as NAME, or --certificate FILE --key FILE")
        })?;
        Ok(Held {
            certificate: certificate(&path)?,
            certificate_path: path,
            above: Vec::new(),
            key_path: self.key.clone(),
            encryption_key_path: self.key.clone(),
            pseudonym_key: None,
        })
    }
}

/// Opens the pseudonym of a vehicle for the week of this time; `None` for another name.
fn pseudonym(
    directory: &PkiDirectory,
    name: &str,
    (at, index): (Time64, u8),
    passphrases: &mut Passphrases<'_>,
) -> Result<Option<Held>, Failure> {
    let opened = pseudonyms::open(directory, name, at, index, passphrases)?;
    Ok(opened.map(|opened| Held {
        certificate_path: opened.place,
        certificate: opened.certificate,
        above: opened.above,
        key_path: None,
        encryption_key_path: None,
        pseudonym_key: Some(opened.key),
    }))
}

impl Held {
    /// Reads a certificate of a PKI.
    pub fn of(directory: &PkiDirectory, entry: &IndexEntry) -> Result<Self, Failure> {
        let mut chain = directory.chain(entry)?;
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| directory.file(path));
        Ok(Self {
            certificate_path: directory.file(&entry.certificate),
            certificate: chain.remove(0),
            above: chain,
            key_path: file(&entry.key),
            encryption_key_path: file(&entry.encryption_key),
            pseudonym_key: None,
        })
    }

    /// Verifies the chain, and puts the certificate and its key together, in the store that
    /// `select` returns for its curve.
    pub fn credential(
        &self,
        select: impl FnOnce(Curve) -> Result<KeyStoreName, Failure>,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<(Keys, Credential), Failure> {
        let verified = self.verified()?;
        let select = curve_of(&verified).map(select).transpose()?;
        let name = select.unwrap_or(KeyStoreName::Software);
        let mut store = Keys::default();
        let import = |key: &_| store.import(name, key, Uses::SIGN);
        let handle = self.imported(&verified, passphrases, import)?;
        let credential = self.assembled(&store, handle, verified)?;
        Ok((store, credential))
    }

    /// The same, in a store of its own in memory.
    #[cfg(unix)]
    pub fn credential_in_memory(
        &self,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<(MemoryKeys, Credential), Failure> {
        let verified = self.verified()?;
        let mut store = MemoryKeys::new();
        let import = |key: &_| store.import(key, Uses::SIGN);
        let handle = self.imported(&verified, passphrases, import)?;
        let credential = self.assembled(&store, handle, verified)?;
        Ok((store, credential))
    }

    /// The files with private keys.
    #[cfg(unix)]
    pub fn key_paths(&self) -> impl Iterator<Item = &Path> {
        let paths = [&self.key_path, &self.encryption_key_path];
        paths.into_iter().filter_map(Option::as_deref)
    }

    /// The same, in a store that there is.
    pub fn credential_in(
        &self,
        store: &mut Keys,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<Credential, Failure> {
        let verified = self.verified()?;
        let import = |key: &_| store.software.import(key, Uses::SIGN);
        let handle = self.imported(&verified, passphrases, import)?;
        self.assembled(store, handle, verified)
    }

    /// The same, with a key that the store has.
    pub fn credential_of(&self, store: &Keys, key: KeyHandle) -> Result<Credential, Failure> {
        self.assembled(store, key, self.verified()?)
    }

    /// Puts the private key where `import` has it.
    fn imported(
        &self,
        verified: &Verified,
        passphrases: &mut Passphrases<'_>,
        import: impl FnOnce(&PrivateKey) -> Result<KeyHandle, KeyError>,
    ) -> Result<KeyHandle, Failure> {
        let path = self.certificate_path.display();
        let missing = || {
            Failure::new(format_args!(
                "{path}: its private key is not in a file of the PKI"
            ))
        };
        let handle = match &self.pseudonym_key {
            Some(key) => import(key),
            None => {
                let file = self.key_path.as_deref().ok_or_else(missing)?;
                import(&key_file::read(file, curve_of(verified), passphrases)?)
            }
        };
        handle.map_err(|error| self.wrong(&error))
    }

    fn assembled<S: KeyStore>(
        &self,
        store: &S,
        key: KeyHandle,
        verified: Arc<Verified>,
    ) -> Result<Credential, Failure> {
        let credential = Credential::new(store, key, verified);
        let credential = credential.map_err(|error| self.wrong(&error))?;
        Ok(credential.with_borders(Arc::new(CountryBorders::new())))
    }

    /// Names both files in an error.
    fn wrong(&self, error: &dyn Display) -> Failure {
        let key = self.key_path.as_deref().unwrap_or(&self.certificate_path);
        let (key, certificate) = (key.display(), self.certificate_path.display());
        Failure::new(format_args!("{key}: with {certificate}: {error}"))
    }

    fn verified(&self) -> Result<Arc<Verified>, Failure> {
        let mut verifier = Verifier::new(Capacity::MINIMAL);
        let above = self.above.iter().map(Vec::as_slice);
        let verified = add_chain(&mut verifier, &self.certificate, above);
        let path = self.certificate_path.display();
        verified.map_err(|error| Failure::new(format_args!("{path}: {error}")))
    }

    /// Takes the private key that decrypts into the store. Returns whom messages to it name.
    pub fn recipient(
        &self,
        store: &mut MemoryKeys,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<(Recipient, KeyHandle), Failure> {
        let path = self.certificate_path.display();
        let wrong = |error: &dyn Display| Failure::new(format_args!("{path}: {error}"));
        let view: Certificate<'_> = parse(&self.certificate).map_err(|error| wrong(&error))?;
        let recipient = Recipient::certificate(&view).map_err(|error| wrong(&error))?;
        let key = self.decryption_key(store, passphrases)?;
        let public = store.public_key(key).map_err(Failure::new)?;
        match public == *recipient.public_key() {
            true => Ok((recipient, key)),
            false => Err(wrong(
                &"encryptionKey: the private key is not that of the certificate",
            )),
        }
    }

    /// Takes the private key that decrypts into the store.
    fn decryption_key(
        &self,
        store: &mut MemoryKeys,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<KeyHandle, Failure> {
        let path = self.certificate_path.display();
        let missing = || {
            Failure::new(format_args!(
                "{path}: encryptionKey: there is no private key to decrypt with; issue one with \
                 `waywarden pki issue --encryption-key`"
            ))
        };
        let file = self.encryption_key_path.as_deref().ok_or_else(missing)?;
        decryption_key(file, store, passphrases)
    }
}

/// Takes a private key that decrypts into the store. Raw bytes are of P-256.
pub fn decryption_key(
    file: &Path,
    store: &mut MemoryKeys,
    passphrases: &mut Passphrases<'_>,
) -> Result<KeyHandle, Failure> {
    let curve = Some(Curve::P256);
    let key = key_file::read(file, curve, passphrases)?;
    let name = file.display();
    let handle = store.import(&key, Uses::AGREE);
    handle.map_err(|error| Failure::new(format_args!("{name}: {error}")))
}

/// The curve of a certificate's key.
fn curve_of(verified: &Verified) -> Option<Curve> {
    verified.public_key().map(|key| key.curve())
}
