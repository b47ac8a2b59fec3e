//! Giving up the privileges of root.
//!
//! Linux keeps users and groups for each thread, and a new thread inherits those of the one that
//! starts it. So the process gives them up while it has one thread, which is checked, after its
//! sockets and keys are open and before its workers start. No C library call is needed, and so no
//! unsafe code. A unit of systemd does the same with `User=` before the process begins, which is
//! better where it can be had: the process is never root.

use std::fmt;

use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use rustix::thread::{set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use waywarden_host::memory::{MemoryError, protect_memory};

use crate::config::{Account, AccountError, ProcessSection, group_id, user};

/// A failure to give up privileges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivilegeError {
    /// `user` or `group` is not known.
    Account(AccountError),
    /// A user without an entry in /etc/passwd, and no group for it.
    NoGroup(String),
    /// Only root can become another user.
    NotRoot(String),
    /// Other threads would keep the privileges.
    Threads(usize),
    /// The system refuses a step.
    System(&'static str, Errno),
    /// The privileges can be had back.
    NotGivenUp,
}

impl fmt::Display for PrivilegeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(error) => write!(f, "[service] {error}"),
            Self::NoGroup(user) => write!(
                f,
                "[service] user {user:?} is not in /etc/passwd; give its group, too"
            ),
            Self::NotRoot(user) => write!(
                f,
                "[service] user {user:?}: only root can become another user; start the service as \
                 root, or leave user out and have systemd start it with User="
            ),
            Self::Threads(count) => write!(
                f,
                "the process has {count} threads, and only one may be there when it gives up root"
            ),
            Self::System(step, errno) => write!(
                f,
                "{step}: {errno}; leave [service] user out, and have systemd start the service \
                 with User= or DynamicUser="
            ),
            Self::NotGivenUp => f.write_str(
                "the process could become root again; have systemd start it with User= or \
                 DynamicUser=",
            ),
        }
    }
}

impl std::error::Error for PrivilegeError {}

impl From<MemoryError> for PrivilegeError {
    fn from(error: MemoryError) -> Self {
        Self::System(error.step, error.errno)
    }
}

/// The user and groups that the process changes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    uid: u32,
    gid: u32,
    groups: Vec<u32>,
}

impl Target {
    /// Finds who the process is to be; `None` if it stays who it is.
    ///
    /// # Errors
    /// [`PrivilegeError::Account`], [`PrivilegeError::NoGroup`], [`PrivilegeError::NotRoot`].
    pub fn of(settings: &ProcessSection) -> Result<Option<Self>, PrivilegeError> {
        let Some(name) = &settings.user else {
            return Ok(None);
        };
        let Account { uid, gid, groups } = user(name).map_err(PrivilegeError::Account)?;
        let group = settings.group.as_deref().map(group_id).transpose();
        let gid = group.map_err(PrivilegeError::Account)?.or(gid);
        let gid = gid.ok_or_else(|| PrivilegeError::NoGroup(name.clone()))?;
        let own = rustix::process::geteuid().as_raw();
        match own {
            0 if uid != 0 => Ok(Some(Self { uid, gid, groups })),
            _ if own == uid => Ok(None),
            _ => Err(PrivilegeError::NotRoot(name.clone())),
        }
    }

    /// Returns the number of the user.
    #[must_use]
    pub fn uid(&self) -> u32 {
        self.uid
    }

    /// Becomes this user, for good.
    ///
    /// # Errors
    /// [`PrivilegeError`]; then the process must not go on.
    pub fn become_it(&self) -> Result<(), PrivilegeError> {
        let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
        if threads != 1 {
            return Err(PrivilegeError::Threads(threads));
        }
        let failed = |step| move |errno| PrivilegeError::System(step, errno);
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        let mut groups = vec![gid];
        groups.extend(self.groups.iter().copied().map(Gid::from_raw));
        groups.sort_by_key(|one| one.as_raw());
        groups.dedup();
        set_thread_groups(&groups).map_err(failed("setgroups"))?;
        set_thread_res_gid(gid, gid, gid).map_err(failed("setresgid"))?;
        set_thread_res_uid(uid, uid, uid).map_err(failed("setresuid"))?;
        self.check()
    }

    /// Checks that the process is this user, and cannot become root again.
    fn check(&self) -> Result<(), PrivilegeError> {
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        let is_user = rustix::process::getuid() == uid && rustix::process::geteuid() == uid;
        let is_group = rustix::process::getgid() == gid && rustix::process::getegid() == gid;
        let may_return = set_thread_res_uid(Uid::ROOT, Uid::ROOT, Uid::ROOT).is_ok()
            || set_thread_groups(&[]).is_ok();
        match is_user && is_group && !may_return {
            true => Ok(()),
            false => Err(PrivilegeError::NotGivenUp),
        }
    }
}

/// Returns true if the process is root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Lets no program that the process starts gain privileges, and protects its memory as
/// [`protect_memory`] does.
///
/// # Errors
/// The system's.
pub fn harden() -> Result<(), PrivilegeError> {
    let failed = |step| move |errno| PrivilegeError::System(step, errno);
    set_no_new_privs(true).map_err(failed("no_new_privs"))?;
    Ok(protect_memory()?)
}
