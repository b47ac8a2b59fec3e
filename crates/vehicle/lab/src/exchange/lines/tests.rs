//! Lines against the definition: an entry belongs to the last line that lacks it.

use waywarden_can_sim::random::Random;

use super::super::{EventEntry, FrameAddresses};
use super::*;

const ECUS: [&str; 3] = ["a", "b", "gateway"];
const OUTCOMES: [&str; 2] = ["sent", "bit error"];

/// Frames of a message that is cut into `message` % 4 + 1 of them.
fn frame(at: u64, message: u32, ecu: &str, outcome: &'static str) -> TimelineEntry {
    TimelineEntry::Frame(FrameEntry {
        from_ms: at as f64,
        to_ms: at as f64 + 0.5,
        group: "keys".to_owned(),
        bus: "drive".to_owned(),
        ecu: ecu.to_owned(),
        origin: "foreign",
        step: "share-a",
        identifier: waywarden_can::Id::standard(0x700).unwrap().into(),
        addresses: FrameAddresses::Message {
            source: 1,
            target: 2,
        },
        bytes: 8,
        data: "00".to_owned(),
        outcome,
        message,
        cut: message as usize % 4 + 1,
    })
}

fn computation(at: u64, ecu: &str) -> TimelineEntry {
    TimelineEntry::Computation(ComputationEntry {
        from_ms: at as f64 * 0.06,
        to_ms: at as f64 * 0.06,
        groups: vec!["keys".to_owned()],
        ecu: ecu.to_owned(),
        operation: "verify",
        algorithm: "fourq",
        bytes: 0,
        computed_ms: 0.0,
    })
}

fn event(at: u64, ecu: &str) -> TimelineEntry {
    TimelineEntry::Event(EventEntry {
        at_ms: at as f64,
        group: "keys".to_owned(),
        ecu: ecu.to_owned(),
        event: "failed",
        text: "failed".to_owned(),
    })
}

fn exchange(time_line: Vec<TimelineEntry>) -> Exchange {
    Exchange {
        vehicle: String::new(),
        seed: 0,
        agreed: false,
        end_ms: 0.0,
        groups: Vec::new(),
        networks: Vec::new(),
        time_line,
        left_out: 0,
    }
}

/// The definition, by a search through all lines.
fn searched(entries: &[TimelineEntry]) -> Vec<Line> {
    let mut lines: Vec<Growing<'_>> = Vec::new();
    for entry in entries {
        let found = match entry {
            TimelineEntry::Frame(frame) => lines.iter().rposition(|one| {
                one.frames.first().is_some_and(|first| {
                    (first.message, &first.ecu, first.outcome)
                        == (frame.message, &frame.ecu, frame.outcome)
                }) && one.frames.len() < frame.cut
            }),
            TimelineEntry::Computation(own) => {
                let last = lines.iter().rposition(|one| one.line.ecu == own.ecu);
                last.filter(|at| {
                    let before = lines[*at].computations.last();
                    before.is_some_and(|before| own.from_ms - before.to_ms <= STAGE_GAP_MS)
                })
            }
            TimelineEntry::Event(_) => None,
        };
        let at = found.unwrap_or(lines.len());
        if found.is_none() {
            lines.push(Growing::of(line(entry)));
        }
        let at = &mut lines[at];
        let from = at.line.from_ms;
        match entry {
            TimelineEntry::Frame(frame) => {
                at.frames.push(frame);
                at.line.took_ms = Some(frame.to_ms - from);
            }
            TimelineEntry::Computation(own) => {
                at.computations.push(own);
                at.line.took_ms = Some(own.to_ms - from);
            }
            TimelineEntry::Event(_) => {}
        }
    }
    lines.into_iter().map(Growing::finish).collect()
}

#[test]
fn lines_found_by_look_up_are_those_found_by_search() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let entries = (0..400).map(|at| {
            let ecu = ECUS[random.below(3) as usize];
            match random.below(8) {
                0 => event(at, ecu),
                1 | 2 => computation(at, ecu),
                _ => {
                    let outcome = OUTCOMES[random.below(2) as usize];
                    frame(at, random.below(6) as u32, ecu, outcome)
                }
            }
        });
        let exchange = exchange(entries.collect());
        let expected = searched(&exchange.time_line);
        assert_eq!(exchange.steps(), expected, "seed {seed}");
    }
}

/// A search through all lines takes 2^33 comparisons here: minutes.
#[test]
fn full_recording_of_foreign_frames_has_a_line_for_each() {
    let entries = super::super::ENTRIES_MAX as u64;
    let frames = (0..entries).map(|at| frame(at, 4, "attacker", "sent"));
    let exchange = exchange(frames.collect());
    assert_eq!(exchange.steps().len(), super::super::ENTRIES_MAX);
}
