//! The database of a PKI: what was issued to whom, beside the files.
//!
//! The index decides what was issued. A command records its certificates once they count; the next
//! command records those of one that was killed between.

use std::path::Path;

use waywarden_v2x_pki_service::database::{DATABASE, Database, DatabaseError, Issued, Kind};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time32, Time64};

use super::directory::certificate;
use super::index::{Entry, Index, Role};
use crate::exit::Failure;
use crate::terminal::plain_lines;
use crate::v2x::records;

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Failure::new(error)
    }
}

/// Opens the database of a PKI, whose folder is locked, and records what is not recorded.
pub(crate) fn open(folder: &Path, index: &Index) -> Result<Database, Failure> {
    let mut database = Database::open(&folder.join(DATABASE))?;
    record(&mut database, folder, index)?;
    Ok(database)
}

/// Records the certificates of an index that are not recorded.
pub(crate) fn record(database: &mut Database, folder: &Path, index: &Index) -> Result<(), Failure> {
    let known = database.issued_ids()?;
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
                    eprintln!("warning: not recorded: {}", plain_lines(line));
                }
            }
        }
    }
    database.record_missing(&missing)?;
    Ok(())
}

/// What the database has of a certificate.
fn issued(folder: &Path, entry: &Entry) -> Result<Issued, Failure> {
    let path = folder.join(&entry.certificate);
    let bytes = certificate(&path)?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    let digest = certificate_digest(&view)
        .ok_or_else(|| Failure::new(format_args!("{}: it has no hash", path.display())))?;
    let period = view.to_be_signed.validity_period;
    let issuer = entry.issuer.as_deref().and_then(records::hex);
    let issuer = issuer.and_then(|id| id.try_into().ok());
    Ok(Issued {
        hashed_id_8: digest.id_8(),
        hashed_id_10: digest.id_10(),
        issuer: issuer.map(HashedId8),
        kind: kind(entry.role),
        holder: entry.name.clone(),
        station: None,
        start: seconds(period.start()),
        end: seconds(period.end()),
        certificate: bytes,
    })
}

fn kind(role: Role) -> Kind {
    match role {
        Role::Credential => Kind::EnrolmentCredential,
        Role::Station => Kind::AuthorizationTicket,
        _ => Kind::Authority,
    }
}

/// Whole seconds; a time after 2140 is the last one.
pub(crate) fn seconds(time: Time64) -> Time32 {
    Time32(u32::try_from(time.0 / 1_000_000).unwrap_or(u32::MAX))
}
