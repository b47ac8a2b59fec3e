//! Messages of V2X that stand alone, without IEEE 1609.2 around them.

use core::fmt;

use crate::coer::parse;
use crate::etsi102941::EtsiTs102941Data;
use crate::ieee1609dot2dot1::ScmsPdu;

/// A message without IEEE 1609.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsecured {
    /// A message of ETSI ITS, by the version and the number of its header \[TS 102 894-2\].
    Its {
        /// Version of the protocol.
        version: u8,
        /// Number of the message.
        number: u8,
    },
    /// A MessageFrame of SAE J2735, by the number of its message.
    MessageFrame(u16),
    /// Data of TS 102 941, which travel in an SPDU.
    Management,
    /// A message of IEEE 1609.2.1, which travels in an SPDU.
    Scms,
}

impl Unsecured {
    pub(super) fn named(self) -> Named {
        Named(self)
    }

    /// Returns the name of the message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match *self {
            Self::Its { number, .. } => its_name(number).unwrap_or("ITS message"),
            Self::MessageFrame(_) => "J2735-MessageFrame",
            Self::Management => "EtsiTs102941Data",
            Self::Scms => "ScmsPdu",
        }
    }
}

/// The name of a message, with its version or number.
#[derive(Clone, Copy)]
pub(super) struct Named(Unsecured);

impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.0.kind();
        match self.0 {
            Unsecured::Its { version, .. } => {
                write!(formatter, "a {kind} (ETSI ITS, protocol version {version})")
            }
            Unsecured::MessageFrame(number) => {
                write!(formatter, "a MessageFrame of SAE J2735 (message {number})")
            }
            Unsecured::Management => formatter.write_str("EtsiTs102941Data (TS 102 941)"),
            Unsecured::Scms => formatter.write_str("an ScmsPdu (IEEE 1609.2.1)"),
        }
    }
}

impl fmt::Display for Unsecured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named();
        write!(
            formatter,
            "{named} alone, without IEEE 1609.2: nothing is signed"
        )
    }
}

/// Numbers of messages in the header of ETSI ITS \[TS 102 894-2\].
fn its_name(number: u8) -> Option<&'static str> {
    Some(match number {
        1 => "DENM",
        2 => "CAM",
        3 => "POIM",
        4 => "SPATEM",
        5 => "MAPEM",
        6 => "IVIM",
        9 => "SREM",
        10 => "SSEM",
        11 => "EVCSN",
        12 => "SAEM",
        13 => "RTCMEM",
        14 => "CPM",
        15 => "IMZM",
        16 => "VAM",
        _ => return None,
    })
}

/// Names a message that stands alone; `None` if it is none of those that are known.
///
/// A MessageFrame, EtsiTs102941Data and an ScmsPdu have to end with the bytes. A message of ETSI
/// ITS goes by its header, whose versions are 1 to 3 and whose number is one of those that are
/// assigned.
#[must_use]
pub fn unsecured(bytes: &[u8]) -> Option<Unsecured> {
    /// Header of ETSI ITS, and a byte.
    const ITS_LEAST: usize = 7;
    match *bytes {
        [_, ..] if parse::<EtsiTs102941Data<'_>>(bytes).is_ok() => Some(Unsecured::Management),
        [2, 0x80..=0xFF, ..] if parse::<ScmsPdu<'_>>(bytes).is_ok() => Some(Unsecured::Scms),
        [version @ 1..=3, number, ..] if bytes.len() >= ITS_LEAST => {
            its_name(number).map(|_| Unsecured::Its { version, number })
        }
        [high, low, ..] => {
            let number = u16::from_be_bytes([high, low]);
            (is_assigned(number) && is_open_type(bytes.get(2..)?))
                .then_some(Unsecured::MessageFrame(number))
        }
        _ => None,
    }
}

/// Returns true for numbers that SAE J2735 gives to messages: from MAP (18) to those of 2024, and
/// the test messages (240 to 255).
fn is_assigned(number: u16) -> bool {
    matches!(number, 18..=63 | 240..=255)
}

/// Returns true for a length of UPER and as many bytes.
fn is_open_type(bytes: &[u8]) -> bool {
    match *bytes {
        [length @ 1..0x80, ref rest @ ..] => usize::from(length) == rest.len(),
        [high @ 0x80..0xC0, low, ref rest @ ..] => {
            usize::from(high & 0x3F) << 8 | usize::from(low) == rest.len()
        }
        _ => false,
    }
}
