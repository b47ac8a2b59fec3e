//! Reads `[[stream]]`, `[[route]]` and `[[replay]]`, one by one; how they fit together is the
//! business of [`super::network`].

use waywarden_work::Duration;

use super::draft::{Draft, RouteDraft, StreamDraft};
use super::keys::{id, name, shape, window};
use super::model::{
    BusIndex, Ecu, EcuIndex, GatewayVerification, Offset, PlaybackSpeed, Protection, Replay, Route,
    Stream, Warning,
};
use super::place::{Located, Span};
use super::problem::Problem;
use super::reader::{Names, Section};

/// Reads a `[[stream]]`, or one of those an ECU `sends`, whose sender is known.
pub(super) fn stream(
    mut section: Section<'_>,
    sender: Option<usize>,
    draft: &Draft,
) -> Option<StreamDraft> {
    let name = name(&mut section);
    let id = id(&mut section);
    section.need("id");
    let sender = sender.or_else(|| section.reference("sender", &draft.ecu_names));
    let ecu = sender.and_then(|sender| draft.ecus.get(sender)?.as_ref());
    let bus = own_bus(&mut section, ecu, draft);
    let shape = shape(
        &mut section,
        bus.and_then(|bus| draft.buses.get(bus.0)?.as_ref()),
    );
    let period = section.time("period");
    section.need("period");
    let offset = section.or_preset::<Offset>("offset");
    let jitter = section.optional::<Duration>("jitter");
    if let (Some(jitter), Some(period)) = (&jitter, &period) {
        section.demand(jitter.value < period.value, &jitter.span, || {
            Problem::Relation {
                found: format!("a jitter of {} reaches the next instance", jitter.value),
                remedy: "keep it below the period",
            }
        });
    }
    let deadline = section.positive("deadline");
    let receivers = section.list("receivers");
    let receivers = section.references(&receivers, &draft.ecu_names);
    for receiver in receivers
        .iter()
        .filter(|receiver| Some(receiver.value) == sender)
    {
        let own = draft.ecu_names.name(receiver.value).to_owned();
        section.fault(&receiver.span, Problem::OwnReceiver(own));
    }
    section.finish()?;
    let (shape, period) = (shape?, period?.value);
    let stream = Stream {
        name: name?,
        id: id?,
        format: shape.format,
        length: shape.length,
        protection: Protection::None,
        period,
        offset: offset?,
        jitter: jitter.map_or(Duration::ZERO, |jitter| jitter.value),
        deadline: deadline.map_or(period, |deadline| deadline.value),
        sender: EcuIndex(sender?),
        bus: bus?,
        receivers: Vec::new(),
        carried: Vec::new(),
        data: shape.data,
    };
    Some(StreamDraft { stream, receivers })
}

/// Reads `bus`, which may be left out where the sender has one port.
fn own_bus(section: &mut Section<'_>, sender: Option<&Ecu>, draft: &Draft) -> Option<BusIndex> {
    let written = section.optional::<String>("bus");
    let named = match &written {
        Some(name) => Some(BusIndex(section.refer(&draft.bus_names, name)?)),
        None => None,
    };
    let sender = sender?;
    match (named, sender.ports.as_slice()) {
        (Some(bus), ports) => {
            let at = section.location("bus");
            section.demand(ports.contains(&bus), &at, || draft.not_on_bus(sender, bus));
            Some(bus)
        }
        (None, [only]) => Some(*only),
        (None, ports) => {
            let at = section.location("sender");
            let ports = draft.names_of(ports);
            section.fault(
                &at,
                Problem::WhichBus {
                    ecu: sender.name.value.clone(),
                    ports,
                },
            );
            None
        }
    }
}

/// Reads a `[[route]]`.
pub(super) fn route(mut section: Section<'_>, draft: &Draft) -> Option<RouteDraft> {
    let span: Span = section.span.clone();
    let gateway = section.reference("gateway", &draft.ecu_names);
    let from = section.reference("from", &draft.bus_names).map(BusIndex);
    let to = section.reference("to", &draft.bus_names).map(BusIndex);
    if let (Some(from), true) = (from, from == to) {
        let at = section.location("to");
        section.fault(
            &at,
            Problem::RouteToItself(draft.bus_names.name(from.0).to_owned()),
        );
    }
    if let Some(ecu) = gateway.and_then(|gateway| draft.ecus.get(gateway)?.as_ref()) {
        for (key, bus) in [("from", from), ("to", to)] {
            if let Some(bus) = bus.filter(|bus| !ecu.ports.contains(bus)) {
                let at = section.location(key);
                section.fault(&at, draft.not_on_bus(ecu, bus));
            }
        }
    }
    let named = if section.is_text("streams") {
        section.choice("streams");
        None
    } else {
        let list = section.required::<Vec<Located<String>>>("streams");
        let list = list.map_or(Vec::new(), |list| list.value);
        Some(section.references(&list, &draft.stream_names))
    };
    let verify = verify(&mut section);
    section.finish()?;
    let route = Route {
        gateway: EcuIndex(gateway?),
        from: from?,
        to: to?,
        streams: Vec::new(),
        verify,
        span,
    };
    Some(RouteDraft { route, named })
}

/// Reads `verify` and `warning`.
fn verify(section: &mut Section<'_>) -> Option<GatewayVerification> {
    let verifies = section.flag("verify");
    let at = section.location("warning");
    let warning = section.table("warning");
    section.demand(verifies || warning.is_none(), &at, || Problem::Relation {
        found: "a route that verifies nothing has nothing to warn of".to_owned(),
        remedy: "write `verify = true`, or take the warning out",
    });
    let warning = match warning {
        Some(table) => warning_frame(table),
        None => None,
    };
    verifies.then_some(GatewayVerification { warning })
}

fn warning_frame(mut table: Section<'_>) -> Option<Warning> {
    let id = id(&mut table);
    table.need("id");
    let data = table.required::<Vec<u8>>("data");
    if let Some(data) = &data {
        let fits = data.value.len() <= 8;
        table.demand(fits, &data.span, || Problem::OutOfRange {
            what: "length of a warning",
            found: format!("{} bytes", data.value.len()),
            range: "up to 8 bytes".to_owned(),
        });
    }
    let pace = table.time_or_preset("pace");
    table.finish()?;
    Some(Warning {
        id: id?.value,
        data: data?.value,
        pace: pace?,
    })
}

/// Reads a `[[replay]]`.
pub(super) fn replay(
    mut section: Section<'_>,
    name: Located<String>,
    buses: &Names,
) -> Option<Replay> {
    let log = section.required::<String>("log");
    let mut channels = Vec::new();
    match section.table("channels") {
        None => section.need("channels"),
        Some(mut table) => {
            for (channel, value) in table.entries() {
                let bus = table
                    .read::<String>(&value)
                    .and_then(|bus| table.refer(buses, &bus));
                channels.extend(bus.map(|bus| (channel.value, BusIndex(bus))));
            }
            // Every key is a channel's own name, so none is unknown.
            section.adopt(&table);
        }
    }
    let pace = section.word("pace");
    let repeat = section.flag("loop");
    let window = window(&mut section);
    section.finish()?;
    Some(Replay {
        name,
        log: log?,
        channels,
        pace: if pace == "fast" {
            PlaybackSpeed::Fast
        } else {
            PlaybackSpeed::Recorded
        },
        repeat,
        window,
    })
}
