//! What the bytes make of messages: some right but for their payload, some anybody's.

use waywarden_can::Frame;

use super::super::identifier::{EVERYBODY, Header, Kind};
use super::super::inbox::part;
use super::super::length::Lengths;
use super::super::outbox::cut;
use super::super::settings::Settings;
use super::super::suites::{AnyLasanSuite, LasanSuite};
use super::network::ECUS;
use waywarden_key_roles::Address;
use waywarden_key_roles::hostile::{Source, frame_of};

/// The longest message that is made up; longer ones end early.
const PAYLOAD_MAX: usize = 1_024;

/// A message of the protocol.
pub(super) struct Message {
    header: Header,
    payload: [u8; PAYLOAD_MAX],
    length: usize,
}

/// Returns a source and a target that mean something, most of the time.
pub(super) fn addresses(settings: &Settings, source: &mut Source<'_>) -> (Address, Address) {
    let module = settings.security_module;
    let ecu = Address(module.0 - 1 - source.byte() % ECUS as u8);
    match source.byte() % 8 {
        0 => (Address(source.byte()), module),
        1 => (module, Address(source.byte())),
        2 => (module, EVERYBODY),
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
    suite: AnyLasanSuite,
    settings: &Settings,
    last: Option<&Frame>,
    source: &mut Source<'_>,
) -> Message {
    let kind = source.choose(Kind::ALL);
    let (from, to) = addresses(settings, source);
    let broadcast = kind.is_broadcast() || kind == Kind::Beacon;
    let header = Header {
        gives_way: source.byte().is_multiple_of(2),
        kind,
        source: if broadcast {
            settings.security_module
        } else {
            from
        },
        target: if broadcast { EVERYBODY } else { to },
    };
    let mut payload = [0; PAYLOAD_MAX];
    match source.byte() % 4 {
        // A number of an epoch soon due, or one far off.
        0 => payload[7] = source.byte(),
        1 => payload[..8].fill(source.byte()),
        // Whatever was said last.
        2 => {
            let last = last.map_or(&[][..], Frame::data);
            payload[..last.len()].copy_from_slice(last);
        }
        _ => source.fill(&mut payload[..16]),
    }
    let lengths: Lengths = settings.lengths(suite.sizes());
    let length = lengths.of(kind).unwrap_or(8).min(PAYLOAD_MAX);
    Message {
        header,
        payload,
        length,
    }
}

impl Message {
    pub(super) fn frames(&self, settings: &Settings) -> impl Iterator<Item = Frame> + '_ {
        let (cut, header) = (cut(settings), self.header);
        let fd = matches!(settings.transport, waywarden_key_roles::Transport::Fd);
        let payload = &self.payload[..self.length];
        (0..cut.frame_count(payload.len())).filter_map(move |index| {
            let field = cut.segment(payload, index)?;
            frame_of(header.identifier(part(index)), &field, fd).ok()
        })
    }
}
