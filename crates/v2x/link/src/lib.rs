//! Frames of V2X stations on a wire: over UDP multicast and over raw Ethernet, and into captures.
//!
//! ```text
//! a station's loop --frame--> Link::send     ==> other stations, Wireshark
//!                  <--frame-- Link::receive  <==
//!                  --frame--> capture::Recorder ==> a file in pcapng
//! ```
//!
//! A frame is one of Ethernet without its check sequence: destination, source, EtherType, packet.
//! What is in it is the business of `waywarden-v2x-station`. [`UdpLink`] needs no rights, and all
//! stations of a machine hear each other; [`EthernetLink`] needs the right to raw sockets.
//!
//! A link whose interface goes down reports it by errors and works again, without the caller's
//! doing, once the interface is back.
#![forbid(unsafe_code)]

pub mod capture;
mod ethernet;
mod fault;
mod igmp;
mod interfaces;
mod link;
mod receiving;
pub mod tzsp;
mod udp;

pub use ethernet::EthernetLink;
pub use fault::LinkFault;
pub use link::{FRAME_BYTES_MAX, FRAME_BYTES_MIN, FRAMES_MAX, FrameLink, LinkCounts};
pub use udp::{UdpLink, UdpSettings};
