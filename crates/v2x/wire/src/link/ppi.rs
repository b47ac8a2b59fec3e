//! The per-packet information header that some receivers prepend to frames \[PPI\]: its length, the
//! link type of the frame, and fields; little endian throughout.

use super::{LinkLayerError, LinkPayload, LinkType, array, rest};

const HEADER: usize = 8;
const CHECK_SEQUENCE: usize = 4;

/// Finds the payload of the frame behind a PPI header.
pub(super) fn payload(frame: &[u8]) -> Result<LinkPayload<'_>, LinkLayerError> {
    let &[version] = array(frame, 0)?;
    if version != 0 {
        return Err(LinkLayerError::Version(version));
    }
    let length = usize::from(u16::from_le_bytes(*array(frame, 2)?)).max(HEADER);
    let number = u32::from_le_bytes(*array(frame, 4)?);
    let missing = length.saturating_sub(frame.len());
    let header = frame
        .get(..length)
        .ok_or(LinkLayerError::Truncated(missing))?;
    let mut inner = rest(frame, length)?;
    if is_kept(header)? {
        let missing = LinkLayerError::Truncated(CHECK_SEQUENCE.saturating_sub(inner.len()));
        let end = inner.len().checked_sub(CHECK_SEQUENCE);
        inner = end.and_then(|end| inner.get(..end)).ok_or(missing)?;
    }
    match LinkType::from_number(number)? {
        // A second PPI header is refused, which bounds the work.
        LinkType::Ppi => Err(LinkLayerError::LinkType(number)),
        link => super::payload(link, inner).map(|payload| LinkPayload {
            inner: Some(link),
            ..payload
        }),
    }
}

/// Returns true if the frame ends with its check sequence, according to the IEEE 802.11 field.
fn is_kept(header: &[u8]) -> Result<bool, LinkLayerError> {
    const COMMON: u16 = 2;
    const KEPT: u16 = 0x0001;
    const WRONG: u16 = 0x0004;
    let half = |at| array(header, at).map(|digits| u16::from_le_bytes(*digits));
    let mut at = HEADER;
    // Each step takes four bytes or more of the header.
    while at + 4 <= header.len() {
        let (kind, length) = (half(at)?, usize::from(half(at + 2)?));
        if kind == COMMON {
            let flags = half(at + 12)?;
            return match flags & WRONG {
                0 => Ok(flags & KEPT != 0),
                _ => Err(LinkLayerError::CheckSequence),
            };
        }
        at += 4 + length;
    }
    Ok(false)
}
