//! Addresses, headers and messages made from the bytes: some right, some of any party.

use waywarden_can::Frame;
use waywarden_group_keys::{Address, GroupHeader, GroupSettings, Step, Transport};

use crate::source::{Source, frame_of, payload};
use crate::world::ECUS;

/// Returns an address of the network, or any.
pub(super) fn address(settings: &GroupSettings, source: &mut Source<'_>) -> Address {
    let plan = &settings.plan;
    let nth = usize::from(source.byte() / 4);
    let known = match source.byte() % 4 {
        0 => plan.ecus().nth(nth % ECUS),
        1 => plan.merges().nth(nth % plan.merges().count()),
        2 => Some(plan.orchestrator()),
        _ => None,
    };
    known.unwrap_or(Address(source.byte()))
}

/// Returns the header of the orchestrator's messages to the whole group.
pub(super) fn whole_group(settings: &GroupSettings) -> GroupHeader {
    GroupHeader {
        gives_way: false,
        first: settings.plan.orchestrator(),
        second: Address::NONE,
        result: settings.plan.root(),
    }
}

/// Returns a header of the protocol: as planned, with a stand-in, or put together at will.
fn header(settings: &GroupSettings, source: &mut Source<'_>) -> GroupHeader {
    let plan = &settings.plan;
    let kind = source.byte() % 6;
    if kind == 0 {
        return whole_group(settings);
    }
    let nth = usize::from(source.byte()) % plan.merges().count();
    let result = plan.merges().nth(nth).unwrap_or(plan.root());
    let (first, second) = plan.children(result).unwrap_or_default();
    let mut header = GroupHeader {
        gives_way: source.byte().is_multiple_of(2),
        first,
        second,
        result,
    };
    match kind {
        1 => header.first = plan.orchestrator(),
        2 => header.second = address(settings, source),
        3 => header.first = address(settings, source),
        _ => {}
    }
    header
}

/// Makes up a message, rightly addressed or not.
pub(super) fn message(
    settings: &GroupSettings,
    last: Option<&Frame>,
    source: &mut Source<'_>,
) -> Vec<Frame> {
    let code = source.byte() % 16;
    let Some(step) = Step::ALL.into_iter().find(|step| step.code() == code) else {
        return Vec::new();
    };
    let header = header(settings, source);
    let payload = payload(step.payload_length(), last, source);
    frames(settings, step, header, &payload)
}

/// Cuts a message as the roles do.
pub(super) fn frames(
    settings: &GroupSettings,
    step: Step,
    header: GroupHeader,
    payload: &[u8],
) -> Vec<Frame> {
    let id = header.identifier_in(&settings.identifiers, step);
    let is_fd = matches!(settings.transport, Transport::Fd);
    let fields = settings.transport.cut().segments(payload);
    let frames = fields.filter_map(|field| frame_of(id?, &field, is_fd).ok());
    frames.collect()
}
