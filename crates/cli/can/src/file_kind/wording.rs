//! Errors about a file of another kind: its kind, the kind that is expected, and the remedy.

use std::path::Path;

use waywarden_can_log::LogFormat;
use waywarden_command_line::exit::Failure;

use super::tables::{TableKind, header_kind};
use super::{Expected, FileKind};

/// The field with which JSON documents of this program begin.
const SCHEMA: &str = "\"schema\": \"waywarden/";

/// Says what a file is whose first bytes are `head`, and what to do with it.
pub(super) fn refused(path: &Path, (kind, head): (FileKind, &[u8]), expected: Expected) -> Failure {
    let file = path.display();
    let tables = (kind == FileKind::Toml)
        .then(|| header_kind(head))
        .flatten();
    if let Some(tables) = tables {
        return other_tables(path, tables, expected);
    }
    let wanted = expected.name();
    let remedy = remedy(&file.to_string(), kind, expected);
    if kind == FileKind::Empty {
        return Failure::new(format_args!("{file}: the file is empty; {remedy}"));
    }
    let name = match own_command(head) {
        Some(command) if kind == FileKind::OwnJson => {
            format!("JSON that `waywarden {command}` printed")
        }
        _ => kind.name().to_owned(),
    };
    Failure::new(format_args!(
        "{file}: this is {name}, not {wanted}; {remedy}"
    ))
}

/// Says which kind of TOML file a file is, and the command that reads it.
pub(super) fn other_tables(path: &Path, tables: TableKind, expected: Expected) -> Failure {
    let file = path.display();
    let reader = match (tables, expected) {
        (TableKind::Vehicle, Expected::Log) => {
            format!("`waywarden run {file} --log bus.log` writes a log of it")
        }
        _ => tables.reader(&file.to_string()),
    };
    let (name, wanted) = (tables.name(), expected.name());
    Failure::new(format_args!(
        "{file}: this is {name}, not {wanted}; {reader}"
    ))
}

/// Returns the command that printed a JSON document.
pub(super) fn own_command(head: &[u8]) -> Option<&str> {
    let mut windows = head.windows(SCHEMA.len());
    let at = windows.position(|one| one == SCHEMA.as_bytes())?;
    let rest = &head[at + SCHEMA.len()..];
    let name = rest.split(|byte| *byte == b'/').next()?;
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'-';
    let is_name = !name.is_empty() && name.len() < 40 && name.iter().all(is_letter);
    std::str::from_utf8(name).ok().filter(|_| is_name)
}

fn remedy(file: &str, kind: FileKind, expected: Expected) -> String {
    let is_vehicle = matches!(expected, Expected::Vehicle | Expected::Checked);
    let text = match (kind, expected) {
        (FileKind::Empty, _) if is_vehicle => {
            "`waywarden init` writes a vehicle file to begin with"
        }
        (kind, Expected::Authentication) if kind.is_matrix() => "give it with --dbc",
        (kind, _) if kind.is_matrix() => {
            return format!("`waywarden bus import {file} -o car.toml` makes a vehicle file of it");
        }
        (FileKind::Log(_), Expected::Matrix) => "give the matrix there, and this log with --log",
        (FileKind::Log(_), Expected::Authentication) => "give the tables there, and this as LOG",
        (FileKind::Log(_), _) => {
            return format!(
                "`waywarden bus load {file} --bitrate 500k` measures it, and `[[replay]]` of a \
                 vehicle file plays it"
            );
        }
        (FileKind::OwnJson | FileKind::Html, _) if is_vehicle => {
            "give the vehicle file from which it was made"
        }
        (FileKind::Xml, Expected::Matrix | Expected::Vehicle) => "export its messages as DBC",
        (FileKind::Mdf | FileKind::Csv, Expected::Log) => "convert it to candump, ASC or BLF",
        (FileKind::Capture, _) => {
            return format!(
                "`waywarden verify {file}` checks the V2X messages in it; CAN frames are read from \
                 link types 227, 113 and 276 (SocketCAN)"
            );
        }
        (FileKind::Gzip, Expected::Log) => "what is packed in it is no log; unpack and look",
        (FileKind::Gzip | FileKind::Zip, _) => "unpack it, and give what is in it",
        (FileKind::Utf16, _) => "save it as UTF-8",
        _ => "give one",
    };
    text.to_owned()
}

impl Expected {
    /// Returns the name of the kind with its article.
    const fn name(self) -> &'static str {
        match self {
            Expected::Vehicle => "a vehicle file",
            Expected::Matrix => "a message matrix (DBC, ARXML, KCD or SYM)",
            Expected::Log => "a bus log (of a format that `waywarden bus convert` reads)",
            Expected::Board => "a board file",
            Expected::Authentication => "a file of authentication tables",
            Expected::Checked => "a vehicle, board or authentication file",
        }
    }
}

impl FileKind {
    /// Returns the name of the kind with its article.
    const fn name(self) -> &'static str {
        match self {
            FileKind::Empty => "an empty file",
            FileKind::Dbc => "a DBC message matrix",
            FileKind::Log(LogFormat::Candump) => "a candump log",
            FileKind::Log(LogFormat::Asc) => "an ASC log",
            FileKind::Log(LogFormat::Mf4) => "an ASAM MDF 4 log",
            FileKind::Log(LogFormat::Sqlite) => "a SQLite database, as python-can logs to it",
            FileKind::Log(LogFormat::Blf) => "a BLF log",
            FileKind::Log(LogFormat::Trc) => "a PCAN trace",
            FileKind::Log(LogFormat::Gvret) => "a GVRET log",
            FileKind::Log(LogFormat::PythonCanCsv) => "a CSV log of python-can",
            FileKind::Log(LogFormat::Busmaster) => "a BUSMASTER log",
            FileKind::Log(LogFormat::Crtd) => "a CRTD log",
            FileKind::Log(LogFormat::Capture) => "a capture of CAN frames",
            FileKind::Toml => "a TOML file",
            FileKind::OwnJson => "JSON that `waywarden` printed",
            FileKind::Json => "JSON",
            FileKind::Html => "an HTML page",
            FileKind::Arxml => "AUTOSAR XML (ARXML)",
            FileKind::Kcd => "a KCD network definition",
            FileKind::Xml => "XML",
            FileKind::Sym => "a PCAN symbol file (SYM)",
            FileKind::Mdf => "an MDF measurement file",
            FileKind::Capture => "a packet capture (pcap or pcapng)",
            FileKind::Csv => "comma-separated values",
            FileKind::Gzip => "a gzip file",
            FileKind::Zip => "a zip file, such as a spreadsheet",
            FileKind::Utf16 => "text in UTF-16",
            FileKind::Binary => "binary data",
        }
    }
}
