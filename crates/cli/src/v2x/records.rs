//! Messages and certificates in files: raw bytes, lines of hexadecimal digits, and captures in pcap
//! and pcapng, each also compressed with gzip. What a file is, its first bytes say.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use flate2::bufread::MultiGzDecoder;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_wire::detect::{Found, detect, detect_in};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::link::LinkType;

use crate::exit::Failure;
use crate::files;

/// The longest message or certificate in a file of its own, and the longest line: 16 MiB.
const RECORD_MAX: u64 = 16 << 20;

/// Bytes of a file that may be a message or a certificate.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The file and the place in it.
    pub(crate) place: String,
    /// What stands before it in its line.
    pub(crate) label: Option<String>,
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
    /// When it was captured.
    pub(crate) captured: Option<Time64>,
    /// The number of its link type, if it is a frame.
    pub(crate) link: Option<u32>,
}

impl Record {
    /// Finds the message in it: in a frame of its link, or in bytes that do not say what they are.
    pub(crate) fn find(&self) -> Result<Found<'_>, String> {
        match self.link.map(LinkType::from_number) {
            None => detect(&self.bytes).map_err(|error| error.to_string()),
            Some(Ok(link)) => detect_in(link, &self.bytes).map_err(|error| error.to_string()),
            Some(Err(error)) => Err(error.to_string()),
        }
    }
}

