//! Keeping keys out of core dumps and swap space, and out of reach of other processes.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use rustix::mm::{MlockAllFlags, mlockall};
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit,
};

/// Refusal of the system to protect the memory of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryError {
    /// The step that it refuses.
    pub step: &'static str,
    /// Its error.
    pub errno: Errno,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, errno } = self;
        write!(f, "{step}: {errno}")
    }
}

impl std::error::Error for MemoryError {}

/// Lets no other process of the same user read the memory of this one, no core dump have its keys,
/// and, where the limit of locked memory is or can be lifted, no swap space. To be called before a
/// key or a passphrase is read; once more changes nothing.
///
/// # Errors
/// The system's, but not of memory that cannot be locked: [`is_memory_locked`] says so.
pub fn protect_memory() -> Result<(), MemoryError> {
    let failed = |step| move |errno| MemoryError { step, errno };
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed("dumpable"))?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none).map_err(failed("limit of core files"))?;
    MEMORY_IS_LOCKED.store(lock_memory(), Ordering::Relaxed);
    Ok(())
}

/// True if [`protect_memory`] locked the memory of the process.
#[must_use]
pub fn is_memory_locked() -> bool {
    MEMORY_IS_LOCKED.load(Ordering::Relaxed)
}

static MEMORY_IS_LOCKED: AtomicBool = AtomicBool::new(false);

/// Locks the process's present and future memory, page by page as it is used. Only where no limit
/// applies: with a limit, an allocation beyond it would end the process.
fn lock_memory() -> bool {
    let unlimited = Rlimit {
        current: None,
        maximum: None,
    };
    let is_unlimited = getrlimit(Resource::Memlock).current.is_none()
        || setrlimit(Resource::Memlock, unlimited).is_ok();
    let all = MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT;
    is_unlimited && mlockall(all).is_ok()
}

#[cfg(test)]
mod tests {
    use rustix::process::dumpable_behavior;

    use super::*;

    #[test]
    fn protected_process_has_no_core_and_is_not_dumpable() {
        protect_memory().unwrap();
        protect_memory().unwrap();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
        let core = getrlimit(Resource::Core);
        assert_eq!((core.current, core.maximum), (Some(0), Some(0)));
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let locked = status
            .lines()
            .find(|line| line.starts_with("VmLck:"))
            .unwrap();
        let has_none = locked.split_whitespace().nth(1) == Some("0");
        assert_eq!(is_memory_locked(), !has_none, "{locked}");
    }
}
