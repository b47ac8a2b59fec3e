//! Record of restores from back-ups.
//!
//! The database does not know what happened since the back-up. Secrets that it had then may
//! have been used meanwhile: their users have to assume all that was possible.

use rusqlite::params;
use waywarden_v2x_wire::ieee1609dot2::Time32;

use super::{Database, DatabaseError, SecretKind};

impl Database {
    /// Returns the time of the last restore from a back-up; `None` if there was none.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn restored(&self) -> Result<Option<Time32>, DatabaseError> {
        let query = "SELECT time FROM restored ORDER BY id DESC LIMIT 1";
        let time: Option<u32> = self.row(query, [], |row| row.get(0))?;
        Ok(time.map(Time32))
    }

    /// Returns true if a secret is from before the database was restored last, so that it may have
    /// been used in ways that the database does not know.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn is_restored_secret(&self, kind: SecretKind, name: &[u8]) -> Result<bool, DatabaseError> {
        let query = "SELECT id FROM secret WHERE kind = ?1 AND name = ?2
                     AND id <= (SELECT max(last_secret) FROM restored)";
        let found = self.row(query, params![kind.name(), name], |row| {
            row.get::<_, i64>(0)
        })?;
        Ok(found.is_some())
    }
}
