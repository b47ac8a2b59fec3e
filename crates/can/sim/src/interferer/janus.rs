//! A frame with two faces: controllers that sample early in the bit see one content, those that
//! sample late another, and both accept it. The toolkit canhack has this attack.
//!
//! It works in this model because each party may have its own sample point. In the model no party
//! resynchronises, so the pulse at the beginning of each bit that a real attacker needs to keep
//! receivers in step is left out.

use waywarden_can::bits::{FdVariant, Level, WireBits, expand};
use waywarden_can::timing::{BitTiming, Picoseconds, SamplePoint};
use waywarden_can::{Format, Frame};

use super::{Interferer, InterfererError, Onset, Surroundings, drive_dominant, timed};
use crate::bitwise::{BitMoment, Strikes};
use crate::clock::Time;

/// Sends Janus frames on an idle bus, without a controller.
#[derive(Clone, Debug)]
pub struct Janus {
    early: Frame,
    late: Frame,
    split: SamplePoint,
    /// The times of sending, in order.
    times: Vec<Time>,
    sent: usize,
    armed: bool,
    bus: Option<(BitTiming, FdVariant)>,
}

impl Janus {
    /// Sends at each of these times, or as soon after it as the bus is idle. Before the split point
    /// of each bit the bus has the level of the `early` frame, from then on that of the `late` one.
    #[must_use]
    pub fn new(early: Frame, late: Frame, split: SamplePoint, mut times: Vec<Time>) -> Self {
        times.sort_unstable();
        Janus {
            early,
            late,
            split,
            times,
            sent: 0,
            armed: false,
            bus: None,
        }
    }

    /// Returns how many Janus frames were sent.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.sent
    }

    /// The dominant spans of both faces.
    fn spans(
        &self,
        early: &WireBits,
        late: &WireBits,
        timing: &BitTiming,
    ) -> Vec<(Picoseconds, Picoseconds)> {
        let permille = u64::from(self.split.permille());
        timed(early, timing)
            .zip(late.bits())
            .flat_map(|((first, from, until), second)| {
                let split = Picoseconds::new((until - from).get() * permille / 1_000);
                [
                    (first, from, from + split),
                    (second.level, from + split, until),
                ]
            })
            .filter(|(level, _, _)| *level == Level::Dominant)
            .map(|(_, from, until)| (from, until))
            .collect()
    }
}

impl Interferer for Janus {
    fn name(&self) -> &str {
        "Janus frame"
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        let switches = |frame: &Frame| {
            matches!(
                frame.format(),
                Format::Fd {
                    bit_rate_switch: true,
                    ..
                }
            )
        };
        if switches(&self.early) || switches(&self.late) {
            return Err(InterfererError::JanusBitRate);
        }
        let bits = |frame| expand(frame, surroundings.variant).bits().len();
        let (early, late) = (bits(&self.early), bits(&self.late));
        if early != late {
            return Err(InterfererError::JanusLength { early, late });
        }
        self.bus = Some((*surroundings.timing, surroundings.variant));
        Ok(())
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        // On a busy bus it waits, as a controller would.
        let due = self.times.get(self.sent).is_some_and(|&at| at <= onset.at);
        self.armed = due && onset.frame.is_none();
        self.armed
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if !std::mem::take(&mut self.armed) {
            return;
        }
        if let Some((timing, variant)) = &self.bus {
            let (early, late) = (expand(&self.early, *variant), expand(&self.late, *variant));
            drive_dominant(
                self.spans(&early, &late, timing).into_iter(),
                moment,
                strikes,
            );
            self.sent += 1;
        }
    }

    fn wakes(&self, after: Time) -> Option<Time> {
        self.times.get(self.sent).map(|&at| at.max(after))
    }
}
