//! Bit-level interference: noise, faults, and attackers that drive single bits. Attackers that
//! merely send frames are nodes.
//!
//! An interferer is asked at each start of frame whether it wants to strike, which must be cheap:
//! only if one does is the frame followed bit by bit ([`crate::bitwise`]), and then each interferer
//! of the bus is asked at each bit. `docs/bus-errors.md` lists the abilities of each member that a
//! real attacker lacks.

mod babbling;
mod bus_off;
mod end_of_frame;
mod janus;
mod noise;
mod overwrite;

#[cfg(test)]
mod tests;

pub use babbling::Babbling;
pub use bus_off::BusOffAttack;
pub use end_of_frame::{DoubleReceive, FreezeDoomLoop};
pub use janus::Janus;
pub use noise::{BitErrors, ReceiverLocal};
pub use overwrite::ErrorPassiveOverwrite;

use std::fmt;

use waywarden_can::bits::{FdVariant, WireBits};
use waywarden_can::timing::{BitTiming, Picoseconds, bit_duration};
use waywarden_can::{Frame, MessageHandle};

use crate::bitwise::{BitMoment, Force, Strike, Strikes};
use crate::clock::Time;
use crate::random::Random;

/// Disturbs one bus. The engine calls [`Interferer::begin`] once, and then for each start of frame
/// [`Interferer::wants`], followed by [`Interferer::passed`] or by [`Interferer::strike`] for each
/// bit.
pub trait Interferer: Send {
    /// A name for the trace.
    fn name(&self) -> &str;

    /// Receives the description of its bus, before anything happens on it.
    ///
    /// # Errors
    /// [`InterfererError`] if it cannot do what it is configured for on this bus.
    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        let _ = surroundings;
        Ok(())
    }

    /// A frame starts: whether this interferer wants to strike before its intermission is over.
    ///
    /// All interferers of the bus are asked. If one wants to, or if the frame is followed bit by
    /// bit for another reason, [`Interferer::strike`] is called on all of them.
    fn wants(&mut self, onset: &Onset<'_>) -> bool;

    /// The frame went by undisturbed and was not followed bit by bit.
    fn passed(&mut self, onset: &Onset<'_>) {
        let _ = onset;
    }

    /// A bit begins, from start of frame to the end of the episode.
    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes);

    /// The first time, `after` or later, at which this interferer drives an idle bus dominant by
    /// itself. If the bus is idle then, the engine begins an episode without a sender.
    fn wakes(&self, after: Time) -> Option<Time> {
        let _ = after;
        None
    }

    /// Returns the handle of a frame that it has changed on the wire, which carried `original`.
    fn altered(&self, original: MessageHandle) -> MessageHandle {
        let _ = original;
        MessageHandle::NONE
    }

    /// Returns the window in which it may strike, whatever [`Interferer::wants`] returned at the
    /// start of the frame: bits that begin outside are not shown to it, and a strike that is under
    /// way at the end of the window ends with it. Asked at each bit.
    fn window(&self) -> (Time, Time) {
        (Time::ZERO, Time::NEVER)
    }
}

/// The bus an interferer is on.
#[derive(Clone, Debug)]
pub struct Surroundings<'a> {
    /// The bit timing of the bus.
    pub timing: &'a BitTiming,
    /// The FD format of the bus.
    pub variant: FdVariant,
    /// The names of the ECUs by party, as [`BitMoment`] counts them.
    pub names: &'a [String],
    /// The interferer's own source of chance.
    pub random: Random,
}

/// A start of frame.
#[derive(Clone, Copy, Debug)]
pub struct Onset<'a> {
    /// The time of the start of frame.
    pub at: Time,
    /// The frame that wins arbitration; `None` if an interferer or an error flag woke an idle bus.
    pub frame: Option<&'a Frame>,
    /// Bits of the frame, start of frame to end of intermission, if undisturbed.
    pub bits: u32,
    /// Duration of these bits.
    pub duration: Picoseconds,
}

