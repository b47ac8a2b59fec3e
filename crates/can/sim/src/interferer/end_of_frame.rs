//! Strikes at and after the end of a frame, where senders and receivers judge differently, as the
//! toolkit canhack has them.

use waywarden_can::Id;
use waywarden_can::bits::Field;

use super::{Interferer, Onset};
use crate::bitwise::{BitMoment, Force, Stage, Strikes};

/// Puts a dominant bit over the last bit of end of frame: the receivers have accepted the frame,
/// the sender sees an error and repeats it.
#[derive(Clone, Debug)]
pub struct DoubleReceive {
    /// `None` means every frame.
    target: Option<Id>,
    times: u64,
}

/// Puts a dominant bit over the first bit of intermission after the target's frame, and over the
/// last bit of each overload delimiter that follows: the bus stands still and no counter moves.
#[derive(Clone, Debug)]
pub struct FreezeDoomLoop {
    target: Id,
    overload_frames: u64,
    left: u64,
    armed: bool,
}

impl DoubleReceive {
    /// Has frames with the target's identifier received twice, `times` times.
    #[must_use]
    pub fn new(target: Id, times: u64) -> Self {
        DoubleReceive {
            target: Some(target),
            times,
        }
    }

    /// Has frames received twice whatever their identifier, `times` times.
    #[must_use]
    pub fn of_all(times: u64) -> Self {
        DoubleReceive {
            target: None,
            times,
        }
    }

    fn is_target(&self, id: Id) -> bool {
        self.times > 0 && self.target.is_none_or(|target| target == id)
    }
}

impl FreezeDoomLoop {
    /// Freezes the bus for this many overload frames after each frame with the target's identifier.
    #[must_use]
    pub fn new(target: Id, overload_frames: u64) -> Self {
        FreezeDoomLoop {
            target,
            overload_frames,
            left: 0,
            armed: false,
        }
    }
}

impl Interferer for DoubleReceive {
    fn name(&self) -> &str {
        "double receive"
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        onset.frame.is_some_and(|frame| self.is_target(frame.id()))
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        let hit = moment
            .frame()
            .is_some_and(|frame| self.is_target(frame.id()));
        if hit && moment.bits_left() == 1 {
            strikes.add(moment, moment.strike(Force::Dominant));
            self.times -= 1;
        }
    }
}

impl Interferer for FreezeDoomLoop {
    fn name(&self) -> &str {
        "freeze doom loop"
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        onset.frame.is_some_and(|frame| frame.id() == self.target)
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if let Some(frame) = moment.frame() {
            // Up to the last bit the sender may still see an error, and then the frame is not sent.
            self.armed = frame.id() == self.target
                && moment.place.stage == Stage::Frame(Field::EndOfFrame)
                && moment.bits_left() == 1;
            self.left = self.overload_frames;
            return;
        }
        let now = match moment.place.stage {
            Stage::Intermission => moment.stage_bit == 0,
            // Seven recessive bits were seen: this is the eighth.
            Stage::OverloadDelimiter => moment.stage_bit == 7,
            _ => false,
        };
        if self.armed && now && self.left > 0 {
            strikes.add(moment, moment.strike(Force::Dominant));
            self.left -= 1;
        }
    }
}
