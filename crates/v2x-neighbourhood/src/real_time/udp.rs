//! Frames over UDP multicast, in TZSP (TaZmen Sniffer Protocol), which Wireshark dissects by
//! itself on port 37008.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, Socket, Type};

use super::Link;
use crate::frame::{Frame, Origin};

/// The port of TZSP.
const PORT: u16 = 37_008;
/// A group for one organisation's own use \[RFC 2365\].
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 118, 50, 88);
/// Version 1, a received packet, Ethernet in it, no more tags.
const HEADER: [u8; 5] = [1, 0, 0, 1, TAG_END];
const TAG_PADDING: u8 = 0;
const TAG_END: u8 = 1;
/// The longest frame: GeoNetworking has packets of up to 1,492 bytes, WSMP of up to 2,302.
const FRAME_MAX: usize = 2_400;
/// How many tags are passed over at most.
const TAGS_MAX: usize = 32;
/// How many frames one call takes at most.
const TAKEN_MAX: usize = 1_024;
/// What is asked for to hold frames that wait, in bytes.
const BUFFER: usize = 4 << 20;

/// Where frames go over UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpSettings {
    /// The multicast group and its port.
    pub group: SocketAddrV4,
    /// The address of the interface.
    pub interface: Ipv4Addr,
}

impl Default for UdpSettings {
    fn default() -> Self {
        Self {
            group: SocketAddrV4::new(GROUP, PORT),
            interface: Ipv4Addr::LOCALHOST,
        }
    }
}

/// A link over UDP multicast. All stations of a machine hear each other, one's own frames
/// included.
pub struct UdpLink {
    settings: UdpSettings,
    receiver: UdpSocket,
    sender: Option<UdpSocket>,
    malformed: u64,
}

impl UdpLink {
    /// Joins the group.
    ///
    /// # Errors
    /// The operating system's: an address that is none of this machine's, or no multicast group.
    pub fn open(settings: UdpSettings) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_reuse_address(true)?;
        // As much as the system allows.
        let _ = socket.set_recv_buffer_size(BUFFER);
        socket.bind(&settings.group.into())?;
        socket.join_multicast_v4(settings.group.ip(), &settings.interface)?;
        socket.set_nonblocking(true)?;
        Ok(Self {
            settings,
            receiver: socket.into(),
            sender: None,
            malformed: 0,
        })
    }

    fn socket(&self, port: u16) -> io::Result<UdpSocket> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_multicast_if_v4(&self.settings.interface)?;
        socket.set_multicast_loop_v4(true)?;
        socket.set_multicast_ttl_v4(1)?;
        socket.bind(&SocketAddrV4::new(self.settings.interface, port).into())?;
        Ok(socket.into())
    }
}

impl Link for UdpLink {
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(Frame)) -> io::Result<()> {
        let within = Timespec::try_from(within).map_err(io::Error::other)?;
        let mut waiting = [PollFd::new(&self.receiver, PollFlags::IN)];
        match poll(&mut waiting, Some(&within)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        // One byte more, so that a datagram that is too long shows.
        let mut buffer = [0; FRAME_MAX + 1];
        for _ in 0..TAKEN_MAX {
            let length = match self.receiver.recv(&mut buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let frame = buffer.get(..length).filter(|_| length <= FRAME_MAX);
            match frame.and_then(decapsulated) {
                Some(frame) => take(Frame {
                    bytes: frame.into(),
                    origin: Origin::Unknown,
                }),
                None => self.malformed += 1,
            }
        }
        Ok(())
    }

    fn send(&mut self, frame: &Frame) -> io::Result<()> {
        if self.sender.is_none() {
            self.sender = Some(self.socket(0)?);
        }
        let Some(socket) = &self.sender else {
            return Ok(());
        };
        let datagram = encapsulated(&frame.bytes);
        socket.send_to(&datagram, self.settings.group).map(drop)
    }

    fn set_port(&mut self, port: u16) -> io::Result<()> {
        // The old one is closed only when there is another.
        self.sender = Some(self.socket(port)?);
        Ok(())
    }

    fn lost(&self) -> u64 {
        self.malformed
    }
}

/// Puts a frame of Ethernet into a datagram.
#[must_use]
pub fn encapsulated(frame: &[u8]) -> Vec<u8> {
    [&HEADER, frame].concat()
}

/// Takes a frame of Ethernet out of a datagram; `None` where there is none. Bounded by 32 tags.
#[must_use]
pub fn decapsulated(datagram: &[u8]) -> Option<&[u8]> {
    let ([1, 0, 0, 1], mut rest) = datagram.split_first_chunk()? else {
        return None;
    };
    for _ in 0..TAGS_MAX {
        let (tag, after) = rest.split_first()?;
        rest = match *tag {
            TAG_END => return Some(after),
            TAG_PADDING => after,
            _ => {
                let (length, after) = after.split_first()?;
                after.get(usize::from(*length)..)?
            }
        };
    }
    None
}
