//! Messages made from the bytes: some right but for their payload, some of any party.

use waywarden_can::Frame;
use waywarden_can::segment::raw::Segmentation;
use waywarden_lasan::{
    Address, EVERY_ECU, LasanHeader, LasanKind, LasanProfile, Lengths, NetworkSettings, Transport,
};

use crate::source::{Source, frame_of, payload};
use crate::world::ECUS;

/// Length of the longest forged message; longer ones end early.
const PAYLOAD_MAX: usize = 1_024;

/// Returns a source and a target that mean something, most of the time.
pub(super) fn addresses(settings: &NetworkSettings, source: &mut Source<'_>) -> (Address, Address) {
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
    let Some((header, part)) = LasanHeader::of(frame) else {
        return *frame;
    };
    let header = LasanHeader {
        source,
        target,
        ..header
    };
    frame_of(header.identifier(part), frame.data(), frame.is_fd()).unwrap_or(*frame)
}

/// Makes up a message.
pub(super) fn message(
    settings: &NetworkSettings,
    lengths: &Lengths,
    last: Option<&Frame>,
    source: &mut Source<'_>,
) -> Vec<Frame> {
    let kind = source.choose(LasanKind::ALL);
    let (from, to) = addresses(settings, source);
    let is_broadcast = kind.is_broadcast() || kind == LasanKind::Beacon;
    let (from, to) = match is_broadcast {
        true => (settings.security_module, EVERY_ECU),
        false => (from, to),
    };
    let header = LasanHeader {
        gives_way: source.byte().is_multiple_of(2),
        kind,
        source: from,
        target: to,
    };
    let length = lengths.of(kind).unwrap_or(8).min(PAYLOAD_MAX);
    frames(settings, header, &payload(length, last, source))
}

/// Cuts a message as the roles do; as published its parts are not numbered.
pub(super) fn frames(
    settings: &NetworkSettings,
    header: LasanHeader,
    payload: &[u8],
) -> Vec<Frame> {
    let is_published = settings.profile == LasanProfile::AsPublished;
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
