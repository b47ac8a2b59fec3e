//! Selection of one's own certificate among several, and the order of its chain.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::records;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, IssuerIdentifier};

use super::super::directory::PkiDirectory;
use super::super::index::IndexEntry;

/// The certificates of a name, or the one with this HashedId8, from the newest to the oldest.
pub(super) fn named<'d>(
    directory: &'d PkiDirectory,
    newest: &'d IndexEntry,
    name: &str,
) -> impl Iterator<Item = &'d IndexEntry> {
    let by_name = newest.name == name;
    let entries = directory.index.entries.iter().rev();
    entries.filter(move |one| match by_name {
        true => one.name == newest.name,
        false => one.id == newest.id,
    })
}

/// Puts certificates in order, from the issuer of the first one to the root.
pub(super) fn ordered(path: &Path, own: &[u8], all: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
    let mut above: Vec<Vec<u8>> = Vec::new();
    let mut below = own.to_vec();
    // Each round takes another one of the files.
    for _ in 0..=all.len() {
        let view: Certificate<'_> = parse(&below).map_err(Failure::new)?;
        let id = match view.issuer {
            IssuerIdentifier::SelfIssued(_) => return Ok(above),
            IssuerIdentifier::Sha256AndDigest(id)
            | IssuerIdentifier::Sha384AndDigest(id)
            | IssuerIdentifier::Sm3AndDigest(id) => id,
        };
        let issuer = all.iter().find(|one| {
            let one = parse::<Certificate<'_>>(one).ok();
            one.and_then(|one| id_of(&one)) == Some(id)
        });
        let issuer = issuer.ok_or_else(|| {
            Failure::new(format_args!(
                "{}: issuer: the certificate {} is not in the chain (--chain, or chain of a \
                 configuration); give all up to the root, which issued itself",
                path.display(),
                records::show(&id.0)
            ))
        })?;
        above.push(issuer.clone());
        below.clone_from(issuer);
    }
    let path = path.display();
    Err(Failure::new(format_args!(
        "{path}: the issuers form a circle"
    )))
}
