//! A revocation list before it is signed: what it revokes, and where it goes.

use std::path::{Path, PathBuf};

use waywarden_v2x_pki::crl::{CrlEntries, RevokedCertificate};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time32};

use crate::revocation_lists::{CrlKind, MadeCrl};
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{Index, IndexEntry};

/// A list to be made.
pub(crate) struct List {
    /// File that it goes to.
    pub(crate) path: Option<PathBuf>,
    pub(crate) entries: CrlEntries,
    /// Number of its holders that have certificates that it does not revoke.
    pub(crate) unconfirmed: usize,
    /// HashedId8s of the certificates that it revokes.
    pub(crate) ids: Vec<String>,
    /// Names of the vehicles that it revokes.
    pub(crate) vehicles: Vec<String>,
}

impl List {
    pub(crate) fn new(path: Option<PathBuf>, entries: CrlEntries) -> Self {
        Self {
            path,
            entries,
            unconfirmed: 0,
            ids: Vec::new(),
            vehicles: Vec::new(),
        }
    }

    /// Notes that the list is made: the next delta list leaves out what it has.
    pub(crate) fn mark(&self, index: &mut Index, is_full: bool) {
        let entries = index.entries.iter_mut();
        for entry in entries.filter(|one| self.ids.contains(&one.id)) {
            entry.listed = true;
        }
        let vehicles = index.revoked_vehicles.iter_mut();
        for vehicle in vehicles.filter(|one| self.vehicles.contains(&one.name)) {
            vehicle.listed = true;
        }
        if is_full && matches!(self.entries, CrlEntries::Holders { .. }) {
            index.linked_deltas = 0;
        }
    }

    /// Returns the list with its signature.
    pub(crate) fn made(&self, bytes: Vec<u8>) -> MadeCrl {
        MadeCrl {
            kind: match self.entries {
                CrlEntries::Certificates { .. } => CrlKind::Certificates,
                CrlEntries::Holders { .. } => CrlKind::Linkage,
            },
            path: self.path.clone(),
            bytes,
            revokes: self.words(),
        }
    }

    /// Describes what it revokes.
    fn words(&self) -> String {
        match &self.entries {
            CrlEntries::Certificates { certificates, .. } => {
                format!("{} certificates", certificates.len())
            }
            CrlEntries::Holders {
                i_rev,
                holders,
                groups,
                ..
            } => {
                let revoked = holders.len().saturating_sub(self.unconfirmed);
                let others = match self.unconfirmed {
                    0 => String::new(),
                    count => format!(", and not {count} holders whose certificates are others"),
                };
                format!(
                    "{revoked} holders and {} groups from period {} on{others}",
                    groups.len(),
                    i_rev.0
                )
            }
        }
    }
}

/// Returns where the list by linkage values goes: `list.linked.oer` for `list.oer`.
pub(crate) fn linked_output(output: &Path) -> Result<PathBuf, Failure> {
    let stem = output.file_stem().filter(|_| output != Path::new("-"));
    let stem = stem.ok_or_else(|| {
        Failure::new("--output: give the name of a file, beside which the list by linkage goes")
    })?;
    let mut name = stem.to_os_string();
    name.push(".linked");
    if let Some(extension) = output.extension() {
        name.push(".");
        name.push(extension);
    }
    Ok(output.with_file_name(name))
}

/// Returns the certificates that are revoked and have not expired, each with its HashedId8; with
/// `only_new` those alone that no list has.
///
/// No time tells which ones those are: the clock may have been set back between.
pub(crate) fn revoked(
    directory: &PkiDirectory,
    only_new: bool,
    now: Time32,
) -> Result<Vec<(String, RevokedCertificate)>, Failure> {
    let mut certificates = Vec::new();
    let is_due = |one: &&IndexEntry| one.revoked.is_some() && !(only_new && one.listed);
    for entry in directory.index.entries.iter().filter(is_due) {
        let path = directory.file(&entry.certificate);
        let bytes = certificate(&path)?;
        let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
        let end = view.to_be_signed.validity_period.end().0;
        let end = end.div_ceil(1_000_000);
        // The last moment that a list can say is in 2140.
        let expiry = Time32(u32::try_from(end).unwrap_or(u32::MAX));
        let digest = certificate_digest(&view)
            .ok_or_else(|| Failure::new(format_args!("{}: it has no hash", path.display())))?;
        if expiry > now {
            let id = digest.id_10();
            certificates.push((entry.id.clone(), RevokedCertificate { id, expiry }));
        }
    }
    Ok(certificates)
}
