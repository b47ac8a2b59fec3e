//! Reads attackers that hear a stream, or a bus, and send forged or repeated frames.

use crate::disturbance::aim;
use crate::draft::Draft;
use crate::model::{Attack, BusIndex, StreamAttack};
use crate::problem::Problem;
use crate::reader::Section;

/// Reads an attacker that hears a stream and has no key of it.
pub(super) fn forge(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    section.need("trick");
    let attack = section.choice("trick").and_then(trick);
    let burst = section.whole("burst");
    let hold = section.time_or_preset("hold");
    if !section.has("stream") {
        section.need("stream");
        return None;
    }
    let target = aim(section, draft, false)?;
    let (stream, _) = target.stream?;
    Some(Attack::Forge {
        bus: target.bus,
        stream,
        attack: attack?,
        burst: burst as usize,
        hold: hold?,
    })
}

fn trick(word: &str) -> Option<StreamAttack> {
    Some(match word {
        "messages" => StreamAttack::Messages,
        "data-before-tag" => StreamAttack::DataBeforeTag,
        "bare-tag" => StreamAttack::BareTag,
        "epoch-jump" => StreamAttack::EpochJump,
        "complaint" => StreamAttack::Complaint,
        "reorder" => StreamAttack::Reorder,
        "counter-jump" => StreamAttack::CounterJump,
        "other-counter" => StreamAttack::OtherCounter,
        _ => return None,
    })
}

/// Reads an attacker that sends frames of one bus on another.
pub(super) fn relay(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let from = section.reference("source", &draft.bus_names).map(BusIndex);
    let to = section.reference("bus", &draft.bus_names).map(BusIndex);
    let (from, to) = (from?, to?);
    let at = section.location("source");
    section.demand(from != to, &at, || Problem::Relation {
        found: "it would bring frames to where they are".to_owned(),
        remedy: "name two buses, or write `kind = \"replay\"`",
    });
    Some(Attack::Relay { from, to })
}
