//! Certificates that one issuer issues together, written and recorded together.

use std::path::PathBuf;

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::{Curve, Point};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{IndexEntry, KeyForm};
use waywarden_pki_folder::key_file::KeyWriter;
use waywarden_pki_folder::key_passphrase::passphrase;
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::token::{NO_IMPLICIT, TokenSource};
use waywarden_pki_folder::{public, recorded, transaction, validity};
use waywarden_v2x_input::time;
use waywarden_v2x_pki::Authority;
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};

use crate::issuer::{Subject, Workshop};
use crate::known_key;
use crate::note::{Note, Notes};
use crate::specification::Specification;

/// Certificates that were issued.
pub struct Issued {
    /// The PKI after it, locked until this is dropped.
    pub directory: PkiDirectory,
    /// Number of certificates before.
    before: usize,
}

impl Issued {
    /// Takes a PKI that had so many certificates before.
    pub(crate) fn since(directory: PkiDirectory, before: usize) -> Self {
        Self { directory, before }
    }

    /// The certificates, in the order in which they were issued.
    #[must_use]
    pub fn entries(&self) -> &[IndexEntry] {
        &self.directory.index.entries[self.before..]
    }
}

/// Certificates that one issuer issues together.
pub(crate) struct Order {
    /// Its curve counts only if `curve` is given.
    pub(crate) specification: Specification,
    pub(crate) curve: Option<Curve>,
    pub(crate) start: Option<Time64>,
    pub(crate) is_implicit: bool,
    pub(crate) public: Option<PathBuf>,
    pub(crate) count: u32,
    pub(crate) key_store: KeyStoreChoice,
}

/// Issues what is ordered, and writes it.
pub(crate) fn fill(
    mut directory: PkiDirectory,
    issuer: &IndexEntry,
    order: &Order,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
    notes: Notes<'_>,
) -> Result<Issued, Failure> {
    if order.is_implicit && issuer.token.is_some() {
        return Err(Failure::new(format_args!(
            "{}: type: its key is in a token, and {NO_IMPLICIT}; give --explicit",
            issuer.name
        )));
    }
    let passphrase = passphrase(&directory, issuer, passphrases)?;
    let writer = match (&passphrase, directory.index.keys) {
        (Some(passphrase), _) => KeyWriter::Encrypted(passphrase),
        (None, KeyForm::Plain) => KeyWriter::Plain,
        (None, _) => KeyWriter::Unencrypted,
    };
    // Before anything is issued: a database that cannot be changed is found now.
    let mut database = recorded::open(&directory.path, &directory.index)?;
    let mut workshop = Workshop::new(writer)?;
    let select = |curve| order.key_store.select_to_issue(curve, order.is_implicit);
    let authority = workshop.authority(&directory, issuer, passphrases, select, token)?;
    let start = start(&directory, order, &authority)?;
    let mut specification = order.specification.clone();
    specification.curve = order.curve.unwrap_or(authority.credential().curve());
    let public: Option<Point> = match &order.public {
        None => None,
        Some(path) => {
            let public = public::read(path, specification.curve)?;
            known_key::check(&directory, path, &public, notes)?;
            Some(public)
        }
    };
    let subject = match (&public, order.is_implicit) {
        (Some(public), _) => Subject::Public(public),
        (None, true) => Subject::Implicit,
        (None, false) => Subject::New,
    };
    let mut index = directory.index.clone();
    let all = order.count as usize;
    for done in 0..all {
        notes(Note::Progress { done, all });
        let issued = workshop.issue(&mut index, &authority, &specification, start, subject);
        let (key, _) = issued.map_err(|failure| by(&directory, issuer, &failure))?;
        workshop.retire(key);
    }
    let written = transaction::commit(&directory.path, &workshop.files, &index);
    // The keys of a change that is decided are needed, also where it is not finished.
    if written.is_ok() || transaction::is_interrupted(&directory.path) {
        workshop.store.keep();
    }
    written?;
    let recorded = recorded::record(&mut database, &directory.path, &index);
    recorded.map_err(|failure| recorded::decided(&failure))?;
    let before = directory.index.entries.len();
    directory.index = index;
    Ok(Issued { directory, before })
}

/// Returns the start of the certificates. An authority is valid from the beginning of a cell of the
/// grid on, unless asked otherwise, so that what it issues begins there, too.
fn start(
    directory: &PkiDirectory,
    order: &Order,
    authority: &Authority,
) -> Result<Time32, Failure> {
    let start = validity::start(order.start.unwrap_or_else(time::now)).map_err(Failure::new)?;
    if order.start.is_some() || !order.specification.role.issues() {
        return Ok(start);
    }
    let (issuer_start, _) = authority.credential().certificate().validity();
    let issuer_start = validity::start(issuer_start).map_err(Failure::new)?;
    Ok(directory.index.grid().cell_start(start).max(issuer_start))
}

/// Names the issuer's certificate in a failure to issue.
fn by(directory: &PkiDirectory, issuer: &IndexEntry, failure: &Failure) -> Failure {
    let file = directory.file(&issuer.certificate);
    let lines = failure.lines().iter();
    Failure::all(lines.map(|line| format!("{} ({}): {line}", file.display(), issuer.name)))
}
