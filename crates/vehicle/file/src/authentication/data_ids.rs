//! Reads the data ids of SecOC streams, which bind each code to its message.

use std::collections::BTreeMap;

use waywarden_can::Id;

use super::log_tables::{KeySource, LogAuthentication, LogStream, LogStreams};
use crate::draft::Draft;
use crate::model::StreamIndex;
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;
use crate::source::Findings;

/// Reads those of a vehicle's streams. Each stream has a key of its own, so two may have one.
pub(super) fn of_vehicle(
    section: &mut Section<'_>,
    named: &[Located<usize>],
    draft: &Draft,
) -> Vec<(StreamIndex, u16)> {
    let mut found: Vec<(StreamIndex, u16)> = Vec::new();
    for mut entry in section.tables("data_ids") {
        let span = entry.span.clone();
        let stream = entry.reference("stream", &draft.stream_names);
        let data_id = data_id(&mut entry);
        if let (Some(stream), Some(data_id)) = (stream, data_id) {
            let is_own = named.iter().any(|one| one.value == stream);
            entry.demand(is_own, &span, || Problem::Relation {
                found: "this stream is not one of `protect`".to_owned(),
                remedy: "add it there, or take its data id out",
            });
            let is_new = found.iter().all(|(one, _)| one.0 != stream);
            entry.demand(is_new, &span, second);
            found.push((StreamIndex(stream), data_id));
        }
        if entry.finish().is_none() {
            section.broken();
        }
    }
    found
}

/// Reads those of the messages of a log; `read` reads `stream`.
pub(super) fn of_log(
    section: &mut Section<'_>,
    streams: Option<&LogStreams>,
    read: impl Fn(&mut Section<'_>) -> Option<Id>,
) -> Vec<(Id, u16)> {
    let mut found: Vec<(Id, u16)> = Vec::new();
    for mut entry in section.tables("data_ids") {
        let span = entry.span.clone();
        let id = read(&mut entry);
        let data_id = data_id(&mut entry);
        if let (Some(id), Some(data_id)) = (id, data_id) {
            let is_own = match streams {
                Some(LogStreams::Named(named)) => named.iter().any(|one| one.id == id),
                _ => true,
            };
            entry.demand(is_own, &span, || Problem::Relation {
                found: "this message is not one of `protect`".to_owned(),
                remedy: "add it there, or take its data id out",
            });
            let is_new = found.iter().all(|(one, _)| *one != id);
            entry.demand(is_new, &span, second);
            // Any other message may come, and has its identifier for a data id.
            let is_free = data_id > 0x7FF || own_data_id(id) == Some(data_id);
            let is_all = matches!(streams, Some(LogStreams::All));
            entry.demand(is_free || !is_all, &span, || Problem::Relation {
                found: format!("0x{data_id:04X} is the data id of the message 0x{data_id:03X}"),
                remedy: "with `protect = \"all\"` write data ids above 0x07FF, or name the \
                         messages",
            });
            found.push((id, data_id));
        }
        if entry.finish().is_none() {
            section.broken();
        }
    }
    found
}

fn data_id(entry: &mut Section<'_>) -> Option<u16> {
    entry.need("data_id");
    let number = entry.number("data_id")?;
    Some(number.value as u16)
}

fn second() -> Problem {
    Problem::Relation {
        found: "this stream has a data id already".to_owned(),
        remedy: "keep one of them",
    }
}

/// Returns the data id of a message that is given none; one under a 29-bit identifier has a key of
/// its own instead.
fn own_data_id(id: Id) -> Option<u16> {
    match id {
        Id::Standard(id) => Some(id.raw()),
        Id::Extended(_) => None,
    }
}

/// The data ids under one key, each with its message and the table that names it.
struct Used<'a> {
    key: &'a KeySource,
    owners: BTreeMap<u16, (Id, &'a str)>,
}

/// Notes messages that have one data id under one key: a frame of one would be authentic as a frame
/// of the other.
pub(super) fn check(tables: &[LogAuthentication], findings: &Findings<'_>) {
    let mut used: Vec<Used<'_>> = Vec::new();
    for table in tables.iter().filter(|table| table.is_secoc()) {
        let at = used.iter().position(|one| same(one.key, &table.key));
        let at = at.unwrap_or(used.len());
        if at == used.len() {
            used.push(Used {
                key: &table.key,
                owners: BTreeMap::new(),
            });
        }
        let span = table.data_ids_at.as_ref().unwrap_or(&table.name.span);
        for (id, data_id) in data_ids(table) {
            let owner = (id, table.name.value.as_str());
            let (first, name) = *used[at].owners.entry(data_id).or_insert(owner);
            if first != id {
                findings.add(span, shared(data_id, id, (first, name)));
            }
        }
    }
}

/// Returns the data ids that a table uses for certain.
fn data_ids(table: &LogAuthentication) -> Vec<(Id, u16)> {
    let given = |id: Id| table.data_ids.iter().find(|(own, _)| *own == id);
    let announced = table.announcements.map(|own| Id::Standard(own.id));
    let named = match &table.streams {
        LogStreams::All => Vec::new(),
        LogStreams::Named(named) => named.iter().map(|one| one.id).collect(),
    };
    let others = named.into_iter().chain(announced);
    let others = others.filter(|id| given(*id).is_none());
    let others = others.filter_map(|id| Some((id, own_data_id(id)?)));
    table.data_ids.iter().copied().chain(others).collect()
}

fn shared(data_id: u16, id: Id, (first, name): (Id, &str)) -> Problem {
    let text = |id| LogStream::unnamed(id).name;
    Problem::Relation {
        found: format!(
            "{} has the data id 0x{data_id:04X} of {} in {name:?} under one key: a frame of one \
             would be authentic as the other",
            text(id),
            text(first)
        ),
        remedy: "give one of them another data id, or a table with a key of its own",
    }
}

fn same(one: &KeySource, other: &KeySource) -> bool {
    match (one, other) {
        (KeySource::Bytes(one), KeySource::Bytes(other)) => one == other,
        (KeySource::File(one), KeySource::File(other)) => one.value == other.value,
        _ => false,
    }
}
