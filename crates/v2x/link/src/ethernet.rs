//! Frames on a network interface, as they are.

use std::io;
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use nix::sys::socket::bind;
use socket2::{Domain, Protocol, SockFilter, Socket, Type};

use crate::fault::LinkFault;
use crate::interfaces::{Interface, named};
use crate::link::{FRAME_BYTES_MAX, FRAME_BYTES_MIN, FrameLink, LinkCounts, check_length};
use crate::receiving::Receiving;

/// The EtherType of GeoNetworking \[EN 302 636-4-1\].
const GEONETWORKING: u16 = 0x8947;
/// The EtherType of WSMP \[1609.3\].
const WSMP: u16 = 0x88DC;
/// All EtherTypes, also of frames that other programs of the machine send (`ETH_P_ALL`).
const EVERY_PROTOCOL: u16 = 3;
/// So long a frame waits for room in the system's buffer.
const SEND_WITHIN: Duration = Duration::from_millis(100);

/// A link on a network interface: its frames are those on the wire. Only EtherTypes 0x8947
/// (GeoNetworking) and 0x88DC (WSMP) are received.
///
/// Frames that other programs of the machine send over the same interface are received, the
/// link's own are not, save on the loopback interface.
pub struct EthernetLink {
    name: String,
    /// `None` after a fault.
    receiving: Option<Receiving>,
    counts: LinkCounts,
}

impl EthernetLink {
    /// Opens a raw socket on the interface of this name, such as `eth0`. The interface may be
    /// down: [`FrameLink::receive`] and [`FrameLink::send`] say so until it is up.
    ///
    /// # Errors
    /// [`LinkFault::NoInterface`], [`LinkFault::NoRight`], [`LinkFault::NoEthernet`], or the
    /// operating system's.
    pub fn open(name: &str) -> io::Result<Self> {
        let interface = named(name)?;
        let receiving = match open(&interface) {
            Ok(receiving) => Some(receiving).filter(|_| interface.is_up),
            Err(error) if error.kind() == io::ErrorKind::NetworkDown => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            name: name.to_owned(),
            receiving,
            counts: LinkCounts::default(),
        })
    }

    /// Does something with the socket, which is opened first if there is none; a fault closes it.
    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Receiving, &mut LinkCounts) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut receiving = match self.receiving.take() {
            Some(receiving) => receiving,
            None => {
                let interface = named(&self.name)?;
                if !interface.is_up {
                    return Err(interface.down());
                }
                self.counts.reopened += 1;
                open(&interface)?
            }
        };
        match work(&mut receiving, &mut self.counts) {
            Ok(done) => {
                self.receiving = Some(receiving);
                Ok(done)
            }
            Err(error) if is_of_frame(&error) => {
                self.receiving = Some(receiving);
                Err(error)
            }
            Err(error) => Err(match named(&self.name)? {
                interface if interface.is_up => error,
                interface => interface.down(),
            }),
        }
    }
}

impl FrameLink for EthernetLink {
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(&[u8])) -> io::Result<usize> {
        self.with(|receiving, counts| {
            receiving.wait(within)?;
            receiving.drain(counts, &mut |frame| {
                let is_frame = (FRAME_BYTES_MIN..=FRAME_BYTES_MAX).contains(&frame.len());
                if is_frame {
                    take(frame);
                }
                is_frame
            })
        })
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        check_length(frame)?;
        self.with(|receiving, _| receiving.socket().send(frame).map(drop))?;
        self.counts.sent += 1;
        Ok(())
    }

    /// Does nothing: frames have no port.
    fn set_port(&mut self, _port: u16) -> io::Result<()> {
        Ok(())
    }

    fn counts(&self) -> LinkCounts {
        self.counts
    }
}

/// Returns true if the socket is as good as before: the frame is longer than the interface takes,
/// or the system's buffers are full.
fn is_of_frame(error: &io::Error) -> bool {
    const EMSGSIZE: i32 = nix::errno::Errno::EMSGSIZE as i32;
    const ENOBUFS: i32 = nix::errno::Errno::ENOBUFS as i32;
    matches!(error.raw_os_error(), Some(EMSGSIZE | ENOBUFS))
        || error.kind() == io::ErrorKind::WouldBlock
}

fn open(interface: &Interface) -> io::Result<Receiving> {
    let Some(ethernet) = interface.ethernet() else {
        let name = interface.name.clone();
        return Err(LinkFault::NoEthernet { name }.into());
    };
    let protocol = Protocol::from(i32::from(EVERY_PROTOCOL.to_be()));
    let socket = Socket::new(Domain::PACKET, Type::RAW, Some(protocol));
    let socket = socket.map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => LinkFault::NoRight.into(),
        _ => error,
    })?;
    // Until it is bound, the socket has the frames of all interfaces: those are thrown away.
    socket.attach_filter(&[RETURN_NONE])?;
    bind(socket.as_raw_fd(), &ethernet)?;
    let mut receiving = Receiving::new(socket);
    let mut ignored = LinkCounts::default();
    receiving.drain(&mut ignored, &mut |_| true)?;
    let filter = filter(interface.is_loopback);
    receiving.socket().attach_filter(&filter)?;
    receiving.socket().set_write_timeout(Some(SEND_WITHIN))?;
    Ok(receiving)
}

/// Instructions of the classic packet filter of BSD, as `linux/bpf_common.h` numbers them.
const LOAD_HALF: u16 = 0x28;
const LOAD_BYTE: u16 = 0x30;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const RETURN_NONE: SockFilter = SockFilter::new(RETURN, 0, 0, 0);
const RETURN_ALL: SockFilter = SockFilter::new(RETURN, 0, 0, u32::MAX);
/// Address at which the filter finds the kind of a packet (`SKF_AD_OFF + SKF_AD_PKTTYPE`).
const PACKET_KIND: u32 = 0xFFFF_F004;
/// The kind of a packet that leaves (`PACKET_OUTGOING`).
const OUTGOING: u32 = 4;
/// Offset of the EtherType in a frame, in bytes.
const ETHER_TYPE: u32 = 12;

/// Lets the two EtherTypes through. The loopback interface shows each frame twice: when it leaves,
/// and when it comes.
fn filter(is_loopback: bool) -> [SockFilter; 7] {
    let unwanted = if is_loopback { OUTGOING } else { u32::MAX };
    [
        SockFilter::new(LOAD_BYTE, 0, 0, PACKET_KIND),
        SockFilter::new(JUMP_IF_EQUAL, 3, 0, unwanted),
        SockFilter::new(LOAD_HALF, 0, 0, ETHER_TYPE),
        SockFilter::new(JUMP_IF_EQUAL, 2, 0, u32::from(GEONETWORKING)),
        SockFilter::new(JUMP_IF_EQUAL, 1, 0, u32::from(WSMP)),
        RETURN_NONE,
        RETURN_ALL,
    ]
}
