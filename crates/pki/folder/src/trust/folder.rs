//! A trust store on the disk.
//!
//! | path | content |
//! |---|---|
//! | `trust.toml` | the index: which documents count, and what was withdrawn |
//! | `documents/ID.tlm`, `.rca`, `.oer` | certificates of managers, approved roots, authorities |
//! | `documents/ID.ctl`, `.crl` | trust lists and revocation lists |
//!
//! A document is called by the hash of its bytes and is never written again, so the index alone
//! decides: it is replaced by one rename, and names only documents that are on the medium.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waywarden_v2x_security::trust::{
    AuthorityRole, Document, DocumentKind, TrustStore, Withdrawal,
};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::super::index::show_id;
use super::super::{folder_lock, transaction};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_v2x_input::records;

/// The index of a trust store.
const INDEX: &str = "trust.toml";
/// The folder with the documents.
const DOCUMENTS: &str = "documents";
/// The version of the index that this program writes and reads.
const VERSION: u32 = 1;
/// The longest document, as `verify` reads it.
const DOCUMENT_MAX: usize = 16 << 20;
/// Number of times a reader tries again when another command replaces the index meanwhile.
const TRIES_MAX: u32 = 32;

/// The index of the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    version: u32,
    #[serde(default, rename = "document")]
    documents: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    withdrawn: Vec<Gone>,
}

/// A document of the index.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    kind: Kind,
    /// Issuer of the document.
    issuer: Id,
    /// HashedId8 of the document.
    id: Id,
}

/// A certificate that a list has no more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gone {
    id: Id,
    role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Microseconds since 2004.
    start: u64,
    end: u64,
    list: Kind,
    issuer: Id,
    sequence: u8,
}

/// A HashedId8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Id(HashedId8);

impl TryFrom<String> for Id {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes = records::hex(&text).and_then(|bytes| bytes.try_into().ok());
        let id = bytes.map(|bytes| Self(HashedId8(bytes)));
        id.ok_or_else(|| format!("{text:?}: not a HashedId8"))
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        show_id(id.0)
    }
}

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Tlm,
    Root,
    Ectl,
    Ctl,
    Crl,
    Authority,
}

const KINDS: [(Kind, DocumentKind, &str); 6] = [
    (Kind::Tlm, DocumentKind::TrustListManager, "tlm"),
    (Kind::Root, DocumentKind::RootCa, "rca"),
    (Kind::Ectl, DocumentKind::CtlTlm, "ctl"),
    (Kind::Ctl, DocumentKind::CtlRca, "ctl"),
    (Kind::Crl, DocumentKind::Crl, "crl"),
    (Kind::Authority, DocumentKind::Authority, "oer"),
];

impl Kind {
    fn of(kind: DocumentKind) -> Self {
        let found = KINDS.iter().find(|(_, own, _)| *own == kind);
        found.map_or(Self::Authority, |(kind, ..)| *kind)
    }

    fn known(self) -> (DocumentKind, &'static str) {
        let found = KINDS.iter().find(|(own, ..)| *own == self);
        found.map_or((DocumentKind::Authority, "oer"), |(_, kind, end)| {
            (*kind, end)
        })
    }
}

impl Entry {
    fn of(document: &Document<'_>) -> Self {
        Self {
            kind: Kind::of(document.kind),
            issuer: Id(document.issuer),
            id: Id(document.id()),
        }
    }

    fn file(&self) -> String {
        format!("{}.{}", show_id(self.id.0), self.kind.known().1)
    }
}

impl Gone {
    fn of(one: &Withdrawal) -> Self {
        Self {
            id: Id(one.id),
            role: one.role.name().to_owned(),
            name: one.name.clone(),
            start: one.validity.0.0,
            end: one.validity.1.0,
            list: Kind::of(one.list),
            issuer: Id(one.issuer),
            sequence: one.sequence,
        }
    }

    fn read(self) -> Withdrawal {
        let role = AuthorityRole::ALL.into_iter();
        let mut role = role.filter(|role| role.name() == self.role);
        Withdrawal {
            id: self.id.0,
            role: role.next().unwrap_or(AuthorityRole::Other),
            name: self.name,
            validity: (Time64(self.start), Time64(self.end)),
            list: self.list.known().0,
            issuer: self.issuer.0,
            sequence: self.sequence,
        }
    }
}

/// A trust store and its folder.
pub struct Folder {
    path: PathBuf,
    /// Contents of its documents.
    pub store: TrustStore,
    /// Held while the folder is changed.
    _lock: Option<File>,
}

/// Returns true if a folder is a trust store.
pub fn is_store(path: &Path) -> bool {
    path.join(INDEX).is_file()
}

