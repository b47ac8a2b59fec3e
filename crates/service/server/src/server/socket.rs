//! The socket of a stream connection, Unix-domain or TCP.

use std::io;
use std::time::Duration;

use rustix::net::Shutdown;
use tokio::io::{Interest, Ready};
use tokio::net::{TcpStream, UnixStream};

use crate::access::Peer;

/// Number of bytes read at once.
pub(super) const READ_BYTES: usize = 1 << 14;

/// Number of reads for which a client may go on sending after its last response.
const LINGER_READS: usize = 256;

/// The socket of a stream connection.
#[derive(Debug)]
pub(super) enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Socket {
    /// Returns the process at the other end, if the kernel reports it: the one that connected, not
    /// the one that has the socket now.
    pub(super) fn peer(&self) -> Option<Peer> {
        match self {
            // Not rustix's call: it cannot represent the process 0, which a client in another
            // PID namespace has.
            Self::Unix(stream) => {
                let credentials = stream.peer_cred().ok()?;
                Some(Peer {
                    uid: credentials.uid(),
                    gid: credentials.gid(),
                })
            }
            Self::Tcp(_) => None,
        }
    }

    async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        match self {
            Self::Unix(stream) => stream.ready(interest).await,
            Self::Tcp(stream) => stream.ready(interest).await,
        }
    }

    pub(super) async fn readable(&self) -> io::Result<()> {
        self.ready(Interest::READABLE).await.map(drop)
    }

    /// Hands what is there to `take`. Returns how much it was; nothing at the end. The buffer lives
    /// for this call alone, so that an idle connection has none.
    ///
    /// # Errors
    /// `WouldBlock` if nothing is there, and those of the socket.
    pub(super) fn read_into(&self, take: impl FnOnce(&[u8])) -> io::Result<usize> {
        let mut buffer = [0; READ_BYTES];
        let length = match self {
            Self::Unix(stream) => stream.try_read(&mut buffer),
            Self::Tcp(stream) => stream.try_read(&mut buffer),
        }?;
        take(&buffer[..length]);
        Ok(length)
    }

    /// Writes all of the bytes.
    pub(super) async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.ready(Interest::WRITABLE).await?;
            let written = match self {
                Self::Unix(stream) => stream.try_write(bytes),
                Self::Tcp(stream) => stream.try_write(bytes),
            };
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(length) => bytes = &bytes[length..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns true if the client has closed both directions, as one that died has. One that only
    /// ended its requests still reads.
    pub(super) async fn is_abandoned(&self) -> bool {
        let ready = self.ready(Interest::WRITABLE).await;
        ready.map_or(true, Ready::is_write_closed)
    }

    /// Ends the responses and waits for the client to close, so that it can read the last of them:
    /// a socket that is closed with requests unread may discard what it has sent.
    pub(super) async fn close(&self, linger: Duration) {
        let ended = match self {
            Self::Unix(stream) => rustix::net::shutdown(stream, Shutdown::Write),
            Self::Tcp(stream) => rustix::net::shutdown(stream, Shutdown::Write),
        };
        if ended.is_err() {
            return;
        }
        let _ = tokio::time::timeout(linger, async {
            for _ in 0..LINGER_READS {
                if self.readable().await.is_err() {
                    return;
                }
                match self.read_into(|_| {}) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
            }
        })
        .await;
    }
}
