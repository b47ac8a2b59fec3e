//! A Unix-domain socket and its file: made with its mode and group, taken over from a dead process,
//! and removed at the end.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Mode};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use super::listen_error::{ListenError, SocketProblem};

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 1024;

/// The file of a socket; dropping it removes the file, if it is still the same one.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    identity: Identity,
}

/// Which file it is: its device and its inode.
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
        remove_stale(path, &address, kind).map_err(wrong)?;
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

/// Removes the file of a socket that no process has open.
fn remove_stale(
    path: &Path,
    address: &SocketAddrUnix,
    kind: SocketType,
) -> Result<(), SocketProblem> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return check_folder(path),
        Err(error) => return Err(SocketProblem::Io(error)),
    };
    if !metadata.file_type().is_socket() {
        return Err(SocketProblem::NotASocket);
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let probe = rustix::net::socket_with(AddressFamily::UNIX, kind, flags, None)
        .map_err(|error| SocketProblem::Io(error.into()))?;
    match rustix::net::connect(&probe, address) {
        Err(rustix::io::Errno::CONNREFUSED) => fs::remove_file(path).map_err(SocketProblem::Io),
        // A full queue (EAGAIN) or a socket of another type (EPROTOTYPE) are of a live process.
        Ok(()) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::PROTOTYPE) => {
            Err(SocketProblem::Live)
        }
        Err(error) => Err(SocketProblem::Io(error.into())),
    }
}

fn check_folder(path: &Path) -> Result<(), SocketProblem> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if folder.is_dir() {
        Ok(())
    } else {
        Err(SocketProblem::NoFolder)
    }
}
