//! The announcements of a freshness master on a channel, as a receiver hears them.

use waywarden_can::Frame;
use waywarden_can_auth::event::Event;
use waywarden_can_auth::secoc::{
    Epoch, FreshnessFollower, FreshnessValue, Horizon, Synchronisation,
};
use waywarden_can_auth::vault::VaultError;
use waywarden_work::Meter;

use super::FreshnessReport;
use crate::plan::FreshnessAnnouncements;
use crate::stream_keys::StreamKeys;
use crate::verdict::FrameVerdict;

/// How many announcements are retained ahead: a log has no resets, so each is taken at once.
const AHEAD: u32 = 4;

/// Follows the announcements of a table on a channel.
pub(super) struct AnnouncementReceiver {
    table: usize,
    /// The index of its counts.
    row: usize,
    sync: Synchronisation,
    follower: FreshnessFollower,
    keys: StreamKeys,
}

impl AnnouncementReceiver {
    /// Trips before `epoch` are over.
    pub(super) fn new(
        own: &FreshnessAnnouncements,
        table: usize,
        row: usize,
        epoch: u32,
    ) -> Result<Self, VaultError> {
        let before = Epoch {
            trip: epoch - 1,
            reset: u32::MAX,
        };
        let retained = Some(before).filter(|before| before.trip > 0);
        Ok(AnnouncementReceiver {
            table,
            row,
            sync: own.sync,
            follower: FreshnessFollower::new(own.sync, retained, AHEAD),
            keys: own.keys()?,
        })
    }

    /// Takes a frame if it is an announcement of this table.
    pub(super) fn accept(&mut self, frame: &Frame) -> Result<Option<Event>, VaultError> {
        let event = self
            .follower
            .accept(frame, &mut self.keys, &mut Meter::new())?;
        if event.is_some()
            && let Some(epoch) = self.follower.to_retain()
        {
            self.follower.retained(epoch);
        }
        Ok(event)
    }

    /// Says what is known of a frame before it is taken.
    pub(super) fn report(&self, frame: &Frame) -> FreshnessReport {
        let expected = self.follower.latest().and_then(|latest| {
            let reset = latest.reset.checked_add(1)?;
            Some(Epoch { reset, ..latest })
        });
        FreshnessReport {
            verified: None,
            expected: expected.map(of_epoch),
            received: self.sync.trailer(frame),
        }
    }

    /// Adds to a report what came of its frame.
    pub(super) fn completed(
        &self,
        report: FreshnessReport,
        verdict: FrameVerdict,
    ) -> FreshnessReport {
        let latest = self.follower.latest().map(of_epoch);
        FreshnessReport {
            verified: latest.filter(|_| verdict == FrameVerdict::Authentic),
            ..report
        }
    }

    /// Whether it follows the announcements for the streams of this table.
    pub(super) fn is_of(&self, table: usize) -> bool {
        self.table == table
    }

    pub(super) fn row(&self) -> usize {
        self.row
    }

    pub(super) fn horizon(&self) -> Horizon {
        self.follower.horizon()
    }
}

fn of_epoch(epoch: Epoch) -> FreshnessValue {
    FreshnessValue {
        epoch: Some(epoch),
        message: None,
    }
}
