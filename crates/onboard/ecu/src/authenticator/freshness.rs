//! The car's epochs in one ECU: as freshness master, as follower, or without synchronisation.

use waywarden_can::Frame;
use waywarden_can::node::{Port, Ports};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyStoreError, MacKeyStore};
use waywarden_can_auth::secoc::{
    Epoch, FreshnessFollower, FreshnessMaster, FreshnessState, Synchronisation, TripsExhaustedError,
};
use waywarden_work::{Duration, Instant, Meter};

/// The part that an ECU has in synchronised freshness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreshnessRole {
    /// None: its streams count for themselves, or need nothing. Streams whose freshness is
    /// synchronised are neither sent nor taken.
    Unsynchronised,
    /// It receives announcements.
    Follower {
        /// The port they come in on.
        port: Port,
        /// Form and key of the announcements.
        sync: Synchronisation,
        /// Number of resets that are marked as used in advance, see
        /// [`FreshnessFollower::with_resets_ahead`].
        resets_ahead: u32,
    },
    /// It makes them, each the same on all its ports.
    Master {
        /// The ports they leave by.
        ports: Ports,
        /// Form and key of the announcements.
        sync: Synchronisation,
        /// The time from one to the next.
        pace: Duration,
    },
}

/// The state of an ECU's part in synchronised freshness.
#[derive(Clone, Debug)]
pub(super) enum Timekeeper {
    None,
    Follower(Port, FreshnessFollower),
    Master(Ports, FreshnessMaster),
}

impl Timekeeper {
    /// Begins a boot; `retained` is the last value passed to [`Timekeeper::retained`] before.
    pub(super) fn new(
        part: FreshnessRole,
        retained: Option<Epoch>,
    ) -> Result<Self, TripsExhaustedError> {
        Ok(match part {
            FreshnessRole::Unsynchronised => Timekeeper::None,
            FreshnessRole::Follower {
                port,
                sync,
                resets_ahead,
            } => Timekeeper::Follower(
                port,
                FreshnessFollower::new(sync, retained).with_resets_ahead(resets_ahead),
            ),
            FreshnessRole::Master { ports, sync, pace } => {
                let trip = retained.map(|epoch| epoch.trip);
                Timekeeper::Master(ports, FreshnessMaster::new(sync, trip, pace)?)
            }
        })
    }

    /// Takes any frame; an announcement to a follower brings an event.
    pub(super) fn accept(
        &mut self,
        from: Port,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        match self {
            Timekeeper::Follower(port, follower) if *port == from => {
                follower.accept(frame, key_store, meter)
            }
            _ => Ok(None),
        }
    }

    /// Returns the announcement that is due, and where it goes.
    pub(super) fn outgoing(
        &mut self,
        now: Instant,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Option<(Ports, Frame)> {
        match self {
            // A key that is not there yet: nothing can be announced.
            Timekeeper::Master(ports, master) => {
                let frame = master.outgoing(now, key_store, meter).ok()??;
                Some((*ports, frame))
            }
            _ => None,
        }
    }

    /// Takes note that an epoch is retained.
    pub(super) fn retained(&mut self, epoch: Option<Epoch>) {
        match (self, epoch) {
            (Timekeeper::Follower(_, follower), Some(epoch)) => follower.retained(epoch),
            (Timekeeper::Master(_, master), Some(epoch)) => master.retained(epoch.trip),
            _ => {}
        }
    }

    /// Returns true if a frame has an effect.
    pub(super) fn knows(&self, from: Port, frame: &Frame) -> bool {
        match self {
            Timekeeper::Follower(port, follower) => *port == from && follower.knows(frame),
            _ => false,
        }
    }

    /// Returns the epoch to be retained now, if any.
    pub(super) fn to_retain(&self) -> Option<Epoch> {
        match self {
            Timekeeper::None => None,
            Timekeeper::Follower(_, follower) => follower.to_retain(),
            Timekeeper::Master(_, master) => {
                master.to_retain().map(|trip| Epoch { trip, reset: 0 })
            }
        }
    }

    /// Returns the epochs in which the streams of this ECU may be.
    pub(super) fn freshness_state(&self) -> FreshnessState {
        match self {
            Timekeeper::None => FreshnessState::NONE,
            Timekeeper::Follower(_, follower) => follower.freshness_state(),
            Timekeeper::Master(_, master) => master.freshness_state(),
        }
    }

    /// Returns the time at which [`Timekeeper::outgoing`] has something next.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        match self {
            Timekeeper::Master(_, master) => master.next_deadline(),
            _ => None,
        }
    }
}
