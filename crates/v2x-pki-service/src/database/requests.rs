//! Answered requests: the memory against replays.

use rusqlite::params;
use waywarden_v2x_wire::ieee1609dot2::Time32;

use super::consents::{self, Consent};
use super::issued::{self, Issued};
use super::{Database, DatabaseError};

/// A request and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// SHA-256 of the request.
    pub hash: [u8; 32],
    /// When it came.
    pub received: Time32,
    /// The response, encoded.
    pub response: Vec<u8>,
}

impl Database {
    /// Records an answer with the certificates and consents in it, all or nothing. The response may
    /// leave once this returns.
    ///
    /// # Errors
    /// [`DatabaseError::AlreadyAnswered`] for a request that was answered meanwhile,
    /// [`DatabaseError::AlreadyIssued`], [`DatabaseError::UnknownStation`].
    pub fn record_answer(
        &mut self,
        answer: &Answer,
        issued: &[Issued],
        consents: &[Consent],
    ) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO request (hash, received, response) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO NOTHING",
            )?;
            let row = params![answer.hash, answer.received.0, answer.response];
            if insert.execute(row)? == 0 {
                return Err(DatabaseError::AlreadyAnswered.into());
            }
            let mut issued = issued.iter();
            issued.try_for_each(|one| issued::record(transaction, one))?;
            let mut consents = consents.iter();
            consents.try_for_each(|one| consents::record(transaction, one))
        })
    }

    /// Returns what a request was answered.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn answer(&self, hash: &[u8; 32]) -> Result<Option<Answer>, DatabaseError> {
        let query = "SELECT hash, received, response FROM request WHERE hash = ?1";
        self.row(query, [hash], |row| {
            Ok(Answer {
                hash: row.get(0)?,
                received: Time32(row.get(1)?),
                response: row.get(2)?,
            })
        })
    }

    /// Returns how many answers are remembered.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn answers(&self) -> Result<u64, DatabaseError> {
        let query = "SELECT count(*) FROM request";
        let count: Option<i64> = self.row(query, [], |row| row.get(0))?;
        Ok(count.unwrap_or_default().unsigned_abs())
    }

    /// Forgets the requests that came before a time, which are refused as too old. Returns their
    /// number. What was issued stays.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn forget_requests(&mut self, before: Time32) -> Result<usize, DatabaseError> {
        self.change(|transaction| {
            let delete = "DELETE FROM request WHERE received < ?1";
            Ok(transaction.execute(delete, [before.0])?)
        })
    }
}
