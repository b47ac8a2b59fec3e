//! Memory that survives a reset: what a node asks to retain.
//!
//! [`RetainedStore::keep`] returns only when the value is safe, so that the node can be notified.
//! The directory store survives a crash of the process or of the machine at any moment: a slot
//! holds its old value or its new one. It does not hide or authenticate what it keeps; its files
//! are readable by their owner alone.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use waywarden_can::node::{Retained, Slot};

use crate::error::StoreError;

#[cfg(test)]
mod tests;

/// The place where retained memory is kept.
pub trait RetainedStore {
    /// Returns everything kept, in order of slot.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read back.
    fn load(&mut self) -> Result<Vec<(Slot, Retained)>, StoreError>;

    /// Keeps a value, and returns once it is safe.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be made safe; the slot then holds its old or its new value.
    fn keep(&mut self, slot: Slot, value: &Retained) -> Result<(), StoreError>;
}

/// A store in memory: survives a reboot of the node, not the end of the process.
#[derive(Clone, Debug, Default)]
pub struct Volatile(Vec<(Slot, Retained)>);

/// A store in a directory: one file of 32 bytes for each slot.
#[derive(Debug)]
pub struct DirectoryStore {
    path: PathBuf,
    /// Held locked as long as the store lives.
    _lock: File,
}

impl RetainedStore for Volatile {
    fn load(&mut self) -> Result<Vec<(Slot, Retained)>, StoreError> {
        Ok(self.0.clone())
    }

    fn keep(&mut self, slot: Slot, value: &Retained) -> Result<(), StoreError> {
        match self.0.binary_search_by_key(&slot, |&(slot, _)| slot) {
            Ok(at) => self.0[at].1 = *value,
            Err(at) => self.0.insert(at, (slot, *value)),
        }
        Ok(())
    }
}

impl DirectoryStore {
    /// Opens the store in a directory, which is made if it is missing, and locks it.
    ///
    /// # Errors
    /// [`StoreError::Busy`] while another store uses the directory, [`StoreError::Io`] when it
    /// cannot be made or opened.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&path)
            .map_err(failed(&path, "make the directory"))?;
        let at = path.join("lock");
        let lock = private()
            .open(&at)
            .map_err(failed(&at, "open the lock file"))?;
        match lock.try_lock() {
            Ok(()) => Ok(DirectoryStore { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy { path: at }),
            Err(TryLockError::Error(source)) => Err(failed(&at, "lock the file")(source)),
        }
    }

    fn file(&self, slot: Slot) -> PathBuf {
        self.path.join(format!("slot-{:03}", slot.0))
    }
}

impl RetainedStore for DirectoryStore {
    fn load(&mut self) -> Result<Vec<(Slot, Retained)>, StoreError> {
        let mut kept = Vec::new();
        for slot in (0..=u8::MAX).map(Slot) {
            if let Some(value) = read(&self.file(slot))? {
                kept.push((slot, value));
            }
        }
        Ok(kept)
    }

    fn keep(&mut self, slot: Slot, value: &Retained) -> Result<(), StoreError> {
        let (path, fresh) = (self.file(slot), self.path.join("fresh"));
        let mut file = private()
            .truncate(true)
            .open(&fresh)
            .map_err(failed(&fresh, "open the file"))?;
        file.write_all(value)
            .map_err(failed(&fresh, "write the file"))?;
        // The order matters: the bytes are on the disk before the name points to them, and the
        // name before the call returns.
        file.sync_all()
            .map_err(failed(&fresh, "flush the file to the disk"))?;
        fs::rename(&fresh, &path).map_err(failed(&path, "rename the new file"))?;
        File::open(&self.path)
            .and_then(|directory| directory.sync_all())
            .map_err(failed(&self.path, "flush the directory to the disk"))
    }
}

/// Reads one slot's file; None if there is none.
fn read(path: &Path) -> Result<Option<Retained>, StoreError> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed(path, "open the file"))?,
    };
    let length = file
        .metadata()
        .map_err(failed(path, "read the file's length"))?
        .len();
    let mut value = Retained::default();
    if length != value.len() as u64 {
        let path = path.to_owned();
        return Err(StoreError::Damaged { path, length });
    }
    file.read_exact(&mut value)
        .map_err(failed(path, "read the file"))?;
    Ok(Some(value))
}

/// Opens for writing, makes if missing, for the owner alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn failed(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io {
        path,
        doing,
        source,
    }
}
