//! Kinds of files, recognized by their first bytes: a file of another kind than the command reads
//! is refused by its own name, with the command that reads it.

mod tables;
#[cfg(test)]
mod tests;
mod wording;

use std::io::Read;
use std::path::Path;

use waywarden_can_log::{LogFormat, detect};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::matrix::MatrixFormat;

pub use self::tables::{TableKind, table_kind};

/// A kind of file that a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A vehicle file.
    Vehicle,
    /// A message matrix.
    Matrix,
    /// A bus log.
    Log,
    /// A board file.
    Board,
    /// Authentication tables that stand alone.
    Authentication,
    /// A vehicle, a board or authentication tables, as `waywarden check` reads them.
    Checked,
}

/// A kind of file that is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// No bytes, or blanks only.
    Empty,
    /// A DBC message matrix.
    Dbc,
    /// A bus log that is read.
    Log(LogFormat),
    /// Any TOML file, which the tables in it tell apart.
    Toml,
    /// JSON that `waywarden` printed: the command, as in `run`.
    OwnJson,
    /// Other JSON, or JSON Lines.
    Json,
    /// An HTML page.
    Html,
    /// AUTOSAR XML.
    Arxml,
    /// A network definition of Kayak.
    Kcd,
    /// Other XML.
    Xml,
    /// A message matrix of PCAN.
    Sym,
    /// Vector's or ASAM's measurement file.
    Mdf,
    /// A packet capture: pcap or pcapng.
    Capture,
    /// Comma-separated values.
    Csv,
    /// A gzip file.
    Gzip,
    /// A zip file, which spreadsheets and documents of offices are, too.
    Zip,
    /// Text in UTF-16.
    Utf16,
    /// Other bytes that are no text.
    Binary,
}

/// First bytes that stand for a kind by themselves.
const MAGIC: [(&[u8], FileKind); 16] = [
    (b"LOGG", FileKind::Log(LogFormat::Blf)),
    (b"MDF     4", FileKind::Log(LogFormat::Mf4)),
    (b"UnFinMF 4", FileKind::Log(LogFormat::Mf4)),
    (b"SQLite format 3\0", FileKind::Log(LogFormat::Sqlite)),
    (b"MDF     ", FileKind::Mdf),
    (b"\x0A\x0D\x0D\x0A", FileKind::Capture),
    (b"\xD4\xC3\xB2\xA1", FileKind::Capture),
    (b"\xA1\xB2\xC3\xD4", FileKind::Capture),
    (b"\x4D\x3C\xB2\xA1", FileKind::Capture),
    (b"\xA1\xB2\x3C\x4D", FileKind::Capture),
    (b"\x1F\x8B", FileKind::Gzip),
    (b"PK\x03\x04", FileKind::Zip),
    (b"\xFF\xFE", FileKind::Utf16),
    (b"\xFE\xFF", FileKind::Utf16),
    (b"%PDF-", FileKind::Binary),
    (b"\x7FELF", FileKind::Binary),
];

/// A test of the byte that follows a word.
type IsNext = fn(&u8) -> bool;

/// Statements of a DBC file, one of which is nearly always its first line, and what follows them.
const DBC_STATEMENTS: [(&[u8], IsNext); 5] = [
    (b"VERSION", |byte| *byte == b'"'),
    (b"NS_", |byte| *byte == b':'),
    (b"BS_", |byte| *byte == b':'),
    (b"BU_", |byte| *byte == b':'),
    (b"BO_", u8::is_ascii_digit),
];

/// Tells the kind of a file from its first bytes, or from all of them: a comment of any length may
/// stand before what tells it. None if they tell nothing. A vehicle file is [`FileKind::Toml`] or
/// none, whatever stands in its comments and texts.
pub fn recognize(text: &[u8]) -> Option<FileKind> {
    let head = &text[..text.len().min(files::HEAD_MAX)];
    let magic = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    if let Some((_, kind)) = magic {
        return Some(match kind {
            FileKind::Utf16 => utf_16_kind(text),
            FileKind::Capture => detect(head).map_or(*kind, FileKind::Log),
            kind => *kind,
        });
    }
    if is_utf_16(head) {
        return Some(utf_16_kind(text));
    }
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Some(FileKind::Empty);
    }
    if head.contains(&0) {
        return Some(FileKind::Binary);
    }
    // The first line that tells anything decides: below it may stand a quotation of any kind.
    lines(text).find_map(|line| line_kind(line, text))
}

/// Returns true for UTF-16 without a mark, which every second byte of its first letters tells.
fn is_utf_16(head: &[u8]) -> bool {
    const LETTERS: usize = 4;
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let all = |is_letter: fn(&[u8]) -> (u8, u8)| {
        let pairs = head.chunks_exact(2).take(LETTERS).map(is_letter);
        let mut count = 0;
        for (letter, zero) in pairs {
            if zero != 0 || !is_text(letter) {
                return false;
            }
            count += 1;
        }
        count == LETTERS
    };
    all(|pair| (pair[0], pair[1])) || all(|pair| (pair[1], pair[0]))
}

/// Tells a message matrix in UTF-16 from other text in it.
fn utf_16_kind(head: &[u8]) -> FileKind {
    match MatrixFormat::of_bytes(head) {
        Some(MatrixFormat::Dbc) => FileKind::Dbc,
        Some(MatrixFormat::Arxml) => FileKind::Arxml,
        Some(MatrixFormat::Kcd) => FileKind::Kcd,
        Some(MatrixFormat::Sym) => FileKind::Sym,
        None => FileKind::Utf16,
    }
}

