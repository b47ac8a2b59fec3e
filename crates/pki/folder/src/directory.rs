//! The folder of a PKI: its index, certificates and keys.
//!
//! | path | content |
//! |---|---|
//! | `pki.toml` | the index |
//! | `trust/ID.oer` | certificates of authorities: what receivers need |
//! | `stations/NAME/ID.oer` | certificates of stations |
//! | `keys/ID.p8`, `.vkey` | private keys, for their owner alone |
//! | `keys/ID.encryption.p8`, `.ekey` | private keys that decrypt |

use std::fs::File;
use std::path::{Path, PathBuf};

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::Certificate;

use super::index::{HolderRole, Index, IndexEntry, KEYS, KeyForm, STATIONS, TRUST};
use super::{folder_lock, transaction};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;

/// The longest certificate that is read.
pub const CERTIFICATE_MAX: usize = 1 << 16;

/// Most vehicles that are named in an error.
const VEHICLES_SHOWN: usize = 20;

/// A PKI on the disk.
pub struct PkiDirectory {
    /// The folder.
    pub path: PathBuf,
    /// Its index, as it was when the PKI was opened.
    pub index: Index,
    /// Held while the folder is changed.
    _lock: Option<File>,
}

impl PkiDirectory {
    /// Opens a PKI to read it.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        // What counts already is moved to its places first, if this process may; if not, the index
        // says what was there before, which is whole.
        if transaction::is_interrupted(path) {
            let done = folder_lock::lock(path).and_then(|_lock| transaction::recover(path));
            for line in done.as_ref().err().map_or(&[][..], Failure::lines) {
                messages::warning(plain_lines(line));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            index: Index::read(path)?,
            _lock: None,
        })
    }

    /// Opens a PKI to change it: others wait.
    pub fn open_to_change(path: &Path) -> Result<Self, Failure> {
        // Before anything is locked or recovered: it has to be a PKI.
        Index::read(path)?;
        let lock = folder_lock::lock(path)?;
        transaction::recover(path)?;
        Ok(Self {
            path: path.to_owned(),
            index: Index::read(path)?,
            _lock: lock,
        })
    }

    /// Returns the entry of a name or HashedId8.
    pub fn entry(&self, name: &str) -> Result<&IndexEntry, Failure> {
        self.index.find(name).ok_or_else(|| self.unknown(name, &[]))
    }

    /// Says that there is no certificate of a name, and of which there are; and which vehicles.
    pub fn unknown(&self, name: &str, vehicles: &[String]) -> Failure {
        let mut names: Vec<&str> = Vec::new();
        for entry in &self.index.entries {
            if !names.contains(&entry.name.as_str()) {
                names.push(&entry.name);
            }
        }
        let path = self.path.display();
        let mut text = format!(
            "{path}: no certificate of {name:?}; there are: {}",
            names.join(", ")
        );
        if !vehicles.is_empty() {
            let shown = &vehicles[..vehicles.len().min(VEHICLES_SHOWN)];
            text += &format!("; vehicles with pseudonyms: {}", shown.join(", "));
        }
        if vehicles.len() > VEHICLES_SHOWN {
            text += &format!(" and {} more", vehicles.len() - VEHICLES_SHOWN);
        }
        Failure::new(text)
    }

    /// Finds who issues.
    pub fn issuer(&self, name: Option<&str>, role: HolderRole) -> Result<&IndexEntry, Failure> {
        let entry = match name {
            Some(name) => self.entry(name)?,
            None => self.index.in_force(role).ok_or_else(|| {
                let role = role.show(self.index.shape);
                let path = self.path.display();
                Failure::new(format_args!(
                    "{path}: has no {role} that is not revoked; name one with --issuer"
                ))
            })?,
        };
        match entry.role.issues() {
            true => Ok(entry),
            false => Err(Failure::new(format_args!(
                "{}: certIssuePermissions: {} issues no certificates",
                self.file(&entry.certificate).display(),
                entry.name
            ))),
        }
    }

    /// Returns the path of an entry's file.
    pub fn file(&self, below: &Path) -> PathBuf {
        self.path.join(below)
    }

    /// Reads a certificate and those above it, the root last.
    pub fn chain(&self, entry: &IndexEntry) -> Result<Vec<Vec<u8>>, Failure> {
        let mut chain = Vec::new();
        let mut next = Some(entry);
        while let Some(entry) = next {
            // A chain cannot be longer than the list of all certificates.
            if chain.len() > self.index.entries.len() {
                return Err(Failure::new(format_args!(
                    "{}: the issuers of {} form a circle",
                    self.path.display(),
                    entry.id
                )));
            }
            chain.push(certificate(&self.file(&entry.certificate))?);
            next = match &entry.issuer {
                None => None,
                Some(id) => Some(self.index.of_id(id).ok_or_else(|| {
                    Failure::new(format_args!(
                        "{}: the issuer {id} of {} is missing",
                        self.path.display(),
                        entry.id
                    ))
                })?),
            };
        }
        Ok(chain)
    }
}

/// Reads a file with one certificate.
pub fn certificate(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = files::bytes(path, CERTIFICATE_MAX)?;
    match parse::<Certificate<'_>>(&bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::new(format_args!(
            "{}: no certificate of IEEE 1609.2: {error}",
            path.display()
        ))),
    }
}

/// Returns the path for a certificate, below the folder of the PKI.
pub fn certificate_path(is_authority: bool, name: &str, id: &str) -> PathBuf {
    let folder = match is_authority {
        true => PathBuf::from(TRUST),
        false => Path::new(STATIONS).join(name),
    };
    folder.join(format!("{id}.oer"))
}

/// Returns the path for a private key, below the folder of the PKI.
pub fn key_path(form: KeyForm, id: &str, decrypts: bool) -> PathBuf {
    let end = match (form, decrypts) {
        (KeyForm::Plain, false) => "vkey",
        (KeyForm::Plain, true) => "ekey",
        (_, false) => "p8",
        (_, true) => "encryption.p8",
    };
    Path::new(KEYS).join(format!("{id}.{end}"))
}
