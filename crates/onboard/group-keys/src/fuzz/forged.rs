//! What the bytes make of addresses and headers: some right, some anybody's.

use super::world::ECUS;
use crate::identifier::Header;
use crate::settings::Settings;
use crate::transcript;
use waywarden_key_roles::Address;
use waywarden_key_roles::hostile::Source;

/// Returns an address that means something, or any.
pub(super) fn address(settings: &Settings, source: &mut Source<'_>) -> Address {
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

/// Returns a header of the protocol: as planned, with a stand-in, or put together at will.
pub(super) fn header(settings: &Settings, source: &mut Source<'_>) -> Header {
    let plan = &settings.plan;
    let kind = source.byte() % 6;
    if kind == 0 {
        return transcript::whole_group(settings);
    }
    let nth = usize::from(source.byte()) % plan.merges().count();
    let result = plan.merges().nth(nth).unwrap_or(plan.root());
    let (first, second) = plan.children(result).unwrap_or_default();
    let mut header = Header {
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
