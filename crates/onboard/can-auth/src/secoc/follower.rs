//! The freshness follower of every ECU but the master: one for all streams of its ECU.

use waywarden_can::Frame;
use waywarden_work::Meter;

use super::freshness::{Epoch, FreshnessState};
use super::synchronisation::Synchronisation;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};

/// Hears a freshness master: AUTOSAR's slave side of the freshness value manager.
#[derive(Clone, Debug)]
pub struct FreshnessFollower {
    sync: Synchronisation,
    freshness_state: FreshnessState,
    /// Announced, and not yet retained.
    pending: Option<Epoch>,
    /// Number of resets that are marked as used in advance.
    ahead: u32,
}

impl FreshnessFollower {
    /// Begins to follow a master. `retained` is the last value passed to
    /// [`FreshnessFollower::retained`] under this key, before a reset: everything up to it is over,
    /// and nothing is sent or taken before an announcement that is newer.
    ///
    /// Every announcement is retained, and while it is written messages may be lost between ECUs
    /// that take longer and shorter: see [`FreshnessFollower::with_resets_ahead`].
    #[must_use]
    pub const fn new(sync: Synchronisation, retained: Option<Epoch>) -> Self {
        FreshnessFollower {
            sync,
            freshness_state: FreshnessState {
                after: retained,
                latest: None,
                until: retained,
            },
            pending: None,
            ahead: 0,
        }
    }

    /// Marks this number of resets as used in advance. From one on no message is lost while an
    /// announcement is retained: one announcement in `resets / 2` is written, and after a reset
    /// `resets + 1` must be heard at most, unless the master starts a new trip. Messages are also
    /// taken from a sender that heard an announcement which this ECU missed.
    #[must_use]
    pub const fn with_resets_ahead(self, resets: u32) -> Self {
        FreshnessFollower {
            ahead: resets,
            ..self
        }
    }

    /// Takes any frame. An announcement brings an event under its identifier:
    /// [`FrameOutcome::Resynced`], [`FrameOutcome::Replay`] if it is not newer than the last one
    /// (then no code is computed), [`FrameOutcome::WrongTag`]. For others there is none.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn accept(
        &mut self,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        let Synchronisation { id, key, .. } = self.sync;
        if !self.sync.knows(frame) {
            return Ok(None);
        }
        let Some(announced) = self.sync.parse(frame) else {
            return Ok(Some(FrameOutcome::WrongTag(id)));
        };
        let epoch = announced.epoch;
        let FreshnessState {
            after,
            latest,
            until,
        } = self.freshness_state;
        if Some(epoch) <= after.max(latest).max(self.pending) {
            return Ok(Some(FrameOutcome::Replay(id)));
        }
        let (bytes, length) = self.sync.authenticated(epoch);
        let bits = self.sync.mac_bits();
        if !key_store.check(key, &[&bytes[..length]], &announced.mac, bits, meter)? {
            return Ok(Some(FrameOutcome::WrongTag(id)));
        }
        if Some(epoch) <= until {
            self.freshness_state.latest = Some(epoch);
        } else {
            self.pending = Some(epoch);
        }
        Ok(Some(FrameOutcome::Resynced(id)))
    }

    /// Returns the epoch to be retained over a reset now, if any: asked for while half of the
    /// epochs marked in advance are left. Until [`FreshnessFollower::retained`] confirms an epoch
    /// that was not marked before, the one before it goes on.
    #[must_use]
    pub fn to_retain(&self) -> Option<Epoch> {
        let seen = self.pending.or(self.freshness_state.latest)?;
        let ahead = |resets: u32| Epoch {
            reset: seen.reset.saturating_add(resets).min(self.sync.reset_max()),
            ..seen
        };
        let enough = Some(ahead(self.ahead.div_ceil(2)));
        (self.freshness_state.until < enough).then(|| ahead(self.ahead))
    }

    /// Takes note that an epoch is retained.
    pub fn retained(&mut self, epoch: Epoch) {
        self.freshness_state.until = self.freshness_state.until.max(Some(epoch));
        if self.pending.is_some() && self.pending <= self.freshness_state.until {
            self.freshness_state.latest = self.pending.take();
        }
    }

    /// Returns the epochs in which the streams of this ECU may be.
    #[must_use]
    pub const fn freshness_state(&self) -> FreshnessState {
        self.freshness_state
    }

    /// Returns the epoch that was announced last; none before the first announcement.
    #[must_use]
    pub fn latest(&self) -> Option<Epoch> {
        self.pending.or(self.freshness_state.latest)
    }

    /// Returns true if a frame has the announcements' identifier.
    #[must_use]
    pub fn knows(&self, frame: &Frame) -> bool {
        self.sync.knows(frame)
    }

    /// Returns true if messages can be sent and taken.
    #[must_use]
    pub fn is_synchronised(&self) -> bool {
        self.freshness_state.is_synchronised()
    }
}
