//! Reads `[[software]]`: programs of ECUs.

use super::draft::Draft;
use super::formatting::count;
use super::model::{EcuIndex, KeypadKey, Press, ProgramKind, Software, StreamIndex};
use super::parties::at;
use super::problem::Problem;
use super::reader::Section;
use super::source::Findings;

/// Reads the programs of ECUs: one for each at most.
pub(super) fn all(
    top: &mut Section<'_>,
    draft: &Draft,
    findings: &Findings<'_>,
) -> Option<Vec<Software>> {
    let sections = top.tables("software");
    let mut read: Vec<Option<Software>> = Vec::new();
    for section in sections {
        let span = section.location("ecu");
        let one = software(section, draft);
        let is_second = |one: &Software| read.iter().flatten().any(|other| other.ecu == one.ecu);
        if let Some(one) = one.as_ref().filter(|one| is_second(one)) {
            findings.add(
                &span,
                Problem::Relation {
                    found: format!(
                        "ECU {:?} has a program already",
                        draft.ecu_names.name(one.ecu.0)
                    ),
                    remedy: "keep one of them",
                },
            );
        }
        read.push(one);
    }
    read.into_iter().collect()
}

/// Reads one table.
fn software(mut section: Section<'_>, draft: &Draft) -> Option<Software> {
    let ecu = section.reference("ecu", &draft.ecu_names);
    let program = section.kind("program");
    section.need("program");
    let program = match (program?, ecu) {
        ("central-unit", ecu) => {
            let mut sent = |key, length| stream(&mut section, key, length, draft, (ecu, true));
            let (left, right) = (sent("left", 1), sent("right", 1));
            let (rpm, indicators) = (sent("rpm", 8), sent("indicators", 8));
            let keypad = presses(&mut section);
            ProgramKind::CentralUnit {
                left: left?,
                right: right?,
                rpm: rpm?,
                indicators: indicators?,
                keypad: keypad?,
            }
        }
        ("wheel", ecu) => ProgramKind::Wheel {
            shows: stream(&mut section, "shows", 1, draft, (ecu, false))?,
        },
        (_, ecu) => {
            let rpm = stream(&mut section, "rpm", 8, draft, (ecu, false));
            let indicators = stream(&mut section, "indicators", 8, draft, (ecu, false));
            ProgramKind::InstrumentCluster {
                rpm: rpm?,
                indicators: indicators?,
            }
        }
    };
    section.finish()?;
    Some(Software {
        ecu: EcuIndex(ecu?),
        program,
    })
}

/// Reads a stream that the ECU sends or receives, and whose payload has the program's length.
fn stream(
    section: &mut Section<'_>,
    key: &'static str,
    length: u8,
    draft: &Draft,
    (ecu, sends): (Option<usize>, bool),
) -> Option<StreamIndex> {
    let index = section.reference(key, &draft.stream_names)?;
    let at = section.location(key);
    let (own, ecu) = (draft.stream(index)?, ecu?);
    let name = &own.stream.name.value;
    let has_length = own.stream.length == length;
    section.demand(has_length, &at, || Problem::Relation {
        found: format!(
            "stream {name:?} has {}, and this program's `{key}` has {length}",
            count(u64::from(own.stream.length), "byte")
        ),
        remedy: "give the stream that length",
    });
    let is_there = match sends {
        true => own.stream.sender.0 == ecu,
        false => own.receivers.iter().any(|one| one.value == ecu),
    };
    let does = if sends { "send" } else { "receive" };
    section.demand(is_there, &at, || Problem::Relation {
        found: format!(
            "ECU {:?} does not {does} stream {name:?}",
            draft.ecu_names.name(ecu)
        ),
        remedy: "name a stream of this ECU, or make it its sender or receiver",
    });
    (has_length && is_there).then_some(StreamIndex(index))
}

fn presses(section: &mut Section<'_>) -> Option<Vec<Press>> {
    let mut presses = Vec::new();
    let mut is_sound = true;
    for mut entry in section.tables("keypad") {
        let at = at(&mut entry);
        let key = entry.choice("key");
        entry.need("key");
        let held = entry.time_or_preset("held");
        let key = key.and_then(|label| KeypadKey::ALL.into_iter().find(|(one, _)| *one == label));
        if let (Some(at), Some((_, key)), Some(held)) = (at, key, held) {
            presses.push(Press {
                at: at.value,
                key,
                held,
            });
        }
        is_sound &= entry.finish().is_some();
    }
    if !is_sound {
        section.broken();
    }
    is_sound.then_some(presses)
}
