//! Message part of an ASC line behind the identifier: lengths, data and flags of one frame.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::{FdFlags, Frame, Id};

use super::flag;
use crate::error::{LineCause, MissingPart, Quote};
use crate::message::{byte, classic, no_more_bytes, read_all, read_bytes};
use crate::text::{Words, number};

/// Reads `LENGTH BYTES` of a data line. Its length is a length code of classic CAN.
///
/// python-can writes the length itself there, in hexadecimal, for more bytes than classic CAN
/// carries: where exactly so many bytes stand, the frame is CAN FD.
pub(super) fn data(id: Id, words: &mut Words<'_>, base: u32) -> Result<Frame, LineCause> {
    let word = words
        .next()
        .ok_or_else(|| LineCause::Missing(MissingPart::Length))?;
    let stated = number(word, 16).map_or(0, |stated| stated as usize);
    let is_fd_length = stated > 8 && FD_LENGTHS.iter().any(|&fits| usize::from(fits) == stated);
    let found = if stated > 8 {
        let rest = words.clone().take(FD_LENGTH_MAX + 1);
        rest.take_while(|word| byte(word, base).is_some()).count()
    } else {
        0
    };
    if is_fd_length && found == stated {
        let mut bytes = [0; FD_LENGTH_MAX];
        read_bytes(words, &mut bytes[..stated], base)?;
        return Ok(Frame::fd_with(
            id,
            &bytes[..stated],
            FdFlags {
                bit_rate_switch: false,
                error_state_indicator: false,
            },
        )?);
    }
    if found > 8 {
        let stated = if is_fd_length { stated } else { 8 };
        return Err(LineCause::ByteCount { stated, found });
    }
    let dlc = match length_code(word) {
        Some(dlc) => dlc,
        None if is_fd_length => return Err(LineCause::ByteCount { stated, found }),
        None => return Err(LineCause::Length(Quote::new(word))),
    };
    let mut eight = [0; 8];
    read_all(words, &mut eight[..usize::from(dlc.min(8))], base)?;
    Ok(Frame::classic_of_eight(id, dlc, eight))
}

/// Reads the rest behind the identifier of a CANFD line: perhaps a name, BRS, ESI, length code,
/// length, data, duration, bit count, flags and six more.
pub(super) fn fd(id: Id, words: &mut Words<'_>, base: u32) -> Result<Frame, LineCause> {
    // A message name never starts with a digit, so the first digit is BRS.
    if words.peek().is_some_and(|word| !word[0].is_ascii_digit()) {
        words.next();
    }
    let switch = bit(words)?;
    let passive = bit(words)?;
    let word = words
        .next()
        .ok_or_else(|| LineCause::Missing(MissingPart::Length))?;
    let dlc = length_code(word).ok_or_else(|| LineCause::Length(Quote::new(word)))?;
    let word = words
        .next()
        .ok_or_else(|| LineCause::Missing(MissingPart::Length))?;
    let stated = number(word, 10)
        .filter(|&stated| stated <= FD_LENGTH_MAX as u32)
        .ok_or_else(|| LineCause::Length(Quote::new(word)))? as usize;
    let mut bytes = [0; FD_LENGTH_MAX];
    read_bytes(words, &mut bytes[..stated], base)?;
    no_bytes_behind(words, stated, base)?;
    // Duration and bit count stand between the data and the flags; old files end before them.
    let flags = match words.nth(2) {
        Some(word) => number(word, 16).ok_or_else(|| LineCause::FdFlags(Quote::new(word)))?,
        None => flag::FD,
    };
    if flags & flag::REMOTE != 0 && stated == 0 {
        return Ok(Frame::remote(id, dlc)?);
    }
    // Some recorders leave the flags word empty: what classic CAN does not have is CAN FD anyway.
    let is_fd = flags & flag::FD != 0 || stated > 8 || switch || passive;
    let frame = if is_fd {
        Frame::fd_with(
            id,
            &bytes[..stated],
            FdFlags {
                bit_rate_switch: switch,
                error_state_indicator: passive,
            },
        )?
    } else {
        classic(id, dlc, &bytes[..stated])?
    };
    match frame.data_len() == stated && frame.dlc() == dlc {
        true => Ok(frame),
        false => Err(LineCause::ByteCount {
            stated: usize::from(FD_LENGTHS[usize::from(dlc)]),
            found: stated,
        }),
    }
}

/// Refuses more bytes than stated on a CANFD line, where numbers stand behind them: more than the
/// eight there are, or less than the three up to the flags.
fn no_bytes_behind(words: &Words<'_>, stated: usize, base: u32) -> Result<(), LineCause> {
    let behind = words.clone().take(FD_LENGTH_MAX + WORDS_BEHIND).count();
    if behind > WORDS_BEHIND {
        let found = stated + behind - WORDS_BEHIND;
        return Err(LineCause::ByteCount { stated, found });
    }
    match behind {
        1 | 2 => no_more_bytes(words, stated, base),
        _ => Ok(()),
    }
}

/// Reads a length code: one hexadecimal digit, or two decimal ones as some writers of base dec.
pub(super) fn length_code(word: &[u8]) -> Option<u8> {
    let base = if word.len() == 1 { 16 } else { 10 };
    number(word, base)
        .filter(|&dlc| dlc <= 15)
        .map(|dlc| dlc as u8)
}

/// The most bytes that a frame carries.
const FD_LENGTH_MAX: usize = waywarden_can::frame::DATA_MAX;

/// Words behind the data of a CANFD line: duration, bit count, flags, CRC, four of bit timing.
const WORDS_BEHIND: usize = 8;

fn bit(words: &mut Words<'_>) -> Result<bool, LineCause> {
    match words.next() {
        Some(b"0") => Ok(false),
        Some(b"1") => Ok(true),
        Some(word) => Err(LineCause::FdFlags(Quote::new(word))),
        None => Err(LineCause::Missing(MissingPart::FdFlags)),
    }
}
