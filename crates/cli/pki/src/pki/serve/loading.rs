//! Authorities that `waywarden pki serve` serves, loaded at its start and again on SIGHUP.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::Authority;
use waywarden_v2x_pki::enrolment::{AuthorizationAuthority, EnrolmentAuthority};
use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient};
use waywarden_v2x_pki_service::database::{DATABASE, Database};
use waywarden_v2x_pki_service::{
    Authorities, EnrolmentPeer, Registry, RegistryLimits, ServedAuthority,
};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8};

use super::super::registration;
use super::{Serve, Served, document, log};
use waywarden_command_line::exit::Failure;
use waywarden_pki_authorities::issuer::Workshop;
use waywarden_pki_folder::credential::decryption_key;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{CertificateShape, HolderRole as IndexRole, IndexEntry};
use waywarden_pki_folder::key_file::KeyWriter;
use waywarden_pki_folder::key_store::{KeyStoreName, MemoryKeys};
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::recorded;
use waywarden_pki_folder::token::TokenSource;
use waywarden_v2x_input::records;

/// The memory of an authority, which stays when its certificate is renewed.
type Memory = Arc<Mutex<Registry>>;

/// Loads what is served.
pub(super) struct Loader {
    options: Serve,
    kept: Mutex<Kept>,
}

/// State that stays from one load to the next.
#[derive(Default)]
struct Kept {
    /// A terminal or a descriptor gives it once.
    passphrase: Option<Passphrase>,
    enrolment: Option<Memory>,
    authorization: Option<Memory>,
}

impl Loader {
    pub(super) fn new(options: Serve) -> Self {
        Self {
            options,
            kept: Mutex::default(),
        }
    }

    /// Loads what is served. The folder is locked meanwhile, and not while it is served.
    pub(super) fn load(&self) -> Result<Authorities, Failure> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut passphrases = match &kept.passphrase {
            Some(known) => Passphrases::known(Some(known.copy())),
            None => Passphrases::new(&self.options.passphrase),
        };
        let authorities = self.options.authorities(&mut kept, &mut passphrases)?;
        kept.passphrase = passphrases.into_known();
        Ok(authorities)
    }
}

impl Serve {
    fn authorities(
        &self,
        kept: &mut Kept,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<Authorities, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        if directory.index.shape == CertificateShape::Us {
            return Err(Failure::new(format_args!(
                "{}: was made with --us; the protocol of ETSI TS 102 941 needs a European PKI",
                self.dir.display()
            )));
        }
        recorded::open(&directory.path, &directory.index)?;
        let (path, certificates) = (directory.path.clone(), certificates(&directory)?);
        let authorities = Authorities::new(move |one| document(&path, &certificates, one), log);
        let mut authorities = authorities.with_revoked(revoked(&directory));
        if self.role != Served::Aa {
            let (authority, keys) = loaded(&directory, IndexRole::Enrolment, passphrases)?;
            let mut authority = EnrolmentAuthority::new(authority.0, authority.1)
                .map_err(|error| unfit(&directory, IndexRole::Enrolment, &error))?
                .with_request_hash_of(self.request_hash.into())
                .with_validity_grid(directory.index.grid());
            for other in of_role(&directory, IndexRole::Authorization) {
                let added = authority.add_authorization_authority(&other.1);
                added.map_err(|error| unfit_entry(&directory, other.0, &error))?;
            }
            authorities = authorities.with_enrolment(ServedAuthority {
                authority,
                keys,
                registry: memory(&mut kept.enrolment, &directory)?,
            });
        }
        if self.role != Served::Ea {
            let (authority, keys) = loaded(&directory, IndexRole::Authorization, passphrases)?;
            let mut authority = AuthorizationAuthority::new(authority.0, authority.1)
                .map_err(|error| unfit(&directory, IndexRole::Authorization, &error))?
                .with_request_hash_of(self.request_hash.into())
                .with_validity_grid(directory.index.grid());
            let mut peers = BTreeMap::new();
            for other in of_role(&directory, IndexRole::Enrolment) {
                let added = authority.add_enrolment_authority(&other.1);
                let added = added.map_err(|error| unfit_entry(&directory, other.0, &error))?;
                peers.insert(added.id(), self.peer()?);
            }
            let role = ServedAuthority {
                authority,
                keys,
                registry: memory(&mut kept.authorization, &directory)?,
            };
            authorities = authorities.with_authorization(role, peers);
        }
        Ok(authorities)
    }

    /// Returns the way to the enrolment authority.
    fn peer(&self) -> Result<EnrolmentPeer, Failure> {
        match (&self.ea, self.role) {
            (Some(url), _) => {
                // Less than a station waits for its answer, which says then what is wrong.
                let limits = ClientLimits {
                    answer: Duration::from_secs(10),
                    ..ClientLimits::default()
                };
                let client = PkiClient::new(url, limits);
                client.map(EnrolmentPeer::At).map_err(Failure::new)
            }
            (None, Served::Both) => Ok(EnrolmentPeer::Here),
            (None, _) => Err(Failure::new(
                "--role aa: give --ea URL, where the enrolment authority is",
            )),
        }
    }
}

