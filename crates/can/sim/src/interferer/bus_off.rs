//! The bus-off attack (K.-T. Cho and K. G. Shin, CCS 2016): errors forced on the frames of one
//! identifier until their sender confines itself.
//!
//! This is the form with single bits, which needs no controller: 32 frames in a row, TEC +8 each.
//! The published form uses an unmodified controller that sends a frame with the same identifier at
//! the same instant and a dominant bit where the victim has a recessive one; that one is no
//! interferer but a second sender, see `docs/bus-errors.md` and the tests of `bitwise`.

use waywarden_can::Id;

use super::{Interferer, Onset};
use crate::bitwise::{BitMoment, Force, Strikes};
use crate::confinement::{ErrorCounters, PASSIVE_MAX};

/// Puts a dominant bit over the first recessive bit after arbitration, once in each frame with the
/// target's identifier.
#[derive(Clone, Debug)]
pub struct BusOffAttack {
    target: Id,
    again: bool,
    finished: bool,
    shot: OneShot,
}

/// One error in each attempt to send.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OneShot {
    /// True if this attempt has been struck already.
    spent: bool,
    frames: u64,
}

impl BusOffAttack {
    /// Attacks until the sender is in bus-off, then leaves the bus alone.
    #[must_use]
    pub fn until_off(target: Id) -> Self {
        BusOffAttack {
            target,
            again: false,
            finished: false,
            shot: OneShot::default(),
        }
    }

    /// Attacks for ever: also whenever the sender has recovered.
    #[must_use]
    pub fn for_ever(target: Id) -> Self {
        BusOffAttack {
            again: true,
            ..Self::until_off(target)
        }
    }

    /// Returns how many frames were struck: what the attack cost.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.shot.frames
    }
}

impl OneShot {
    /// Strikes at the first occasion in this attempt; returns whether it was now.
    pub(super) fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) -> bool {
        if moment.stage_bit == 0 {
            self.spent = false;
        }
        if self.spent || !moment.is_vulnerable() {
            return false;
        }
        strikes.add(moment, moment.strike(Force::Dominant));
        self.spent = true;
        self.frames += 1;
        true
    }
}

impl Interferer for BusOffAttack {
    fn name(&self) -> &str {
        "bus-off attack"
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        !self.finished && onset.frame.is_some_and(|frame| frame.id() == self.target)
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if self.finished || moment.frame().is_none_or(|frame| frame.id() != self.target) {
            return;
        }
        if self.shot.strike(moment, strikes) {
            let tec = moment.counters(moment.pilot).map_or(0, ErrorCounters::tec);
            self.finished = !self.again && tec + 8 > PASSIVE_MAX;
        }
    }
}
