//! Frames in captures: pcap and pcapng \[PCAP\] \[PCAPNG\]. A packet that is broken is reported
//! and the next one is read; where a capture ends in the middle, what was read before it stands.

mod packets;
mod sections;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Read};

use waywarden_v2x_security::time::from_unix;

use self::packets::Packets;
use self::sections::Sections;
use super::record::{CapturedFrame, InputRecord};
use super::unread::{FileLocation, UnreadFile};

/// The longest packet or block: 16 MiB. A longer one is a length that no writer wrote.
const PACKET_MAX: u32 = 16 << 20;

/// Next item of a capture.
enum Next {
    /// A frame.
    Frame(Packet),
    /// A packet that cannot be read, with the reason; those after it can be read.
    Broken(String),
    /// Something that is no packet.
    Other,
    /// Nothing.
    End,
}

/// A frame of a link.
struct Packet {
    frame: CapturedFrame,
    /// Microseconds since 1970, if it says so.
    captured: Option<i64>,
    bytes: Vec<u8>,
}

/// Reason why a capture cannot be read on.
enum Stop {
    /// The file or what unpacks it.
    Read(std::io::Error),
    /// It ends in the middle of something.
    Cut,
    /// Bytes that are no packet; the place of the next packet is not known.
    Lost(String),
    /// The format is of another version.
    Version([u16; 2]),
}

impl Stop {
    fn as_unread(&self, file: &str, place: FileLocation) -> UnreadFile {
        match self {
            Self::Read(error) => UnreadFile::of(file, place, error),
            Self::Cut | Self::Lost(_) => UnreadFile {
                file: file.to_owned(),
                place,
                error: self.words(),
                remedy: "what stands before was read; capture or copy it again",
            },
            Self::Version(_) => UnreadFile {
                file: file.to_owned(),
                place,
                error: self.words(),
                remedy: "write it again as pcapng or pcap of version 2.4",
            },
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Read(error) => error.to_string(),
            Self::Cut => "the capture ends in the middle".to_owned(),
            Self::Version([major, minor]) => {
                format!("version {major}.{minor} of the format pcap; this reads version 2")
            }
            Self::Lost(why) => format!("{why}; where the next packet begins is not known"),
        }
    }
}

/// Something that frames are read from, one after the other.
trait Capture {
    fn next(&mut self) -> Result<Next, Stop>;
}

/// Reads the frames of a capture in the older format.
pub(super) fn pcap<E: From<UnreadFile>>(
    name: &str,
    input: Box<dyn BufRead>,
    take: &mut impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<(), E> {
    each(name, Packets::new(input), take)
}

/// Reads the frames of a capture in the newer format.
pub(super) fn pcapng<E: From<UnreadFile>>(
    name: &str,
    input: Box<dyn BufRead>,
    take: &mut impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<(), E> {
    each(name, Ok(Sections::new(input)), take)
}

fn each<E: From<UnreadFile>>(
    name: &str,
    capture: Result<impl Capture, Stop>,
    take: &mut impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut at = 0_usize;
    let stopped = |at: usize, stop: &Stop| stop.as_unread(name, FileLocation::Packet(at));
    let mut capture = capture.map_err(|stop| stopped(0, &stop))?;
    loop {
        let next = capture.next().map_err(|stop| stopped(at + 1, &stop))?;
        if !matches!(next, Next::Other | Next::End) {
            at += 1;
        }
        let place = FileLocation::Packet(at).of(name);
        match next {
            Next::End => return Ok(()),
            Next::Other => {}
            Next::Frame(packet) => take(InputRecord {
                captured: packet.captured.and_then(from_unix),
                frame: Some(packet.frame),
                ..InputRecord::of(place, packet.bytes)
            })?,
            Next::Broken(why) => take(InputRecord {
                broken: Some(why),
                ..InputRecord::of(place, Vec::new())
            })?,
        }
    }
}

/// Byte order of numbers.
#[derive(Clone, Copy)]
enum Order {
    Big,
    Little,
}

impl Order {
    fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Big => u16::from_be_bytes(bytes),
            Self::Little => u16::from_le_bytes(bytes),
        }
    }

    fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(bytes),
            Self::Little => u32::from_le_bytes(bytes),
        }
    }

    /// The number at a place of four bytes; `None` behind the end.
    fn word(self, bytes: &[u8], at: usize) -> Option<u32> {
        let digits = bytes.get(at..)?.first_chunk()?;
        Some(self.u32(*digits))
    }
}

/// Reads so many bytes; `None` if there is nothing at all. No more is set aside than comes.
fn read(input: &mut impl BufRead, length: u32) -> Result<Option<Vec<u8>>, Stop> {
    let mut bytes = Vec::new();
    let mut part = input.take(u64::from(length));
    part.read_to_end(&mut bytes).map_err(Stop::Read)?;
    match bytes.len() {
        0 if length > 0 => Ok(None),
        read if read < length as usize => Err(Stop::Cut),
        _ => Ok(Some(bytes)),
    }
}