/// An authority with its decryption key; its private keys.
type Loaded = ((Authority, KeyHandle), Box<MemoryKeys>);

/// Loads the newest authority of a role.
fn loaded(
    directory: &PkiDirectory,
    role: IndexRole,
    passphrases: &mut Passphrases<'_>,
) -> Result<Loaded, Failure> {
    let entry = newest(directory, role)?;
    // Nothing is written: the form does not count.
    let mut workshop = Workshop::new(KeyWriter::Unencrypted)?;
    if entry.token.is_some() {
        return Err(Failure::new(format_args!(
            "{}: the key of {} is in a token, and a server takes keys from files: issue with \
             `waywarden pki issue --token` and `enrol --token`, or serve a PKI with keys in files",
            directory.path.display(),
            entry.name
        )));
    }
    let software = |_| Ok(KeyStoreName::Software);
    let token = TokenSource::default();
    let authority = workshop.authority(directory, entry, passphrases, software, &token)?;
    let file = entry.encryption_key.as_ref().ok_or_else(|| {
        let path = directory.file(&entry.certificate);
        Failure::new(format_args!(
            "{}: encryptionKey: there is no private key to open requests with",
            path.display()
        ))
    })?;
    let key = decryption_key(
        &directory.file(file),
        &mut workshop.store.software,
        passphrases,
    )?;
    Ok(((authority, key), Box::new(workshop.store.software)))
}

/// Returns the memory that is kept, or opens it.
fn memory(kept: &mut Option<Memory>, directory: &PkiDirectory) -> Result<Memory, Failure> {
    if let Some(memory) = kept {
        return Ok(Arc::clone(memory));
    }
    let database = Database::open(&directory.path.join(DATABASE)).map_err(Failure::new)?;
    let read = registration::read_profile;
    let registry =
        Registry::new(database, read, RegistryLimits::default()).map_err(Failure::new)?;
    Ok(Arc::clone(kept.insert(Arc::new(Mutex::new(registry)))))
}

/// Returns the HashedId8 of each revoked certificate.
fn revoked(directory: &PkiDirectory) -> BTreeSet<HashedId8> {
    let entries = directory.index.entries.iter();
    let revoked = entries.filter(|entry| entry.revoked.is_some());
    let ids = revoked.filter_map(|entry| records::hex(&entry.id)?.try_into().ok());
    ids.map(HashedId8).collect()
}

fn newest(directory: &PkiDirectory, role: IndexRole) -> Result<&IndexEntry, Failure> {
    directory.index.in_force(role).ok_or_else(|| {
        Failure::new(format_args!(
            "{}: has no {} that is not revoked; serve another --role",
            directory.path.display(),
            role.show(CertificateShape::Etsi)
        ))
    })
}

/// The certificates of a role that can be read.
fn of_role<'d>(directory: &'d PkiDirectory, role: IndexRole) -> Vec<(&'d IndexEntry, Vec<u8>)> {
    let entries = directory.index.entries.iter();
    let entries = entries.filter(|entry| entry.role == role && entry.revoked.is_none());
    let read = |entry: &'d IndexEntry| {
        let bytes = certificate(&directory.file(&entry.certificate)).ok()?;
        Some((entry, bytes))
    };
    entries.filter_map(read).collect()
}

fn unfit(directory: &PkiDirectory, role: IndexRole, error: &dyn std::fmt::Display) -> Failure {
    match newest(directory, role) {
        Ok(entry) => unfit_entry(directory, entry, error),
        Err(failure) => failure,
    }
}

fn unfit_entry(
    directory: &PkiDirectory,
    entry: &IndexEntry,
    error: &dyn std::fmt::Display,
) -> Failure {
    let path = directory.file(&entry.certificate);
    Failure::new(format_args!("{}: {error}", path.display()))
}

/// The certificates of the authorities, as one list.
fn certificates(directory: &PkiDirectory) -> Result<Vec<u8>, Failure> {
    let entries = directory.index.entries.iter();
    let authorities = entries.filter(|entry| entry.role.is_authority());
    let all = authorities.map(|entry| certificate(&directory.file(&entry.certificate)));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let views = all.iter().map(|one| parse::<Certificate<'_>>(one));
    let views = views.collect::<Result<Vec<_>, _>>().map_err(Failure::new)?;
    let list = SequenceOf::<_, 0>::new(&views);
    let list = list.ok_or_else(|| Failure::new("a list may be empty"))?;
    written(&list).map_err(Failure::new)
}
