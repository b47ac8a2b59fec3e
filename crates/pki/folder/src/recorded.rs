//! The database of a PKI: what was issued to whom, beside the files.
//!
//! The index decides what was issued. A command records its certificates once they count; the next
//! command records those of one that was killed between.

use std::path::Path;

use waywarden_v2x_pki_service::database::{
    CertificatePurpose, DATABASE, Database, IssuedCertificate,
};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::directory::certificate;
use super::index::{HolderRole, Index, IndexEntry};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_v2x_input::records;

/// Opens the database of a PKI, whose folder is locked, and records what is not recorded.
pub fn open(folder: &Path, index: &Index) -> Result<Database, Failure> {
    let mut database = Database::open(&folder.join(DATABASE)).map_err(Failure::new)?;
    record(&mut database, folder, index)?;
    Ok(database)
}

/// The same, or the database as it is where the folder is read-only.
pub fn open_to_read(folder: &Path, index: &Index) -> Result<Database, Failure> {
    let mut database = Database::open_to_read(&folder.join(DATABASE)).map_err(Failure::new)?;
    if !database.is_read_only() {
        record(&mut database, folder, index)?;
    }
    Ok(database)
}

/// Records the certificates of an index that are not recorded.
pub fn record(database: &mut Database, folder: &Path, index: &Index) -> Result<(), Failure> {
    let known = database.issued_ids().map_err(Failure::new)?;
    let known: std::collections::HashSet<HashedId8> = known.into_iter().collect();
    let mut missing = Vec::new();
    for entry in &index.entries {
        let id = records::hex(&entry.id).and_then(|id| id.try_into().ok());
        if id.is_some_and(|id| known.contains(&HashedId8(id))) {
            continue;
        }
        match issued(folder, entry) {
            Ok(issued) => missing.push(issued),
            // A file that is gone must not keep others from being issued.
            Err(failure) => {
                for line in failure.lines() {
                    messages::warning(format_args!("not recorded: {}", plain_lines(line)));
                }
            }
        }
    }
    database.record_missing(&missing).map_err(Failure::new)?;
    Ok(())
}

/// Says of a failure to record that the change itself is made.
pub fn decided(failure: &Failure) -> Failure {
    let remedy = "the change is decided: the next command records it in the database once this is \
                  corrected";
    let lines = failure.lines().iter().cloned();
    Failure::all(lines.chain([remedy.to_owned()]))
}

/// Returns the record of a certificate for the database.
fn issued(folder: &Path, entry: &IndexEntry) -> Result<IssuedCertificate, Failure> {
    let path = folder.join(&entry.certificate);
    let bytes = certificate(&path)?;
    let wrong = || Failure::new(format_args!("{}: it has no hash", path.display()));
    let issued = IssuedCertificate::of(kind(entry.role), &bytes).ok_or_else(wrong)?;
    Ok(IssuedCertificate {
        holder: entry.name.clone(),
        ..issued
    })
}

fn kind(role: HolderRole) -> CertificatePurpose {
    match role {
        HolderRole::Credential => CertificatePurpose::EnrolmentCredential,
        HolderRole::Station => CertificatePurpose::AuthorizationTicket,
        _ => CertificatePurpose::Authority,
    }
}