/// Reason that an interferer cannot act as it is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterfererError {
    /// No ECU of this name is on the bus.
    NoSuchEcu {
        /// The name.
        ecu: String,
    },
    /// The forged frame is a remote frame, which loses arbitration to the frame it is to overwrite.
    ForgedRemote {
        /// The forged frame.
        forged: Frame,
    },
    /// The two faces of a Janus frame do not have the same number of bits on the wire.
    JanusLength {
        /// Bits of the early face.
        early: usize,
        /// Bits of the late face.
        late: usize,
    },
    /// A face of a Janus frame switches the bit rate.
    JanusBitRate,
    /// Pulses come more often than every 100 ns, or have no width.
    Pulses,
}

impl Onset<'_> {
    /// Returns the onset of what begins on an idle bus without a frame.
    pub(crate) const fn without_frame(at: Time) -> Self {
        Onset {
            at,
            frame: None,
            bits: 0,
            duration: Picoseconds::ZERO,
        }
    }
}

/// Asks all interferers whether they want to strike; returns whether one does.
pub fn any_wants(interferers: &mut [Box<dyn Interferer>], onset: &Onset<'_>) -> bool {
    let mut wanted = false;
    for one in interferers {
        // All are asked: each may keep count of frames.
        wanted |= one.wants(onset);
    }
    wanted
}

/// Tells all interferers that the frame went by undisturbed.
pub fn all_passed(interferers: &mut [Box<dyn Interferer>], onset: &Onset<'_>) {
    interferers.iter_mut().for_each(|one| one.passed(onset));
}

/// Lets all interferers strike whose window is open, and attributes strikes by index: what
/// [`crate::bitwise::run`] calls in an episode that started then.
pub fn all_strike(
    interferers: &mut [Box<dyn Interferer>],
    started: Time,
    moment: &BitMoment<'_>,
    strikes: &mut Strikes,
) {
    let now = started + moment.at;
    for (at, one) in interferers.iter_mut().enumerate() {
        let (from, until) = one.window();
        if from <= now && now < until {
            strikes.attribute_to(at, until.since(started));
            one.strike(moment, strikes);
        }
    }
}

/// Adds strikes for the dominant spans of a laid-out frame that starts now.
fn drive_dominant(
    spans: impl Iterator<Item = (Picoseconds, Picoseconds)>,
    moment: &BitMoment<'_>,
    strikes: &mut Strikes,
) {
    let mut add = |(from, until)| {
        let (from, until) = (moment.at + from, moment.at + until);
        strikes.add(
            moment,
            Strike {
                force: Force::Dominant,
                from,
                until,
                only: None,
            },
        );
    };
    let mut open: Option<(Picoseconds, Picoseconds)> = None;
    for (from, until) in spans {
        match &mut open {
            // One strike for what is dominant without a break.
            Some((_, end)) if *end == from => *end = until,
            _ => {
                if let Some(span) = open.replace((from, until)) {
                    add(span);
                }
            }
        }
    }
    if let Some(span) = open {
        add(span);
    }
}

/// The bits of a laid-out frame with the times at which they begin and end.
fn timed<'a>(
    wire: &'a WireBits,
    timing: &'a BitTiming,
) -> impl Iterator<Item = (waywarden_can::bits::Level, Picoseconds, Picoseconds)> + 'a {
    wire.bits().iter().scan(Picoseconds::ZERO, |now, bit| {
        let from = *now;
        *now += bit_duration(bit, timing);
        Some((bit.level, from, *now))
    })
}

impl fmt::Display for InterfererError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterfererError::NoSuchEcu { ecu } => write!(f, "no ECU {ecu:?} is on this bus"),
            InterfererError::ForgedRemote { forged } => {
                write!(f, "the forged frame {forged} must be a data frame")
            }
            InterfererError::JanusLength { early, late } => write!(
                f,
                "a Janus frame needs two contents of the same length on the wire, stuff bits \
                 included; these have {early} and {late} bits"
            ),
            InterfererError::JanusBitRate => {
                f.write_str("a Janus frame cannot switch the bit rate; use frames without BRS")
            }
            InterfererError::Pulses => {
                f.write_str("pulses need a width above 0 and a period of 100 ns or more")
            }
        }
    }
}

impl std::error::Error for InterfererError {}
