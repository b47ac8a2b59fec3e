//! Reads the cryptographic PDUs of SecOC streams: freshness and code in frames of their own.

use waywarden_can::Id;

use crate::draft::Draft;
use crate::keys::identifier;
use crate::model::{Authentication, FrameFormat, Secoc, Stream, StreamIndex};
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;
use crate::source::Findings;

/// Reads `cryptographic_pdus`: one for each stream of the table, or none.
pub(super) fn cryptographic_ids(
    section: &mut Section<'_>,
    named: &[Located<usize>],
    draft: &Draft,
) -> Vec<(StreamIndex, Id)> {
    let mut found: Vec<(StreamIndex, Id)> = Vec::new();
    for mut entry in section.tables("cryptographic_pdus") {
        let span = entry.span.clone();
        let stream = entry.reference("stream", &draft.stream_names);
        entry.need("id");
        let raw = entry.number("id");
        let extended = entry.flag("extended");
        let id = raw.and_then(|raw| match identifier(raw.value, extended) {
            Ok(id) => Some(id),
            Err(error) => {
                entry.fault(&raw.span, Problem::Id(error));
                None
            }
        });
        if let (Some(stream), Some(id)) = (stream, id) {
            let is_own = named.iter().any(|one| one.value == stream);
            entry.demand(is_own, &span, || Problem::Relation {
                found: "this stream is not one of `protect`".to_owned(),
                remedy: "add it there, or take its PDU out",
            });
            let is_new = found.iter().all(|(one, _)| one.0 != stream);
            entry.demand(is_new, &span, || Problem::Relation {
                found: "this stream has a cryptographic PDU already".to_owned(),
                remedy: "keep one of them",
            });
            found.push((StreamIndex(stream), id));
        }
        if entry.finish().is_none() {
            section.broken();
        }
    }
    let lacks = |one: &&Located<usize>| found.iter().all(|(own, _)| own.0 != one.value);
    let lacking = named.iter().find(lacks).filter(|_| !found.is_empty());
    if let Some(one) = lacking {
        let name = draft.stream_names.name(one.value);
        let problem = Problem::Relation {
            found: format!("stream {name:?} has no cryptographic PDU, and others of the table do"),
            remedy: "give each one, or write a table of its own for those without",
        };
        section.fault(&one.span, problem);
    }
    found
}

/// Returns why a stream cannot have a cryptographic PDU, if it cannot.
pub(super) fn problem(secoc: &Secoc, index: StreamIndex, stream: &Stream) -> Option<Problem> {
    let name = &stream.name.value;
    let bytes = secoc.profile.trailer_length();
    if stream.format == FrameFormat::Classic && bytes > 8 {
        return Some(Problem::Relation {
            found: format!(
                "stream {name:?} is classic CAN, and freshness and code take {bytes} bytes"
            ),
            remedy: "let fewer bits travel, or write `format = \"fd\"` on a CAN FD bus",
        });
    }
    let has_area = secoc.areas.iter().any(|(one, ..)| *one == index);
    has_area.then(|| Problem::Relation {
        found: format!("stream {name:?} has an area, and a cryptographic PDU"),
        remedy: "with a PDU of its own a code is over the whole payload: take the area out",
    })
}

/// Notes cryptographic PDUs under an identifier that something else has.
pub(super) fn check(tables: &[Authentication], draft: &Draft, findings: &Findings<'_>) {
    let mut taken: Vec<(Id, String)> = Vec::new();
    for stream in draft.streams.iter().flatten().map(|one| &one.stream) {
        taken.push((stream.id.value, format!("stream {:?}", stream.name.value)));
    }
    for table in tables {
        if let Some(master) = table.freshness_master() {
            let what = format!("the announcements of {:?}", table.name.value);
            taken.push((Id::Standard(master.id), what));
        }
    }
    for table in tables {
        for stream in &table.streams {
            let Some(id) = table.cryptographic_id(*stream) else {
                continue;
            };
            if let Some((_, what)) = taken.iter().find(|(one, _)| *one == id) {
                let problem = Problem::Relation {
                    found: format!("a cryptographic PDU has the identifier 0x{id} of {what}"),
                    remedy: "give it one that nothing else in the vehicle has",
                };
                findings.add(&table.name.span, problem);
            }
            taken.push((id, "another cryptographic PDU".to_owned()));
        }
    }
}
