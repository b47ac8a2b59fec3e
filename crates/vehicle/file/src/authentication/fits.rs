//! Checks that a stream can travel with a tag.

use waywarden_can::Id;
use waywarden_can_auth::paired::WireForm;

use crate::draft::Draft;
use crate::formatting::count;
use crate::model::{
    AuthenticationProtocol, FrameFormat, Protection, Secoc, Stream, protocol_protection,
};
use crate::place::Span;
use crate::problem::Problem;
use crate::reader::Section;

/// Notes why a stream cannot be protected by a protocol.
pub(super) fn check(
    section: &mut Section<'_>,
    span: &Span,
    protocol: &AuthenticationProtocol,
    stream: &Stream,
    draft: &Draft,
) {
    let all = draft.streams.iter().flatten().map(|draft| &draft.stream);
    for problem in problems(protocol, stream, all) {
        section.fault(span, problem);
    }
}

/// Returns why a stream cannot be protected by a protocol: nothing if it can. `all` are the streams
/// of the vehicle.
pub(super) fn problems<'a>(
    protocol: &AuthenticationProtocol,
    stream: &Stream,
    all: impl Iterator<Item = &'a Stream>,
) -> Vec<Problem> {
    match protocol {
        AuthenticationProtocol::Paired { wire, .. }
        | AuthenticationProtocol::Published { wire, .. } => {
            let Id::Standard(id) = stream.id.value else {
                let (found, remedy) = (
                    format!("stream {:?} has a 29-bit identifier", stream.name.value),
                    "vatiCAN and LeiA are for 11-bit ones: give it one, leave it without a tag, or \
                     write `scheme = \"secoc\"`",
                );
                return vec![Problem::Relation { found, remedy }];
            };
            let mut problems = two_frames(stream, id.raw());
            problems.extend(neighbours(*wire, stream, id.raw(), all));
            problems
        }
        AuthenticationProtocol::Secoc(secoc) => one_frame(secoc, stream).into_iter().collect(),
    }
}

/// vatiCAN and LeiA: classic frames with an even identifier.
fn two_frames(stream: &Stream, id: u16) -> Vec<Problem> {
    let name = &stream.name.value;
    let mut problems = Vec::new();
    if stream.format != FrameFormat::Classic {
        let (found, remedy) = (
            format!("stream {name:?} is CAN FD"),
            "vatiCAN and LeiA have classic frames: write `format = \"classic\"`, or `scheme = \
             \"secoc\"`",
        );
        problems.push(Problem::Relation { found, remedy });
    }
    if !id.is_multiple_of(2) {
        let (found, remedy) = (
            format!("stream {name:?} has the odd identifier 0x{id:03X}"),
            "an even one leaves the next to its tags",
        );
        problems.push(Problem::Relation { found, remedy });
    }
    problems
}

/// Returns an error if a stream of its buses has the identifiers of its tags.
fn neighbours<'a>(
    wire: WireForm,
    stream: &Stream,
    id: u16,
    all: impl Iterator<Item = &'a Stream>,
) -> Option<Problem> {
    let meets = |other: &Stream| {
        let own = stream.carried.iter().map(|carried| carried.bus);
        let mut own = own.into_iter();
        own.any(|bus| other.carried.iter().any(|carried| carried.bus == bus))
    };
    let is_taken = |other: &Stream| match (wire, other.id.value) {
        (WireForm::Vatican, Id::Standard(other)) => other.raw() == id | 1,
        (_, Id::Extended(other)) => other.base() | 1 == id | 1,
        (WireForm::Leia, Id::Standard(_)) => false,
    };
    let mut others = all.filter(|other| other.id.span != stream.id.span);
    let other = others.find(|other| meets(other) && is_taken(other))?;
    let (found, remedy) = (
        format!(
            "stream {:?} has the identifier of the tags of {:?}",
            other.name.value, stream.name.value
        ),
        "tags have the identifier above, and in LeiA all 29-bit ones that begin with either",
    );
    Some(Problem::Relation { found, remedy })
}

/// SecOC: freshness and code behind the payload.
fn one_frame(secoc: &Secoc, stream: &Stream) -> Option<Problem> {
    let protection = protocol_protection(&AuthenticationProtocol::Secoc(secoc.clone()));
    let Protection::Trailer(trailer) = protection else {
        return None;
    };
    let fitting = protection.wire_length(stream.length, stream.format);
    if fitting.is_some() {
        return None;
    }
    let most = match stream.format {
        FrameFormat::Classic => 8,
        FrameFormat::Fd { .. } => 64,
    };
    Some(Problem::Relation {
        found: format!(
            "stream {:?} has {}, and freshness and code take {trailer} of the {most} that \
             its frame has",
            stream.name.value,
            count(u64::from(stream.length), "byte")
        ),
        remedy: "shorten it, write `format = \"fd\"` on a CAN FD bus, or leave it without a tag",
    })
}
