//! The linkage authorities: their identifiers from certificates, their secrets from the database.

use waywarden_v2x_pki::pseudonym::LinkageAuthority;
use waywarden_v2x_pki_service::database::{DataKey, Database, SecretKind};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, LaId, ServiceSpecificPermissions};
use waywarden_v2x_wire::ieee1609dot2dot1::ScmsSsp;
use zeroize::Zeroizing;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{HolderRole, IndexEntry};
use waywarden_pki_folder::pseudonyms::certificates::{of_role, verified};
use waywarden_pki_folder::pseudonyms::marks::Marks;
use waywarden_pki_folder::random;

/// The two linkage authorities.
pub(super) fn entries(directory: &PkiDirectory) -> Result<[&IndexEntry; 2], Failure> {
    of_role(directory, HolderRole::Linkage)?;
    let all = directory.index.entries.iter();
    // A renewed one has the name of the one before, and its secret and identifier.
    let mut newest: Vec<&IndexEntry> = Vec::new();
    for entry in all.filter(|one| one.role == HolderRole::Linkage) {
        match newest.iter_mut().find(|one| one.name == entry.name) {
            Some(before) => *before = entry,
            None => newest.push(entry),
        }
    }
    <[&IndexEntry; 2]>::try_from(newest).map_err(|entries| {
        Failure::new(format_args!(
            "{}: has {} linkage authorities, not two",
            directory.path.display(),
            entries.len()
        ))
    })
}

/// Loads a linkage authority, and the key that it shares with the pseudonym authority. Its secrets
/// are made if there are none, and if no vehicle has certificates by earlier ones.
pub(super) fn load_or_make(
    directory: &PkiDirectory,
    entry: &IndexEntry,
    database: &mut Database,
    key: &DataKey,
    marks: &Marks,
) -> Result<(LinkageAuthority, [u8; 16]), Failure> {
    let name = entry.name.as_bytes();
    let is_there = database.has_secret(SecretKind::LinkageSeed, name);
    if !is_there.map_err(Failure::new)? {
        if !marks.is_empty() {
            return Err(missing(database, entry));
        }
        let secret: Zeroizing<[u8; 48]> = random::bytes()?;
        database
            .keep_secret(key, SecretKind::LinkageSeed, name, &*secret)
            .map_err(Failure::new)?;
    }
    load(directory, entry, database, key)
}

/// Returns the failure to make lists by linkage values, if a linkage authority has no secret.
pub(super) fn missing_secret(
    directory: &PkiDirectory,
    database: &Database,
) -> Result<Option<Failure>, Failure> {
    for entry in entries(directory)? {
        let is_there = database.has_secret(SecretKind::LinkageSeed, entry.name.as_bytes());
        if !is_there.map_err(Failure::new)? {
            return Ok(Some(missing(database, entry)));
        }
    }
    Ok(None)
}

/// The failure where vehicles have certificates by a secret that is gone, with the remedies.
fn missing(database: &Database, entry: &IndexEntry) -> Failure {
    Failure::new(format_args!(
        "{}: {}: its secret is missing, and no other secret revokes the pseudonyms that were \
         issued by it; restore a back-up that has it with `waywarden pki restore`; if there is none, renew \
         the pseudonym CA and revoke the one before, by its HashedId8: lists by hash have it, and \
         it takes all its pseudonyms with it; then make a new PKI for pseudonyms",
        database.path().display(),
        entry.name
    ))
}

/// Loads a linkage authority whose secrets are there: seeds of other secrets would revoke nothing.
pub(super) fn load(
    directory: &PkiDirectory,
    entry: &IndexEntry,
    database: &Database,
    key: &DataKey,
) -> Result<(LinkageAuthority, [u8; 16]), Failure> {
    let own = verified(&directory.chain(entry)?)?;
    let view: Certificate<'_> = own.view().map_err(Failure::new)?;
    let id = la_id(&view).ok_or_else(|| {
        let path = directory.file(&entry.certificate);
        Failure::new(format_args!(
            "{}: appPermissions: no linkage authority's",
            path.display()
        ))
    })?;
    let wrong = |why: &str| {
        let path = database.path().display();
        Failure::new(format_args!("{path}: {}: {why}", entry.name))
    };
    let secret = database
        .secret(key, SecretKind::LinkageSeed, entry.name.as_bytes())
        .map_err(Failure::new)?;
    let secret = secret.ok_or_else(|| missing(database, entry))?;
    let parts = secret.split_first_chunk::<32>();
    let parts = parts.and_then(|(own, shared)| Some((own, shared.try_into().ok()?)));
    let (own, shared): (&[u8; 32], [u8; 16]) =
        parts.ok_or_else(|| wrong("its secret has another length"))?;
    Ok((LinkageAuthority::new(id, *own, shared), shared))
}

/// The identifier in a linkage authority's certificate.
fn la_id(certificate: &Certificate<'_>) -> Option<LaId> {
    let permissions = certificate.to_be_signed.app_permissions?;
    permissions.iter().flatten().find_map(|one| match one.ssp {
        Some(ServiceSpecificPermissions::Opaque(ssp)) => match parse::<ScmsSsp<'_>>(ssp) {
            Ok(ScmsSsp::Linkage(own)) => Some(LaId(own.la_id.0.to_be_bytes())),
            _ => None,
        },
        _ => None,
    })
}
