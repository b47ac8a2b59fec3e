//! Key frames that are overwritten once their sender is error-passive.

use waywarden_can::bits::FdVariant;
use waywarden_can::timing::BitTiming;
use waywarden_can::{Format, Frame};
use waywarden_can_sim::bitwise::{BitMoment, Strikes};
use waywarden_can_sim::interferer::{
    ErrorPassiveOverwrite, Interferer, InterfererError, Onset, Surroundings,
};
use waywarden_can_sim::random::Random;

use crate::nodes::{Forged, KeyFrameMatcher};
use waywarden_vehicle_file::{Data, FrameFormat};

/// Overwrites frames of a key protocol, each once: the sender repeats a frame that was overwritten,
/// and receivers then have both.
pub(super) struct KeyFrameOverwrite {
    matcher: KeyFrameMatcher,
    data: Data,
    bus: Option<(BitTiming, FdVariant, Random)>,
    /// The frame that was on the wire last, of those the matcher knows: it may be repeated.
    last: Option<Frame>,
    inner: Option<ErrorPassiveOverwrite>,
}

impl KeyFrameOverwrite {
    pub(super) fn new(matcher: KeyFrameMatcher, data: Data) -> Self {
        KeyFrameOverwrite {
            matcher,
            data,
            bus: None,
            last: None,
            inner: None,
        }
    }

    /// Begins with another frame.
    fn aim(&mut self, frame: &Frame) {
        self.inner = None;
        if self.matcher.next(frame).is_none() {
            return;
        }
        let Some((timing, variant, random)) = &mut self.bus else {
            return;
        };
        let Some(forged) = forged(frame, &self.data, random.next_u64()) else {
            return;
        };
        let mut inner = ErrorPassiveOverwrite::new(forged, 1);
        let begun = inner.begin(Surroundings {
            timing,
            variant: *variant,
            names: &[],
            random: random.clone(),
        });
        self.inner = begun.is_ok().then_some(inner);
    }
}

/// Returns what a frame is overwritten with: one of its identifier, format and length.
fn forged(frame: &Frame, data: &Data, seed: u64) -> Option<Frame> {
    let format = match frame.format() {
        Format::Classic => FrameFormat::Classic,
        Format::Remote => return None,
        Format::Fd {
            bit_rate_switch, ..
        } => FrameFormat::Fd { bit_rate_switch },
    };
    let length = u8::try_from(frame.data().len()).ok()?;
    let forged = Forged::new(frame.id(), format, length, data.clone()).ok()?;
    forged.seeded(seed).make()
}

impl Interferer for KeyFrameOverwrite {
    fn name(&self) -> &str {
        "error-passive overwrite of key frames"
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        let Surroundings {
            timing,
            variant,
            random,
            ..
        } = surroundings;
        self.bus = Some((*timing, variant, random));
        Ok(())
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        let Some(frame) = onset.frame else {
            return false;
        };
        if self.last.as_ref() != Some(frame) {
            self.last = Some(*frame);
            self.aim(frame);
        }
        self.inner.as_mut().is_some_and(|inner| inner.wants(onset))
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if let Some(inner) = &mut self.inner {
            inner.strike(moment, strikes);
        }
    }
}
