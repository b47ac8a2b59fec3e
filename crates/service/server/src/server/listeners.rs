//! The sockets that the service can be reached at.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};

use rustix::net::SocketType;

use super::listen_error::ListenError;
use super::passed::PassedSockets;
use super::socket_file::SocketFile;

/// Addresses of the service. None is configured by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sockets {
    /// The path of a Unix-domain stream socket, in a folder that exists and that only the service's
    /// user can write to: at most 107 bytes.
    pub stream: Option<PathBuf>,
    /// The path of a Unix-domain datagram socket, likewise.
    pub datagram: Option<PathBuf>,
    /// The mode of both files: 0 to 0o777. A client needs the permission to write.
    pub mode: u32,
    /// The group of both files; `None`: that of the service.
    pub group: Option<u32>,
    /// The address of a TCP socket. Clients at it are granted nothing without a token.
    pub tcp: Option<SocketAddr>,
    /// True if the TCP socket may have an address that other machines reach. Tokens and messages
    /// are sent to it in the clear.
    pub remote: bool,
}

impl Default for Sockets {
    fn default() -> Self {
        Self {
            stream: None,
            datagram: None,
            mode: 0o660,
            group: None,
            tcp: None,
            remote: false,
        }
    }
}

impl Sockets {
    /// Finds why the Unix-domain sockets could not be made. It makes and removes no file, so that
    /// it can be asked before a start. The user and groups of this process count.
    #[must_use]
    pub fn check_files(&self) -> Vec<ListenError> {
        if self.mode & !0o777 != 0 {
            return vec![ListenError::Mode(self.mode)];
        }
        let paths = [
            (&self.stream, SocketType::STREAM),
            (&self.datagram, SocketType::DGRAM),
        ];
        let check = |(path, kind): (&Option<PathBuf>, _)| {
            SocketFile::check(path.as_deref()?, kind, self.group).err()
        };
        paths.into_iter().filter_map(check).collect()
    }
}

/// Sockets that are open. Their files are removed when it is dropped.
#[derive(Debug)]
pub struct Listeners {
    /// Without a file: systemd has it.
    pub(super) stream: Option<(UnixListener, Option<SocketFile>)>,
    pub(super) datagram: Option<(UnixDatagram, Option<SocketFile>)>,
    pub(super) tcp: Option<TcpListener>,
}

impl Listeners {
    /// Opens sockets. From then on clients can connect, and wait until they are served.
    ///
    /// # Errors
    /// [`ListenError`]; what was opened before is closed again.
    pub fn open(sockets: &Sockets) -> Result<Self, ListenError> {
        if sockets.mode & !0o777 != 0 {
            return Err(ListenError::Mode(sockets.mode));
        }
        let create =
            |path: &Path, kind| SocketFile::create(path, kind, sockets.mode, sockets.group);
        let mut listeners = Self {
            stream: None,
            datagram: None,
            tcp: sockets
                .tcp
                .map(|tcp| listen(tcp, sockets.remote))
                .transpose()?,
        };
        if let Some(path) = &sockets.stream {
            let (socket, file) = create(path, SocketType::STREAM)?;
            listeners.stream = Some((socket.into(), Some(file)));
        }
        if let Some(path) = &sockets.datagram {
            let (socket, file) = create(path, SocketType::DGRAM)?;
            listeners.datagram = Some((socket.into(), Some(file)));
        }
        let Self {
            stream,
            datagram,
            tcp,
        } = &listeners;
        if stream.is_none() && datagram.is_none() && tcp.is_none() {
            return Err(ListenError::Nothing);
        }
        Ok(listeners)
    }

    /// Takes those of `sockets` that are configured from systemd, by the names `stream`, `datagram`
    /// and `tcp`. Paths, mode and group are those of its units.
    ///
    /// # Errors
    /// [`ListenError::Passed`], [`ListenError::Remote`].
    pub fn take(sockets: &Sockets, passed: &mut PassedSockets) -> Result<Self, ListenError> {
        let stream = sockets.stream.is_some();
        let datagram = sockets.datagram.is_some();
        let tcp = sockets.tcp.is_some();
        let mut take_tcp = || passed.tcp_listener("tcp", sockets.remote);
        let tcp = tcp.then(&mut take_tcp).transpose()?;
        let stream = stream.then(|| passed.unix_listener("stream"));
        let stream = stream.transpose()?;
        let datagram = datagram.then(|| passed.unix_datagram("datagram"));
        let datagram = datagram.transpose()?;
        Ok(Self {
            stream: stream.map(|socket| (socket, None)),
            datagram: datagram.map(|socket| (socket, None)),
            tcp,
        })
    }

    /// Returns the address of the TCP socket, with the port that it has got.
    #[must_use]
    pub fn tcp_address(&self) -> Option<SocketAddr> {
        self.tcp.as_ref()?.local_addr().ok()
    }
}

fn listen(address: SocketAddr, remote: bool) -> Result<TcpListener, ListenError> {
    if !remote && !address.ip().is_loopback() {
        return Err(ListenError::Remote(address));
    }
    let failed = |error| ListenError::Tcp(address, error);
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}
