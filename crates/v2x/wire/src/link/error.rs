//! Reasons why a frame carries no V2X message.

use core::fmt;

use super::TAGS_MAX;

/// Reason why a frame carries no V2X message, or cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkLayerError {
    /// The frame ends too soon; at least this number of bytes is missing.
    Truncated(usize),
    /// Captures of this link type are not supported.
    LinkType(u32),
    /// It carries another protocol, with this number.
    Protocol(u16),
    /// It has more VLAN tags than are skipped.
    Tags,
    /// It has an LLC header without SNAP; its first byte is this one.
    Llc(u8),
    /// The version of IEEE 802.11 or radiotap is not 0, but this one.
    Version(u8),
    /// It is a management frame of IEEE 802.11, with this subtype.
    Management(u8),
    /// It is a control frame of IEEE 802.11, with this subtype.
    Control(u8),
    /// It is an extension frame of IEEE 802.11, with this subtype.
    Extension(u8),
    /// It is a data frame of IEEE 802.11 without data.
    Null,
    /// Its data is encrypted by IEEE 802.11.
    Protected,
    /// It is a fragment of a larger frame.
    Fragment,
    /// It aggregates several frames (A-MSDU).
    Aggregated,
    /// The receiver's header says that its frame check sequence is wrong.
    CheckSequence,
    /// It carries IP with another protocol than UDP: this one.
    IpProtocol(u8),
    /// It carries a fragment of an IP packet.
    IpFragment,
    /// It carries an IP packet whose headers cannot be parsed.
    IpHeader,
}

impl LinkLayerError {
    /// Returns true if the frame is known to carry no V2X message: another protocol, or traffic of
    /// links and access points. Vehicles send outside of any access point's network, where no frame
    /// is encrypted: an encrypted frame is not theirs.
    #[must_use]
    pub fn is_other_traffic(&self) -> bool {
        match self {
            Self::Protocol(_)
            | Self::Llc(_)
            | Self::Management(_)
            | Self::Control(_)
            | Self::Extension(_)
            | Self::Null
            | Self::Protected
            | Self::IpProtocol(_)
            | Self::IpFragment
            | Self::IpHeader => true,
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

impl fmt::Display for LinkLayerError {
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
            Self::IpProtocol(number) => {
                let name = match number {
                    1 | 58 => "ICMP",
                    2 => "IGMP",
                    6 => "TCP",
                    _ => "another protocol",
                };
                write!(formatter, "IP with {name} ({number}), not UDP")
            }
            Self::IpFragment => formatter.write_str("a fragment of an IP packet"),
            Self::IpHeader => formatter.write_str("an IP packet with a broken header"),
        }
    }
}

impl core::error::Error for LinkLayerError {}
