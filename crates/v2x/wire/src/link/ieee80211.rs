//! IEEE 802.11 data frames \[802.11 §9.2\], and the header that receivers put in front of them
//! \[RADIOTAP\].

use super::{LinkLayerError, LinkPayload, NetworkProtocol, array, rest, snap, u16_at};

const HEADER: usize = 24;
const CHECK_SEQUENCE: usize = 4;

/// Radiotap's header: little endian throughout; then the frame.
pub(super) fn radiotap(frame: &[u8]) -> Result<LinkPayload<'_>, LinkLayerError> {
    const KEEPS_CHECK_SEQUENCE: u8 = 0x10;
    const PADDED: u8 = 0x20;
    const BAD_CHECK_SEQUENCE: u8 = 0x40;
    let &[version, _] = array(frame, 0)?;
    if version != 0 {
        return Err(LinkLayerError::Version(version));
    }
    let length = usize::from(u16::from_le_bytes(*array(frame, 2)?));
    let missing = length.saturating_sub(frame.len());
    let header = frame
        .get(..length)
        .ok_or(LinkLayerError::Truncated(missing))?;
    let inner = rest(frame, length)?;
    let flags = flags(header)?;
    if flags & BAD_CHECK_SEQUENCE != 0 {
        return Err(LinkLayerError::CheckSequence);
    }
    let kept = match flags & KEEPS_CHECK_SEQUENCE {
        0 => 0,
        _ => CHECK_SEQUENCE,
    };
    let end = inner.len().checked_sub(kept);
    let missing = LinkLayerError::Truncated(kept.saturating_sub(inner.len()));
    let inner = end.and_then(|end| inner.get(..end)).ok_or(missing)?;
    data(inner, flags & PADDED != 0)
}

/// The flags field, 0 where there is none: the first field but for the time stamp of eight bytes,
/// which lies on a multiple of eight.
fn flags(header: &[u8]) -> Result<u8, LinkLayerError> {
    const TIME_STAMP: u32 = 1 << 0;
    const FLAGS: u32 = 1 << 1;
    const MORE_WORDS: u32 = 1 << 31;
    const FIRST_WORD: usize = 4;
    let word = |at| array(header, at).map(|digits| u32::from_le_bytes(*digits));
    let present = word(FIRST_WORD)?;
    let mut at = FIRST_WORD + size_of::<u32>();
    let mut last = present;
    // Ends with the header, which has at most 65,535 bytes.
    while last & MORE_WORDS != 0 {
        last = word(at)?;
        at += size_of::<u32>();
    }
    if present & FLAGS == 0 {
        return Ok(0);
    }
    if present & TIME_STAMP != 0 {
        at = at.next_multiple_of(size_of::<u64>()) + size_of::<u64>();
    }
    array(header, at).map(|&[flags]| flags)
}

/// A data frame; `padded`: its header is filled up to a multiple of four bytes.
pub(super) fn data(frame: &[u8], padded: bool) -> Result<LinkPayload<'_>, LinkLayerError> {
    let &[kind, flags] = array(frame, 0)?;
    let (version, subtype) = (kind & 0x3, kind >> 4);
    if version != 0 {
        return Err(LinkLayerError::Version(version));
    }
    match kind >> 2 & 0x3 {
        0 => return Err(LinkLayerError::Management(subtype)),
        1 => return Err(LinkLayerError::Control(subtype)),
        2 => {}
        _ => return Err(LinkLayerError::Extension(subtype)),
    }
    let source: [u8; 6] = *array(frame, 10)?;
    let (is_quality, is_null) = (subtype & 0x8 != 0, subtype & 0x4 != 0);
    let (to_and_from, more_fragments) = (flags & 0x3 == 0x3, flags & 0x04 != 0);
    let (is_protected, has_more_control) = (flags & 0x40 != 0, flags & 0x80 != 0);
    if is_null {
        return Err(LinkLayerError::Null);
    }
    if is_protected {
        return Err(LinkLayerError::Protected);
    }
    // Little endian: the fragment's number is in the low four bits. Only individually addressed
    // frames are fragmented \[802.11 §10.4\]; receivers of broadcasts write fillers there.
    let &[sequence, _] = array(frame, 22)?;
    let &[receiver] = array(frame, 4)?;
    let is_individual = receiver & 0x01 == 0;
    if is_individual && (more_fragments || sequence & 0x0F != 0) {
        return Err(LinkLayerError::Fragment);
    }
    let mut at = HEADER + if to_and_from { 6 } else { 0 };
    if is_quality {
        let &[control, _] = array(frame, at)?;
        if control & 0x80 != 0 {
            return Err(LinkLayerError::Aggregated);
        }
        at += if has_more_control { 6 } else { 2 };
    }
    if padded {
        at = at.next_multiple_of(4);
    }
    packet(rest(frame, at)?, source)
}

/// Finds the packet in the body of a data frame: behind LLC and SNAP, or in the bands of vehicles
/// behind a protocol number alone \[802.11 §9.2.4.7\].
fn packet(body: &[u8], source: [u8; 6]) -> Result<LinkPayload<'_>, LinkLayerError> {
    match NetworkProtocol::of(u16_at(body, 0)?) {
        network @ Some(_) => Ok(LinkPayload {
            inner: None,
            network,
            datagram: None,
            packet: rest(body, 2)?,
            source,
        }),
        None => snap(body, source),
    }
}
