//! Sockets that systemd has opened and passes to the service (sd_listen_fds(3)).
//!
//! Their names are those of the configuration's keys: `FileDescriptorName=` of the units. The crate
//! `listenfd` takes the descriptors over, which is unsafe code; this crate has none.

use std::env;
use std::fmt;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixDatagram, UnixListener};

use listenfd::ListenFd;
use rustix::net::sockopt;

use super::listen_error::{ListenError, PassedSocketError};

/// Sockets that systemd passes, by name.
pub struct PassedSockets {
    sockets: ListenFd,
    /// Those that are not taken; `None`: taken.
    names: Vec<Option<String>>,
}

impl fmt::Debug for PassedSockets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassedSockets")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

impl PassedSockets {
    /// Finds the sockets that systemd passes to this process: none without systemd. It changes the
    /// environment, so call it once, and before there are threads.
    #[must_use]
    pub fn from_env() -> Self {
        let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
        let sockets = ListenFd::from_env();
        let names = names.split(':').map(|name| Some(name.to_owned()));
        Self {
            // A socket without a name cannot be asked for.
            names: names.take(sockets.len()).collect(),
            sockets,
        }
    }

    /// Takes the Unix-domain stream socket of a name.
    pub(super) fn unix_listener(&mut self, name: &str) -> Result<UnixListener, ListenError> {
        let wrong = |error| wrong(name, PassedSocketError::Io(error));
        let place = self.place(name)?;
        let socket = self.sockets.take_unix_listener(place).map_err(wrong)?;
        let socket = listening(name, socket)?;
        socket.set_nonblocking(true).map_err(wrong)?;
        Ok(socket)
    }

    /// Takes the Unix-domain datagram socket of a name. From then on the kernel says who sent a
    /// datagram; of those before it does so if the unit has `PassCredentials=yes`.
    pub(super) fn unix_datagram(&mut self, name: &str) -> Result<UnixDatagram, ListenError> {
        let wrong = |error| wrong(name, PassedSocketError::Io(error));
        let place = self.place(name)?;
        let socket = self.sockets.take_unix_datagram(place).map_err(wrong)?;
        let socket = socket.ok_or_else(|| missing(name))?;
        socket.set_nonblocking(true).map_err(wrong)?;
        sockopt::set_socket_passcred(&socket, true).map_err(|error| wrong(error.into()))?;
        Ok(socket)
    }

    /// Takes the TCP socket of a name. One that other computers reach is refused unless `remote`
    /// permits it.
    ///
    /// # Errors
    /// [`ListenError::Passed`], [`ListenError::Remote`].
    pub fn tcp_listener(&mut self, name: &str, remote: bool) -> Result<TcpListener, ListenError> {
        let wrong = |error| wrong(name, PassedSocketError::Io(error));
        let place = self.place(name)?;
        let socket = self.sockets.take_tcp_listener(place).map_err(wrong)?;
        let socket = listening(name, socket)?;
        let address = socket.local_addr().map_err(wrong)?;
        if !remote && !address.ip().is_loopback() {
            return Err(ListenError::Remote(address));
        }
        socket.set_nonblocking(true).map_err(wrong)?;
        Ok(socket)
    }

    /// Checks that each socket was taken: clients of one that was not would wait for ever.
    ///
    /// # Errors
    /// [`ListenError::Passed`] with the first that was not.
    pub fn check_taken(&self) -> Result<(), ListenError> {
        match self.names.iter().flatten().next() {
            Some(name) => Err(wrong(name, PassedSocketError::NotConfigured)),
            None => Ok(()),
        }
    }

    fn place(&mut self, name: &str) -> Result<usize, ListenError> {
        let is_named = |one: &Option<String>| one.as_deref() == Some(name);
        let place = self.names.iter().position(is_named);
        let place = place.ok_or_else(|| missing(name))?;
        self.names[place] = None;
        Ok(place)
    }
}

fn listening<S: AsFd>(name: &str, socket: Option<S>) -> Result<S, ListenError> {
    let socket = socket.ok_or_else(|| missing(name))?;
    match sockopt::socket_acceptconn(&socket) {
        Ok(true) => Ok(socket),
        Ok(false) => Err(wrong(name, PassedSocketError::NotListening)),
        Err(error) => Err(wrong(name, PassedSocketError::Io(error.into()))),
    }
}

fn missing(name: &str) -> ListenError {
    wrong(name, PassedSocketError::Missing)
}

fn wrong(name: &str, problem: PassedSocketError) -> ListenError {
    ListenError::Passed(name.to_owned(), problem)
}
