//! Messages and certificates in files: raw bytes, lines of hexadecimal digits, and captures in pcap
//! and pcapng, each also compressed with gzip. What a file is, its first bytes say.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::captures::{pcap, pcapng};
use super::record::Record;
use crate::exit::Failure;
use crate::files;

/// The longest message or certificate in a file of its own, and the longest line: 16 MiB.
const RECORD_MAX: u64 = 16 << 20;

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
            take(Record::of(name, bytes))
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
            label,
            ..Record::of(place, bytes)
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

/// Whether a file's name says that it is a capture.
pub(crate) fn is_capture(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".pcap") || name.ends_with(".pcapng")
}
