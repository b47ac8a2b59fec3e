//! What the bytes make of addresses, headers and frames: some right, some anybody's.

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::{Frame, Id};

use super::source::Source;
use super::world::ECUS;
use crate::group::identifier::{Address, Header};
use crate::group::settings::Settings;
use crate::group::transcript;

/// Returns an address that means something, or any.
pub(super) fn address(settings: &Settings, source: &mut Source<'_>) -> Address {
    let plan = &settings.plan;
    let nth = usize::from(source.next() / 4);
    let known = match source.next() % 4 {
        0 => plan.ecus().nth(nth % ECUS),
        1 => plan.merges().nth(nth % plan.merges().count()),
        2 => Some(plan.orchestrator()),
        _ => None,
    };
    known.unwrap_or(Address(source.next()))
}

/// Returns a header of the protocol: as planned, with a stand-in, or put together at will.
pub(super) fn header(settings: &Settings, source: &mut Source<'_>) -> Header {
    let plan = &settings.plan;
    let kind = source.next() % 6;
    if kind == 0 {
        return transcript::whole_group(settings);
    }
    let nth = usize::from(source.next()) % plan.merges().count();
    let result = plan.merges().nth(nth).unwrap_or(plan.root());
    let (first, second) = plan.children(result).unwrap_or_default();
    let mut header = Header {
        gives_way: source.next().is_multiple_of(2),
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

/// Returns the frame with something else in it; the same if there is no such frame.
pub(super) fn changed(frame: &Frame, source: &mut Source<'_>) -> Frame {
    let mut data = [0; DATA_MAX];
    let mut length = frame.data_len();
    data[..length].copy_from_slice(frame.data());
    let (mut id, mut fd) = (frame.id(), frame.is_fd());
    match source.next() % 8 {
        0..=3 => {
            let bit = 1 << (source.next() % 8);
            data[usize::from(source.next()) % length.max(1)] ^= bit;
        }
        4 => id = Id::extended(id.raw() ^ 1 << (source.next() % 29)).unwrap_or(id),
        5 => length = usize::from(source.choose(&FD_LENGTHS)),
        6 => source.fill(&mut data[..length]),
        _ => fd = !fd,
    }
    frame_of(id, &data[..length], fd).unwrap_or(*frame)
}

pub(super) fn frame_of(id: Id, data: &[u8], fd: bool) -> Result<Frame, waywarden_can::FrameError> {
    match fd {
        true => Frame::fd(id, data),
        false => Frame::classic(id, &data[..data.len().min(8)]),
    }
}
