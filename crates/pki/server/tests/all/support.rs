//! Support shared by the tests of the crate.

use std::path::PathBuf;

use tempfile::TempDir;
use waywarden_v2x_pki_service::database::{
    CertificatePurpose, DATABASE, Database, IssuedCertificate, StationRecord, Status,
};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, HashedId10, Time32, Time64};

/// The time of restores: after all that is recorded in a test.
pub(crate) const NOW: Time64 = Time64(800_000_000 * 1_000_000);

/// A folder with a database.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.path(DATABASE)
    }

    pub(crate) fn open(&self) -> Database {
        Database::open(&self.database()).unwrap()
    }
}

pub(crate) fn station(name: &str) -> StationRecord {
    StationRecord {
        canonical_id: name.as_bytes().to_vec(),
        public_key: vec![2; 33],
        profile: "CAM".to_owned(),
        status: Status::Active,
        registered: Time32(700_000_000),
    }
}

/// A certificate whose hashes are made of a number.
pub(crate) fn issued(number: u64, station: Option<&str>) -> IssuedCertificate {
    let id = number.to_be_bytes();
    let mut id_10 = [0xAA; 10];
    id_10[2..].copy_from_slice(&id);
    IssuedCertificate {
        hashed_id_8: HashedId8(id),
        hashed_id_10: HashedId10(id_10),
        issuer: Some(HashedId8([9; 8])),
        kind: CertificatePurpose::AuthorizationTicket,
        holder: "car".to_owned(),
        station: station.map(|name| name.as_bytes().to_vec()),
        start: Time32(700_000_000),
        end: Time32(700_604_800),
        certificate: [&b"certificate "[..], &id].concat(),
    }
}
