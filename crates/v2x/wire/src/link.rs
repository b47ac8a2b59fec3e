//! Finds the payload of a captured frame: from the link's header to WSMP or GeoNetworking.
//!
//! Ethernet with VLAN tags, IEEE 802.11 with and without radiotap or PPI, Linux' cooked captures,
//! and UDP over IP. It checks no checksum, decrypts nothing, joins no fragments, and does not read
//! the files that captures come in. Read \[802.11 §9.2\] and \[LINKTYPES\] first.

mod error;
mod ieee80211;
mod internet;
mod ppi;

pub use error::LinkLayerError;
pub use internet::Datagram;

use core::fmt;

/// The protocol number of WAVE short messages \[1609.3 §5.2\].
pub const ETHERTYPE_WSMP: u16 = 0x88DC;
/// The protocol number of GeoNetworking \[EN 302 636-4-1 §5\].
pub const ETHERTYPE_GEONETWORKING: u16 = 0x8947;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86DD;

/// Maximum number of VLAN tags that are skipped.
const TAGS_MAX: usize = 2;
/// Protocol numbers begin here; below, the field is the length of an IEEE 802.3 frame.
const ETHERTYPE_MIN: u16 = 0x0600;
/// LLC with SNAP for the organisation whose codes are Ethernet's protocol numbers.
const SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];
/// Linux' mark for 802.2 LLC.
const LINUX_LLC: u16 = 0x0004;

/// Link type of the frames in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkType {
    /// Ethernet II or IEEE 802.3, without the frame check sequence.
    Ethernet,
    /// IEEE 802.11, including 802.11p.
    Ieee80211,
    /// IEEE 802.11 with a radiotap header in front.
    Radiotap,
    /// Linux' header of captures from all interfaces.
    LinuxCooked,
    /// Linux' header, version 2.
    LinuxCooked2,
    /// A PPI header in front of a frame of another link.
    Ppi,
    /// IP without a link in front.
    RawIp,
    /// The loopback interface of BSD and macOS: a protocol family in front of IP.
    BsdLoopback,
    /// For private use: the packet of a network begins at once.
    User0,
}

impl LinkType {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Ethernet,
        Self::Ieee80211,
        Self::Radiotap,
        Self::LinuxCooked,
        Self::LinuxCooked2,
        Self::Ppi,
        Self::RawIp,
        Self::BsdLoopback,
        Self::User0,
    ];

    /// Finds a link type by its number in capture files \[LINKTYPES\].
    ///
    /// # Errors
    /// [`LinkLayerError::LinkType`] for one that is not read here.
    pub fn from_number(number: u32) -> Result<Self, LinkLayerError> {
        let number = match number {
            // IPv4 alone, and IPv6 alone.
            228 | 229 => Self::RawIp.number(),
            // OpenBSD's, in network byte order.
            108 => Self::BsdLoopback.number(),
            other => other,
        };
        let found = Self::ALL.into_iter().find(|kind| kind.number() == number);
        found.ok_or(LinkLayerError::LinkType(number))
    }

    /// Returns the number of the link type in capture files \[LINKTYPES\].
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Ethernet => 1,
            Self::Ieee80211 => 105,
            Self::Radiotap => 127,
            Self::LinuxCooked => 113,
            Self::LinuxCooked2 => 276,
            Self::Ppi => 192,
            Self::RawIp => 101,
            Self::BsdLoopback => 0,
            Self::User0 => 147,
        }
    }
}

impl fmt::Display for LinkType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ethernet => "Ethernet",
            Self::Ieee80211 => "IEEE 802.11",
            Self::Radiotap => "IEEE 802.11 with radiotap",
            Self::LinuxCooked => "Linux cooked capture",
            Self::LinuxCooked2 => "Linux cooked capture, version 2",
            Self::Ppi => "PPI",
            Self::RawIp => "raw IP",
            Self::BsdLoopback => "BSD loopback",
            Self::User0 => "USER0",
        })
    }
}

/// The network protocols of V2X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkProtocol {
    /// WAVE short messages.
    Wsmp,
    /// GeoNetworking.
    GeoNetworking,
}

impl NetworkProtocol {
    /// Returns the protocol number.
    #[must_use]
    pub fn ethertype(self) -> u16 {
        match self {
            Self::Wsmp => ETHERTYPE_WSMP,
            Self::GeoNetworking => ETHERTYPE_GEONETWORKING,
        }
    }

    fn of(ethertype: u16) -> Option<Self> {
        match ethertype {
            ETHERTYPE_WSMP => Some(Self::Wsmp),
            ETHERTYPE_GEONETWORKING => Some(Self::GeoNetworking),
            _ => None,
        }
    }
}

impl fmt::Display for NetworkProtocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Wsmp => "WSMP",
            Self::GeoNetworking => "GeoNetworking",
        })
    }
}

