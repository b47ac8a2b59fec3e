//! A station asks the server of a PKI for its certificates.

mod authorities;
mod folder;
mod request;
mod requests;

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Curve;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{INDEX, KeyForm};
use waywarden_pki_folder::key_file;
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};

use self::authorities::Authorities;
use self::folder::{Server, Station};
pub use self::request::{StationRequest, TICKETS_MAX, TIMEOUT_MAX};
use self::requests::Requests;
use crate::error::PkiError;
use crate::note::Notes;
use crate::order::Issued;

/// Certificates that a station got.
pub struct StationIssued {
    /// They are in the folder of the station.
    pub issued: Issued,
    /// Reason for which a later request was refused; what was issued before is kept.
    pub refused: Option<PkiError>,
}

/// Source of the passphrase for the keys of a new folder; none for keys without encryption.
pub type NewPassphrases<'p> = &'p mut dyn FnMut() -> Result<Option<Passphrase>, Failure>;

/// Enrols a station unless it has a valid credential, and gets its tickets, into the folder of the
/// station, new or of an earlier call. `chosen` is asked for a new one. Waits for the server.
///
/// # Errors
/// [`PkiError`] if nothing was issued and nothing was there: what the folder, the server or the
/// operating system refuses.
pub fn enrol_from(
    folder: &Path,
    request: &StationRequest,
    chosen: NewPassphrases<'_>,
    passphrases: &mut Passphrases<'_>,
    notes: Notes<'_>,
) -> Result<StationIssued, PkiError> {
    request.check()?;
    let requests = Requests::new(&request.url, request.timeout_s)?;
    let authorities = Authorities::ask(&requests, &request.url, &request.trust, notes)?;
    let server = Server {
        requests,
        authorities,
    };
    let directory = match folder.join(INDEX).exists() {
        true => Some(PkiDirectory::open_to_change(folder)?),
        false => None,
    };
    let key = &request.canonical_key;
    let passphrase = passphrase(directory.as_ref(), key, chosen, passphrases)?;
    let mut station = Station::open(folder, directory, passphrase.as_ref())?;
    let before = station.index.entries.len();
    let got = station.get(&server, request, passphrases, notes);
    // Issued certificates are kept even if a later request was refused.
    let refused = got.and_then(|done| station.write().and(done)).err();
    let refused = refused.map(PkiError::from);
    match (station.directory, refused) {
        (None, Some(refused)) => Err(refused),
        (None, None) => Err(PkiError::new("nothing was issued")),
        (Some(mut directory), refused) => {
            directory.index = station.index;
            let issued = Issued::since(directory, before);
            Ok(StationIssued { issued, refused })
        }
    }
}

/// Returns the passphrase of the station's keys: of those that it has, or for new ones.
fn passphrase(
    directory: Option<&PkiDirectory>,
    key: &Path,
    chosen: NewPassphrases<'_>,
    passphrases: &mut Passphrases<'_>,
) -> Result<Option<Passphrase>, Failure> {
    let Some(directory) = directory else {
        return chosen();
    };
    if directory.index.keys != KeyForm::Encrypted {
        return Ok(None);
    }
    // A key that is there proves the passphrase, as `issue` has it.
    let mut own = directory
        .index
        .entries
        .iter()
        .filter_map(|one| one.key.as_ref());
    let proof = own.next().map(|own| directory.file(own));
    let proof = proof.as_deref().unwrap_or(key);
    key_file::read(proof, Some(Curve::P256), passphrases)?;
    passphrases.existing(proof).map(|one| Some(one.copy()))
}
