//! Reads `[[attacker]]`, `[[interferer]]` and `[[fault]]`.

use waywarden_can::Id;
use waywarden_work::Duration;

use super::model::{
    Attack, Attacker, BusIndex, Change, Data, Ecu, EcuIndex, Edit, Fault, FaultKind, ForgedFrame,
    FrameRate, Interference, Interferer, StreamIndex,
};
use super::network::Draft;
use super::problem::Problem;
use super::quantity::Share;
use super::reader::{Integer, Section};
use super::source::Located;
use super::topology::CLOCK_PPM_MAX;
use super::traffic::{self, StreamDraft};

const ATTACKS: &[&str] = &["spoof", "replay", "flood", "suppress", "modify"];
const INTERFERENCES: &[&str] = &[
    "bit-errors",
    "receiver-local",
    "bus-off",
    "error-passive-overwrite",
    "babbling",
    "double-receive",
    "janus",
];
const FAULTS: &[&str] = &["reset", "clock-drift", "bus-open"];

/// How many recorded frames a replaying attacker shuffles at the most.
const REORDER_MAX: Integer = 1_024;

/// How long a babbling node holds the bus at the most, in bit times.
const BABBLE_BITS_MAX: Integer = 100_000;

/// Frames somebody takes aim at.
struct Target<'a> {
    bus: BusIndex,
    id: Option<Id>,
    stream: Option<(StreamIndex, &'a StreamDraft)>,
}

/// Reads an `[[attacker]]`.
pub(super) fn attacker(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
) -> Option<Attacker> {
    let window = traffic::window(&mut section);
    let attack = match kind(&mut section, ATTACKS)? {
        "spoof" => spoof(&mut section, draft),
        "replay" => replay(&mut section, draft),
        "flood" => flood(&mut section, draft),
        "suppress" => suppress(&mut section, draft),
        _ => modify(&mut section, draft),
    };
    section.finish()?;
    Some(Attacker {
        name,
        window,
        attack: attack?,
    })
}

/// Reads an `[[interferer]]`.
pub(super) fn interferer(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
) -> Option<Interferer> {
    let window = traffic::window(&mut section);
    let kind = kind(&mut section, INTERFERENCES)?;
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
    let interference = interference(&mut section, kind, target.as_ref(), draft);
    section.finish()?;
    Some(Interferer {
        name,
        bus: target?.bus,
        window,
        interference: interference?,
    })
}

/// Reads a `[[fault]]`.
pub(super) fn fault(
    mut section: Section<'_>,
    name: Located<String>,
    draft: &Draft,
) -> Option<Fault> {
    let mut window = traffic::window(&mut section);
    let kind = kind(&mut section, FAULTS)?;
    let ecu = section.reference("ecu", &draft.ecu_names);
    let kind = match kind {
        "reset" => {
            // A reset without an end is a short one: the ECU boots again at once.
            let begin = window.from;
            window.until = window.until.or(Some(begin + Duration::from_micros(1)));
            Some(FaultKind::Reset)
        }
        "clock-drift" => drift(&mut section),
        _ => {
            let ecu = ecu.and_then(|ecu| draft.ecus.get(ecu)?.as_ref());
            bus_open(&mut section, ecu, draft)
        }
    };
    section.finish()?;
    Some(Fault {
        name,
        ecu: EcuIndex(ecu?),
        window,
        kind: kind?,
    })
}