/// Payload of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPayload<'a> {
    /// Link of the frame behind a PPI header.
    pub inner: Option<LinkType>,
    /// Network protocol; `None` if the link does not state it: UDP and USER0.
    pub network: Option<NetworkProtocol>,
    /// Addresses of the UDP datagram around the packet, if any.
    pub datagram: Option<Datagram>,
    /// Packet of the network. Link padding, or a frame check sequence that the capture kept and did
    /// not announce, may follow it.
    pub packet: &'a [u8],
    /// MAC address of the sender; all zeros if the capture has none.
    pub source: [u8; 6],
}

/// Finds the payload of a captured frame.
///
/// # Errors
/// The reason why the frame carries no V2X message, or its first fault.
pub fn payload(link: LinkType, frame: &[u8]) -> Result<LinkPayload<'_>, LinkLayerError> {
    match link {
        LinkType::Ethernet => ethernet(frame),
        LinkType::Ieee80211 => ieee80211::data(frame, false),
        LinkType::Radiotap => ieee80211::radiotap(frame),
        LinkType::LinuxCooked => {
            let source = *array(frame, 6)?;
            cooked(u16_at(frame, 14)?, rest(frame, 16)?, source)
        }
        LinkType::LinuxCooked2 => {
            let source = *array(frame, 12)?;
            cooked(u16_at(frame, 0)?, rest(frame, 20)?, source)
        }
        LinkType::Ppi => ppi::payload(frame),
        LinkType::RawIp => internet::payload(frame, [0; 6]),
        // The packet itself has the version of IP.
        LinkType::BsdLoopback => internet::payload(rest(frame, 4)?, [0; 6]),
        LinkType::User0 => Ok(LinkPayload {
            inner: None,
            network: None,
            datagram: None,
            packet: frame,
            source: [0; 6],
        }),
    }
}

/// Finds the payload behind a protocol number of Ethernet.
fn of_ethertype(
    ethertype: u16,
    packet: &[u8],
    source: [u8; 6],
) -> Result<LinkPayload<'_>, LinkLayerError> {
    match (NetworkProtocol::of(ethertype), ethertype) {
        (None, ETHERTYPE_IPV4 | ETHERTYPE_IPV6) => internet::payload(packet, source),
        (None, other) => Err(LinkLayerError::Protocol(other)),
        (network, _) => Ok(LinkPayload {
            inner: None,
            network,
            datagram: None,
            packet,
            source,
        }),
    }
}

/// Parses Ethernet II with VLAN tags, or IEEE 802.3 with LLC and SNAP.
fn ethernet(frame: &[u8]) -> Result<LinkPayload<'_>, LinkLayerError> {
    const TAGS: [u16; 3] = [0x8100, 0x88A8, 0x9100];
    const TAG_BYTES: usize = 4;
    let source = *array(frame, 6)?;
    let mut at = 12;
    for _ in 0..=TAGS_MAX {
        let ethertype = u16_at(frame, at)?;
        let packet = rest(frame, at + 2)?;
        if ethertype < ETHERTYPE_MIN {
            let length = usize::from(ethertype);
            let missing = length.saturating_sub(packet.len());
            let packet = packet
                .get(..length)
                .ok_or(LinkLayerError::Truncated(missing))?;
            return snap(packet, source);
        }
        if !TAGS.contains(&ethertype) {
            return of_ethertype(ethertype, packet, source);
        }
        at += TAG_BYTES;
    }
    Err(LinkLayerError::Tags)
}

/// Finds the payload by the protocol number of a cooked capture, or by the LLC header that it
/// announces.
fn cooked(number: u16, packet: &[u8], source: [u8; 6]) -> Result<LinkPayload<'_>, LinkLayerError> {
    if number == LINUX_LLC {
        return snap(packet, source);
    }
    of_ethertype(number, packet, source)
}

/// Parses LLC and SNAP, then a protocol number.
fn snap(packet: &[u8], source: [u8; 6]) -> Result<LinkPayload<'_>, LinkLayerError> {
    let header = packet.iter().zip(&SNAP);
    if let Some((byte, _)) = header.clone().find(|(byte, snap)| byte != snap) {
        return Err(LinkLayerError::Llc(*packet.first().unwrap_or(byte)));
    }
    let ethertype = u16_at(packet, SNAP.len())?;
    of_ethertype(ethertype, rest(packet, SNAP.len() + 2)?, source)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<&[u8; N], LinkLayerError> {
    let missing = (at + N).saturating_sub(bytes.len());
    let rest = bytes.get(at..).and_then(|rest| rest.first_chunk());
    rest.ok_or(LinkLayerError::Truncated(missing))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, LinkLayerError> {
    array(bytes, at).map(|digits| u16::from_be_bytes(*digits))
}

fn rest(bytes: &[u8], at: usize) -> Result<&[u8], LinkLayerError> {
    let missing = at.saturating_sub(bytes.len());
    bytes.get(at..).ok_or(LinkLayerError::Truncated(missing))
}
