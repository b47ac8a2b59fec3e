//! Errors of listening sockets.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// An error of a listening socket.
#[derive(Debug)]
pub enum ListenError {
    /// No socket is configured.
    Nothing,
    /// The mode has bits other than those of permissions.
    Mode(u32),
    /// A Unix-domain socket cannot be made.
    Socket {
        /// Path of the socket.
        path: PathBuf,
        /// Cause of the error.
        problem: SocketProblem,
    },
    /// Other machines reach the TCP address.
    Remote(SocketAddr),
    /// A socket of this name that systemd passes, or should pass.
    Passed(String, PassedSocketError),
    /// The TCP address cannot be listened on.
    Tcp(SocketAddr, io::Error),
}

/// An error in the creation of a Unix-domain socket.
#[derive(Debug)]
pub enum SocketProblem {
    /// The path is too long for a socket.
    PathTooLong,
    /// The folder does not exist.
    NoFolder,
    /// No file can be made in the folder.
    Folder(io::Error),
    /// The file is not a socket.
    NotASocket,
    /// Another process serves it.
    Live,
    /// The file cannot be given to the group.
    Group(u32, io::Error),
    /// The operating system refuses it.
    Io(io::Error),
}

/// An error of a socket that systemd passes.
#[derive(Debug)]
pub enum PassedSocketError {
    /// systemd passes none of this name.
    Missing,
    /// The configuration has no such key.
    NotConfigured,
    /// It is a connection, and not a socket that is listened at.
    NotListening,
    /// It is of another kind, or the operating system refuses it.
    Io(io::Error),
}

impl fmt::Display for PassedSocketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "systemd does not pass it; give its socket unit FileDescriptorName= with this \
                 name, and start that unit before the service",
            ),
            Self::NotConfigured => f.write_str(
                "systemd passes it, and no key of this name is configured; names are stream, \
                 datagram, tcp and http",
            ),
            Self::NotListening => f.write_str("it is a connection; give its unit Accept=no"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for SocketProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PathTooLong => f.write_str("the path is too long; at most 107 bytes fit"),
            Self::NoFolder => f.write_str("the folder does not exist; make it first"),
            Self::Folder(error) => {
                write!(f, "the folder: {error}; let the service's user write to it")
            }
            Self::NotASocket => f.write_str("the file is not a socket; move it or choose another"),
            Self::Live => f.write_str("another process serves it; end it or choose another path"),
            Self::Group(group, error) => write!(
                f,
                "it cannot be given to group {group}: {error}; run the service as a member of it"
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("no socket is configured; configure at least one"),
            Self::Mode(mode) => write!(f, "socket mode {mode:#o}: it may be 0 to 0o777"),
            Self::Socket { path, problem } => write!(f, "socket {}: {problem}", path.display()),
            Self::Remote(address) => write!(
                f,
                "TCP address {address}: other machines could reach it; use 127.0.0.1 or ::1, or \
                 tcp_remote = true if they are to"
            ),
            Self::Passed(name, problem) => write!(f, "socket {name:?} of systemd: {problem}"),
            Self::Tcp(address, error) => write!(f, "TCP address {address}: {error}"),
        }
    }
}

impl std::error::Error for ListenError {}