impl FileKind {
    /// Returns true for a message matrix.
    #[must_use]
    pub const fn is_matrix(self) -> bool {
        matches!(self, Self::Dbc | Self::Arxml | Self::Kcd | Self::Sym)
    }
}

/// Returns an error for a file that is of another kind than the command reads, by its bytes or its
/// first ones.
pub fn refusal(path: &Path, text: &[u8], expected: Expected) -> Option<Failure> {
    let kind = recognize(text)?;
    let head = &text[..text.len().min(files::HEAD_MAX)];
    let is_it = match expected {
        Expected::Matrix => {
            kind.is_matrix() || kind == FileKind::Empty || lines(head).any(is_dbc_line)
        }
        Expected::Log => matches!(kind, FileKind::Log(_) | FileKind::Empty),
        // The reader of the tables names the keys that an empty file lacks.
        Expected::Authentication => matches!(kind, FileKind::Toml | FileKind::Empty),
        _ => kind == FileKind::Toml,
    };
    (!is_it).then(|| wording::refused(path, (kind, head), expected))
}

/// Reads a vehicle file; refuses a file of another kind by its name.
pub fn vehicle_text(path: &Path) -> Result<String, Failure> {
    let text = files::text_of_kind(path, |head| refusal(path, head, Expected::Vehicle))?;
    match table_kind(&text) {
        Some(TableKind::Vehicle) | None => Ok(text),
        Some(other) => Err(wording::other_tables(path, other, Expected::Vehicle)),
    }
}

/// Returns an error for what is no log; none if the file is no regular one or tells nothing.
pub fn no_log(path: &Path) -> Option<Failure> {
    refusal(path, &head(path)?, Expected::Log)
}

/// Tells the kind of a file; none of what is no regular one.
pub fn of_file(path: &Path) -> Option<FileKind> {
    recognize(&head(path)?)
}

/// The most bytes of a file that are read for its kind: a comment before the first element of XML
/// is seldom longer.
const PROLOGUE_MAX: u64 = 16 << 20;

/// Reads the first bytes of a regular file, and more of XML: those of a pipe could not be read
/// again.
fn head(path: &Path) -> Option<Vec<u8>> {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut file = is_file.then(|| files::open(path).ok())??;
    let mut head = Vec::new();
    let first = (&mut file).take(files::HEAD_MAX as u64);
    let mut read = { first }.read_to_end(&mut head);
    if matches!(recognize(&head), Some(FileKind::Xml | FileKind::Empty)) {
        read = file.take(PROLOGUE_MAX).read_to_end(&mut head);
    }
    read.ok().map(|_| head)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii)
}

/// Tells the kind of a file from one line of it; none of blank lines and comments of TOML.
fn line_kind(line: &[u8], text: &[u8]) -> Option<FileKind> {
    match line {
        [] | [b'#', ..] => None,
        [b'{', ..] | [b'['] | [b'[', b'{', ..] => Some(json_kind(text)),
        [b'<', ..] => Some(markup_kind(text)),
        _ if is_dbc_line(line) => Some(FileKind::Dbc),
        _ if is_sym_line(line) => Some(FileKind::Sym),
        _ if is_toml_line(line) => Some(FileKind::Toml),
        _ => match detect(line) {
            Some(format) => Some(FileKind::Log(format)),
            None => is_csv_line(line).then_some(FileKind::Csv),
        },
    }
}

fn is_dbc_line(line: &[u8]) -> bool {
    DBC_STATEMENTS.iter().any(|(word, follows)| {
        let rest = line.strip_prefix(*word).map(<[u8]>::trim_ascii_start);
        rest.and_then(<[u8]>::first).is_some_and(follows)
    })
}

/// Returns true for the first line of a symbol file.
fn is_sym_line(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"FormatVersion");
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"="))
}

/// Returns true for a table's header, and for a key with its value.
fn is_toml_line(line: &[u8]) -> bool {
    let key = line.split(|byte| *byte == b'=').next().unwrap_or_default();
    let is_quoted = key.starts_with(b"\"") || key.starts_with(b"'");
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. \t\"'".contains(byte);
    let is_key = is_quoted || key.first().is_some_and(|_| key.iter().all(is_key));
    line.starts_with(b"[") || (is_key && key.len() < line.len())
}

/// Returns true for three fields and more; prose and programs have blanks after commas.
fn is_csv_line(line: &[u8]) -> bool {
    let fields = line.split(|byte| *byte == b',');
    line.first().is_some_and(u8::is_ascii_alphanumeric)
        && fields.clone().count() > 2
        && fields.skip(1).all(|field| !field.starts_with(b" "))
}

fn json_kind(text: &[u8]) -> FileKind {
    let head = &text[..text.len().min(files::HEAD_MAX)];
    match wording::own_command(head) {
        Some(_) => FileKind::OwnJson,
        None => FileKind::Json,
    }
}

fn markup_kind(text: &[u8]) -> FileKind {
    match MatrixFormat::of_bytes(text) {
        Some(MatrixFormat::Arxml) => return FileKind::Arxml,
        Some(MatrixFormat::Kcd) => return FileKind::Kcd,
        _ => {}
    }
    let head = &text[..text.len().min(files::HEAD_MAX)];
    let has = |word: &str| {
        let mut windows = head.windows(word.len());
        windows.any(|one| one.eq_ignore_ascii_case(word.as_bytes()))
    };
    match () {
        () if has("<autosar") => FileKind::Arxml,
        () if has("<html") || has("<!doctype html") => FileKind::Html,
        () => FileKind::Xml,
    }
}
