//! Reads which streams are protected, and when they may be sent.

use std::collections::BTreeMap;

use waywarden_can::frame::DATA_MAX;
use waywarden_lasan::PROTECTION_LENGTH;

use super::member;
use crate::draft::{Draft, StreamDraft};
use crate::keys;
use crate::model::{
    EcuIndex, FrameFormat, KeyParty, ProtectedStream, StreamIndex, Window, protected_length,
};
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;
use waywarden_vehicle_grammar::PROTECTED_MAX;

/// Granularity of the security module's time, in nanoseconds.
const MILLISECOND: u64 = 1_000_000;

/// Limit on protected streams that one ECU sends and receives.
pub const HELD_MAX: usize = 64;

/// Reads `protect` and `windows`.
pub(super) fn protected(
    section: &mut Section<'_>,
    parties: (&KeyParty, &[KeyParty]),
    draft: &Draft,
) -> Vec<ProtectedStream> {
    let list = section.optional::<Vec<Located<String>>>("protect");
    let span = section.location("protect");
    let list = list.map_or(Vec::new(), |list| list.value);
    let named = section.references(&list, &draft.stream_names);
    if named.len() > PROTECTED_MAX {
        let (what, found, most) = ("protected streams", named.len(), PROTECTED_MAX);
        section.fault(&span, Problem::TooMany { what, found, most });
        return Vec::new();
    }
    let mut held: BTreeMap<usize, usize> = BTreeMap::new();
    for one in &named {
        if let Some(stream) = draft.stream(one.value) {
            fits(section, one, stream);
            takes_part(section, one, stream, parties, draft);
            let receivers = stream.receivers.iter().map(|receiver| receiver.value);
            for ecu in receivers.chain([stream.stream.sender.0]) {
                *held.entry(ecu).or_default() += 1;
            }
        }
    }
    if let Some((ecu, found)) = held.into_iter().find(|(_, found)| *found > HELD_MAX) {
        let name = draft.ecu_names.name(ecu);
        section.fault(
            &span,
            Problem::Relation {
                found: format!("ECU {name:?} sends and receives {found} protected streams"),
                remedy: "it has room for the keys of 64: protect fewer",
            },
        );
    }
    let windows = windows(section, &named, draft);
    let line = |one: &Located<usize>| ProtectedStream {
        stream: StreamIndex(one.value),
        window: windows.get(&one.value).copied().unwrap_or_default(),
    };
    named.iter().map(line).collect()
}

/// Notes a stream whose frames have no room for counter and tag.
fn fits(section: &mut Section<'_>, one: &Located<usize>, draft: &StreamDraft) {
    let stream = &draft.stream;
    let (name, length) = (&stream.name.value, stream.length);
    if stream.format == FrameFormat::Classic {
        section.fault(
            &one.span,
            Problem::Relation {
                found: format!("stream {name:?} is classic CAN, whose 8 bytes have no room"),
                remedy: "write `format = \"fd\"` in the stream, on CAN FD buses all its way",
            },
        );
    } else if protected_length(length).is_none() {
        section.fault(
            &one.span,
            Problem::Relation {
                found: format!(
                    "stream {name:?} has {length} bytes, and protection takes \
                     {PROTECTION_LENGTH} of the {DATA_MAX} that a frame has"
                ),
                remedy: "make its `length` 48 or less, or split it",
            },
        );
    }
}

/// Notes a stream whose sender or receiver has no session with the security module.
fn takes_part(
    section: &mut Section<'_>,
    one: &Located<usize>,
    draft: &StreamDraft,
    (module, members): (&KeyParty, &[KeyParty]),
    vehicle: &Draft,
) {
    let name = &draft.stream.name.value;
    let receivers = draft.receivers.iter().map(|receiver| receiver.value);
    let roles = receivers.map(|ecu| (ecu, "receives"));
    for (ecu, does) in std::iter::once((draft.stream.sender.0, "sends")).chain(roles) {
        let ecu_name = vehicle.ecu_names.name(ecu);
        let (found, remedy) = match member(members, EcuIndex(ecu)) {
            Some(_) => continue,
            None if module.ecu.0 == ecu => (
                format!("the security module {ecu_name:?} {does} stream {name:?}"),
                "it grants keys and holds none: let another ECU do it, or leave the stream in \
                 clear",
            ),
            None => (
                format!("ECU {ecu_name:?} {does} stream {name:?} and is no member"),
                "add it to `members`, or leave the stream in clear",
            ),
        };
        section.fault(&one.span, Problem::Relation { found, remedy });
    }
}

/// Reads from when until when a stream may be sent.
fn windows(
    section: &mut Section<'_>,
    named: &[Located<usize>],
    draft: &Draft,
) -> BTreeMap<usize, Window> {
    let mut windows = BTreeMap::new();
    for mut entry in section.tables("windows") {
        let stream = entry.reference("stream", &draft.stream_names);
        let window = keys::window(&mut entry);
        whole_milliseconds(&mut entry, &window, ["from", "until"]);
        if let Some(stream) = stream {
            let at = entry.location("stream");
            let known = named.iter().any(|one| one.value == stream);
            entry.demand(known, &at, || Problem::Relation {
                found: "this stream is sent in clear, whenever its sender likes".to_owned(),
                remedy: "add it to `protect`, or take its window out",
            });
            let twice = windows.insert(stream, window).is_some();
            entry.demand(!twice, &at, || Problem::Relation {
                found: "this stream has a window already".to_owned(),
                remedy: "keep one of them",
            });
        }
        if entry.finish().is_none() {
            section.broken();
        }
    }
    windows
}

/// Notes a time that the security module, which counts milliseconds, would round.
pub(super) fn whole_milliseconds(
    section: &mut Section<'_>,
    window: &Window,
    [from, until]: [&'static str; 2],
) {
    let ends = [(from, Some(window.from)), (until, window.until)];
    for (key, time) in ends {
        let Some(time) = time.filter(|time| !time.as_nanos().is_multiple_of(MILLISECOND)) else {
            continue;
        };
        let at = section.location(key);
        let found = format!("{time:#} is no whole number of milliseconds");
        let remedy = "the security module's time goes by milliseconds: write a multiple of 1 ms";
        section.fault(&at, Problem::Relation { found, remedy });
    }
}
