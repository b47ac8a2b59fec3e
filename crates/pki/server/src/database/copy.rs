//! Back-ups, made while the database is in use, and their return.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};
use waywarden_v2x_pki::enrolment::EnrolmentLimits;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::error::DatabaseError;
use super::issued::number;
use super::requests::refuse_until;
use super::{Database, connect, file, harden, schema, whole_seconds};

/// Number of pages copied before others have their turn.
const PAGES: i32 = 256;

/// Pause for other users between these pages.
const PAUSE: Duration = Duration::from_millis(1);

/// Most replaced databases that are kept.
const REPLACED_MAX: u32 = 100;

impl Database {
    /// Writes a back-up: one file, for its owner alone, that appears once it is complete and
    /// checked. Its secrets are encrypted as in the database.
    ///
    /// # Errors
    /// [`DatabaseError`]; a file that was there stays then.
    pub fn back_up(&self, target: &Path) -> Result<(), DatabaseError> {
        if file::is_of(target, &self.path) {
            return Err(DatabaseError::OwnFile(target.to_owned()));
        }
        let partial = file::beside(target, ".partial");
        let done = copy(&self.connection, &partial, |_| Ok(()));
        let done = done.and_then(|()| file::place(&partial, target));
        if done.is_err() {
            let _ = file::remove(&partial);
        }
        done
    }
}

/// Replaces the database at a path by a back-up, which is checked first. What was there stays
/// beside it, with the ending `.replaced`, and is returned: `.replaced.2` and so on where earlier
/// ones are. A back-up in which the certificate `root` is not recorded is of another PKI: its
/// secrets and stations would take the place of this one's.
///
/// Answers of after the back-up are not known: requests that were made before `now`, or
/// before one that the replaced database has, are refused from then on. Stations that the replaced
/// database has as blocked stay blocked. The database records that it was restored: see
/// [`Database::restored`].
///
/// # Errors
/// [`DatabaseError::InUse`] while another process has the database open, and [`DatabaseError`] of
/// the back-up; the database is as it was then.
pub fn restore(
    path: &Path,
    from: &Path,
    root: Option<HashedId8>,
    now: Time64,
) -> Result<Option<PathBuf>, DatabaseError> {
    file::check_plain(path)?;
    let _lock = file::lock_exclusive(path)?;
    let failed = |error| DatabaseError::of(from, error);
    // A back-up is read as it is, and may be on a medium that cannot be written.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags).map_err(failed)?;
    harden(&source).map_err(failed)?;
    let snapshot = source.unchecked_transaction().map_err(failed)?;
    if schema::check_origin(&snapshot, from)? == 0 {
        return Err(DatabaseError::Foreign(from.to_owned()));
    }
    schema::check_whole(&snapshot, from)?;
    if let Some(root) = root {
        let query = "SELECT count(*) FROM issued WHERE hashed_id_8 = ?1";
        let count = snapshot.query_row(query, [root.0], |row| row.get::<_, i64>(0));
        if count.map_err(failed)? == 0 {
            return Err(DatabaseError::OtherPki(from.to_owned()));
        }
    }
    drop(snapshot);
    let partial = file::beside(path, ".partial");
    let surviving = Surviving::read(path);
    let done = copy(&source, &partial, |copied| {
        schema::prepare(copied, &partial)?;
        let kept = surviving.keep(copied, now);
        kept.map_err(|error| DatabaseError::of(&partial, error))
    });
    let done = done
        .and_then(|()| retire(path))
        .and_then(|kept| file::place(&partial, path).map(|()| kept));
    if done.is_err() {
        let _ = file::remove(&partial);
    }
    done
}

/// Facts of the replaced database that stay.
#[derive(Default)]
struct Surviving {
    /// Latest generation time of a request that it knows.
    answered_until: i64,
    /// Stations that may not ask: a back-up does not know those that were blocked after it.
    blocked: Vec<Vec<u8>>,
}

