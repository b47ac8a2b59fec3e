//! Answered requests: the memory against replays.
//!
//! An answer that is forgotten raises the time up to which requests are refused for good, in the
//! same transaction. So a request is never answered twice, whatever the clock does: one that jumps
//! ahead has answers forgotten, and once it is back their requests are refused.

use rusqlite::{OptionalExtension as _, Transaction, params};
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};

use super::consents::{self, Consent};
use super::issued::{self, IssuedCertificate, number};
use super::{Database, DatabaseError, Fault};

/// A request and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredRequest {
    /// SHA-256 of the request.
    pub hash: [u8; 32],
    /// Generation time of the request; 0 if another authority remembers it.
    pub generated: Time64,
    /// Time of reception.
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
    /// [`DatabaseError::Forgotten`] for one from a time whose answers are forgotten,
    /// [`DatabaseError::AlreadyIssued`], [`DatabaseError::UnknownStation`].
    pub fn record_answer(
        &mut self,
        answer: &AnsweredRequest,
        issued: &[IssuedCertificate],
        consents: &[Consent],
    ) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let generated = number(answer.generated);
            if generated > 0 && forgotten(transaction)?.is_some_and(|until| generated <= until) {
                return Err(DatabaseError::Forgotten.into());
            }
            let mut insert = transaction.prepare_cached(
                "INSERT INTO request (hash, generated, received, response) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
            )?;
            let received = answer.received.0;
            let row = params![answer.hash, generated, received, answer.response];
            if insert.execute(row)? == 0 {
                return Err(DatabaseError::AlreadyAnswered.into());
            }
            let mut issued = issued.iter();
            issued.try_for_each(|one| issued::record(transaction, one))?;
            let mut consents = consents.iter();
            consents.try_for_each(|one| consents::record(transaction, one))
        })
    }

    /// Returns the answer to a request.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn answer(&self, hash: &[u8; 32]) -> Result<Option<AnsweredRequest>, DatabaseError> {
        let query = "SELECT hash, generated, received, response FROM request WHERE hash = ?1";
        self.row(query, [hash], |row| {
            Ok(AnsweredRequest {
                hash: row.get(0)?,
                generated: Time64(row.get::<_, i64>(1)?.unsigned_abs()),
                received: Time32(row.get(2)?),
                response: row.get(3)?,
            })
        })
    }

    /// Returns the number of remembered answers.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn answers(&self) -> Result<u64, DatabaseError> {
        let query = "SELECT count(*) FROM request";
        let count: Option<i64> = self.row(query, [], |row| row.get(0))?;
        Ok(count.unwrap_or_default().unsigned_abs())
    }

    /// Returns the latest generation time of all requests whose answers were forgotten; `None` if
    /// none was. Requests from then or before are refused.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn forgotten_until(&self) -> Result<Option<Time64>, DatabaseError> {
        let until: Option<i64> = self.row(FORGOTTEN, [], |row| row.get(0))?;
        Ok(until.map(|until| Time64(until.unsigned_abs())))
    }

    /// Forgets the requests that came before a time: they, and all that were made as early, are
    /// refused from then on. Returns their number. What was issued stays.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn forget_requests(&mut self, before: Time32) -> Result<usize, DatabaseError> {
        self.change(|transaction| {
            let latest = "SELECT max(generated) FROM request WHERE received < ?1";
            let latest: Option<i64> =
                transaction.query_row(latest, [before.0], |row| row.get(0))?;
            if let Some(latest) = latest {
                refuse_until(transaction, latest)?;
            }
            let delete = "DELETE FROM request WHERE received < ?1";
            Ok(transaction.execute(delete, [before.0])?)
        })
    }
}

const FORGOTTEN: &str = "SELECT until FROM forgotten";

fn forgotten(transaction: &Transaction<'_>) -> Result<Option<i64>, Fault> {
    let mut select = transaction.prepare_cached(FORGOTTEN)?;
    Ok(select.query_row([], |row| row.get(0)).optional()?)
}

/// Has requests refused that were made until a time, which only rises.
pub(super) fn refuse_until(transaction: &Transaction<'_>, until: i64) -> rusqlite::Result<()> {
    let raise = "INSERT INTO forgotten (id, until) VALUES (1, ?1)
                 ON CONFLICT (id) DO UPDATE SET until = max(until, excluded.until)";
    transaction.execute(raise, [until]).map(drop)
}