/// Reads the records of a file, one after the other.
pub(crate) fn each(
    path: &Path,
    mut take: impl FnMut(Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = path.display().to_string();
    let mut input: Box<dyn BufRead> = Box::new(BufReader::new(files::open(path)?));
    let failed = |error: &std::io::Error| Failure::file(path.display(), error);
    if begins(&mut *input, &[0x1F, 0x8B]).map_err(|error| failed(&error))? {
        input = Box::new(BufReader::new(MultiGzDecoder::new(input)));
    }
    match kind(&mut *input).map_err(|error| failed(&error))? {
        Kind::Pcap => pcap(&name, input, &mut take),
        Kind::PcapNg => pcapng(&name, input, &mut take),
        Kind::Text => lines(&name, input, &mut take),
        Kind::Raw => {
            let mut bytes = Vec::new();
            let read = input.take(RECORD_MAX + 1).read_to_end(&mut bytes);
            read.map_err(|error| failed(&error))?;
            if bytes.len() as u64 > RECORD_MAX {
                return Err(Failure::new(format_args!(
                    "{name}: longer than {RECORD_MAX} bytes, and neither a capture nor lines of \
                     hexadecimal digits"
                )));
            }
            take(Record {
                place: name,
                label: None,
                bytes,
                captured: None,
                link: None,
            })
        }
    }
}

/// What a file is.
enum Kind {
    Pcap,
    PcapNg,
    Text,
    Raw,
}

fn begins(input: &mut dyn BufRead, magic: &[u8]) -> std::io::Result<bool> {
    Ok(input.fill_buf()?.starts_with(magic))
}

fn kind(input: &mut dyn BufRead) -> std::io::Result<Kind> {
    const PCAP: [[u8; 4]; 4] = [
        [0xD4, 0xC3, 0xB2, 0xA1],
        [0xA1, 0xB2, 0xC3, 0xD4],
        [0x4D, 0x3C, 0xB2, 0xA1],
        [0xA1, 0xB2, 0x3C, 0x4D],
    ];
    let bytes = input.fill_buf()?;
    Ok(if PCAP.iter().any(|magic| bytes.starts_with(magic)) {
        Kind::Pcap
    } else if bytes.starts_with(&[0x0A, 0x0D, 0x0D, 0x0A]) {
        Kind::PcapNg
    } else if !bytes.is_empty()
        && bytes
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n'))
    {
        Kind::Text
    } else {
        Kind::Raw
    })
}

/// Lines of hexadecimal digits; a first word that stands before them is their label. Empty lines
/// and those that begin with # are passed over.
fn lines(
    name: &str,
    mut input: Box<dyn BufRead>,
    take: &mut impl FnMut(Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut number = 0_usize;
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(RECORD_MAX).read_until(b'\n', &mut line);
        number += 1;
        let place = format!("{name}:{number}");
        if read.map_err(|error| Failure::file(&place, &error))? == 0 {
            return Ok(());
        }
        let wrong = |why: &str| Failure::new(format_args!("{place}: {why}"));
        if line.len() as u64 == RECORD_MAX && line.last() != Some(&b'\n') {
            return Err(wrong("longer than 16 MiB, the most that a line may have"));
        }
        let line = String::from_utf8(line).map_err(|_| wrong("not a text any more"))?;
        let mut words = line.split_whitespace();
        let (Some(first), rest) = (words.next(), words.collect::<Vec<_>>()) else {
            continue;
        };
        if first.starts_with('#') {
            continue;
        }
        let (label, digits) = match rest.as_slice() {
            [] => (None, Cow::Borrowed(first)),
            rest if is_hex(first) && first.len() == 2 => {
                // Bytes that are set apart.
                (None, Cow::Owned(format!("{first}{}", rest.concat())))
            }
            rest => (Some(first.to_owned()), Cow::Owned(rest.concat())),
        };
        let bytes = hex(&digits).ok_or_else(|| {
            wrong("no hexadecimal digits, two for each byte, after an optional first word")
        })?;
        take(Record {
            place,
            label,
            bytes,
            captured: None,
            link: None,
        })?;
    }
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    if digits.is_empty() || !digits.len().is_multiple_of(2) || !is_hex(digits) {
        return None;
    }
    let digit = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(digit).collect()
}

/// Writes hexadecimal digits.
pub(crate) fn show(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

fn moment(since: Duration) -> Option<Time64> {
    from_unix(i64::try_from(since.as_micros()).ok()?)
}

fn pcap(
    name: &str,
    input: Box<dyn BufRead>,
    take: &mut impl FnMut(Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let wrong = |at: usize, error: pcap_file::PcapError| {
        Failure::new(format_args!("{name}, packet {at}: {error}"))
    };
    let mut reader = PcapReader::new(input).map_err(|error| wrong(0, error))?;
    let link = u32::from(reader.header().datalink);
    let mut at = 0;
    while let Some(packet) = reader.next_packet() {
        at += 1;
        let packet = packet.map_err(|error| wrong(at, error))?;
        take(Record {
            place: format!("{name}, packet {at}"),
            label: None,
            captured: moment(packet.timestamp),
            bytes: packet.data.into_owned(),
            link: Some(link),
        })?;
    }
    Ok(())
}

fn pcapng(
    name: &str,
    input: Box<dyn BufRead>,
    take: &mut impl FnMut(Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let wrong = |at: usize, error: &dyn std::fmt::Display| {
        Failure::new(format_args!("{name}, packet {at}: {error}"))
    };
    let mut reader = PcapNgReader::new(input).map_err(|error| wrong(0, &error))?;
    let mut at = 0;
    loop {
        let (interface, captured, bytes) = match reader.next_block() {
            None => return Ok(()),
            Some(Err(error)) => return Err(wrong(at + 1, &error)),
            Some(Ok(Block::EnhancedPacket(packet))) => (
                packet.interface_id,
                // The reader takes units of the interface for nanoseconds.
                Some(packet.timestamp.as_nanos()),
                packet.data.into_owned(),
            ),
            Some(Ok(Block::SimplePacket(packet))) => (0, None, packet.data.into_owned()),
            Some(Ok(_)) => continue,
        };
        at += 1;
        let link = reader.interfaces().get(interface as usize);
        let link = link.ok_or_else(|| wrong(at, &"of an interface that is not described"))?;
        let captured = captured.and_then(|units| moment(since(units, link)?));
        let link = u32::from(link.linktype);
        take(Record {
            place: format!("{name}, packet {at}"),
            label: None,
            bytes,
            captured,
            link: Some(link),
        })?;
    }
}

/// The time since 1970 of so many units of an interface's clock: microseconds, unless it says a
/// negative power of ten or of two.
fn since(units: u128, interface: &InterfaceDescriptionBlock<'_>) -> Option<Duration> {
    let told = interface.options.iter().find_map(|option| match option {
        InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
        _ => None,
    });
    let per_second = match told.unwrap_or(6) {
        binary @ 0x80.. => 1_u128.checked_shl(u32::from(binary & 0x7F))?,
        decimal => 10_u128.checked_pow(u32::from(decimal))?,
    };
    let nanoseconds = units.checked_mul(1_000_000_000)? / per_second;
    Some(Duration::from_nanos(u64::try_from(nanoseconds).ok()?))
}

/// Whether a file's name says that it is a capture.
pub(crate) fn is_capture(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".pcap") || name.ends_with(".pcapng")
}