impl Surviving {
    /// Reads as much as can be read: the database may be damaged, which is why it is replaced.
    fn read(path: &Path) -> Self {
        let Ok(connection) = connect(path) else {
            return Self::default();
        };
        let query = "SELECT max(until) FROM (SELECT until FROM forgotten
                     UNION ALL SELECT max(generated) FROM request)";
        let read = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0);
        let until = connection.query_row(query, [], read).ok().flatten();
        let blocked = || {
            let query = "SELECT canonical_id FROM station WHERE status = 'blocked'";
            let mut select = connection.prepare(query)?;
            let rows = select.query_map([], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<Vec<u8>>>>()
        };
        Self {
            answered_until: until.unwrap_or(0),
            blocked: blocked().unwrap_or_default(),
        }
    }

    /// Brings it into a copy that takes the place of the database, and records that it does.
    fn keep(&self, copied: &mut Connection, now: Time64) -> rusqlite::Result<()> {
        let transaction = copied.transaction()?;
        // Requests may be from so long after the time of this computer.
        let until = now.0.saturating_add(EnrolmentLimits::DEFAULT.future);
        refuse_until(&transaction, number(Time64(until)).max(self.answered_until))?;
        for station in &self.blocked {
            let block = "UPDATE station SET status = 'blocked' WHERE canonical_id = ?1";
            transaction.execute(block, [station])?;
        }
        transaction.execute(
            "INSERT INTO restored (time, last_secret)
             VALUES (?1, (SELECT coalesce(max(id), 0) FROM secret))",
            [whole_seconds(now).0],
        )?;
        transaction.commit()
    }
}

/// Copies a database into a new file, changes the copy, and checks it.
fn copy(
    source: &Connection,
    target: &Path,
    change: impl FnOnce(&mut Connection) -> Result<(), DatabaseError>,
) -> Result<(), DatabaseError> {
    // What an ended process left.
    for ending in ["", "-journal", "-wal", "-shm"] {
        file::remove(&file::beside(target, ending))?;
    }
    file::create_private(target)?;
    let failed = |error| DatabaseError::of(target, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copied = Connection::open_with_flags(target, flags).map_err(failed)?;
    let backup = Backup::new(source, &mut copied).map_err(failed)?;
    let run = backup.run_to_completion(PAGES, PAUSE, None);
    run.map_err(failed)?;
    drop(backup);
    change(&mut copied)?;
    // One file, without a log beside it.
    let set = copied.pragma_update(None, "journal_mode", "DELETE");
    set.map_err(failed)?;
    schema::check_whole(&copied, target)?;
    copied.close().map_err(|(_, error)| failed(error))
}

/// Brings a database into one file, and gives that a second name, which is returned. A log of it
/// must not be there when another file takes its place: SQLite would apply it to that.
fn retire(path: &Path) -> Result<Option<PathBuf>, DatabaseError> {
    let replaced = replaced(path)?;
    if let Ok(connection) = connect(path) {
        let _ = connection.pragma_update(None, "journal_mode", "DELETE");
    }
    let mut kept = None;
    for ending in ["", "-wal", "-journal"] {
        let (own, name) = (file::beside(path, ending), file::beside(&replaced, ending));
        file::remove(&name)?;
        if own.exists() {
            std::fs::hard_link(&own, &name).map_err(DatabaseError::file(&name))?;
            kept = Some(replaced.clone());
        }
    }
    for ending in ["-wal", "-shm", "-journal"] {
        file::remove(&file::beside(path, ending))?;
    }
    Ok(kept)
}

/// The name that what is replaced gets: one that is free, or that an ended process gave to it.
fn replaced(path: &Path) -> Result<PathBuf, DatabaseError> {
    let first = file::beside(path, ".replaced");
    let others = (2..=REPLACED_MAX).map(|number| file::beside(&first, &format!(".{number}")));
    let mut names = std::iter::once(first.clone()).chain(others);
    let is_free = |name: &PathBuf| {
        let is_there = |ending: &str| file::beside(name, ending).symlink_metadata().is_ok();
        file::is_same(name, path) || !["", "-wal", "-journal"].into_iter().any(is_there)
    };
    let free = names.find(is_free);
    free.ok_or(DatabaseError::ManyReplaced(first))
}
