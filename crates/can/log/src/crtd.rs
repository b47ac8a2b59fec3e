//! CRTD logs of the Open Vehicle Monitoring System, read.
//!
//! A row is `TIME [BUS]TYPE ID BYTES`, of type R11, R29 (received), T11 or T29 (sent). Records of
//! other types are events and comments. Read first: the CRTD page of the OVMS documentation.

use waywarden_can::Frame;

use crate::error::{LineCause, LogCause, MissingPart, Quote, RowCause};
use crate::message::{id, read_bytes};
use crate::numbered::NumberedChannels;
use crate::record::{Channels, Direction, LogEntry, Record};
use crate::row::{Layout, Row};
use crate::text::{Words, number, seconds};

/// Record types that are no frames; others may come with later versions.
const OTHERS: [&[u8]; 11] = [
    b"CXX", b"CVR", b"CER", b"CST", b"CEV", b"CBC", b"CDP", b"CDR", b"CFC", b"CFA", b"CMT",
];

#[derive(Debug)]
pub(crate) struct Rows {
    channels: NumberedChannels,
}

/// A type of frames.
struct FrameType {
    bus: u16,
    direction: Direction,
    is_extended: bool,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Rows {
            channels: NumberedChannels::new(),
        }
    }
}

impl Layout for Rows {
    fn read(&mut self, line: &[u8]) -> Result<Row, LogCause> {
        let mut words = Words::new(line);
        let at_ns = seconds(words.next().unwrap_or_default())?;
        let word = words.next().ok_or(RowCause::Missing {
            field: "the record type",
            right: "R11, R29, T11 or T29, with the number of the bus before it",
        })?;
        let Some(kind) = frame_type(word) else {
            let text = word.trim_ascii_start();
            return match type_name(text).1 {
                b"CXX" | b"CVR" => Ok(Row::Comment),
                [b'C', _, _] => Ok(Row::Event),
                _ => {
                    let right = "R11, R29, T11 or T29, with the number of the bus before it";
                    Err(RowCause::field("record type", word, right).into())
                }
            };
        };
        let digits = words
            .next()
            .ok_or_else(|| LineCause::Missing(MissingPart::Id))?;
        let raw = number(digits, 16)
            .ok_or_else(|| RowCause::field("identifier", digits, "hexadecimal digits"))?;
        let id = id(raw, kind.is_extended).map_err(LineCause::IdRange)?;
        let count = words.clone().take(9).count();
        let mut data = [0; 8];
        if count > data.len() {
            let found = words.clone().count();
            return Err(LineCause::ByteCount { stated: 8, found }.into());
        }
        read_bytes(&mut words, &mut data[..count], 16)?;
        let frame = Frame::classic(id, &data[..count]).map_err(LineCause::Frame)?;
        let channel = self
            .channels
            .channel(kind.bus)
            .ok_or_else(|| LineCause::AscChannel(Quote::new(word)))?;
        let direction = Some(kind.direction);
        Ok(Row::Record(Record {
            at_ns,
            channel,
            entry: LogEntry::Frame { frame, direction },
        }))
    }

    fn channels(&self) -> &Channels {
        self.channels.channels()
    }
}

/// Returns true for a row of this format.
pub(crate) fn is_row(line: &[u8]) -> bool {
    let mut words = Words::new(line);
    let is_time = words.next().is_some_and(|word| seconds(word).is_ok());
    let Some(word) = words.next().filter(|_| is_time) else {
        return false;
    };
    frame_type(word).is_some() || OTHERS.contains(&type_name(word).1)
}

/// Cuts the number of the bus off a record type.
fn type_name(word: &[u8]) -> (&[u8], &[u8]) {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    word.split_at(digits)
}

/// Reads the type of a frame; bus 1 unless it has a number.
fn frame_type(word: &[u8]) -> Option<FrameType> {
    let (digits, name) = type_name(word);
    let bus = match digits {
        [] => 1,
        _ => number(digits, 10)?.try_into().ok()?,
    };
    let (direction, is_extended) = match name {
        b"R11" => (Direction::Rx, false),
        b"R29" => (Direction::Rx, true),
        b"T11" => (Direction::Tx, false),
        b"T29" => (Direction::Tx, true),
        _ => return None,
    };
    Some(FrameType {
        bus,
        direction,
        is_extended,
    })
}

#[cfg(test)]
mod tests {
    use crate::test_support::{faults, lines_of};

    const LOG: &str = "\
169.971289 CXX Info Type:crtd; Path:'/sd/can3.crtd';
1542473901.020305 1R11 213 00 c0 1
1542473901.021 2T11 318
1542473901.021260 R29 18DAF101 92 0b
1542473901.022000 CEV vehicle.alert this is an event
1542473901.023 3T29 0
";

    #[test]
    fn rows_read_as_they_were_sent() {
        let (text, reader) = lines_of(LOG.as_bytes());
        let expected = "\
(1542473901.020305) can0 213#00C001 R
(1542473901.021000) can1 318# T
(1542473901.021260) can0 18DAF101#920B R
(1542473901.023000) can2 00000000# T
";
        assert_eq!(text, expected);
        assert_eq!(reader.skipped(), 1);
    }

    #[test]
    fn broken_rows_name_their_place_and_remedy() {
        let log = format!(
            "{LOG}x 1R11 1 00\n1.0\n1.0 R12 1\n1.0 R11\n1.0 R11 G\n1.0 R11 800\n\
             1.0 R11 1 00 1 2 3 4 5 6 7 8\n1.0 R11 1 100\n1.0 0R11 1\n1.0 R11 1 2\n"
        );
        let expected = [
            "line 7: time stamp \"x\"; right would be",
            "line 8: the record type is missing; right would be R11",
            "line 9: record type \"R12\"; right would be R11",
            "line 10: the identifier is missing",
            "line 11: identifier \"G\"; right would be hexadecimal digits",
            "line 12: identifier 0x800",
            "line 13: 8 data bytes are announced and 9 stand there",
            "line 14: data \"100\"",
            "line 15: channel \"0R11\"; right would be a number from 1 to 256",
        ];
        faults(log.as_bytes(), &expected);
    }
}
