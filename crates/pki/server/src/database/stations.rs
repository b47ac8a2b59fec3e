//! Registered stations: who may ask for certificates, and for which.

use rusqlite::{Row, params};
use waywarden_v2x_wire::ieee1609dot2::Time32;

use super::{Database, DatabaseError};

/// Permission of a station to request certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The station may request certificates.
    Active,
    /// The station may no longer request certificates.
    Blocked,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked => "blocked",
        }
    }
}

/// A registered station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StationRecord {
    /// Canonical identifier, assigned by the manufacturer \[TS 102 941 §6.1.3\].
    pub canonical_id: Vec<u8>,
    /// The public key of its canonical key pair: an encoded `PublicVerificationKey`.
    pub public_key: Vec<u8>,
    /// Certificates that it may request, as text of the caller.
    pub profile: String,
    /// Permission to request certificates.
    pub status: Status,
    /// Time of registration.
    pub registered: Time32,
}

const COLUMNS: &str = "canonical_id, public_key, profile, status, registered";

impl Database {
    /// Registers a station.
    ///
    /// # Errors
    /// [`DatabaseError::AlreadyRegistered`] for a canonical identifier that is there.
    pub fn register(&mut self, station: &StationRecord) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO station (canonical_id, public_key, profile, status, registered)
                 VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (canonical_id) DO NOTHING",
            )?;
            let inserted = insert.execute(params![
                station.canonical_id,
                station.public_key,
                station.profile,
                station.status.name(),
                station.registered.0
            ])?;
            match inserted {
                0 => Err(DatabaseError::AlreadyRegistered(station.canonical_id.clone()).into()),
                _ => Ok(()),
            }
        })
    }

    /// Returns the station with a canonical identifier.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn station(&self, canonical_id: &[u8]) -> Result<Option<StationRecord>, DatabaseError> {
        let query = format!("SELECT {COLUMNS} FROM station WHERE canonical_id = ?1");
        self.row(&query, [canonical_id], read)
    }

    /// Refuses a public key that another station has.
    ///
    /// # Errors
    /// [`DatabaseError::SameKey`] with that station.
    pub fn check_key(&self, station: &StationRecord) -> Result<(), DatabaseError> {
        let query = "SELECT canonical_id FROM station WHERE public_key = ?1 AND canonical_id <> ?2";
        let own = params![station.public_key, station.canonical_id];
        match self.row(query, own, |row| row.get(0))? {
            Some(other) => Err(DatabaseError::SameKey(other)),
            None => Ok(()),
        }
    }

    /// Returns all stations, in the order of their registration.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn stations(&self) -> Result<Vec<StationRecord>, DatabaseError> {
        self.rows(
            &format!("SELECT {COLUMNS} FROM station ORDER BY id"),
            [],
            read,
        )
    }

    /// Lets a station ask, or no longer.
    ///
    /// # Errors
    /// [`DatabaseError::UnknownStation`].
    pub fn set_status(&mut self, canonical_id: &[u8], status: Status) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let update = "UPDATE station SET status = ?2 WHERE canonical_id = ?1";
            match transaction.execute(update, params![canonical_id, status.name()])? {
                0 => Err(DatabaseError::UnknownStation(canonical_id.to_vec()).into()),
                _ => Ok(()),
            }
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StationRecord> {
    let status: String = row.get(3)?;
    Ok(StationRecord {
        canonical_id: row.get(0)?,
        public_key: row.get(1)?,
        profile: row.get(2)?,
        status: match status == Status::Active.name() {
            true => Status::Active,
            false => Status::Blocked,
        },
        registered: Time32(row.get(4)?),
    })
}
