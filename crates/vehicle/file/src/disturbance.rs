//! Reads `[[attacker]]`, `[[interferer]]` and `[[fault]]`.

mod attack;
mod interference;

use waywarden_can::Id;
use waywarden_work::Duration;

use super::draft::{Draft, StreamDraft};
use super::keys;
use super::model::{
    BusIndex, Ecu, EcuFailure, EcuFailureKind, EcuIndex, Lasan, StreamIndex, Window, WorkshopWork,
};
use super::place::{Located, Span};
use super::problem::Problem;
use super::reader::Section;
use super::source::Findings;

pub(super) use attack::attacker;
pub(super) use interference::interferer;

/// Duration of a reset that has no end, and of the exchange for a new part.
pub const SHORT_RESET: Duration = Duration::from_micros(1);

/// Frames that an attacker or an interferer aims at.
struct Target<'a> {
    bus: BusIndex,
    id: Option<Id>,
    stream: Option<(StreamIndex, &'a StreamDraft)>,
}

/// Reads a `[[fault]]`.
pub(super) fn fault(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
) -> Option<EcuFailure> {
    let mut window = keys::window(&mut section);
    let is_optional = section.flag("optional");
    let kind = kind(&mut section)?;
    let ecu = section.reference("ecu", &draft.ecu_names);
    let kind = match kind {
        "reset" => {
            // A reset without an end is a short one: the ECU boots again at once.
            window.until = window.until.or(short_reset(window.from).until);
            Some(EcuFailureKind::Reset)
        }
        "replaced" => replaced(&mut section, &mut window),
        "clock-drift" => drift(&mut section),
        _ => {
            let ecu = ecu.and_then(|ecu| draft.ecus.get(ecu)?.as_ref());
            bus_open(&mut section, ecu, draft)
        }
    };
    section.finish()?;
    Some(EcuFailure {
        name,
        ecu: EcuIndex(ecu?),
        window,
        is_optional,
        kind: kind?,
    })
}

/// Notes resets of an ECU, and new parts for one, that is not up: before its start, or in another
/// reset; and new parts that a security module does not know.
pub(super) fn check_resets(
    faults: &[EcuFailure],
    lasan: &[Lasan],
    ecus: &[Option<Ecu>],
    findings: &Findings<'_>,
) {
    check_parts(faults, lasan, findings);
    let reset = |fault: &EcuFailure| {
        let is_reset = fault.reset().is_some();
        is_reset.then(|| (fault.ecu, fault.window, fault.name.span.clone()))
    };
    // A part that is replaced boots at once.
    let replaced = lasan.iter().flat_map(|network| {
        let span = &network.name.span;
        let work = network.changes.iter();
        work.filter(|change| change.work == WorkshopWork::Replace)
            .map(move |change| (change.member.ecu, short_reset(change.at), span.clone()))
    });
    let mut resets: Vec<(EcuIndex, Window, Span)> =
        faults.iter().filter_map(reset).chain(replaced).collect();
    resets.sort_by_key(|(ecu, window, _)| (ecu.0, window.from));
    for (at, (index, window, span)) in resets.iter().enumerate() {
        let Some(Some(ecu)) = ecus.get(index.0) else {
            continue;
        };
        let before = at.checked_sub(1).map(|before| &resets[before]);
        let before = before.filter(|(before, ..)| before == index);
        let since = match before.and_then(|(_, window, _)| window.until) {
            Some(until) => until.max(ecu.start),
            None => ecu.start,
        };
        let from = window.from;
        if from < since || (before.is_some() && from == since) {
            let name = &ecu.name.value;
            let problem = Problem::Relation {
                found: format!("ECU {name:?} is not up at {from}: it boots at {since}"),
                remedy: "a reset begins later than that, and one ends before the next begins",
            };
            findings.add(span, problem);
        }
    }
}

