//! Batches of pseudonym certificates for vehicles, by butterfly keys \[1609.2.1\].

mod authorities;
mod known;
mod linkage;
mod revocation;
mod target;
mod weeks;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::pseudonyms::database_to_read;

pub use self::authorities::Authorities;
pub use self::known::KnownVehicles;
pub use self::revocation::holders;
pub use self::weeks::Weeks;

/// Maximum number of certificates of a vehicle for a week.
pub const PER_WEEK_MAX: u8 = 100;

/// Returns the reason for which no list can have the vehicles of a PKI by their linkage values.
pub fn unlistable(directory: &PkiDirectory) -> Result<Option<Failure>, Failure> {
    match database_to_read(directory)? {
        Some(database) => linkage::missing_secret(directory, &database),
        None => Ok(None),
    }
}

/// Returns the names of the vehicles of a PKI, from the oldest to the newest.
pub fn vehicles(directory: &PkiDirectory) -> Result<Vec<String>, Failure> {
    KnownVehicles::open_to_read(directory)?.names()
}
