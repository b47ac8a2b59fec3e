//! The announcements of a freshness master on a channel, as a receiver hears them.

use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::secoc::{
    Epoch, FreshnessFollower, FreshnessState, FreshnessValue, Synchronisation,
};
use waywarden_work::NoMeter;

use super::FreshnessReport;
use super::epochs::KnownEpochs;
use crate::plan::{AuthenticationPlan, FreshnessAnnouncements};
use crate::stream_keys::StreamKeys;
use crate::verdict::FrameVerdict;

/// Number of announcements retained ahead: a log has no resets, so each is taken at once.
const AHEAD: u32 = 4;

/// Follows the announcements of a table on a channel.
pub(super) struct AnnouncementReceiver {
    table: usize,
    sync: Synchronisation,
    /// Epochs up to this one are over.
    before: Option<Epoch>,
    /// Number of authentic announcements.
    heard: usize,
    /// All announcements that are authentic, from a first pass.
    announced: Vec<Epoch>,
    follower: FreshnessFollower,
    keys: StreamKeys,
}

impl AnnouncementReceiver {
    /// Trips before `epoch` are over.
    pub(super) fn new(
        own: &FreshnessAnnouncements,
        table: usize,
        epoch: u32,
    ) -> Result<Self, KeyStoreError> {
        let before = Epoch {
            trip: epoch - 1,
            reset: u32::MAX,
        };
        let retained = Some(before).filter(|before| before.trip > 0);
        Ok(AnnouncementReceiver {
            table,
            sync: own.sync,
            before: retained,
            heard: 0,
            announced: Vec::new(),
            follower: FreshnessFollower::new(own.sync, retained).with_resets_ahead(AHEAD),
            keys: own.keys()?,
        })
    }

    /// Takes a frame if it is an announcement of this table.
    pub(super) fn accept(&mut self, frame: &Frame) -> Result<Option<FrameOutcome>, KeyStoreError> {
        let event = self.follower.accept(frame, &mut self.keys, &mut NoMeter)?;
        if event.is_some()
            && let Some(epoch) = self.follower.to_retain()
        {
            self.follower.retained(epoch);
        }
        self.heard += usize::from(matches!(event, Some(FrameOutcome::Resynced(_))));
        Ok(event)
    }

    /// Returns the receiver's freshness before it takes a frame.
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

    /// Adds the verified freshness of a frame to its report.
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

    /// Returns true if it follows the announcements for the streams of this table.
    pub(super) fn is_of(&self, table: usize) -> bool {
        self.table == table
    }

    /// Takes the announcements that a first pass found.
    pub(super) fn foresee(&mut self, announced: Vec<Epoch>) {
        self.announced = announced;
    }

    /// Returns the last epoch announced, unless it is `known`.
    pub(super) fn latest_if_newer(&self, known: Option<Epoch>) -> Option<Epoch> {
        self.follower
            .latest()
            .filter(|latest| Some(*latest) > known)
    }

    /// Returns the epochs known at this place of the log.
    pub(super) fn epochs(&self) -> KnownEpochs {
        KnownEpochs {
            after: self.before,
            latest: self.follower.latest(),
            next: self.announced.get(self.heard).copied(),
        }
    }

    /// Returns the identifier of the announcements.
    pub(super) fn id(&self) -> StandardId {
        self.sync.id()
    }

    pub(super) fn table(&self) -> usize {
        self.table
    }

    pub(super) fn freshness_state(&self) -> FreshnessState {
        self.follower.freshness_state()
    }
}

/// Makes the receivers of all tables that announce on a bus.
pub(super) fn receivers(
    plan: &AuthenticationPlan,
    bus: &str,
) -> Result<Vec<AnnouncementReceiver>, KeyStoreError> {
    let tables = plan.tables.iter().enumerate();
    let tables = tables.filter(|(_, table)| table.is_on(bus));
    let receivers = tables.filter_map(|(at, table)| {
        let own = table.announcements.as_ref()?;
        Some(AnnouncementReceiver::new(own, at, plan.epoch))
    });
    receivers.collect()
}

fn of_epoch(epoch: Epoch) -> FreshnessValue {
    FreshnessValue {
        epoch: Some(epoch),
        message: None,
    }
}
