//! Reads `[[authentication]]` tables that stand alone, without a vehicle: the protection of a log's
//! messages, and the key.
//!
//! The choices of the protocols are those of vehicle files, and read by the same code. What a
//! vehicle would say, which messages there are and who announces, is said by identifiers, by a
//! message matrix, or learned from the log. docs/auth.md describes each key.

use waywarden_can::{ExtendedId, Id, StandardId};
use waywarden_can_auth::mac::KEY_LENGTH;
use waywarden_can_matrix::MessageMatrix;

use super::log_tables::{Announcements, KeySource, LogAuthentication, LogStream, LogStreams};
use super::{STREAMS_MAX, data_ids, scheme, secoc, two_frames};
use crate::keys::identifier;
use crate::model::{AuthenticationProtocol, Secoc};
use crate::place::{Located, Span};
use crate::problem::{Problem, Thing};
use crate::reader::{NameOrNumber, Section};
use crate::source::{FileErrors, Findings, SourceText};
use crate::{OTHERS_MAX, check, events};
use waywarden_vehicle_grammar::AUTHENTICATION_FILE;

/// The longest file with a key, in bytes: 32 digits, blanks and a line break.
pub const KEY_FILE_MAX: usize = 256;

/// Tables that say how the messages of logs are protected.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthenticationFile {
    /// The tables, at least one, in the order of the file: a message belongs to the first that
    /// names it.
    pub tables: Vec<LogAuthentication>,
    /// The text they were read from.
    pub source: SourceText,
}

impl AuthenticationFile {
    /// Reads tables; `file_name` is only for the error messages, `matrix` has the messages that are
    /// called by name.
    ///
    /// # Errors
    /// [`FileErrors`]: everything that is wrong, in the order of the text.
    pub fn parse(
        file_name: &str,
        text: &str,
        matrix: Option<&MessageMatrix>,
    ) -> Result<AuthenticationFile, FileErrors> {
        let form = &AUTHENTICATION_FILE;
        check::parse(
            file_name,
            text,
            "the file",
            form,
            |mut top, source, findings| {
                let tables = tables(&mut top, matrix, findings);
                top.finish()?;
                Some(AuthenticationFile {
                    tables: tables?,
                    source: source.clone(),
                })
            },
        )
    }
}

fn tables(
    top: &mut Section<'_>,
    matrix: Option<&MessageMatrix>,
    findings: &Findings<'_>,
) -> Option<Vec<LogAuthentication>> {
    const { assert!(OTHERS_MAX < u16::MAX as usize) };
    let tables = events(
        top,
        "authentication",
        Thing::Authentication,
        |section, name| table(section, name, matrix),
    )?;
    if tables.is_empty() {
        top.lacks("authentication");
        return None;
    }
    let is_announced = |table: &&LogAuthentication| table.announcements.is_some();
    for (at, table) in tables.iter().enumerate() {
        let before = tables[..at].iter().filter(is_announced);
        let same = |other: &LogAuthentication| {
            let announced = |one: &LogAuthentication| one.announcements.map(|own| own.id);
            let meets = other.channel == table.channel
                || other.channel.is_none()
                || table.channel.is_none();
            meets && announced(other) == announced(table)
        };
        if let Some(other) = before.into_iter().find(|other| same(other)) {
            let problem = Problem::Relation {
                found: format!(
                    "announcements have the identifier of those of {:?}",
                    other.name.value
                ),
                remedy: "write another `announce_id`, or another `channel`",
            };
            findings.add(&table.name.span, problem);
        }
    }
    data_ids::check(&tables, findings);
    Some(tables)
}

