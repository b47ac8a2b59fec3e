//! The freshness master, which counts trips and resets, and announces them.

use waywarden_can::Frame;
use waywarden_work::{Duration, Instant, Meter};

use super::freshness::{Epoch, FreshnessState};
use super::synchronisation::Synchronisation;
use crate::key_store::{KeyStoreError, MacKeyStore};

/// The freshness master of a car, of which there is one for each key of announcements.
#[derive(Clone, Debug)]
pub struct FreshnessMaster {
    sync: Synchronisation,
    trip: u32,
    is_retained: bool,
    /// Of the last announcement; zero before the first of a trip.
    reset: u32,
    next: Instant,
    cycle: Duration,
}

/// The trip counter is at its end: another key is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TripsExhaustedError;

impl FreshnessMaster {
    /// Begins a trip: one more than `retained`, the last value passed to
    /// [`FreshnessMaster::retained`] under this key; the first without. Announces every `cycle`,
    /// the first time at once.
    ///
    /// # Errors
    /// [`TripsExhaustedError`].
    pub fn new(
        sync: Synchronisation,
        retained: Option<u32>,
        cycle: Duration,
    ) -> Result<Self, TripsExhaustedError> {
        let trip = retained.unwrap_or(0).checked_add(1);
        let trip = trip.filter(|trip| *trip <= sync.trip_max());
        Ok(FreshnessMaster {
            sync,
            trip: trip.ok_or(TripsExhaustedError)?,
            is_retained: false,
            reset: 0,
            next: Instant::ZERO,
            cycle,
        })
    }

    /// The trip that is to be retained over a reset now. Until [`FreshnessMaster::retained`]
    /// confirms it, nothing is announced.
    #[must_use]
    pub const fn to_retain(&self) -> Option<u32> {
        match self.is_retained {
            true => None,
            false => Some(self.trip),
        }
    }

    /// Takes note that a trip is retained.
    pub fn retained(&mut self, trip: u32) {
        self.is_retained |= trip == self.trip;
    }

    /// Returns the announcement that is due, if one is. Its reset counter is used up, whether or
    /// not the frame comes to leave. At the end of the reset counter a new trip begins; at the end
    /// of the trip counter there are no more announcements.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn outgoing(
        &mut self,
        now: Instant,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, KeyStoreError> {
        if !self.is_retained || now < self.next {
            return Ok(None);
        }
        if self.reset == self.sync.reset_max() {
            if self.trip < self.sync.trip_max() {
                self.trip += 1;
                self.reset = 0;
                self.is_retained = false;
            }
            return Ok(None);
        }
        let epoch = Epoch {
            trip: self.trip,
            reset: self.reset + 1,
        };
        let (bytes, length) = self.sync.authenticated(epoch);
        let tag = key_store.tag(self.sync.key, &[&bytes[..length]], meter)?;
        self.reset = epoch.reset;
        self.next = now + self.cycle;
        Ok(self.sync.frame(epoch, &tag))
    }

    /// Returns the time at which [`FreshnessMaster::outgoing`] has something next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        let is_over = self.reset == self.sync.reset_max() && self.trip == self.sync.trip_max();
        (self.is_retained && !is_over).then_some(self.next)
    }

    /// Returns the epochs in which the streams of the master's own ECU may be: those of this trip.
    #[must_use]
    pub fn freshness_state(&self) -> FreshnessState {
        let has_begun = self.is_retained && self.reset > 0;
        FreshnessState {
            after: Some(Epoch {
                trip: self.trip - 1,
                reset: u32::MAX,
            }),
            latest: has_begun.then_some(Epoch {
                trip: self.trip,
                reset: self.reset,
            }),
            until: Some(Epoch {
                trip: self.trip,
                reset: self.sync.reset_max(),
            }),
        }
    }
}

impl core::fmt::Display for TripsExhaustedError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the trip counter is at its end")
    }
}

impl core::error::Error for TripsExhaustedError {}
