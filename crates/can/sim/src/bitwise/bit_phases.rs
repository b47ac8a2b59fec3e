//! The bit timing of one controller: its rates and its sample points.

use waywarden_can::timing::{BitTiming, PhaseTiming, Picoseconds};

/// The two phases of a controller's bit timing.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitPhases {
    nominal: PhaseTiming,
    data: PhaseTiming,
}

impl BitPhases {
    pub(super) fn new(timing: &BitTiming) -> Self {
        BitPhases {
            nominal: timing.nominal,
            data: timing.data.unwrap_or(timing.nominal),
        }
    }

    fn phase(&self, data: bool) -> &PhaseTiming {
        if data { &self.data } else { &self.nominal }
    }

    /// From the beginning of a bit to its sample point, in the phase in which it begins.
    pub(super) fn to_sample(self, data: bool) -> Picoseconds {
        self.phase(data).to_sample()
    }

    /// From the sample point to the end of the bit, in the phase in which it ends.
    pub(super) fn after_sample(self, data: bool) -> Picoseconds {
        self.phase(data).from_sample()
    }

    pub(super) fn bit(self, data: bool) -> Picoseconds {
        self.phase(data).bit()
    }
}
