//! Reads `[[stream]]`, `[[route]]` and `[[replay]]`, one by one; how they fit together is the
//! business of [`super::network`].

use std::ops::Range;

use waywarden_can::{ExtendedId, Frame, Id, IdError};
use waywarden_work::Duration;

use super::model::{
    Bus, BusIndex, Data, Ecu, EcuIndex, FrameFormat, Pace, Replay, Route, Stream, Window,
};
use super::network::Draft;
use super::problem::Problem;
use super::reader::{Integer, Names, Section, Value};
use super::source::Located;
use super::topology::name;

/// A stream as it stands in the file; its way through the vehicle is not known yet.
pub(super) struct StreamDraft {
    pub(super) stream: Stream,
    pub(super) receivers: Vec<Located<usize>>,
}

/// A route as it stands in the file.
pub(super) struct RouteDraft {
    pub(super) route: Route,
    /// The streams it names; `None` means all that are sent on its bus.
    pub(super) named: Option<Vec<Located<usize>>>,
}

/// Format, length and content of frames.
pub(super) struct Shape {
    pub(super) format: FrameFormat,
    pub(super) length: u8,
    pub(super) data: Data,
}

/// Makes an identifier of a number in the file.
pub(super) fn identifier(raw: Integer, extended: bool) -> Result<Id, IdError> {
    // A negative or larger number is above the range too, as far as the remedy goes.
    let number = u32::try_from(raw).unwrap_or(u32::MAX);
    if extended {
        return Id::extended(number);
    }
    match u16::try_from(number) {
        Ok(raw) => Id::standard(raw),
        Err(_) if number <= ExtendedId::MAX => Err(IdError::AboveStandard(number)),
        Err(_) => Err(IdError::AboveExtended(number)),
    }
}

/// Reads `id` and `extended`.
pub(super) fn id(section: &mut Section<'_>) -> Option<Located<Id>> {
    let raw = section.optional::<Integer>("id");
    let extended = section.or("extended", false);
    let raw = raw?;
    match identifier(raw.value, extended) {
        Ok(id) => Some(raw.map(|_| id)),
        Err(error) => {
            section.fault(&raw.span, Problem::Id(error));
            None
        }
    }
}

/// Reads `format`, `brs`, `length` and `data` of frames for a bus.
pub(super) fn shape(section: &mut Section<'_>, bus: Option<&Bus>) -> Option<Shape> {
    let format = format(section, bus);
    let length = section.optional::<Integer>("length");
    let data = section.optional::<Data>("data");
    let demanded = data.as_ref().and_then(|data| data.value.length());
    let (bytes, span) = match (&length, demanded) {
        (Some(length), _) => (
            usize::try_from(length.value).unwrap_or(usize::MAX),
            &length.span,
        ),
        (None, Some(bytes)) => (bytes, &data.as_ref()?.span),
        (None, None) => {
            if !section.has("length") {
                section.missing("length", "the payload in bytes, such as 8");
            }
            return None;
        }
    };
    if let (Some(demanded), Some(length)) = (demanded, &length) {
        section.demand(demanded == bytes, &length.span, || Problem::Relation {
            found: format!("the length is {bytes}, but `data` has {demanded} bytes"),
            remedy: "make them equal, or leave `length` out",
        });
    }
    let format = format?;
    if let Err(error) = fitting(format, bytes) {
        section.fault(span, error);
        return None;
    }
    let data = data.map_or(Data::Counter, |data| data.value);
    Some(Shape {
        format,
        length: bytes as u8,
        data,
    })
}

/// Reads `format` and `brs` of frames of 8 zero bytes.
pub(super) fn eight_zeros(section: &mut Section<'_>, bus: Option<&Bus>) -> Option<Shape> {
    let format = format(section, bus)?;
    Some(Shape {
        format,
        length: 8,
        data: Data::Zero,
    })
}

