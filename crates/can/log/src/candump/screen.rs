//! The form candump shows on the screen: `can0  123   [3]  11 22 33`, with `-x`, `-a`, `-8`, `-t`.

use waywarden_can::{FdFlags, Frame, FrameError};

use super::{DATA_MAX, ParsedId, nothing_behind, parse_id};
use crate::error::{LineCause, MissingPart, Quote};
use crate::message::padded_fd;
use crate::record::{Direction, ErrorFrame, LogEntry};
use crate::text::{Words, hex_byte, hex_digit, number};

/// Output of `-x` before the identifier: `RX - -` or `TX B E`.
struct Flags {
    direction: Direction,
    fd: FdFlags,
}

/// The bracket behind the identifier.
enum Length {
    /// `[8]`: one digit, a classic frame's byte count.
    Classic(usize),
    /// `[08]`, `[64]`: two digits, a CAN FD frame's byte count.
    Fd(usize),
    /// `{E}`: a classic frame of 8 bytes with this length code.
    Raw(u8),
}

/// Reads the words behind the channel, and the count of bytes that stand there: fewer than those of
/// the frame if it had to be padded.
pub(super) fn parse(words: &mut Words<'_>) -> Result<(LogEntry, usize), LineCause> {
    let flags = parse_flags(words)?;
    let id_word = words
        .next()
        .ok_or_else(|| LineCause::Missing(MissingPart::Id))?;
    let Some(length_word) = words.next() else {
        return Err(LineCause::NoFrame(Quote::new(id_word)));
    };
    let id = parse_id(id_word)?;
    let length = parse_length(length_word)?;
    let id = match (id, &length) {
        (ParsedId::Frame(id), _) => id,
        (ParsedId::Error(class), &Length::Classic(stated)) => {
            return Ok((parse_error(class, stated, words)?, stated));
        }
        (ParsedId::Error(_), _) => return Err(LineCause::Length(Quote::new(length_word))),
    };
    let mut count = DATA_MAX;
    let frame = if words.peek() == Some(b"remote") {
        words.next();
        match words.next() {
            Some(b"request") => nothing_behind(words)?,
            _ => return Err(LineCause::Kind(Quote::new(b"remote"))),
        }
        match length {
            Length::Classic(dlc) => Frame::remote(id, dlc as u8)?,
            Length::Raw(dlc) => Frame::remote(id, dlc)?,
            Length::Fd(_) => return Err(LineCause::Length(Quote::new(length_word))),
        }
    } else {
        let mut data = [0; DATA_MAX];
        match length {
            Length::Classic(stated) => {
                parse_bytes(words, &mut data[..stated])?;
                Frame::classic(id, &data[..stated])?
            }
            Length::Raw(dlc) => {
                parse_bytes(words, &mut data[..8])?;
                Frame::classic(id, &data[..8])?.with_raw_dlc(dlc)?
            }
            Length::Fd(stated) => {
                parse_bytes(words, &mut data[..stated])?;
                let flags = flags.as_ref().map(|flags| flags.fd).unwrap_or_default();
                count = stated;
                padded_fd(id, &data[..stated], flags, &mut 0)?
            }
        }
    };
    let direction = flags.map(|flags| flags.direction);
    Ok((LogEntry::Frame { frame, direction }, count))
}

fn parse_flags(words: &mut Words<'_>) -> Result<Option<Flags>, LineCause> {
    let direction = match words.peek() {
        Some(b"RX") => Direction::Rx,
        Some(b"TX") => Direction::Tx,
        _ => return Ok(None),
    };
    words.next();
    let mut flag = |mark: &[u8]| match words.next() {
        Some(b"-") => Ok(false),
        Some(word) if word == mark => Ok(true),
        Some(word) => Err(LineCause::FdFlags(Quote::new(word))),
        None => Err(LineCause::Missing(MissingPart::FdFlags)),
    };
    Ok(Some(Flags {
        direction,
        fd: FdFlags {
            bit_rate_switch: flag(b"B")?,
            error_state_indicator: flag(b"E")?,
        },
    }))
}

fn parse_length(word: &[u8]) -> Result<Length, LineCause> {
    let wrong = || LineCause::Length(Quote::new(word));
    match *word {
        [b'[', digit @ b'0'..=b'8', b']'] => Ok(Length::Classic((digit - b'0') as usize)),
        [b'[', ref digits @ .., b']'] if digits.len() == 2 => {
            let stated = number(digits, 10).ok_or_else(wrong)? as usize;
            match stated {
                0..=64 => Ok(Length::Fd(stated)),
                _ => Err(FrameError::FdLength(stated).into()),
            }
        }
        [b'[', ref digits @ .., b']'] if digits.len() == 4 => Err(LineCause::CanXl),
        [b'{', digit, b'}'] => match hex_digit(digit) {
            Some(dlc) if dlc > 8 => Ok(Length::Raw(dlc)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

/// Reads exactly the announced bytes; the text of `-a` in quotation marks may follow.
fn parse_bytes(words: &mut Words<'_>, data: &mut [u8]) -> Result<(), LineCause> {
    let stated = data.len();
    for (found, byte) in data.iter_mut().enumerate() {
        let word = words
            .next()
            .ok_or_else(|| LineCause::ByteCount { stated, found })?;
        *byte = hex_byte(word).ok_or_else(|| LineCause::Data(Quote::new(word)))?;
    }
    match words.peek() {
        Some(word) if word.starts_with(b"'") => Ok(()),
        Some(b"ERRORFRAME") => Ok(()),
        Some(word) if hex_byte(word).is_some() => Err(LineCause::ByteCount {
            stated,
            found: stated + words.clone().count(),
        }),
        _ => nothing_behind(words),
    }
}

fn parse_error(class: u32, stated: usize, words: &mut Words<'_>) -> Result<LogEntry, LineCause> {
    let mut data = [0; 8];
    parse_bytes(words, &mut data[..stated])?;
    Ok(LogEntry::ErrorFrame(ErrorFrame { class, data }))
}