/// Reads one table.
fn table(
    mut section: Section<'_>,
    name: Located<String>,
    matrix: Option<&MessageMatrix>,
) -> Option<LogAuthentication> {
    let scheme = scheme(&mut section);
    let streams = streams(&mut section, matrix);
    let except = ids(&mut section, "except", matrix);
    let channel = section.optional::<String>("channel").map(|one| one.value);
    let key = key(&mut section);
    let (mut announcements, mut widens) = (None, false);
    let (mut data_ids, data_ids_at) = (Vec::new(), section.location("data_ids"));
    let protocol = match scheme? {
        "secoc" => {
            widens = section.flag("fd");
            data_ids = data_ids::of_log(&mut section, streams.as_ref(), |entry| {
                with_data_id(entry, matrix)
            });
            let profile = secoc::profile(&mut section);
            match &profile {
                Some(profile) if secoc::announces(&mut section, profile) == Some(true) => {
                    announcements = secoc::announcements(&mut section);
                }
                _ => section.allow(&["announce", "announce_id"]),
            }
            profile.map(|profile| {
                AuthenticationProtocol::Secoc(Secoc {
                    cryptographic_ids: Vec::new(),
                    profile,
                    master: None,
                    areas: Vec::new(),
                    data_ids: Vec::new(),
                })
            })
        }
        word => Some(two_frames(&mut section, word)),
    };
    if let (Some(protocol), Some(LogStreams::Named(named))) = (&protocol, &streams) {
        let at = section.location("protect");
        for stream in named {
            fits(&mut section, &at, protocol, announcements, stream);
        }
    }
    section.finish()?;
    Some(LogAuthentication {
        name,
        protocol: protocol?,
        announcements,
        widens,
        streams: streams?,
        except,
        channel,
        key: key?,
        data_ids_at: (!data_ids.is_empty()).then_some(data_ids_at),
        data_ids,
    })
}

fn streams(section: &mut Section<'_>, matrix: Option<&MessageMatrix>) -> Option<LogStreams> {
    if section.says("protect", "all") {
        // Only to have asked for it.
        let _: Option<Located<String>> = section.optional("protect");
        return Some(LogStreams::All);
    }
    if !section.has("protect") {
        section.need("protect");
        return None;
    }
    let named = ids(section, "protect", matrix);
    let at = section.location("protect");
    section.demand(named.len() <= STREAMS_MAX, &at, || Problem::TooMany {
        what: "authenticated streams",
        found: named.len(),
        most: STREAMS_MAX,
    });
    Some(LogStreams::Named(named))
}

/// Reads a list of names and identifiers.
fn ids(
    section: &mut Section<'_>,
    key: &'static str,
    matrix: Option<&MessageMatrix>,
) -> Vec<LogStream> {
    let list = section.optional::<Vec<Located<NameOrNumber>>>(key);
    let mut found: Vec<LogStream> = Vec::new();
    for entry in list.map_or(Vec::new(), |list| list.value) {
        let stream = match named(&entry.value, matrix) {
            Ok(stream) => stream,
            Err(problem) => {
                section.fault(&entry.span, problem);
                continue;
            }
        };
        let is_new = found.iter().all(|one| one.id != stream.id);
        section.demand(is_new, &entry.span, || Problem::ListedTwice {
            name: stream.name.clone(),
        });
        found.push(stream);
    }
    found
}

/// Reads `stream`: one name or identifier.
fn id(section: &mut Section<'_>, matrix: Option<&MessageMatrix>) -> Option<LogStream> {
    section.need("stream");
    let entry = section.optional::<NameOrNumber>("stream")?;
    match named(&entry.value, matrix) {
        Ok(stream) => Some(stream),
        Err(problem) => {
            section.fault(&entry.span, problem);
            None
        }
    }
}

/// Reads the message that is given a data id. One that stands for many identifiers has none: codes
/// of one source would be authentic as those of another.
fn with_data_id(section: &mut Section<'_>, matrix: Option<&MessageMatrix>) -> Option<Id> {
    let stream = id(section, matrix)?;
    let at = section.location("stream");
    section.demand(!stream.is_of_any_source, &at, || Problem::Relation {
        found: format!(
            "{} stands for its parameter group from any source address",
            stream.name
        ),
        remedy: "give a data id to the identifier of one source, such as \"0x0CF00400\"",
    });
    Some(stream.id)
}

