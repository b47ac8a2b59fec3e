//! The real links: raw CAN sockets, and the machine's clock and `poll(2)`
//! [SOCKETCAN §RAW protocol sockets].
//!
//! A socket hears its own frames (`CAN_RAW_RECV_OWN_MSGS`), and the kernel marks them with
//! `MSG_CONFIRM`: an interface's driver hands a frame back when its controller has sent it, a
//! virtual interface when all sockets have it. Frames of other processes of this machine are marked
//! otherwise and count as received.

use std::fs;
use std::io::{self, IoSliceMut};
use std::time;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, SendFlags, recvmsg, send};
use socketcan::socket::{CAN_RAW_FD_FRAMES, SOL_CAN_RAW};
use socketcan::{CanSocket, Socket, SocketOptions};
use waywarden_can::Frame;
use waywarden_work::{Duration, Instant};

use crate::error::{CanLinkError, OpenError};
use crate::image::{
    CLASS_BUS_OFF, CLASS_CONTROLLER, CLASS_RESTARTED, ControllerChange, FD_SIZE, Image,
    SocketContent,
};
use crate::link::{CanLink, Handed, Host, LinkEvent};

#[cfg(test)]
mod tests;

/// The interface that a port is on, and the frame formats that it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    name: String,
    fd: bool,
}

/// A raw CAN socket on one interface.
#[derive(Debug)]
pub struct SocketLink {
    interface: Interface,
    socket: CanSocket,
    /// The kernel's count of what it threw away, as last read.
    dropped: u32,
}

/// The machine. Its clock counts from the moment it is made, the ECU's boot, and stands still
/// while the machine sleeps.
#[derive(Clone, Copy, Debug)]
pub struct SystemHost {
    booted: time::Instant,
}

/// The receive queue that is asked for, in bytes; the kernel gives at most `net.core.rmem_max`.
const RECEIVE_BUFFER: usize = 1 << 20;

/// The index of the count of dropped messages in the kernel's answer to `SO_MEMINFO`.
const DROPS_AT: usize = libc::SK_MEMINFO_DROPS as usize;

impl Interface {
    /// An interface for classic frames.
    #[must_use]
    pub fn classic(name: impl Into<String>) -> Self {
        Interface {
            name: name.into(),
            fd: false,
        }
    }

