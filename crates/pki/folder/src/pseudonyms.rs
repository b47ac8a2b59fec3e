//! Vehicles with pseudonyms in the folder of a PKI: their secrets and certificates in its database,
//! and marks of how far each has certificates.

pub mod certificates;
pub mod marks;
pub mod vehicle;

use std::path::PathBuf;

use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::time;
use waywarden_v2x_keys::{PrivateKey, SoftwareStore};
use waywarden_v2x_pki::pseudonym::{CertificatePosition, Period};
use waywarden_v2x_pki_service::database::{DATABASE, DataKey, Database};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use self::vehicle::{RequestingVehicle, is_known};
use super::directory::PkiDirectory;
use super::index::{CertificateShape, HolderRole};
use super::key_passphrase::passphrase;
use super::passphrase::{Passphrase, Passphrases};

/// A pseudonym with its private key.
pub struct Opened {
    /// Location of the pseudonym, for messages.
    pub place: PathBuf,
    /// Encoded certificate.
    pub certificate: Vec<u8>,
    /// The certificates above it, the root last.
    pub above: Vec<Vec<u8>>,
    /// Private key of the certificate.
    pub key: PrivateKey,
}

/// Opens the database of a PKI that may have vehicles with pseudonyms; `None` for another PKI.
pub fn database(directory: &PkiDirectory) -> Result<Option<Database>, Failure> {
    let path = database_path(directory);
    path.map(|path| Database::open(&path))
        .transpose()
        .map_err(Failure::new)
}

/// The same to read it, also where the folder is read-only.
pub fn database_to_read(directory: &PkiDirectory) -> Result<Option<Database>, Failure> {
    let path = database_path(directory);
    path.map(|path| Database::open_to_read(&path))
        .transpose()
        .map_err(Failure::new)
}

fn database_path(directory: &PkiDirectory) -> Option<PathBuf> {
    let path = directory.path.join(DATABASE);
    (directory.index.shape == CertificateShape::Us && path.exists()).then_some(path)
}

/// Returns the key of the secrets in the database, by the passphrase of the PKI.
pub fn data_key(
    directory: &PkiDirectory,
    database: &mut Database,
    passphrases: &mut Passphrases<'_>,
) -> Result<DataKey, Failure> {
    let pca = directory.issuer(None, HolderRole::Authorization)?;
    let passphrase = passphrase(directory, pca, passphrases)?;
    database
        .data_key(passphrase.as_ref().map(Passphrase::as_bytes))
        .map_err(Failure::new)
}

/// Opens the pseudonym of a vehicle for the week of a time; `None` if there is no vehicle of this
/// name.
pub fn open(
    directory: &PkiDirectory,
    name: &str,
    at: Time64,
    j: u8,
    passphrases: &mut Passphrases<'_>,
) -> Result<Option<Opened>, Failure> {
    let Some(mut database) = database_to_read(directory)? else {
        return Ok(None);
    };
    let path = database.path().to_owned();
    if !is_known(&database, name)? {
        return Ok(None);
    }
    let key = data_key(directory, &mut database, passphrases)?;
    let mut store = SoftwareStore::<8>::new();
    let Some(vehicle) = RequestingVehicle::load(&database, &key, &mut store, name)? else {
        return Ok(None);
    };
    let wrong = |why: String| Failure::new(format_args!("{}: {name}: {why}", path.display()));
    let i = Period::at(at).ok_or_else(|| wrong("a time after 2140".to_owned()))?;
    let position = CertificatePosition { i, j };
    let batches = database
        .batches(&vehicle.id.0, u32::from(i.0))
        .map_err(Failure::new)?;
    let batch = batches.into_iter().find(|one| one.j == u32::from(j));
    let response = batch.and_then(|one| one.response).ok_or_else(|| {
        wrong(format!(
            "no certificate {position} of the week of {}; issue some with `waywarden pki \
             pseudonyms`, or give another --index",
            time::show(at)
        ))
    })?;
    let above = directory.chain(directory.issuer(None, HolderRole::Authorization)?)?;
    let authority = certificates::verified(&above)?;
    let opened = vehicle
        .holder
        .open(&mut store, &authority, position, &response);
    let opened = opened.map_err(|error| wrong(format!("{position}: {error}")))?;
    let key = store.export(opened.key).map_err(Failure::new)?;
    Ok(Some(Opened {
        place: path.join(name).join(position.to_string()),
        certificate: opened.certificate,
        above,
        key,
    }))
}
