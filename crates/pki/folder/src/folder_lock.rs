//! The lock of a folder against other processes of this program.

use std::fs::File;
#[cfg(unix)]
use std::fs::TryLockError;
#[cfg(unix)]
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use waywarden_command_line::exit::Failure;
#[cfg(unix)]
use waywarden_command_line::{interruption, messages, terminal::plain_lines};

/// Time between two attempts to lock a folder, where the wait can be ended.
#[cfg(unix)]
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Locks a folder against other processes of this program, until the file is dropped.
#[cfg(unix)]
pub fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    let failed = |error: io::Error| Failure::file(folder.display(), &error);
    let file = File::open(folder).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        // A caller that can end the wait tells its user of it by itself.
        Err(TryLockError::WouldBlock) if interruption::is_possible() => {
            wait(&file).map_err(|reason| match reason {
                Waited::Ended(ended) => ended.prefixed(&format!(
                    "{}: waiting for another process that changes it: ",
                    folder.display()
                )),
                Waited::Failed(error) => failed(error),
            })?;
        }
        Err(TryLockError::WouldBlock) => {
            let name = folder.display().to_string();
            messages::status(format_args!(
                "waiting for another command on {}",
                plain_lines(&name)
            ));
            file.lock().map_err(failed)?;
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    Ok(Some(file))
}

/// Reason why a folder is not locked.
#[cfg(unix)]
enum Waited {
    Ended(Failure),
    Failed(io::Error),
}

/// Waits for a lock, and asks every few milliseconds if the wait is ended.
#[cfg(unix)]
fn wait(file: &File) -> Result<(), Waited> {
    loop {
        interruption::check().map_err(Waited::Ended)?;
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_AGAIN),
            Err(TryLockError::Error(error)) => return Err(Waited::Failed(error)),
        }
    }
}

/// Elsewhere folders cannot be locked: run one command at a time.
#[cfg(not(unix))]
pub fn lock(_: &Path) -> Result<Option<File>, Failure> {
    Ok(None)
}