/// A message of the matrix, an identifier as a number (of 29 bits if 11 are too few), or one in
/// hexadecimal as a text: eight digits have 29 bits, as in candump.
fn named(entry: &NameOrNumber, matrix: Option<&MessageMatrix>) -> Result<LogStream, Problem> {
    match entry {
        NameOrNumber::Number(raw) => {
            if !(0..=i64::from(ExtendedId::MAX)).contains(raw) {
                return Err(Problem::OutOfRange {
                    what: "identifier",
                    found: raw.to_string(),
                    range: "0 to 0x1FFFFFFF".to_owned(),
                });
            }
            let id = identifier(*raw, *raw > i64::from(StandardId::MAX));
            let id = id.map_err(Problem::Id)?;
            Ok(LogStream::unnamed(id))
        }
        NameOrNumber::Name(name) => {
            let messages = || matrix.into_iter().flat_map(MessageMatrix::messages);
            if let Some(message) = messages().find(|message| message.name == *name) {
                return Ok(LogStream {
                    name: name.clone(),
                    id: message.id,
                    is_of_any_source: message.is_of_any_source(),
                });
            }
            let digits = name.strip_prefix("0x").unwrap_or(name);
            let is_number = digits.len() <= 8 && name.len() > digits.len();
            let raw = i64::from_str_radix(digits, 16).ok().filter(|_| is_number);
            let Some(raw) = raw else {
                return Err(Problem::Unknown {
                    what: Thing::Message,
                    name: name.clone(),
                    known: messages().map(|message| message.name.clone()).collect(),
                });
            };
            let id = identifier(raw, digits.len() == 8).map_err(Problem::Id)?;
            Ok(LogStream::unnamed(id))
        }
    }
}

fn key(section: &mut Section<'_>) -> Option<KeySource> {
    section.allow(&["key", "key_file"]);
    let from = ["key", "key_file"].map(|key| section.has(key));
    match from {
        [true, false] => {
            let bytes = section.optional::<Vec<u8>>("key")?;
            let found = bytes.value.len();
            let key = bytes.value.try_into().ok();
            section.demand(key.is_some(), &bytes.span, || Problem::OutOfRange {
                what: "key",
                found: format!("{found} bytes"),
                range: format!("{KEY_LENGTH} bytes"),
            });
            key.map(KeySource::Bytes)
        }
        [false, true] => section.optional::<String>("key_file").map(KeySource::File),
        [true, true] => {
            let at = section.location("key_file");
            let problem = Problem::Relation {
                found: "there is a `key` as well".to_owned(),
                remedy: "keep one of them",
            };
            section.fault(&at, problem);
            None
        }
        [false, false] => {
            section.need("key");
            None
        }
    }
}

/// Notes why a message cannot be protected so.
fn fits(
    section: &mut Section<'_>,
    at: &Span,
    protocol: &AuthenticationProtocol,
    announcements: Option<Announcements>,
    stream: &LogStream,
) {
    let LogStream { name, id, .. } = stream;
    let problem = match (protocol, id) {
        (AuthenticationProtocol::Secoc(_), Id::Standard(own))
            if announcements.is_some_and(|announced| announced.id == *own) =>
        {
            (
                format!("announcements have the identifier of {name}"),
                "write another `announce_id`",
            )
        }
        (AuthenticationProtocol::Secoc(_), _) => return,
        (_, Id::Extended(_)) => (
            format!("{name} has a 29-bit identifier"),
            "vatiCAN and LeiA are for 11-bit ones: leave it out, or write `scheme = \"secoc\"`",
        ),
        (_, Id::Standard(own)) if own.raw() % 2 == 1 => (
            format!("{name} has an odd identifier, 0x{:03X}", own.raw()),
            "an even one leaves the next to its tags: leave it out, or write `scheme = \"secoc\"`",
        ),
        _ => return,
    };
    let (found, remedy) = problem;
    section.fault(at, Problem::Relation { found, remedy });
}
