//! A frame of Ethernet in a UDP datagram, by TZSP (TaZmen Sniffer Protocol) \[TZSP\].
//!
//! | byte | value | meaning |
//! |---|---|---|
//! | 0 | 1 | version |
//! | 1 | 0 | a received packet |
//! | 2, 3 | 0, 1 | Ethernet |
//! | 4 | 1 | the end of the tags |
//! | from 5 | | the frame |
//!
//! Between bytes 3 and 4 others may put tags: a number, a length in bytes, a value; or the number
//! 0 alone, as padding.

use crate::link::{FRAME_BYTES_MAX, FRAME_BYTES_MIN};

/// The UDP port of TZSP: Wireshark dissects datagrams to it without being told.
pub const PORT: u16 = 37_008;
/// Maximum number of tags that are skipped.
pub const TAGS_MAX: usize = 32;
/// The longest datagram that is read, in bytes.
pub const DATAGRAM_BYTES_MAX: usize = 4_096;

const VERSION: u8 = 1;
const RECEIVED: u8 = 0;
const ETHERNET: u16 = 1;
const TAG_PADDING: u8 = 0;
const TAG_END: u8 = 1;

/// Reason why a datagram has no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The datagram ends within the header or a tag.
    #[error("the datagram ends within its header or a tag")]
    Cut,
    /// A version of TZSP other than 1.
    #[error("version {0} of TZSP; 1 is expected")]
    Version(u8),
    /// A packet that was not received: to be sent, a configuration, a sign of life.
    #[error("a packet of type {0}; 0 is expected")]
    Kind(u8),
    /// No frame of Ethernet.
    #[error("protocol {0}; 1 (Ethernet) is expected")]
    Protocol(u16),
    /// More than [`TAGS_MAX`] tags.
    #[error("more than {TAGS_MAX} tags")]
    Tags,
    /// A frame of so many bytes: fewer than [`FRAME_BYTES_MIN`] or more than [`FRAME_BYTES_MAX`].
    #[error("a frame of {0} bytes; {FRAME_BYTES_MIN} to {FRAME_BYTES_MAX} are possible")]
    Length(usize),
}

/// Puts a frame into a datagram, whose bytes of before are gone.
pub fn encapsulate(frame: &[u8], datagram: &mut Vec<u8>) {
    let [high, low] = ETHERNET.to_be_bytes();
    datagram.clear();
    datagram.extend([VERSION, RECEIVED, high, low, TAG_END]);
    datagram.extend(frame);
}

/// Takes the frame out of a datagram.
///
/// # Errors
/// Why there is none.
pub fn decapsulate(datagram: &[u8]) -> Result<&[u8], Malformed> {
    let ([version, kind, protocol @ ..], tags) =
        datagram.split_first_chunk::<4>().ok_or(Malformed::Cut)?;
    let protocol = u16::from_be_bytes(*protocol);
    match (*version, *kind, protocol) {
        (VERSION, RECEIVED, ETHERNET) => {}
        (VERSION, RECEIVED, _) => return Err(Malformed::Protocol(protocol)),
        (VERSION, kind, _) => return Err(Malformed::Kind(kind)),
        (version, _, _) => return Err(Malformed::Version(version)),
    }
    let frame = behind_tags(tags)?;
    if (FRAME_BYTES_MIN..=FRAME_BYTES_MAX).contains(&frame.len()) {
        Ok(frame)
    } else {
        Err(Malformed::Length(frame.len()))
    }
}

fn behind_tags(mut rest: &[u8]) -> Result<&[u8], Malformed> {
    // The end is a tag, too.
    for _ in 0..=TAGS_MAX {
        let (tag, after) = rest.split_first().ok_or(Malformed::Cut)?;
        rest = match *tag {
            TAG_END => return Ok(after),
            TAG_PADDING => after,
            _ => {
                let (length, after) = after.split_first().ok_or(Malformed::Cut)?;
                after.get(usize::from(*length)..).ok_or(Malformed::Cut)?
            }
        };
    }
    Err(Malformed::Tags)
}
