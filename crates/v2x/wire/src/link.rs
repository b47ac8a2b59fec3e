//! Finds what a captured frame carries: from the link's header to WSMP or GeoNetworking.
//!
//! Ethernet with VLAN tags, IEEE 802.11 with and without radiotap, and Linux' cooked captures. It
//! checks no frame check sequence, decrypts nothing, and does not read the files that captures come
//! in. Read \[802.11 §9.2\] and \[LINKTYPES\] first.

mod ieee80211;

use core::fmt;

/// The protocol number of WAVE short messages \[1609.3 §5.2\].
pub const ETHERTYPE_WSMP: u16 = 0x88DC;
/// The protocol number of GeoNetworking \[EN 302 636-4-1 §5\].
pub const ETHERTYPE_GEONETWORKING: u16 = 0x8947;

/// How many VLAN tags are passed over.
const TAGS_MAX: usize = 2;
/// Protocol numbers begin here; below, the field is the length of an IEEE 802.3 frame.
const ETHERTYPE_MIN: u16 = 0x0600;
/// LLC with SNAP for the organisation whose codes are Ethernet's protocol numbers.
const SNAP: [u8; 6] = [0xAA, 0xAA, 0x03, 0, 0, 0];
/// Linux' mark for 802.2 LLC.
const LINUX_LLC: u16 = 0x0004;

/// What kind of frames a capture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// Ethernet II or IEEE 802.3, without the frame check sequence.
    Ethernet,
    /// IEEE 802.11, the 802.11p of vehicles with it.
    Ieee80211,
    /// IEEE 802.11 with a radiotap header in front.
    Radiotap,
    /// Linux' header of captures from all interfaces.
    LinuxCooked,
    /// Its second version.
    LinuxCooked2,
}

impl LinkType {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Ethernet,
        Self::Ieee80211,
        Self::Radiotap,
        Self::LinuxCooked,
        Self::LinuxCooked2,
    ];

    /// Finds a link type by its number in capture files \[LINKTYPES\].
    ///
    /// # Errors
    /// [`LinkError::LinkType`] for one that is not read here.
    pub fn from_number(number: u32) -> Result<Self, LinkError> {
        let found = Self::ALL.into_iter().find(|kind| kind.number() == number);
        found.ok_or(LinkError::LinkType(number))
    }

    /// Returns its number in capture files \[LINKTYPES\].
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Ethernet => 1,
            Self::Ieee80211 => 105,
            Self::Radiotap => 127,
            Self::LinuxCooked => 113,
            Self::LinuxCooked2 => 276,
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
        })
    }
}

/// The network protocols of V2X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// WAVE short messages.
    Wsmp,
    /// GeoNetworking.
    GeoNetworking,
}

impl Network {
    /// Returns its protocol number.
    #[must_use]
    pub fn ethertype(self) -> u16 {
        match self {
            Self::Wsmp => ETHERTYPE_WSMP,
            Self::GeoNetworking => ETHERTYPE_GEONETWORKING,
        }
    }

    fn of(ethertype: u16) -> Result<Self, LinkError> {
        match ethertype {
            ETHERTYPE_WSMP => Ok(Self::Wsmp),
            ETHERTYPE_GEONETWORKING => Ok(Self::GeoNetworking),
            other => Err(LinkError::Protocol(other)),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Wsmp => "WSMP",
            Self::GeoNetworking => "GeoNetworking",
        })
    }
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The protocol.
    pub network: Network,
    /// Its packet. Padding of the link, or a frame check sequence that the capture kept and did not
    /// announce, may stand behind it.
    pub packet: &'a [u8],
    /// Who sent it: a MAC address; all zeros where the capture has none.
    pub source: [u8; 6],
}

/// Why a frame has nothing for us, or cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkError {
    /// The frame ends too soon: so many bytes are missing at least.
    Truncated(usize),
    /// Captures of this link type are not read.
    LinkType(u32),
    /// It carries another protocol, with this number.
    Protocol(u16),
    /// It has more VLAN tags than are passed over.
    Tags,
    /// It has an LLC header without SNAP; its first byte is this one.
    Llc(u8),
    /// It is no version 0 of IEEE 802.11 or radiotap: this one.
    Version(u8),
    /// It is a management frame of IEEE 802.11, with this subtype.
    Management(u8),
    /// It is a control frame of IEEE 802.11, with this subtype.
    Control(u8),
    /// It is an extension frame of IEEE 802.11, with this subtype.
    Extension(u8),
    /// It is a data frame of IEEE 802.11 without data.
    Null,
    /// IEEE 802.11 has encrypted it.
    Protected,
    /// It is a part of a larger one.
    Fragment,
    /// It is several frames in one (A-MSDU).
    Aggregated,
    /// The receiver's radiotap header says that its frame check sequence is wrong.
    CheckSequence,
}

