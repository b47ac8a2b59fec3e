//! A transceiver that drives the bus dominant when it should not: single pulses, a square wave, or
//! without end.

use waywarden_can::timing::Picoseconds;

use super::{Interferer, InterfererError, Onset};
use crate::bitwise::{BitMoment, Force, Strike, Strikes};
use crate::clock::Time;

/// The shortest period of pulses.
const PERIOD_MIN: Picoseconds = Picoseconds::new(100_000);

/// Drives dominant pulses at fixed times, whatever happens on the bus.
///
/// A width of the period or more is a bus stuck dominant: nothing is sent any more, senders go
/// bus-off, and after [`crate::bitwise::EPISODE_BITS_MAX`] bits the fault pauses for a moment.
#[derive(Clone, Debug)]
pub struct Babbling {
    from: Time,
    until: Time,
    period: Picoseconds,
    width: Picoseconds,
    /// The start of the episode at hand, and the first pulse not yet placed in it.
    onset: Time,
    next: u64,
}

impl Babbling {
    /// Makes a babbling transceiver that is at fault from one time to another.
    ///
    /// # Errors
    /// [`InterfererError::Pulses`] for a period below 100 ns or a width of zero.
    pub fn new(
        from: Time,
        until: Time,
        period: Picoseconds,
        width: Picoseconds,
    ) -> Result<Self, InterfererError> {
        if period < PERIOD_MIN || width == Picoseconds::ZERO {
            return Err(InterfererError::Pulses);
        }
        Ok(Babbling {
            from,
            until,
            period,
            width,
            onset: Time::ZERO,
            next: 0,
        })
    }

    /// The beginning of a pulse, if it comes at all.
    fn pulse(&self, number: u64) -> Option<Time> {
        let offset = Picoseconds::new(self.period.get().saturating_mul(number));
        Some(self.from + offset).filter(|&at| at < self.until)
    }

    /// The first pulse that is not over at `time`.
    fn first_after(&self, time: Time) -> u64 {
        // Pulse n is over at from + width + n * period.
        let first_over = self.from + self.width;
        if time < first_over {
            return 0;
        }
        time.since(first_over).get() / self.period.get() + 1
    }
}

impl Interferer for Babbling {
    fn name(&self) -> &str {
        "babbling"
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        self.onset = onset.at;
        self.next = self.first_after(onset.at);
        // Woken by itself, it has no frame to compare with, only this bit.
        let span = onset.duration.get().max(1);
        let end = onset.at + Picoseconds::new(span);
        self.pulse(self.next).is_some_and(|at| at < end)
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        let end = self.onset + moment.ends;
        while let Some(at) = self.pulse(self.next).filter(|&at| at < end) {
            self.next += 1;
            let mut over = at + self.width;
            if self.width >= self.period {
                // Pulses without a pause are one.
                (over, self.next) = (self.until, u64::MAX);
            }
            let (from, until) = (at.since(self.onset), over.min(self.until).since(self.onset));
            let strike = Strike {
                force: Force::Dominant,
                from,
                until,
                only: None,
            };
            strikes.add(moment, strike);
        }
    }

    fn wakes(&self, after: Time) -> Option<Time> {
        self.pulse(self.first_after(after)).map(|at| at.max(after))
    }
}
