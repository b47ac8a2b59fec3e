//! A socket that is waited for, and emptied.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::sockopt::RxqOvfl;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt};
use socket2::Socket;

use crate::link::{FRAMES_MAX, LinkCounts};
use crate::tzsp::DATAGRAM_BYTES_MAX;

/// Requested size of the receive buffer, in bytes. The system may give less.
const BUFFER_BYTES: usize = 4 << 20;

/// A receiving socket.
pub(crate) struct Receiving {
    socket: Socket,
    /// Number of dropped frames, as the system last reported it.
    dropped: u32,
    buffer: Box<[u8]>,
    control: Vec<u8>,
}

impl Receiving {
    /// Asks for a large buffer and for the number of dropped frames.
    pub(crate) fn new(socket: Socket) -> Self {
        // Without them the socket is worth less, and still works.
        let _ = socket.set_recv_buffer_size(BUFFER_BYTES);
        let _ = setsockopt(&socket, RxqOvfl, &1);
        Self {
            socket,
            dropped: 0,
            buffer: vec![0; DATAGRAM_BYTES_MAX].into(),
            control: nix::cmsg_space!(u32),
        }
    }

    pub(crate) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// Waits for a datagram or a fault of the socket.
    pub(crate) fn wait(&self, within: Duration) -> io::Result<()> {
        // A time that is not zero does not become zero: callers would spin.
        let milliseconds = within.as_micros().div_ceil(1_000);
        let timeout = PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX);
        let mut waiting = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waiting, timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the datagrams that are there: those that `take` calls frames are counted so.
    pub(crate) fn drain(
        &mut self,
        counts: &mut LinkCounts,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> io::Result<usize> {
        let mut frames = 0;
        for _ in 0..FRAMES_MAX {
            match self.next(counts) {
                // The length is the true one, of what may have been cut.
                Ok(length) if self.buffer.get(..length).is_some_and(&mut *take) => frames += 1,
                Ok(_) => counts.malformed += 1,
                Err(Errno::EAGAIN) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        counts.received += frames as u64;
        Ok(frames)
    }

    fn next(&mut self, counts: &mut LinkCounts) -> Result<usize, Errno> {
        let mut parts = [IoSliceMut::new(&mut self.buffer)];
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_TRUNC;
        let message = recvmsg::<()>(
            self.socket.as_raw_fd(),
            &mut parts,
            Some(&mut self.control),
            flags,
        )?;
        for one in message.cmsgs().into_iter().flatten() {
            if let ControlMessageOwned::RxqOvfl(dropped) = one {
                counts.overflowed += u64::from(dropped.wrapping_sub(self.dropped));
                self.dropped = dropped;
            }
        }
        Ok(message.bytes)
    }
}