/// Reads which kind of attacker, interferer or fault it is.
fn kind(section: &mut Section<'_>, kinds: &'static [&'static str]) -> Option<&'static str> {
    if !section.has("kind") {
        section.missing(
            "kind",
            "a word such as \"spoof\", \"bit-errors\" or \"reset\"",
        );
    }
    let kind = section.choice("kind", kinds)?;
    section.specify(&format!("of kind {kind:?}"));
    Some(kind)
}

/// Reads `stream`, or `id` and `bus`; with a stream, `bus` is its sender's unless given.
fn aim<'a>(section: &mut Section<'_>, draft: &'a Draft, needed: bool) -> Option<Target<'a>> {
    let stream_name = section.optional::<String>("stream");
    let id = traffic::id(section);
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

/// Reads the frame an attacker makes up; one that poses as a stream looks like it by default.
fn forged(section: &mut Section<'_>, target: &Target<'_>, draft: &Draft) -> Option<ForgedFrame> {
    let id = target.id?;
    let Some((index, posed)) = target.stream else {
        let bus = draft.buses.get(target.bus.0)?.as_ref();
        let shape = traffic::shape(section, bus)?;
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
    let frame = target
        .as_ref()
        .and_then(|target| forged(section, target, draft));
    let written = section.positive("period");
    let posed = target.as_ref().and_then(|target| target.stream);
    let period = match (written, posed) {
        (Some(period), _) => Some(period.value),
        (None, Some((_, posed))) => Some(posed.stream.period),
        (None, None) => {
            if target.is_some() && !section.has("period") {
                section.missing(
                    "period",
                    "the time between two forged frames, such as \"10ms\"",
                );
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

fn replay(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let target = aim(section, draft, false);
    let delay = section.positive("delay");
    if !section.has("delay") {
        section.missing(
            "delay",
            "how much later the frames come again, such as \"200ms\"",
        );
    }
    let reorder = section.number("reorder", 1, REORDER_MAX);
    let target = target?;
    Some(Attack::Replay {
        bus: target.bus,
        id: target.id,
        delay: delay?.value,
        reorder: reorder.map_or(1, |reorder| reorder.value as usize),
    })
}

fn flood(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let bus = section.reference("bus", &draft.bus_names).map(BusIndex);
    // The identifier that wins every arbitration, unless the file names another.
    let id = traffic::id(section).map_or(Id::standard(0).ok(), |id| Some(id.value));
    let rate = section.or("rate", FrameRate::Full);
    let on = bus.and_then(|bus| draft.buses.get(bus.0)?.as_ref());
    let shape = if section.has("length") || section.has("data") {
        traffic::shape(section, on)
    } else {
        traffic::eight_zeros(section, on)
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
        rate,
    })
}

fn suppress(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let (gateway, streams) = forwarded(section, draft)?;
    let probability = section.or("probability", Share(1.0)).0;
    Some(Attack::Suppress {
        gateway,
        streams,
        probability,
    })
}

fn modify(section: &mut Section<'_>, draft: &Draft) -> Option<Attack> {
    let forwarded = forwarded(section, draft);
    let probability = section.or("probability", Share(1.0)).0;
    let at = section
        .number("at", 0, 63)
        .map_or(0, |at| at.value as usize);
    let set = section.optional::<Vec<u8>>("set");
    let xor = section.optional::<Vec<u8>>("xor");
    let edit = match (set, xor) {
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
            if !section.has("set") && !section.has("xor") {
                section.missing("set", "the new bytes in hexadecimal, or `xor` with a mask");
            }
            None
        }
    };
    let ((gateway, streams), edit) = (forwarded?, edit?);
    let (Edit::Set(bytes) | Edit::Xor(bytes)) = &edit.value;
    let end = at + bytes.len();
    for sent in streams.iter().filter_map(|stream| draft.stream(stream.0)) {
        let length = usize::from(sent.stream.length);
        section.demand(end <= length, &edit.span, || Problem::Relation {
            found: format!(
                "bytes {at} to {} are changed, but stream {:?} has {length}",
                end - 1,
                sent.stream.name.value
            ),
            remedy: "change fewer bytes, or begin earlier with `at`",
        });
    }
    let change = Change {
        at,
        edit: edit.value,
    };
    Some(Attack::Modify {
        gateway,
        streams,
        change,
        probability,
    })
}

/// Reads `gateway` and `streams` and checks that the one forwards the others.
fn forwarded(section: &mut Section<'_>, draft: &Draft) -> Option<(EcuIndex, Vec<StreamIndex>)> {
    let gateway = section.reference("gateway", &draft.ecu_names).map(EcuIndex);
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
    Some((gateway, streams))
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
            let data = section.or("data", Data::Zero);
            Some(Interference::ErrorPassiveOverwrite { id: id?, data })
        }
        "babbling" => {
            let period = section.positive("period");
            if !section.has("period") {
                section.missing("period", "the time from burst to burst, such as \"5ms\"");
            }
            let bits = section.number("bits", 1, BABBLE_BITS_MAX);
            let bits = bits.map_or(6, |bits| bits.value as u32);
            Some(Interference::Babbling {
                period: period?.value,
                bits,
            })
        }
        "double-receive" => {
            let probability = section.or("probability", Share(1.0)).0;
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

fn drift(section: &mut Section<'_>) -> Option<FaultKind> {
    if !section.has("ppm") {
        section.missing(
            "ppm",
            "how much faster the clock runs, in millionths, such as 200",
        );
    }
    let ppm = section.number("ppm", -CLOCK_PPM_MAX, CLOCK_PPM_MAX)?;
    Some(FaultKind::ClockDrift {
        ppm: ppm.value as i32,
    })
}

fn bus_open(section: &mut Section<'_>, ecu: Option<&Ecu>, draft: &Draft) -> Option<FaultKind> {
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
    Some(FaultKind::BusOpen { buses })
}