    /// An interface for classic and FD frames.
    #[must_use]
    pub fn fd(name: impl Into<String>) -> Self {
        Interface {
            name: name.into(),
            fd: true,
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Opens the interfaces of an ECU, one for each port in order.
///
/// # Errors
/// [`OpenError`] of the first interface that cannot be opened.
pub fn open(interfaces: &[Interface]) -> Result<Vec<SocketLink>, OpenError> {
    interfaces.iter().map(SocketLink::open).collect()
}

impl SocketLink {
    /// Opens an interface that is up.
    ///
    /// # Errors
    /// [`OpenError`]: one variant for each cause, with the command that mends it.
    pub fn open(interface: &Interface) -> Result<Self, OpenError> {
        let name = || interface.name.clone();
        // Asked first, for without CAN every name is unknown.
        CanSocket::open_iface(0).map_err(|source| match Errno::from_io_error(&source) {
            Some(Errno::AFNOSUPPORT | Errno::PROTONOSUPPORT) => {
                OpenError::NoCan { interface: name() }
            }
            Some(Errno::PERM | Errno::ACCESS) => OpenError::NotPermitted { interface: name() },
            _ => failed(interface, "open a CAN socket")(source),
        })?;
        let socket =
            CanSocket::open(&interface.name).map_err(|source| {
                match Errno::from_io_error(&source) {
                    Some(Errno::NODEV | Errno::NXIO) if mtu_of(&interface.name).is_some() => {
                        OpenError::NotCan { interface: name() }
                    }
                    Some(Errno::NODEV | Errno::NXIO) => {
                        OpenError::NoSuchInterface { interface: name() }
                    }
                    _ => failed(interface, "bind a CAN socket to it")(source),
                }
            })?;
        if is_down(&socket) {
            return Err(OpenError::NotUp { interface: name() });
        }
        if let (true, Some(mtu)) = (interface.fd, mtu_of(&interface.name))
            && (mtu as usize) < FD_SIZE
        {
            return Err(OpenError::ClassicMtu {
                interface: name(),
                mtu,
            });
        }
        set_up(interface, &socket).map_err(failed(interface, "set up its CAN socket"))?;
        Ok(SocketLink {
            interface: interface.clone(),
            dropped: drops(&socket).unwrap_or(0),
            socket,
        })
    }

    fn gone(&self) -> CanLinkError {
        CanLinkError::Gone {
            interface: self.interface.name.clone(),
        }
    }

    fn failed(&self, doing: &'static str, errno: Errno) -> CanLinkError {
        CanLinkError::Io {
            interface: self.interface.name.clone(),
            doing,
            source: errno.into(),
        }
    }
}

impl CanLink for SocketLink {
    fn send(&mut self, frame: &Frame) -> Result<Handed, CanLinkError> {
        if frame.is_fd() && !self.interface.fd {
            return Err(CanLinkError::FdOnClassic {
                interface: self.interface.name.clone(),
            });
        }
        match send(
            &self.socket,
            Image::of(frame).as_bytes(),
            SendFlags::DONTWAIT,
        ) {
            Ok(_) => Ok(Handed::Taken),
            // The interface's queue is full, or the socket's.
            Err(Errno::NOBUFS | Errno::AGAIN | Errno::INTR) => Ok(Handed::Full),
            Err(Errno::NETDOWN) => Ok(Handed::Down),
            Err(Errno::NODEV | Errno::NXIO) => Err(self.gone()),
            // The MTU was changed while the interface was down.
            Err(Errno::INVAL | Errno::MSGSIZE) if frame.is_fd() => Err(CanLinkError::FdOnClassic {
                interface: self.interface.name.clone(),
            }),
            Err(errno) => Err(self.failed("send", errno)),
        }
    }

    fn receive(&mut self) -> Result<LinkEvent, CanLinkError> {
        let mut bytes = [0; FD_SIZE];
        let message = recvmsg(
            &self.socket,
            &mut [IoSliceMut::new(&mut bytes)],
            &mut RecvAncillaryBuffer::default(),
            RecvFlags::DONTWAIT,
        );
        let message = match message {
            Ok(message) => message,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(LinkEvent::Nothing),
            Err(Errno::NETDOWN) => return Ok(LinkEvent::Down),
            Err(Errno::NODEV) => return Err(self.gone()),
            Err(errno) => return Err(self.failed("receive", errno)),
        };
        let own = message.flags.bits() & SendFlags::CONFIRM.bits() != 0;
        Ok(match SocketContent::read(&bytes[..message.bytes]) {
            Ok(SocketContent::Frame(frame)) if own => LinkEvent::Echo(frame),
            Ok(SocketContent::Frame(frame)) => LinkEvent::Frame(frame),
            Ok(SocketContent::Error(error)) => match error.change() {
                Some(ControllerChange::State(state)) => LinkEvent::State(state),
                Some(ControllerChange::Restarted) => LinkEvent::Restarted,
                None => LinkEvent::Unreadable,
            },
            Err(_) => LinkEvent::Unreadable,
        })
    }

    fn lost(&mut self) -> Result<u32, CanLinkError> {
        let dropped = drops(&self.socket).map_err(|source| CanLinkError::Io {
            interface: self.interface.name.clone(),
            doing: "read the count of dropped frames",
            source,
        })?;
        let lost = dropped.wrapping_sub(self.dropped);
        self.dropped = dropped;
        Ok(lost)
    }

    fn is_up(&mut self) -> bool {
        // The kernel does not tell when an interface comes up; a fresh socket learns whether it is
        // down.
        CanSocket::open(&self.interface.name).is_ok_and(|socket| !is_down(&socket))
    }
}

impl SystemHost {
    /// Starts the clock.
    #[must_use]
    pub fn new() -> Self {
        SystemHost {
            booted: time::Instant::now(),
        }
    }
}

impl Default for SystemHost {
    fn default() -> Self {
        Self::new()
    }
}

impl Host for SystemHost {
    type Link = SocketLink;

    fn now(&self) -> Instant {
        // 584 years fit.
        Instant::from_nanos(self.booted.elapsed().as_nanos() as u64)
    }

    fn wait(&mut self, links: &[SocketLink], longest: Option<Duration>) -> io::Result<()> {
        let mut ready: Vec<PollFd<'_>> = links
            .iter()
            .map(|link| PollFd::new(&link.socket, PollFlags::IN))
            .collect();
        let longest = longest.map(|longest| Timespec {
            // 584 years of nanoseconds fit both fields.
            tv_sec: (longest.as_nanos() / 1_000_000_000) as _,
            tv_nsec: (longest.as_nanos() % 1_000_000_000) as _,
        });
        match poll(&mut ready, longest.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

fn set_up(interface: &Interface, socket: &CanSocket) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    socket.set_recv_own_msgs(true)?;
    socket.set_error_filter(CLASS_CONTROLLER | CLASS_BUS_OFF | CLASS_RESTARTED)?;
    if interface.fd {
        socket.set_socket_option_int(SOL_CAN_RAW, CAN_RAW_FD_FRAMES, 1)?;
    }
    socket.as_raw_socket().set_recv_buffer_size(RECEIVE_BUFFER)
}

/// Returns how many messages the kernel threw away since the socket was opened, modulo 2^32.
fn drops(socket: &CanSocket) -> io::Result<u32> {
    let mut answer = [0; 4 * (DROPS_AT + 1)];
    let length = socket.get_socket_option_bytes(libc::SOL_SOCKET, libc::SO_MEMINFO, &mut answer)?;
    let mut count = [0; 4];
    match answer[..length].get(4 * DROPS_AT..) {
        Some(bytes) if bytes.len() == 4 => count.copy_from_slice(bytes),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    }
    Ok(u32::from_ne_bytes(count))
}

/// Returns true if a socket was bound to an interface that is down; the kernel reports it once.
fn is_down(socket: &CanSocket) -> bool {
    let error = socket.as_raw_socket().take_error().ok().flatten();
    error.is_some_and(|error| Errno::from_io_error(&error) == Some(Errno::NETDOWN))
}

/// Returns an interface's MTU in bytes; None where there is no such interface, or no `/sys`.
fn mtu_of(interface: &str) -> Option<u32> {
    let text = fs::read_to_string(format!("/sys/class/net/{interface}/mtu")).ok()?;
    text.trim().parse().ok()
}

fn failed(interface: &Interface, doing: &'static str) -> impl FnOnce(io::Error) -> OpenError {
    let interface = interface.name.clone();
    move |source| OpenError::Io {
        interface,
        doing,
        source,
    }
}
