//! Frames over UDP multicast.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};

use crate::fault::LinkFault;
use crate::igmp::is_member;
use crate::interfaces::{Interface, with_address};
use crate::link::{FrameLink, LinkCounts, check_length};
use crate::receiving::Receiving;
use crate::tzsp::{self, decapsulate, encapsulate};

/// An administratively scoped group: no border router forwards it \[RFC2365\].
const GROUP: Ipv4Addr = Ipv4Addr::new(239, 118, 50, 88);
/// So often a link looks whether its interface is there, is up and is a member of the group.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// So long a frame waits for room in the system's buffer.
const SEND_WITHIN: Duration = Duration::from_millis(100);
/// The sending socket takes no datagrams: the system gives the least that it has.
const NO_BUFFER_BYTES: usize = 1;

/// Destination of frames over UDP. The default is the group 239.118.50.88, the port of TZSP and the
/// loopback interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpSettings {
    /// The multicast group and its port.
    pub group: SocketAddrV4,
    /// An address of the interface.
    pub interface: Ipv4Addr,
}

impl Default for UdpSettings {
    fn default() -> Self {
        Self {
            group: SocketAddrV4::new(GROUP, tzsp::PORT),
            interface: Ipv4Addr::LOCALHOST,
        }
    }
}

/// A link over UDP multicast, in TZSP. All stations of a machine with the same settings hear each
/// other, and themselves.
pub struct UdpLink {
    settings: UdpSettings,
    /// `None`: it could not be opened again after a fault.
    receiving: Option<Receiving>,
    /// The number of the interface that has joined the group.
    joined: u32,
    /// `None` until the first frame, and after a fault.
    sending: Option<Socket>,
    /// The port that frames leave from; 0: one that the system gives.
    port: u16,
    /// Time of the next check of the interface.
    look: Instant,
    counts: LinkCounts,
    datagram: Vec<u8>,
}

impl UdpLink {
    /// Joins the group.
    ///
    /// # Errors
    /// [`LinkFault::NoGroup`], [`LinkFault::NoAddress`], [`LinkFault::Down`], or the operating
    /// system's.
    pub fn open(settings: UdpSettings) -> io::Result<Self> {
        let group = *settings.group.ip();
        if !group.is_multicast() {
            return Err(LinkFault::NoGroup { group }.into());
        }
        let interface = interface(&settings)?;
        Ok(Self {
            settings,
            receiving: Some(receiving(&settings)?),
            joined: interface.index,
            sending: None,
            port: 0,
            look: Instant::now() + LOOK_EVERY,
            counts: LinkCounts::default(),
            datagram: Vec::new(),
        })
    }

    /// Looks whether the interface still brings frames; if not, joins the group once more.
    ///
    /// Linux keeps memberships while an interface is down. It drops them, and does not tell the
    /// socket, when the interface is removed or its MTU is too small for IPv4.
    fn look(&mut self) -> io::Result<()> {
        let interface = interface(&self.settings)?;
        let index = interface.index;
        let is_joined = self.receiving.is_some()
            && index == self.joined
            && is_member(index, *self.settings.group.ip());
        if !is_joined {
            // Closed first: closing takes one membership back, even that of a later socket.
            self.receiving = None;
            self.receiving = Some(receiving(&self.settings)?);
            self.joined = index;
            self.sending = None;
            self.counts.reopened += 1;
        }
        self.look = Instant::now() + LOOK_EVERY;
        Ok(())
    }

    fn transmit(&mut self, frame: &[u8]) -> io::Result<()> {
        let socket = match self.sending.take() {
            Some(socket) => socket,
            None => sending(&self.settings, self.port)?,
        };
        encapsulate(frame, &mut self.datagram);
        let sent = socket.send_to(&self.datagram, &self.settings.group.into());
        // A socket may know an interface that is gone: after a fault there is another.
        if sent.is_ok() {
            self.sending = Some(socket);
        }
        sent.map(drop)
    }
}

impl FrameLink for UdpLink {
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(&[u8])) -> io::Result<usize> {
        if Instant::now() >= self.look {
            self.look()?;
        }
        let Some(receiving) = &mut self.receiving else {
            // A look that fails is repeated at once.
            return Ok(0);
        };
        receiving.wait(within)?;
        receiving.drain(&mut self.counts, &mut |datagram| {
            decapsulate(datagram).map(&mut *take).is_ok()
        })
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        check_length(frame)?;
        if let Err(error) = self.transmit(frame) {
            self.look = Instant::now();
            // What is wrong with the interface says more than "Network is unreachable".
            return self.look().and(Err(error));
        }
        self.counts.sent += 1;
        Ok(())
    }

    fn set_port(&mut self, port: u16) -> io::Result<()> {
        if self.port == port && self.sending.is_some() {
            return Ok(());
        }
        match sending(&self.settings, port) {
            Ok(socket) => {
                self.port = port;
                self.sending = Some(socket);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
            Err(error) => {
                // No frame of the new pseudonym leaves from the old port.
                self.port = port;
                self.sending = None;
                Err(error)
            }
        }
    }

    fn counts(&self) -> LinkCounts {
        self.counts
    }
}

/// The interface, if it is up.
fn interface(settings: &UdpSettings) -> io::Result<Interface> {
    let interface = with_address(settings.interface)?;
    if interface.is_up {
        Ok(interface)
    } else {
        Err(interface.down())
    }
}

fn receiving(settings: &UdpSettings) -> io::Result<Receiving> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    // Every station of the machine binds the same address.
    socket.set_reuse_address(true)?;
    // Else groups that other programs join on other interfaces are heard, too.
    socket.set_multicast_all_v4(false)?;
    socket.bind(&settings.group.into())?;
    socket.join_multicast_v4(settings.group.ip(), &settings.interface)?;
    Ok(Receiving::new(socket))
}

fn sending(settings: &UdpSettings, port: u16) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_multicast_if_v4(&settings.interface)?;
    socket.set_multicast_loop_v4(true)?;
    // No router forwards frames.
    socket.set_multicast_ttl_v4(1)?;
    socket.set_write_timeout(Some(SEND_WITHIN))?;
    let _ = socket.set_recv_buffer_size(NO_BUFFER_BYTES);
    socket.bind(&SocketAddrV4::new(settings.interface, port).into())?;
    Ok(socket)
}
