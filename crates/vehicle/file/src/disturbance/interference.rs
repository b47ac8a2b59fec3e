//! Reads `[[interferer]]`.

use waywarden_can::Id;

use super::{Target, aim, kind};
use crate::draft::Draft;
use crate::key_frames;
use crate::keys;
use crate::model::{BusIndex, Data, EcuIndex, Interference, KeyTables, WireInterferer};
use crate::place::Located;
use crate::quantity::Share;
use crate::reader::Section;

/// The kind that key frames can be the target of.
const OVERWRITE: &str = "error-passive-overwrite";

/// Reads an `[[interferer]]`.
pub(crate) fn interferer(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<WireInterferer> {
    let window = keys::window(&mut section);
    let is_optional = section.flag("optional");
    let kind = kind(&mut section)?;
    if kind == OVERWRITE && section.has(key_frames::KEY) {
        let read = overwrite(&mut section, draft, tables);
        section.finish()?;
        let (bus, interference) = read?;
        return Some(WireInterferer {
            name,
            bus,
            window,
            is_optional,
            interference,
        });
    }
    let target = match kind {
        "bus-off" | "error-passive-overwrite" | "janus" => aim(&mut section, draft, true),
        "double-receive" => aim(&mut section, draft, false),
        _ => section
            .reference("bus", &draft.bus_names)
            .map(|bus| Target {
                bus: BusIndex(bus),
                id: None,
                stream: None,
            }),
    };
    if kind == OVERWRITE {
        section.allow(&[key_frames::KEY]);
    }
    let interference = interference(&mut section, kind, target.as_ref(), draft);
    section.finish()?;
    Some(WireInterferer {
        name,
        bus: target?.bus,
        window,
        is_optional,
        interference: interference?,
    })
}

/// Reads which frames of a key protocol are overwritten.
fn overwrite(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<(BusIndex, Interference)> {
    let data = section.or_preset::<Data>("data");
    let (frames, buses) = key_frames::key_frames(section, draft, tables)?;
    let bus = frames.bus.or(buses.first().copied())?;
    let data = data?;
    Some((bus, Interference::KeyFrameOverwrite { frames, data }))
}

fn interference(
    section: &mut Section<'_>,
    kind: &str,
    target: Option<&Target<'_>>,
    draft: &Draft,
) -> Option<Interference> {
    let id = target.and_then(|target| target.id);
    match kind {
        "bit-errors" => Some(Interference::BitErrors {
            rate: rate(section)?,
        }),
        "receiver-local" => {
            let ecu = listener(section, target, draft);
            let rate = rate(section);
            Some(Interference::ReceiverLocal {
                ecu: ecu?,
                rate: rate?,
            })
        }
        "bus-off" => Some(Interference::BusOff { id: id? }),
        "error-passive-overwrite" => {
            let (data, id) = (section.or_preset("data")?, id?);
            Some(Interference::ErrorPassiveOverwrite { id, data })
        }
        "babbling" => {
            let period = section.time("period");
            section.need("period");
            let bits = section.whole("bits") as u32;
            Some(Interference::Babbling {
                period: period?.value,
                bits,
            })
        }
        "double-receive" => {
            let probability = section.or_preset::<Share>("probability")?.0;
            Some(Interference::DoubleReceive { id, probability })
        }
        _ => janus(section, id, target, draft),
    }
}

fn janus(
    section: &mut Section<'_>,
    id: Option<Id>,
    target: Option<&Target<'_>>,
    draft: &Draft,
) -> Option<Interference> {
    let data = section.required::<Vec<u8>>("data");
    let list = section.required::<Vec<Located<String>>>("receivers");
    let listed = list.map(|list| section.references(&list.value, &draft.ecu_names))?;
    let bus = target?.bus;
    for listed in &listed {
        on_bus(section, listed, bus, draft);
    }
    let receivers = listed.into_iter().map(|ecu| EcuIndex(ecu.value)).collect();
    Some(Interference::Janus {
        id: id?,
        data: data?.value,
        receivers,
    })
}

fn listener(
    section: &mut Section<'_>,
    target: Option<&Target<'_>>,
    draft: &Draft,
) -> Option<EcuIndex> {
    let ecu = section.reference("ecu", &draft.ecu_names)?;
    let located = Located::new(ecu, section.location("ecu"));
    on_bus(section, &located, target?.bus, draft);
    Some(EcuIndex(ecu))
}

fn on_bus(section: &mut Section<'_>, ecu: &Located<usize>, bus: BusIndex, draft: &Draft) {
    if let Some(Some(listener)) = draft.ecus.get(ecu.value) {
        let there = listener.ports.contains(&bus);
        section.demand(there, &ecu.span, || draft.not_on_bus(listener, bus));
    }
}

fn rate(section: &mut Section<'_>) -> Option<f64> {
    section.required::<Share>("rate").map(|rate| rate.value.0)
}
