//! Reads `[[attacker]]`.

mod forge;
mod masquerade;
mod tamper;

use waywarden_can::Id;
use waywarden_lasan::LasanProfile;

use super::{Target, aim, kind};
use crate::draft::Draft;
use crate::key_frames;
use crate::keys;
use crate::model::{
    Attack, Attacker, BusIndex, Data, EcuIndex, ForgedFrame, FrameRate, KeyTables, Lasan,
    RecordedFrames,
};
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;

/// Reads an `[[attacker]]`; the tables of keys are there unless one of them is broken.
pub(crate) fn attacker(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<Attacker> {
    let networks = tables.map(|tables| tables.networks);
    let window = keys::window(&mut section);
    let is_optional = section.flag("optional");
    let attack = match kind(&mut section)? {
        "spoof" => spoof(&mut section, draft),
        "replay" => replay(&mut section, draft, tables),
        "forge" => forge::forge(&mut section, draft),
        "relay" => forge::relay(&mut section, draft),
        "flood" => flood(&mut section, draft),
        "register" => register(&mut section, draft, networks),
        "masquerade" => masquerade::masquerade(&mut section, draft, networks),
        "man-in-the-middle" => masquerade::man_in_the_middle(&mut section, draft, networks),
        "suppress" => tamper::suppress(&mut section, draft, tables),
        "modify" => tamper::modify(&mut section, draft, tables),
        _ => compromise(&mut section, draft),
    };
    section.finish()?;
    Some(Attacker {
        name,
        window,
        is_optional,
        attack: attack?,
    })
}

/// Reads a forged frame; one that imitates a stream has its form by default.
fn forged(section: &mut Section<'_>, target: &Target<'_>, draft: &Draft) -> Option<ForgedFrame> {
    let id = target.id?;
    let Some((index, posed)) = target.stream else {
        let bus = draft.buses.get(target.bus.0)?.as_ref();
        let shape = keys::shape(section, bus)?;
        return Some(ForgedFrame {
            id,
            stream: None,
            format: shape.format,
            length: shape.length,
            data: shape.data,
        });
    };
    let data = section.optional::<Data>("data");
    let length = posed.stream.length;
    if let Some(data) = &data {
        let demanded = data.value.length().unwrap_or(usize::from(length));
        section.demand(demanded == usize::from(length), &data.span, || {
            Problem::Relation {
                found: format!("`data` has {demanded} bytes, the stream has {length}"),
                remedy: "make them equal, or aim with `id` and `length` instead of `stream`",
            }
        });
    }
    Some(ForgedFrame {
        id,
        stream: Some(index),
        format: posed.stream.format,
        length,
        data: data.map_or(Data::Random, |data| data.value),
    })
}

fn spoof(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let target = aim(section, draft, true);
    let frame = match &target {
        Some(target) => forged(section, target, draft),
        None => {
            section.allow(&keys::SHAPE);
            None
        }
    };
    let written = section.time("period");
    let posed = target.as_ref().and_then(|target| target.stream);
    let period = match (written, posed) {
        (Some(period), _) => Some(period.value),
        (None, Some((_, posed))) => Some(posed.stream.period),
        (None, None) => {
            if target.is_some() {
                section.need("period");
            }
            None
        }
    };
    Some(Attack::Spoof {
        bus: target?.bus,
        frame: frame?,
        period: period?,
    })
}

fn replay(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<Attack> {
    let target = recorded(section, draft, tables);
    let delay = section.positive("delay");
    section.need("delay");
    let reorder = section.whole("reorder");
    let (bus, which) = target?;
    Some(Attack::Replay {
        bus,
        which,
        delay: delay?.value,
        reorder: reorder as usize,
    })
}

/// Reads which frames are recorded, and on which bus.
fn recorded(
    section: &mut Section<'_>,
    draft: &Draft,
    tables: Option<KeyTables<'_>>,
) -> Option<(BusIndex, RecordedFrames)> {
    if !section.has(key_frames::KEY) {
        section.allow(&[key_frames::KEY]);
        let target = aim(section, draft, false)?;
        let which = target.id.map_or(RecordedFrames::All, RecordedFrames::Id);
        return Some((target.bus, which));
    }
    let (frames, buses) = key_frames::key_frames(section, draft, tables)?;
    let bus = frames.bus.or(buses.first().copied())?;
    Some((bus, RecordedFrames::Keys(frames)))
}

fn flood(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let bus = section.reference("bus", &draft.bus_names).map(BusIndex);
    // The identifier that wins every arbitration, unless the file names another.
    let id = keys::id(section).map_or(Id::standard(0).ok(), |id| Some(id.value));
    let rate = section.or_preset::<FrameRate>("rate");
    let on = bus.and_then(|bus| draft.buses.get(bus.0)?.as_ref());
    let shape = if section.has("length") || section.has("data") {
        keys::shape(section, on)
    } else {
        section.allow(&["length", "data"]);
        keys::eight_zeros(section, on)
    };
    let (id, shape) = (id?, shape?);
    let frame = ForgedFrame {
        id,
        stream: None,
        format: shape.format,
        length: shape.length,
        data: shape.data,
    };
    Some(Attack::Flood {
        bus: bus?,
        frame,
        rate: rate?,
    })
}

fn register(
    section: &mut Section<'_>,
    draft: &Draft,
    networks: Option<&[Lasan]>,
) -> Option<Attack> {
    let bus = section.reference("bus", &draft.bus_names).map(BusIndex);
    let named = section.optional::<Vec<Located<String>>>("ecus");
    if let Some(list) = named.as_ref().filter(|list| list.value.is_empty()) {
        section.fault(
            &list.span,
            Problem::Relation {
                found: "this names no ECU".to_owned(),
                remedy: "name some `members` of the security module, or leave it out for all",
            },
        );
    }
    let named = named.map(|list| section.references(&list.value, &draft.ecu_names));
    section.need("period");
    let period = section.time("period");
    let (bus, networks) = (bus?, networks?);
    let found = networks.iter().position(|one| one.buses.contains(&bus));
    let invites = found.filter(|at| networks[*at].profile != LasanProfile::AsPublished);
    let at = section.location("bus");
    section.demand(invites.is_some(), &at, || match found {
        None => Problem::Relation {
            found: "no security module has messages on this bus".to_owned(),
            remedy: "name one of the `buses` of a [[keys]] with `scheme = \"lasan\"`",
        },
        Some(_) => Problem::Relation {
            found: "as published no ECU is given a turn".to_owned(),
            remedy: "write `kind = \"replay\"`, which needs none",
        },
    });
    let network = invites?;
    let members = &networks[network].members;
    let ecus = match named {
        None => members.iter().map(|member| member.address).collect(),
        Some(named) => {
            let address = |one: &Located<usize>| {
                let member = members.iter().find(|member| member.ecu.0 == one.value);
                section.demand(member.is_some(), &one.span, || Problem::Relation {
                    found: "this ECU is no member".to_owned(),
                    remedy: "name some of the `members` of the security module",
                });
                member.map(|member| member.address)
            };
            named.iter().filter_map(address).collect()
        }
    };
    Some(Attack::Register {
        bus,
        network,
        ecus,
        period: period?.value,
    })
}

/// Reads the compromised ECUs, and the time between two actions of the intruder.
fn compromise(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let period = section.time_or_preset("period");
    let ecus = if section.is_text("ecus") {
        section.choice("ecus")?;
        (0..draft.ecus.len()).map(EcuIndex).collect()
    } else {
        let list = section.required::<Vec<Located<String>>>("ecus")?;
        let listed = section.references(&list.value, &draft.ecu_names);
        section.demand(!list.value.is_empty(), &list.span, || Problem::Relation {
            found: "no ECU is compromised".to_owned(),
            remedy: "name an ECU, or write \"all\"",
        });
        listed.into_iter().map(|one| EcuIndex(one.value)).collect()
    };
    Some(Attack::Compromise {
        ecus,
        period: period?,
    })
}