impl LinkError {
    /// Whether the frame could be read so far that it is known to carry no message of ours: another
    /// protocol, or what links and access points tell each other. Vehicles talk outside of any
    /// access point's network, where no frame is encrypted: an encrypted one is not theirs.
    #[must_use]
    pub fn is_other_traffic(&self) -> bool {
        match self {
            Self::Protocol(_)
            | Self::Llc(_)
            | Self::Management(_)
            | Self::Control(_)
            | Self::Extension(_)
            | Self::Null
            | Self::Protected => true,
            Self::Truncated(_)
            | Self::LinkType(_)
            | Self::Tags
            | Self::Version(_)
            | Self::Fragment
            | Self::Aggregated
            | Self::CheckSequence => false,
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(missing) => write!(formatter, "{missing} or more bytes are missing"),
            Self::LinkType(number) => write!(formatter, "link type {number} is not read"),
            Self::Protocol(number) => {
                let name = match number {
                    0x0800 => "IPv4",
                    0x0806 => "ARP",
                    0x86DD => "IPv6",
                    0x8808 => "flow control",
                    0x888E => "EAPOL",
                    0x88CC => "LLDP",
                    0x88F7 => "PTP",
                    _ => "another protocol",
                };
                write!(
                    formatter,
                    "{name} ({number:#06x}), not WSMP or GeoNetworking"
                )
            }
            Self::Tags => write!(formatter, "more than {TAGS_MAX} VLAN tags"),
            Self::Llc(byte) => write!(formatter, "LLC without SNAP ({byte:#04x})"),
            Self::Version(version) => write!(formatter, "version {version} of the link's header"),
            Self::Management(subtype) => {
                write!(formatter, "a management frame (subtype {subtype})")
            }
            Self::Control(subtype) => write!(formatter, "a control frame (subtype {subtype})"),
            Self::Extension(subtype) => {
                write!(formatter, "an extension frame (subtype {subtype})")
            }
            Self::Null => formatter.write_str("a data frame without data"),
            Self::Protected => formatter.write_str("an encrypted frame"),
            Self::Fragment => formatter.write_str("a fragment of a frame"),
            Self::Aggregated => formatter.write_str("several frames in one"),
            Self::CheckSequence => formatter.write_str("a frame received with errors"),
        }
    }
}

impl core::error::Error for LinkError {}

/// Finds what a captured frame carries.
///
/// # Errors
/// The reason why it carries nothing for us, or the first thing that is wrong.
pub fn payload(link: LinkType, frame: &[u8]) -> Result<Payload<'_>, LinkError> {
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
    }
}

/// Ethernet II with VLAN tags, or IEEE 802.3 with LLC and SNAP.
fn ethernet(frame: &[u8]) -> Result<Payload<'_>, LinkError> {
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
            let packet = packet.get(..length).ok_or(LinkError::Truncated(missing))?;
            return snap(packet, source);
        }
        if !TAGS.contains(&ethertype) {
            let network = Network::of(ethertype)?;
            return Ok(Payload {
                network,
                packet,
                source,
            });
        }
        at += TAG_BYTES;
    }
    Err(LinkError::Tags)
}

/// Goes by the protocol number of a cooked capture, or by the LLC header that it announces.
fn cooked(number: u16, packet: &[u8], source: [u8; 6]) -> Result<Payload<'_>, LinkError> {
    if number == LINUX_LLC {
        return snap(packet, source);
    }
    Ok(Payload {
        network: Network::of(number)?,
        packet,
        source,
    })
}

/// LLC and SNAP, then a protocol number.
fn snap(packet: &[u8], source: [u8; 6]) -> Result<Payload<'_>, LinkError> {
    let header = packet.iter().zip(&SNAP);
    if let Some((byte, _)) = header.clone().find(|(byte, snap)| byte != snap) {
        return Err(LinkError::Llc(*packet.first().unwrap_or(byte)));
    }
    let network = Network::of(u16_at(packet, SNAP.len())?)?;
    let packet = rest(packet, SNAP.len() + 2)?;
    Ok(Payload {
        network,
        packet,
        source,
    })
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<&[u8; N], LinkError> {
    let missing = (at + N).saturating_sub(bytes.len());
    let rest = bytes.get(at..).and_then(|rest| rest.first_chunk());
    rest.ok_or(LinkError::Truncated(missing))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, LinkError> {
    array(bytes, at).map(|digits| u16::from_be_bytes(*digits))
}

fn rest(bytes: &[u8], at: usize) -> Result<&[u8], LinkError> {
    let missing = at.saturating_sub(bytes.len());
    bytes.get(at..).ok_or(LinkError::Truncated(missing))
}
