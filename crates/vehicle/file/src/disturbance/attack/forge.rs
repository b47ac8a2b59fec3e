//! Reads attackers that hear a stream, or a bus, and send forged or repeated frames.

use waywarden_work::Duration;

use crate::disturbance::aim;
use crate::draft::Draft;
use crate::model::{Attack, BusIndex, StreamAttack};
use crate::problem::Problem;
use crate::reader::{Integer, Section};

/// The words of the key `trick`, in the order of [`TRICKS`].
const WORDS: &[&str] = &[
    "messages",
    "data-before-tag",
    "bare-tag",
    "epoch-jump",
    "complaint",
    "reorder",
    "counter-jump",
    "other-counter",
];

const TRICKS: [StreamAttack; 8] = [
    StreamAttack::Messages,
    StreamAttack::DataBeforeTag,
    StreamAttack::BareTag,
    StreamAttack::EpochJump,
    StreamAttack::Complaint,
    StreamAttack::Reorder,
    StreamAttack::CounterJump,
    StreamAttack::OtherCounter,
];

/// Limit on forgeries after a message.
const BURST_MAX: Integer = 1_000;

/// Default time for which messages are kept.
const HOLD: Duration = Duration::from_millis(50);

/// Reads an attacker that hears a stream and has no key of it.
pub(super) fn forge(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    if !section.has("trick") {
        section.missing("trick", "what it does, such as \"messages\"");
    }
    let word = section.choice("trick", WORDS);
    let burst = section.number("burst", 1, BURST_MAX);
    let hold = section.positive("hold");
    if !section.has("stream") {
        section.missing("stream", "the stream it is about");
        return None;
    }
    let target = aim(section, draft, false)?;
    let (stream, _) = target.stream?;
    let (_, attack) = WORDS
        .iter()
        .zip(TRICKS)
        .find(|(one, _)| Some(**one) == word)?;
    Some(Attack::Forge {
        bus: target.bus,
        stream,
        attack,
        burst: burst.map_or(1, |burst| burst.value as usize),
        hold: hold.map_or(HOLD, |hold| hold.value),
    })
}

/// Reads an attacker that sends frames of one bus on another.
pub(super) fn relay(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    for (key, expected) in [
        ("source", "the bus it hears"),
        ("bus", "the bus it sends on"),
    ] {
        if !section.has(key) {
            section.missing(key, expected);
        }
    }
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
