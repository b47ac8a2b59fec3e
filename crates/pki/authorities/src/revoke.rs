//! Certificates and vehicles that the next revocation lists have.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{
    CertificateShape, HolderRole, IndexEntry, RevokedVehicle, show_id,
};
use waywarden_pki_folder::{transaction, validity};
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::Certificate;

use crate::clock::Clock;
use crate::error::PkiError;
use crate::pseudonyms::{KnownVehicles, unlistable};
use crate::root_list;

/// A certificate, or the pseudonyms of a vehicle, that are revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// Name of the holder in commands.
    pub name: String,
    /// HashedId8 of the certificate; none for the pseudonyms of a vehicle.
    pub id: Option<String>,
    /// False if it was revoked before.
    pub is_new: bool,
}

/// Answer of [`revoke`].
#[derive(Debug)]
pub struct Revocations {
    /// Revoked certificates in the order of the index, then vehicles.
    pub revoked: Vec<Revoked>,
    /// The reason for which no list can have the pseudonyms of these vehicles, if there is one, or
    /// the failure to find out.
    pub unlistable: Result<Option<PkiError>, PkiError>,
}

/// Revokes certificates and vehicles: the next lists have them. `names` are names of stations,
/// authorities or vehicles, HashedId8s, or files with a certificate. No passphrase is needed, and a
/// revocation is not taken back.
///
/// # Errors
/// [`PkiError`] for an unknown name, a certificate that can be on no list, and for what the
/// operating system refuses; none is revoked then.
pub fn revoke(folder: &Path, names: &[String], clock: Clock) -> Result<Revocations, PkiError> {
    let directory = PkiDirectory::open_to_change(folder)?;
    let mut index = directory.index.clone();
    if index.shape == CertificateShape::Us && index.of_role(HolderRole::CrlSigner).is_none() {
        return Err(PkiError::new(format_args!(
            "{}: has no CRL generator, and its certificates name no CRACA; make a PKI whose \
             certificates can be revoked with `waywarden pki init --us`",
            folder.display()
        )));
    }
    let now = validity::start(clock.now()).map_err(Failure::new)?.0;
    let known = KnownVehicles::open(&directory)?;
    let (mut ids, mut vehicles) = (Vec::new(), Vec::new());
    for name in names {
        let is_vehicle = known.has(name)?;
        if is_vehicle {
            vehicles.push(name.as_str());
        }
        // The name of a vehicle may be that of certificates, too, and is that of no file.
        if !is_vehicle || directory.index.find(name).is_some() {
            ids.extend(self::ids(&directory, &known, name)?);
        }
    }
    let mut revoked = Vec::new();
    for entry in index.entries.iter_mut().filter(|one| ids.contains(&one.id)) {
        revoked.push(Revoked {
            name: entry.name.clone(),
            id: Some(entry.id.clone()),
            is_new: entry.revoked.is_none(),
        });
        entry.revoked.get_or_insert(now);
    }
    for name in &vehicles {
        let is_new = !index.has_revoked_vehicle(name);
        if is_new {
            index.revoked_vehicles.push(RevokedVehicle {
                name: (*name).to_owned(),
                revoked: now,
                listed: false,
            });
        }
        revoked.push(Revoked {
            name: (*name).to_owned(),
            id: None,
            is_new,
        });
    }
    transaction::commit(&directory.path, &[], &index)?;
    let unlistable = match vehicles.is_empty() {
        true => Ok(None),
        false => unlistable(&directory),
    };
    Ok(Revocations {
        revoked,
        unlistable,
    })
}

/// The certificates that are meant; each can be on a list.
fn ids(
    directory: &PkiDirectory,
    known: &KnownVehicles,
    what: &str,
) -> Result<Vec<String>, Failure> {
    let entries = &directory.index.entries;
    let named: Vec<&IndexEntry> = entries.iter().filter(|one| one.name == what).collect();
    let found = match named.is_empty() {
        false => named,
        true if Path::new(what).is_file() => {
            let bytes = certificate(Path::new(what))?;
            let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
            let id = id_of(&view).map(show_id).unwrap_or_default();
            let issued = directory.index.of_id(&id).ok_or_else(|| {
                let path = directory.path.display();
                Failure::new(format_args!("{what}: {path} did not issue {id}"))
            })?;
            vec![issued]
        }
        true => match directory.index.find(what) {
            Some(entry) => vec![entry],
            None => return Err(known.unknown(directory, what)?),
        },
    };
    for entry in &found {
        check(directory, entry)?;
    }
    Ok(found.into_iter().map(|entry| entry.id.clone()).collect())
}

/// Checks that a certificate can be on a list: in Europe that of an authority right below the root,
/// elsewhere one that names a CRACA.
fn check(directory: &PkiDirectory, entry: &IndexEntry) -> Result<(), Failure> {
    let path = directory.file(&entry.certificate);
    if directory.index.shape == CertificateShape::Etsi {
        let root = root_list::root(directory)?;
        return match root_list::is_below(entry, root) {
            true => Ok(()),
            false => Err(Failure::new(format_args!(
                "{}: {} is no authority right below the root, and is on no list; none was revoked: \
                 `pki register --block` keeps a station from new tickets, and those that it has \
                 run out",
                path.display(),
                entry.name
            ))),
        };
    }
    let bytes = certificate(&path)?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    match view.to_be_signed.craca_id.0 == [0; 3] {
        false => Ok(()),
        true => Err(Failure::new(format_args!(
            "{}: cracaId: {} names no CRACA, and is on no list; none was revoked",
            path.display(),
            entry.name
        ))),
    }
}
