//! Bits that come out wrong by chance, on the whole bus or at one controller.
//!
//! The distance to the next error is drawn once for many bits, so that frames without one stay on
//! the fast path. Bits count from start of frame to the end of intermission, error and overload
//! frames included; an idle bus is not disturbed.

use super::{Interferer, InterfererError, Onset, Surroundings};
use crate::bitwise::{BitMoment, Force, Strikes};
use crate::random::Random;

/// Flips each bit with the same probability, for all controllers alike.
#[derive(Clone, Debug)]
pub struct BitErrors {
    rate: BitErrorRate,
}

/// Flips each bit that one ECU sees with the same probability: a bad connector, a weak receiver.
///
/// While that ECU sends, it sees its own bits wrong: a bit error of its own.
#[derive(Clone, Debug)]
pub struct ReceiverLocal {
    ecu: String,
    party: usize,
    rate: BitErrorRate,
}

/// Draws the distance from one bit error to the next.
#[derive(Clone, Debug)]
struct BitErrorRate {
    probability: f64,
    random: Random,
    /// Good bits before the next bad one.
    good_bits: u64,
}

impl BitErrors {
    /// Makes noise with this probability of error a bit.
    #[must_use]
    pub fn new(probability: f64) -> Self {
        BitErrors {
            rate: BitErrorRate::new(probability),
        }
    }
}

impl ReceiverLocal {
    /// Disturbs one ECU with this probability a bit.
    #[must_use]
    pub fn new(ecu: impl Into<String>, probability: f64) -> Self {
        ReceiverLocal {
            ecu: ecu.into(),
            party: 0,
            rate: BitErrorRate::new(probability),
        }
    }
}

impl BitErrorRate {
    fn new(probability: f64) -> Self {
        BitErrorRate {
            probability,
            random: Random::new(0),
            good_bits: u64::MAX,
        }
    }

    fn begin(&mut self, random: Random) {
        self.random = random;
        self.draw();
    }

    fn draw(&mut self) {
        self.good_bits = self.random.failures_before_success(self.probability);
    }

    fn is_due_within(&self, bits: u32) -> bool {
        self.good_bits < u64::from(bits)
    }

    fn skip(&mut self, bits: u32) {
        self.good_bits = self.good_bits.saturating_sub(u64::from(bits));
    }

    /// Takes one bit; returns whether it is a bad one.
    fn take(&mut self) -> bool {
        if self.good_bits > 0 {
            self.good_bits -= 1;
            return false;
        }
        self.draw();
        true
    }
}

impl Interferer for BitErrors {
    fn name(&self) -> &str {
        "bit errors"
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        self.rate.begin(surroundings.random);
        Ok(())
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        self.rate.is_due_within(onset.bits)
    }

    fn passed(&mut self, onset: &Onset<'_>) {
        self.rate.skip(onset.bits);
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if self.rate.take() {
            strikes.add(moment, moment.strike(Force::Flip));
        }
    }
}

impl Interferer for ReceiverLocal {
    fn name(&self) -> &str {
        "receiver-local errors"
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        let party = surroundings.names.iter().position(|name| *name == self.ecu);
        self.party = party.ok_or_else(|| InterfererError::NoSuchEcu {
            ecu: self.ecu.clone(),
        })?;
        self.rate.begin(surroundings.random);
        Ok(())
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        self.rate.is_due_within(onset.bits)
    }

    fn passed(&mut self, onset: &Onset<'_>) {
        self.rate.skip(onset.bits);
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        if self.rate.take() {
            strikes.add(moment, moment.strike_at(Force::Flip, self.party));
        }
    }
}