fn format(section: &mut Section<'_>, bus: Option<&Bus>) -> Option<FrameFormat> {
    let word = section.choice("format", &["classic", "fd"]);
    let brs = section.optional::<bool>("brs");
    let bus = bus?;
    let is_fd = word.map_or(bus.fd.is_some(), |word| word == "fd");
    if is_fd && bus.fd.is_none() {
        let at = section.location("format");
        section.fault(
            &at,
            Problem::FdOnClassicBus {
                bus: bus.name.value.clone(),
            },
        );
        return None;
    }
    match brs {
        Some(brs) if !is_fd => {
            section.fault(
                &brs.span,
                Problem::Relation {
                    found: "a classic frame has no second bit rate to switch to".to_owned(),
                    remedy: "leave `brs` out, or write `format = \"fd\"` on a CAN FD bus",
                },
            );
            None
        }
        _ if is_fd => Some(FrameFormat::Fd {
            bit_rate_switch: brs.is_none_or(|brs| brs.value),
        }),
        _ => Some(FrameFormat::Classic),
    }
}

/// Asks the frame itself whether the format has the length.
fn fitting(format: FrameFormat, length: usize) -> Result<(), Problem> {
    // Longer than any frame: the same answer as for one byte too many.
    let bytes = [0; waywarden_can::frame::DATA_MAX + 1];
    let data = bytes.get(..length).unwrap_or(&bytes);
    let id = Id::Extended(ExtendedId::new(0).map_err(Problem::Id)?);
    let frame = match format {
        FrameFormat::Classic => Frame::classic(id, data),
        FrameFormat::Fd { bit_rate_switch } => Frame::fd_with(id, data, bit_rate_switch, false),
    };
    frame.map(|_| ()).map_err(|error| {
        use waywarden_can::FrameError::{ClassicLength, FdLength};
        Problem::Length(match error {
            ClassicLength(_) => ClassicLength(length),
            FdLength(_) => FdLength(length),
            other => other,
        })
    })
}

/// Reads a `[[stream]]`.
pub(super) fn stream(mut section: Section<'_>, draft: &Draft) -> Option<StreamDraft> {
    let name = name(&mut section);
    let id = id(&mut section);
    if !section.has("id") {
        section.missing("id", "an identifier such as 0x1A0");
    }
    let sender = section.reference("sender", &draft.ecu_names);
    let ecu = sender.and_then(|sender| draft.ecus.get(sender)?.as_ref());
    let bus = own_bus(&mut section, ecu, draft);
    let shape = shape(
        &mut section,
        bus.and_then(|bus| draft.buses.get(bus.0)?.as_ref()),
    );
    let period = section.positive("period");
    if !section.has("period") {
        section.missing("period", Duration::EXPECTED);
    }
    let offset = section.or("offset", Duration::ZERO);
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
    let receivers = section.or::<Vec<Located<String>>>("receivers", Vec::new());
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
        period,
        offset,
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
    let span: Range<usize> = section.span.clone();
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
        section.choice("streams", &["all"]);
        None
    } else {
        let list = section.required::<Vec<Located<String>>>("streams");
        let list = list.map_or(Vec::new(), |list| list.value);
        Some(section.references(&list, &draft.stream_names))
    };
    section.finish()?;
    let route = Route {
        gateway: EcuIndex(gateway?),
        from: from?,
        to: to?,
        streams: Vec::new(),
        span,
    };
    Some(RouteDraft { route, named })
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
        None if !section.has("channels") => {
            section.missing(
                "channels",
                "which bus each channel goes to: { can0 = \"powertrain\" }",
            );
        }
        None => {}
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
    let pace = section.choice("pace", &["recorded", "fast"]);
    let repeat = section.or("loop", false);
    let window = window(&mut section);
    section.finish()?;
    Some(Replay {
        name,
        log: log?,
        channels,
        pace: if pace == Some("fast") {
            Pace::Fast
        } else {
            Pace::Recorded
        },
        repeat,
        window,
    })
}

/// Reads `from` and `until`.
pub(super) fn window(section: &mut Section<'_>) -> Window {
    let from = section.or("from", Duration::ZERO);
    let until = section.optional::<Duration>("until");
    if let Some(until) = &until {
        section.demand(until.value > from, &until.span, || Problem::Relation {
            found: format!("it would end at {} and begin at {from}", until.value),
            remedy: "`until` must be later than `from`",
        });
    }
    Window {
        from,
        until: until.map(|until| until.value),
    }
}
