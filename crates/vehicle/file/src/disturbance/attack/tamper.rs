//! Reads attackers in a gateway, which drop or change what it forwards.

use waywarden_group_keys::Step;

use crate::draft::Draft;
use crate::key_frames;
use crate::model::{
    Attack, EcuIndex, Edit, ForwardedFrames, KeyFrames, KeyMessages, KeyTables, PayloadChange,
    StreamIndex,
};
use crate::place::Located;
use crate::problem::Problem;
use crate::quantity::Share;
use crate::reader::Section;

pub(super) fn suppress(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<Attack> {
    let forwarded = forwarded(section, draft, tables);
    let probability = section.or_preset::<Share>("probability");
    let (gateway, what) = forwarded?;
    Some(Attack::Suppress {
        gateway,
        what,
        probability: probability?.0,
    })
}

pub(super) fn modify(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<Attack> {
    let forwarded = forwarded(section, draft, tables);
    let probability = section.or_preset::<Share>("probability");
    let at = section.whole("at") as usize;
    let edit = edit(section);
    let ((gateway, what), edit) = (forwarded?, edit?);
    let (Edit::Set(bytes) | Edit::Xor(bytes)) = &edit.value;
    let end = at + bytes.len();
    for (name, length) in lengths(&what, draft) {
        section.demand(end <= length, &edit.span, || Problem::Relation {
            found: format!(
                "bytes {at} to {} are changed, but {name} has {length}",
                end - 1
            ),
            remedy: "change fewer bytes, or begin earlier with `at`",
        });
    }
    let change = PayloadChange {
        at,
        edit: edit.value,
    };
    Some(Attack::Modify {
        gateway,
        what,
        change,
        probability: probability?.0,
    })
}

/// Reads `set` or `xor`.
fn edit(section: &mut Section<'_>) -> Option<Located<Edit>> {
    let set = section.optional::<Vec<u8>>("set");
    let xor = section.optional::<Vec<u8>>("xor");
    match (set, xor) {
        (Some(bytes), None) => Some(bytes.map(Edit::Set)),
        (None, Some(bytes)) => Some(bytes.map(Edit::Xor)),
        (Some(_), Some(xor)) => {
            section.fault(
                &xor.span,
                Problem::Exclusive {
                    key: "xor",
                    other: "set",
                },
            );
            None
        }
        (None, None) => {
            if !section.has("xor") {
                section.need("set");
            }
            None
        }
    }
}

/// Returns the changed messages with their lengths in bytes. Those of a security module's messages
/// follow from the suite: beyond their end nothing is changed.
fn lengths(what: &ForwardedFrames, draft: &Draft) -> Vec<(String, usize)> {
    let of_step = |step: &Step| (format!("a {}", step.name()), step.payload_length());
    match what {
        ForwardedFrames::Streams(streams) => {
            let sent = streams.iter().filter_map(|stream| draft.stream(stream.0));
            let length = sent.map(|sent| {
                let name = format!("stream {:?}", sent.stream.name.value);
                (name, usize::from(sent.stream.length))
            });
            length.collect()
        }
        ForwardedFrames::Keys(KeyFrames {
            messages: KeyMessages::Group { steps, .. },
            ..
        }) => steps.iter().map(of_step).collect(),
        ForwardedFrames::Keys(_) => Vec::new(),
    }
}

/// Reads `gateway` and the frames that it forwards, and checks that it does.
fn forwarded(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<(EcuIndex, ForwardedFrames)> {
    let gateway = section.reference("gateway", &draft.ecu_names).map(EcuIndex);
    if section.has(key_frames::KEY) {
        return forwarded_keys(section, gateway, draft, tables);
    }
    section.allow(&[key_frames::KEY]);
    let list = section.required::<Vec<Located<String>>>("streams")?;
    let listed = section.references(&list.value, &draft.stream_names);
    let gateway = gateway?;
    let routes = || draft.routes.iter().flatten().map(|draft| &draft.route);
    // A broken route may be the one that takes the stream.
    let complete = draft.routes.iter().all(Option::is_some);
    for stream in listed.iter().filter(|_| complete) {
        let index = StreamIndex(stream.value);
        let taken =
            routes().any(|route| route.gateway == gateway && route.streams.contains(&index));
        section.demand(taken, &stream.span, || Problem::NotForwarded {
            stream: draft.stream_names.name(stream.value).to_owned(),
            gateway: draft.ecu_names.name(gateway.0).to_owned(),
        });
    }
    let streams = listed
        .into_iter()
        .map(|stream| StreamIndex(stream.value))
        .collect();
    Some((gateway, ForwardedFrames::Streams(streams)))
}

fn forwarded_keys(
    section: &mut Section<'_>,
    gateway: Option<EcuIndex>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<(EcuIndex, ForwardedFrames)> {
    if section.has("streams") {
        let at = section.location("streams");
        let (key, other) = ("streams", key_frames::KEY);
        section.fault(&at, Problem::Exclusive { key, other });
        section.allow(&["streams"]);
    }
    let (frames, _) = key_frames::key_frames(section, draft, tables)?;
    let (gateway, tables) = (gateway?, tables?);
    let forwards = match &frames.messages {
        KeyMessages::Group { group, .. } => tables.groups.get(*group)?.gateway,
        KeyMessages::Lasan { network, .. } => tables.networks.get(*network)?.gateway,
    };
    let at = section.location("gateway");
    section.demand(forwards == Some(gateway), &at, || Problem::Relation {
        found: match forwards {
            Some(other) => format!(
                "the gateway of these key frames is {:?}",
                draft.ecu_names.name(other.0)
            ),
            None => "these key frames are on one bus, and no gateway forwards them".to_owned(),
        },
        remedy: "name the `gateway` of the [[keys]], which has several `buses`",
    });
    Some((gateway, ForwardedFrames::Keys(frames)))
}
