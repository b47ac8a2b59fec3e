//! Messages and certificates in files: raw bytes, text with hexadecimal digits or base64, logs of
//! jpo-ode, and captures in pcap and pcapng, each also compressed with gzip. The first bytes of a
//! file say what it is.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use waywarden_input_files::files;

use super::captures::{pcap, pcapng};
pub use super::digits::{hex, show};
use super::foreign::is_utf16;
use super::lines::lines;
use super::members::{Members, UNPACKED_MAX};
use super::ode_log::{self, Layout};
use super::record::InputRecord;
use super::unread::{FileLocation, ReadFile, UnreadFile};

/// The longest message or certificate in a file of its own: 16 MiB.
const RECORD_MAX: u64 = 16 << 20;

/// Number of a file's bytes that determine its kind.
const HEAD: u64 = 512;

/// Name of standard input in places.
const STANDARD_INPUT: &str = "standard input";

/// Reads the records of a file, one after the other; `-` is standard input. Returns what has to be
/// said of a file that was read to its end, and the lines of it that could not be read.
///
/// # Errors
/// [`UnreadFile`] as `E` for a file that cannot be read, or not to its end; that of `take`.
pub fn each<E: From<UnreadFile>>(
    path: &Path,
    take: impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<ReadFile, E> {
    watched(path, |input| input, take)
}

/// The same, of what `watch` makes of the open file: so it may count the bytes.
///
/// # Errors
/// As in [`each`].
pub fn watched<E: From<UnreadFile>>(
    path: &Path,
    watch: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    take: impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<ReadFile, E> {
    let (name, input) = open(path)?;
    read(&name, Box::new(BufReader::new(watch(input))), take)
}

/// The same of any bytes; `name` is their name in places.
pub fn read<E: From<UnreadFile>>(
    name: &str,
    input: Box<dyn BufRead>,
    mut take: impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<ReadFile, E> {
    let failed = |error: io::Error| UnreadFile::of(name, FileLocation::Whole, &error);
    let (head, mut input) = behold(input, 2).map_err(failed)?;
    let rest = Rc::new(Cell::new(false));
    if head == [0x1F, 0x8B] {
        let members = Members::new(input, Rc::clone(&rest), UNPACKED_MAX);
        input = Box::new(BufReader::new(members));
    }
    let (head, input) = behold(input, HEAD).map_err(failed)?;
    let (mut any, mut wrong) = (false, Vec::new());
    let mut take = |record| {
        any = true;
        take(record)
    };
    let nothing = match Kind::of(&head) {
        Kind::Empty => "empty: no message and no certificate",
        Kind::Pcap => {
            pcap(name, input, &mut take)?;
            "a capture without a packet"
        }
        Kind::PcapNg => {
            pcapng(name, input, &mut take)?;
            "a capture without a packet"
        }
        Kind::Log(layout) => {
            ode_log::records(name, input, layout, &mut take)?;
            ""
        }
        Kind::Text => {
            wrong = lines(name, input, &mut take)?;
            "only empty lines and comments: no message and no certificate"
        }
        Kind::Utf16 => return Err(unsuited(name, "text in UTF-16").into()),
        Kind::Raw => {
            take(raw(name, input)?)?;
            ""
        }
    };
    if !any && wrong.is_empty() {
        return Err(UnreadFile {
            file: name.to_owned(),
            place: FileLocation::Whole,
            error: nothing.to_owned(),
            remedy: "give a file that has some",
        }
        .into());
    }
    let note = format!("{name}: what stands behind the end of the compressed data is passed over");
    let note = rest.get().then_some(note);
    Ok(ReadFile { note, wrong })
}

fn open(path: &Path) -> Result<(String, Box<dyn Read + Send>), UnreadFile> {
    if path == Path::new("-") {
        return Ok((STANDARD_INPUT.to_owned(), Box::new(io::stdin())));
    }
    let name = path.display().to_string();
    match files::open_plain(path) {
        Ok(file) => Ok((name, Box::new(file))),
        Err(error) => Err(UnreadFile::of(&name, FileLocation::Whole, &error)),
    }
}

/// Looks at the first bytes, which stay to be read. Where reading fails behind some, it will fail
/// there again.
fn behold(input: Box<dyn BufRead>, most: u64) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let mut head = Vec::new();
    let mut part = input.take(most);
    match part.read_to_end(&mut head) {
        Err(error) if head.is_empty() => Err(error),
        _ => {
            let all = Cursor::new(head.clone()).chain(part.into_inner());
            Ok((head, Box::new(all)))
        }
    }
}

fn unsuited(name: &str, what: &str) -> UnreadFile {
    UnreadFile {
        file: name.to_owned(),
        place: FileLocation::Whole,
        error: what.to_owned(),
        remedy: "save it as UTF-8, in lines of hexadecimal digits",
    }
}

/// One message or certificate, as its bytes are.
fn raw(name: &str, input: impl Read) -> Result<InputRecord, UnreadFile> {
    let mut bytes = Vec::new();
    let read = input.take(RECORD_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| UnreadFile::of(name, FileLocation::Whole, &error))?;
    if bytes.len() as u64 > RECORD_MAX {
        return Err(UnreadFile {
            file: name.to_owned(),
            place: FileLocation::Whole,
            error: format!(
                "longer than {RECORD_MAX} bytes, and neither a capture nor lines of hexadecimal \
                 digits"
            ),
            remedy: "give messages, certificates or captures",
        });
    }
    Ok(InputRecord::of(name.to_owned(), bytes))
}

/// Kind of a file.
enum Kind {
    Empty,
    Pcap,
    PcapNg,
    Text,
    Utf16,
    Log(Layout),
    Raw,
}

impl Kind {
    /// Tells it by the first bytes.
    fn of(head: &[u8]) -> Self {
        const PCAP: [[u8; 4]; 4] = [
            [0xD4, 0xC3, 0xB2, 0xA1],
            [0xA1, 0xB2, 0xC3, 0xD4],
            [0x4D, 0x3C, 0xB2, 0xA1],
            [0xA1, 0xB2, 0x3C, 0x4D],
        ];
        if head.is_empty() {
            Self::Empty
        } else if PCAP.iter().any(|magic| head.starts_with(magic)) {
            Self::Pcap
        } else if head.starts_with(&[0x0A, 0x0D, 0x0D, 0x0A]) {
            Self::PcapNg
        } else if is_utf16(head) {
            Self::Utf16
        } else if is_text(head) {
            Self::Text
        } else {
            Layout::of(head).map_or(Self::Raw, Self::Log)
        }
    }
}

/// Returns true if a beginning is UTF-8 without control characters; its last character may be cut.
/// No message and no certificate begins so.
fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            let whole = head.get(..error.valid_up_to());
            whole.map_or("", |whole| std::str::from_utf8(whole).unwrap_or(""))
        }
        Err(_) => return false,
    };
    let is_control = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\r' | '\n');
    !text.is_empty() && !text.chars().any(is_control)
}

/// Returns true if a file's name says that it is a capture.
pub fn is_capture(path: &Path) -> bool {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".pcap") || name.ends_with(".pcapng")
}
