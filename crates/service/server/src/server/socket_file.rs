//! A Unix-domain socket and its file: made with its mode and group, taken over from a dead process,
//! and removed at the end.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Gid, Mode};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use super::listen_error::{ListenError, SocketProblem};
use waywarden_v2x_recording::folder;

/// Most connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// The file of a socket; dropping it removes the file, if it is still the same one.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    identity: Identity,
}

/// Identity of a file: its device and its inode.
type Identity = (u64, u64);

impl SocketFile {
    /// Makes a socket that is bound to a path, and listens if it is a stream.
    pub(super) fn create(
        path: &Path,
        kind: SocketType,
        mode: u32,
        group: Option<u32>,
    ) -> Result<(OwnedFd, Self), ListenError> {
        let wrong = |problem| ListenError::Socket {
            path: path.to_owned(),
            problem,
        };
        let failed = |error: rustix::io::Errno| wrong(SocketProblem::Io(error.into()));
        let address = SocketAddrUnix::new(path).map_err(|_| wrong(SocketProblem::PathTooLong))?;
        if is_stale(path, &address, kind).map_err(wrong)? {
            let removed = fs::remove_file(path);
            removed.map_err(|error| wrong(SocketProblem::Io(error)))?;
        }
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, kind, flags, None);
        let socket = socket.map_err(failed)?;
        if kind == SocketType::DGRAM {
            // Before a datagram can come: the kernel then says of each one who sent it.
            rustix::net::sockopt::set_socket_passcred(&socket, true).map_err(failed)?;
        }
        // Linux gives the file of the socket at most this mode: until the group is set, only the
        // owner can connect.
        rustix::fs::fchmod(&socket, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        rustix::net::bind(&socket, &address).map_err(failed)?;
        let identity = identity(path).map_err(|error| wrong(SocketProblem::Io(error)))?;
        let file = Self {
            path: path.to_owned(),
            identity,
        };
        if let Some(group) = group {
            let changed = rustix::fs::chown(path, None, Some(Gid::from_raw(group)));
            changed.map_err(|error| wrong(SocketProblem::Group(group, error.into())))?;
        }
        rustix::fs::chmod(path, Mode::from_raw_mode(mode)).map_err(failed)?;
        if kind == SocketType::STREAM {
            rustix::net::listen(&socket, BACKLOG).map_err(failed)?;
        }
        Ok((socket, file))
    }

    /// Finds why a socket could not be made at a path. No file is made or removed.
    pub(super) fn check(
        path: &Path,
        kind: SocketType,
        group: Option<u32>,
    ) -> Result<(), ListenError> {
        let check = || {
            let address = SocketAddrUnix::new(path).map_err(|_| SocketProblem::PathTooLong)?;
            is_stale(path, &address, kind)?;
            let access = Access::WRITE_OK | Access::EXEC_OK;
            folder::check(folder_of(path), access).map_err(SocketProblem::Folder)?;
            match group {
                Some(group) if !may_give_to(group) => {
                    let error = rustix::io::Errno::PERM;
                    Err(SocketProblem::Group(group, error.into()))
                }
                _ => Ok(()),
            }
        };
        check().map_err(|problem| ListenError::Socket {
            path: path.to_owned(),
            problem,
        })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_own = identity(&self.path).is_ok_and(|now| now == self.identity);
        if is_own && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "the socket's file stays");
        }
    }
}

fn identity(path: &Path) -> io::Result<Identity> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Returns true if a path has the file of a socket that no process has open; it may be removed.
/// Fails if a socket cannot take its place.
fn is_stale(
    path: &Path,
    address: &SocketAddrUnix,
    kind: SocketType,
) -> Result<bool, SocketProblem> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match folder_of(path).is_dir() {
                true => Ok(false),
                false => Err(SocketProblem::NoFolder),
            };
        }
        Err(error) => return Err(SocketProblem::Io(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(SocketProblem::NotASocket);
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let probe = rustix::net::socket_with(AddressFamily::UNIX, kind, flags, None)
        .map_err(|error| SocketProblem::Io(error.into()))?;
    match rustix::net::connect(&probe, address) {
        Err(rustix::io::Errno::CONNREFUSED) => Ok(true),
        // A full queue (EAGAIN) or a socket of another type (EPROTOTYPE) are of a live process.
        Ok(()) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::PROTOTYPE) => {
            Err(SocketProblem::Live)
        }
        Err(error) => Err(SocketProblem::Io(error.into())),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns true if this process may give its files to a group: root may, and its members.
fn may_give_to(group: u32) -> bool {
    let group = Gid::from_raw(group);
    let groups = rustix::process::getgroups().unwrap_or_default();
    rustix::process::geteuid().is_root()
        || rustix::process::getegid() == group
        || groups.contains(&group)
}
