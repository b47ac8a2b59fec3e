//! Scenarios for one rule each, and properties by seed.
//!
//! A time line is written as lines of `bit party what`: the bit counts nominal bit times from the
//! start of frame, so an error in bit 20 is sampled inside of it and its flag begins with bit 21.

mod arbitration;
mod colliding;
mod data_phase;
mod errors;
mod overload;
mod passive;
mod properties;
mod undisturbed;

use waywarden_can::bits::{FdVariant, expand};
use waywarden_can::timing::{BitRate, BitTiming, Picoseconds};
use waywarden_can::{Frame, Id};

use super::*;
use crate::confinement::ErrorCounters;

pub(super) fn classic_timing() -> BitTiming {
    BitTiming::classic(BitRate::constant(500_000))
}

pub(super) fn fd_timing() -> BitTiming {
    BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000))
}

pub(super) fn frame(id: u16, data: &[u8]) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), data).unwrap()
}

pub(super) fn fd_frame(id: u16, data: &[u8]) -> Frame {
    Frame::fd(Id::standard(id).unwrap(), data).unwrap()
}

/// A frame without any stuff bit, so that each field is where the format has it: SOF 0, ID 1-11
/// (alternating), RTR 12, IDE 13, r0 14, DLC 15-18 (0100), data 19-50 (alternating from 0 on),
/// CRC sequence 51-65, CRC delimiter 66, ACK slot 67, ACK delimiter 68, end of frame 69-75,
/// intermission 76-78.
pub(super) fn plain_frame() -> Frame {
    let frame = frame(0x555, &[0x55, 0x55, 0x55, 0x5A]);
    assert_eq!(expand(&frame, FdVariant::Iso).bits().len(), 76);
    frame
}

/// Indices of bits of [`plain_frame`].
pub(super) const FIRST_DATA_ONE: u32 = 20;
pub(super) const CRC_DELIMITER: u32 = 66;
pub(super) const ACK_SLOT: u32 = 67;
pub(super) const FIRST_END_OF_FRAME: u32 = 69;
pub(super) const LAST_END_OF_FRAME: u32 = 75;
pub(super) const FIRST_INTERMISSION: u32 = 76;

/// Follows a classic bus that is struck on certain bits of the pilot, counted from the start of
/// the episode.
pub(super) fn run_struck(
    parties: &mut [BusParty],
    strikes: &[(u32, Force, Option<usize>)],
) -> Episode {
    let timing = classic_timing();
    let bit = timing.nominal.bit().get();
    run(&timing, FdVariant::Iso, parties, &mut |moment, pending| {
        let now = (moment.at.get() / bit) as u32;
        for &(_, force, only) in strikes.iter().filter(|strike| strike.0 == now) {
            pending.add(
                moment,
                Strike {
                    only,
                    ..moment.strike(force)
                },
            );
        }
    })
}

pub(super) fn run_quiet(
    timing: &BitTiming,
    variant: FdVariant,
    parties: &mut [BusParty],
) -> Episode {
    run(timing, variant, parties, &mut |_, _| {})
}

/// Renders marks as a time line.
pub(super) fn time_line(episode: &Episode, timing: &BitTiming) -> Vec<String> {
    let line = |mark: &BitMark| {
        let bit = mark.at.get() / timing.nominal.bit().get();
        format!("{bit} {} {}", mark.party, text(&mark.kind))
    };
    episode.marks.iter().map(line).collect()
}

fn text(kind: &MarkKind) -> String {
    match kind {
        MarkKind::Started(frame) => format!("starts {frame}"),
        MarkKind::LostArbitration(place) => format!("loses in {}", place.field_name()),
        MarkKind::Received(frame) => format!("receives {frame}"),
        MarkKind::Sent => "has sent".into(),
        MarkKind::Error { kind, place } => {
            format!("{} error in {}", kind.name(), place.field_name())
        }
        MarkKind::ErrorFlag { active: true } => "active flag".into(),
        MarkKind::ErrorFlag { active: false } => "passive flag".into(),
        MarkKind::OverloadFlag => "overload flag".into(),
        MarkKind::Counters { tec, rec } => format!("TEC {tec} REC {rec}"),
        MarkKind::State(state) => format!("is {state:?}"),
        MarkKind::Disturbed {
            place, only: None, ..
        } => {
            format!("struck in {}", place.field_name())
        }
        MarkKind::Disturbed {
            place,
            only: Some(party),
            ..
        } => {
            format!("struck in {} for {party}", place.field_name())
        }
    }
}

/// Checks a time line of a classic bus and the bit at which the episode ends.
#[track_caller]
pub(super) fn assert_time_line(episode: &Episode, expected: &[&str], end_bit: u64) {
    let timing = classic_timing();
    assert_eq!(time_line(episode, &timing), expected);
    assert_eq!(
        episode.end.get(),
        end_bit * timing.nominal.bit().get(),
        "end of the episode"
    );
}

pub(super) fn with_counters(tec: u16, rec: u16) -> BusParty {
    BusParty::receiver().with_counters(ErrorCounters::with(tec, rec))
}

pub(super) fn sender_with_counters(frame: Frame, tec: u16, rec: u16) -> BusParty {
    BusParty::sender(frame).with_counters(ErrorCounters::with(tec, rec))
}

pub(super) fn bits(timing: &BitTiming, count: u16) -> Picoseconds {
    timing.nominal.bit() * count
}
