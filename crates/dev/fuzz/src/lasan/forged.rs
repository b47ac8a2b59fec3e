//! Messages made from the bytes: some right but for their payload, some of any party.

use waywarden_can::Frame;
use waywarden_can::segment::raw::Segmentation;
use waywarden_lasan::{Address, EVERY_ECU, Header, Kind, Lengths, Profile, Settings, Transport};

use crate::source::{Source, frame_of, payload};
use crate::world::ECUS;

/// Length of the longest forged message; longer ones end early.
const PAYLOAD_MAX: usize = 1_024;

/// Returns a source and a target that mean something, most of the time.
pub(super) fn addresses(settings: &Settings, source: &mut Source<'_>) -> (Address, Address) {
    let module = settings.security_module;
    let ecu = Address(module.0 - 1 - source.byte() % ECUS as u8);
    match source.byte() % 8 {
        0 => (Address(source.byte()), module),
        1 => (module, Address(source.byte())),
        2 => (module, EVERY_ECU),
        3..=5 => (ecu, module),
        _ => (module, ecu),
    }
}

/// Returns the frame as if it were from another sender to another receiver.
pub(super) fn posed(frame: &Frame, (source, target): (Address, Address)) -> Frame {
    let Some((header, part)) = Header::of(frame) else {
        return *frame;
    };
    let header = Header {
        source,
        target,
        ..header
    };
    frame_of(header.identifier(part), frame.data(), frame.is_fd()).unwrap_or(*frame)
}

/// Makes up a message.
pub(super) fn message(
    settings: &Settings,
    lengths: &Lengths,
    last: Option<&Frame>,
    source: &mut Source<'_>,
) -> Vec<Frame> {
    let kind = source.choose(Kind::ALL);
    let (from, to) = addresses(settings, source);
    let is_broadcast = kind.is_broadcast() || kind == Kind::Beacon;
    let (from, to) = match is_broadcast {
        true => (settings.security_module, EVERY_ECU),
        false => (from, to),
    };
    let header = Header {
        gives_way: source.byte().is_multiple_of(2),
        kind,
        source: from,
        target: to,
    };
    let length = lengths.of(kind).unwrap_or(8).min(PAYLOAD_MAX);
    frames(settings, header, &payload(length, last, source))
}

/// Cuts a message as the roles do; as published its parts are not numbered.
pub(super) fn frames(settings: &Settings, header: Header, payload: &[u8]) -> Vec<Frame> {
    let is_published = settings.profile == Profile::AsPublished;
    let cut = match (is_published, settings.transport) {
        (true, Transport::Classic) => Segmentation::CLASSIC_FULL,
        (_, transport) => transport.cut(),
    };
    let is_fd = matches!(settings.transport, Transport::Fd);
    let fields = cut.segments(payload).enumerate();
    let frames = fields.filter_map(|(index, field)| {
        let part = match index {
            _ if is_published => 0,
            0 => 0,
            _ => ((index - 1) % 15) as u8 + 1,
        };
        frame_of(header.identifier(part), &field, is_fd).ok()
    });
    frames.collect()
}