impl Folder {
    /// Opens a store to read it. Another command may replace it meanwhile.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if !is_store(path) {
            let path = path.display();
            return Err(Failure::new(format_args!(
                "{path}: no trust store: it has no {INDEX}; make one with `waywarden pki trust \
                 import {path} FILE`"
            )));
        }
        let mut tries = 0;
        loop {
            let text = files::text(&path.join(INDEX))?;
            let read = read(path, &text);
            tries += 1;
            let is_replaced = || files::text(&path.join(INDEX)).is_ok_and(|now| now != text);
            if read.is_ok() || tries == TRIES_MAX || !is_replaced() {
                return Ok(Self {
                    path: path.to_owned(),
                    store: read?,
                    _lock: None,
                });
            }
        }
    }

    /// Opens a store to change it, or makes a new one: others wait.
    pub fn open_to_change(path: &Path) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::file(path.display(), &error);
        if !path.exists() {
            transaction::create_folder(path, false).map_err(failed)?;
        }
        let lock = folder_lock::lock(path)?;
        let store = if is_store(path) {
            Self::open(path)?.store
        } else {
            check_new(path)?;
            TrustStore::new()
        };
        Ok(Self {
            path: path.to_owned(),
            store,
            _lock: lock,
        })
    }

    /// Writes the documents that are new, and then the index.
    pub fn save(&self) -> Result<(), Failure> {
        let folder = self.path.join(DOCUMENTS);
        let failed = |error: io::Error| {
            let path = self.path.display();
            Failure::new(format_args!("{path}: {error}; the store is as it was"))
        };
        transaction::create_folder(&folder, false).map_err(failed)?;
        let documents: Vec<Entry> = self.store.documents().map(|one| Entry::of(&one)).collect();
        for (document, entry) in self.store.documents().zip(&documents) {
            let path = folder.join(entry.file());
            let is_there = fs::read(&path).is_ok_and(|bytes| bytes == document.bytes);
            if !is_there {
                transaction::replace(&path, document.bytes, false).map_err(failed)?;
            }
        }
        transaction::sync(&folder).map_err(failed)?;
        let index = Index {
            version: VERSION,
            documents,
            withdrawn: self.store.withdrawals().map(Gone::of).collect(),
        };
        let text = toml::to_string(&index);
        let text = text.map_err(|error| Failure::new(format_args!("{INDEX}: {error}")))?;
        let text = format!("# Written by `waywarden pki trust`: do not edit.\n{text}");
        transaction::replace(&self.path.join(INDEX), text.as_bytes(), false).map_err(failed)?;
        transaction::sync(&self.path).map_err(|error| {
            let path = self.path.display();
            Failure::new(format_args!(
                "{path}: {error}; the change is made, and a power failure may undo it"
            ))
        })?;
        remove_unlisted(&folder, &index);
        Ok(())
    }
}

/// A folder that is no store becomes one only if it has nothing, or what an import left that was
/// ended early.
fn check_new(path: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::file(path.display(), &error);
    let partial = transaction::partial_name(Path::new(INDEX));
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if name != DOCUMENTS && Path::new(&name) != partial {
            return Err(Failure::new(format_args!(
                "{}: is not empty and no trust store: it has no {INDEX}; give the name of a new \
                 folder",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Reads what an index lists.
fn read(path: &Path, text: &str) -> Result<TrustStore, Failure> {
    let name = path.join(INDEX);
    let wrong =
        |why: &dyn std::fmt::Display| Failure::new(format_args!("{}: {why}", name.display()));
    let index: Index = toml::from_str(text).map_err(|error| wrong(&error.to_string().trim()))?;
    if index.version != VERSION {
        let why = format!(
            "version {} of the index; this program reads version {VERSION}",
            index.version
        );
        return Err(wrong(&why));
    }
    let mut store = TrustStore::new();
    for entry in &index.documents {
        let file = path.join(DOCUMENTS).join(entry.file());
        let bytes = files::bytes(&file, DOCUMENT_MAX)?;
        let document = Document {
            kind: entry.kind.known().0,
            issuer: entry.issuer.0,
            bytes: &bytes,
        };
        let damaged = |why: &dyn std::fmt::Display| {
            let file = file.display();
            Failure::new(format_args!(
                "{file}: {why}; remove the trust store and import its documents again"
            ))
        };
        if document.id() != entry.id.0 {
            return Err(damaged(&"was changed: its hash is not its name"));
        }
        let restored = store.restore(&document);
        restored.map_err(|refusal| damaged(&refusal))?;
    }
    for one in index.withdrawn {
        store.restore_withdrawal(one.read());
    }
    Ok(store)
}

/// Removes documents that no index names any more. What cannot be removed does no harm.
fn remove_unlisted(folder: &Path, index: &Index) {
    let listed: Vec<String> = index.documents.iter().map(Entry::file).collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !listed.iter().any(|one| name == one.as_str()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
