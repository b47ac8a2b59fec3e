//! The announcements that a freshness master would send on a channel.

use waywarden_can::Frame;
use waywarden_can_auth::secoc::{FreshnessMaster, FreshnessState};
use waywarden_work::{Instant, NoMeter};

use crate::error::AnnouncementError;
use crate::plan::FreshnessAnnouncements;
use crate::stream_keys::StreamKeys;

/// The freshness master of a table on a channel.
pub(super) struct AnnouncementSender {
    table: usize,
    master: FreshnessMaster,
    keys: StreamKeys,
}

impl AnnouncementSender {
    pub(super) fn new(
        own: &FreshnessAnnouncements,
        table: usize,
        epoch: u32,
    ) -> Result<Self, AnnouncementError> {
        let master = FreshnessMaster::new(own.sync, Some(epoch - 1), own.period);
        Ok(AnnouncementSender {
            table,
            master: master.map_err(|error| AnnouncementError::Epoch { epoch, error })?,
            keys: own.keys()?,
        })
    }

    /// Makes the next announcement, due or not.
    pub(super) fn announce(&mut self, now: Instant) -> Result<Frame, AnnouncementError> {
        // Behind the last reset of a trip comes another trip, which is to be retained first.
        for _ in 0..2 {
            if let Some(trip) = self.master.to_retain() {
                self.master.retained(trip);
            }
            let now = self.master.next_deadline().map_or(now, |due| due.max(now));
            let announced = self.master.outgoing(now, &mut self.keys, &mut NoMeter)?;
            if let Some(frame) = announced {
                return Ok(frame);
            }
        }
        Err(AnnouncementError::TripsExhausted)
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.master.next_deadline().is_none_or(|due| due <= now)
    }

    /// Returns true if it announces for the streams of this table.
    pub(super) fn is_of(&self, table: usize) -> bool {
        self.table == table
    }

    pub(super) fn freshness_state(&self) -> FreshnessState {
        self.master.freshness_state()
    }
}
