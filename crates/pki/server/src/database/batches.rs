//! Batches of pseudonym certificates, and how far each is.

use rusqlite::{Row, params};

use super::{Database, DatabaseError};

/// The state of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// The batch is requested.
    Requested,
    /// Issued, and ready to be fetched.
    Issued,
    /// Fetched by the vehicle.
    Delivered,
}

const STATES: [(BatchState, &str); 3] = [
    (BatchState::Requested, "requested"),
    (BatchState::Issued, "issued"),
    (BatchState::Delivered, "delivered"),
];

impl BatchState {
    fn name(self) -> &'static str {
        let known = STATES.iter().find(|(state, _)| *state == self);
        known.map_or("", |(_, name)| name)
    }
}

/// The response to one cocoon key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Identifier of the vehicle's request at the registration authority.
    pub vehicle: Vec<u8>,
    /// Period of the key.
    pub i: u32,
    /// The number within the period.
    pub j: u32,
    /// State of the batch.
    pub state: BatchState,
    /// The encrypted response of the pseudonym authority, once there is one.
    pub response: Option<Vec<u8>>,
}

impl Database {
    /// Records new requests, all or none.
    ///
    /// # Errors
    /// [`DatabaseError::AlreadyInBatch`].
    pub fn record_batches(&mut self, batches: &[Batch]) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO batch (vehicle, i, j, state, response) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO NOTHING",
            )?;
            for one in batches {
                let state = one.state.name();
                let row = params![one.vehicle, one.i, one.j, state, one.response];
                if insert.execute(row)? == 0 {
                    return Err(DatabaseError::AlreadyInBatch.into());
                }
            }
            Ok(())
        })
    }

    /// Records how far batches are that are there, all or none. A response stays as it first was,
    /// so that no cocoon key gets two certificates.
    ///
    /// # Errors
    /// [`DatabaseError::AlreadyInBatch`] for another response, or for a batch that is not there.
    pub fn update_batches(&mut self, batches: &[Batch]) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE batch SET state = ?4, response = ?5 WHERE vehicle = ?1 AND i = ?2 AND \
                 j = ?3 AND (response IS NULL OR response IS ?5)",
            )?;
            for one in batches {
                let state = one.state.name();
                let row = params![one.vehicle, one.i, one.j, state, one.response];
                if update.execute(row)? == 0 {
                    return Err(DatabaseError::AlreadyInBatch.into());
                }
            }
            Ok(())
        })
    }

    /// Returns the requests that there are batches of.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn batch_vehicles(&self) -> Result<Vec<Vec<u8>>, DatabaseError> {
        let query = "SELECT DISTINCT vehicle FROM batch ORDER BY vehicle";
        self.rows(query, [], |row| row.get(0))
    }

    /// Returns the last period and the last number of a vehicle's batches from a period on; `None`
    /// if it has none.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn last_batch(
        &self,
        vehicle: &[u8],
        from: u32,
    ) -> Result<Option<(u32, u32)>, DatabaseError> {
        let query = "SELECT max(i), max(j) FROM batch WHERE vehicle = ?1 AND i >= ?2 \
                     HAVING count(*) > 0";
        self.row(query, params![vehicle, from], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    /// Returns the batches of a vehicle's request in a period.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn batches(&self, vehicle: &[u8], i: u32) -> Result<Vec<Batch>, DatabaseError> {
        let query = "SELECT vehicle, i, j, state, response FROM batch WHERE vehicle = ?1 AND \
                     i = ?2 ORDER BY j";
        self.rows(query, params![vehicle, i], read)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Batch> {
    let state: String = row.get(3)?;
    let known = STATES.iter().find(|(_, name)| *name == state);
    Ok(Batch {
        vehicle: row.get(0)?,
        i: row.get(1)?,
        j: row.get(2)?,
        // The table takes no other states.
        state: known.map_or(BatchState::Requested, |(state, _)| *state),
        response: row.get(4)?,
    })
}