/// Notes new parts of ECUs that a security module has to enrol first.
fn check_parts(faults: &[EcuFailure], lasan: &[Lasan], findings: &Findings<'_>) {
    let replaced = |fault: &&EcuFailure| fault.kind == EcuFailureKind::Replaced;
    for fault in faults.iter().filter(replaced) {
        let takes_part = |one: &&Lasan| one.parties().any(|party| party.ecu == fault.ecu);
        if let Some(network) = lasan.iter().find(takes_part) {
            let name = &network.name.value;
            let problem = Problem::Relation {
                found: format!("the security module of {name:?} does not know the new part"),
                remedy: "write `replace` into that [[keys]]; a security module is not replaced",
            };
            findings.add(&fault.name.span, problem);
        }
    }
}

/// Returns when an ECU is in reset that boots again at once.
fn short_reset(from: Duration) -> Window {
    Window {
        from,
        until: Some(from + SHORT_RESET),
    }
}

/// Reads which kind of attacker, interferer or fault it is.
fn kind(section: &mut Section<'_>) -> Option<&'static str> {
    section.need("kind");
    let kind = section.kind("kind")?;
    section.specify(&format!("of kind {kind:?}"));
    Some(kind)
}

/// Reads `stream`, or `id` and `bus`; with a stream, `bus` is its sender's unless given.
fn aim<'a>(section: &mut Section<'_>, draft: &'a Draft, needed: bool) -> Option<Target<'a>> {
    let stream_name = section.optional::<String>("stream");
    let id = keys::id(section);
    let bus = section.optional::<String>("bus");
    let bus = match bus {
        Some(bus) => Some(BusIndex(section.refer(&draft.bus_names, &bus)?)),
        None => None,
    };
    if let (Some(_), true) = (&stream_name, section.has("id")) {
        let at = section.location("id");
        section.fault(
            &at,
            Problem::Exclusive {
                key: "id",
                other: "stream",
            },
        );
    }
    let Some(stream_name) = stream_name else {
        if needed && !section.has("id") {
            section.missing("stream", "the stream it is about, or else an `id`");
        }
        if bus.is_none() {
            section.missing("bus", "the bus it happens on");
        }
        return Some(Target {
            bus: bus?,
            id: id.map(|id| id.value),
            stream: None,
        });
    };
    let index = section.refer(&draft.stream_names, &stream_name)?;
    let sent = draft.stream(index)?;
    let on = bus.unwrap_or(sent.stream.bus);
    if !sent.stream.carried.iter().any(|carried| carried.bus == on) {
        let at = section.location("bus");
        let problem = Problem::NotCarried {
            stream: stream_name.value.clone(),
            bus: draft.bus_names.name(on.0).to_owned(),
            carried: draft.carriers(sent),
        };
        section.fault(&at, problem);
    }
    Some(Target {
        bus: on,
        id: Some(sent.stream.id.value),
        stream: Some((StreamIndex(index), sent)),
    })
}

/// Reads when a part is replaced; without `from` it is a new one from power-on.
fn replaced(section: &mut Section<'_>, window: &mut Window) -> Option<EcuFailureKind> {
    if window.from > Duration::ZERO {
        // As of a reset.
        window.until = window.until.or(short_reset(window.from).until);
    } else if window.until.is_some() {
        let at = section.location("until");
        let problem = Problem::Relation {
            found: "a part that is new at power-on is never taken out".to_owned(),
            remedy: "write a `from` above zero too, or leave `until` out",
        };
        section.fault(&at, problem);
    }
    Some(EcuFailureKind::Replaced)
}

fn drift(section: &mut Section<'_>) -> Option<EcuFailureKind> {
    section.need("ppm");
    let ppm = section.number("ppm")?;
    Some(EcuFailureKind::ClockDrift {
        ppm: ppm.value as i32,
    })
}

fn bus_open(section: &mut Section<'_>, ecu: Option<&Ecu>, draft: &Draft) -> Option<EcuFailureKind> {
    let bus = section.optional::<String>("bus");
    let buses = match bus {
        None => ecu?.ports.clone(),
        Some(bus) => {
            let index = BusIndex(section.refer(&draft.bus_names, &bus)?);
            let ecu = ecu?;
            let there = ecu.ports.contains(&index);
            section.demand(there, &bus.span, || draft.not_on_bus(ecu, index));
            vec![index]
        }
    };
    Some(EcuFailureKind::BusOpen { buses })
}
