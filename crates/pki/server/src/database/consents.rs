//! The enrolment authority's consents: how many tickets a station may have, without which.

use rusqlite::{Transaction, params};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::issued::number;
use super::{Database, DatabaseError, Fault, issued};

/// A consent to a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// The canonical identifier of the registered station.
    pub station: Vec<u8>,
    /// Start of the ticket's validity.
    pub start: Time64,
    /// End of its validity (exclusive).
    pub end: Time64,
}

impl Database {
    /// Returns the number of consented tickets that are valid at some moment of a period.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn consents(
        &self,
        canonical_id: &[u8],
        start: Time64,
        end: Time64,
    ) -> Result<u32, DatabaseError> {
        let query = "SELECT count(*) FROM consent JOIN station ON station.id = consent.station \
                     WHERE canonical_id = ?1 AND consent.end > ?2 AND consent.start < ?3";
        let period = params![canonical_id, number(start), number(end)];
        Ok(self
            .row(query, period, |row| row.get(0))?
            .unwrap_or_default())
    }
}

/// Records a consent in a change.
pub(super) fn record(transaction: &Transaction<'_>, consent: &Consent) -> Result<(), Fault> {
    let station = issued::station(transaction, &consent.station)?;
    let insert = "INSERT INTO consent (station, start, end) VALUES (?1, ?2, ?3)";
    let mut insert = transaction.prepare_cached(insert)?;
    insert.execute(params![station, number(consent.start), number(consent.end)])?;
    Ok(())
}
