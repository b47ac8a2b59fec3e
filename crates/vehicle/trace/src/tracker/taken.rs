//! The instances of a stream at one that takes them: a receiver, or a gateway that verifies.

use std::collections::VecDeque;

use waywarden_can_sim::clock::Time;

use crate::outcome::{DeliveryOutcome, Loss, Progress};

/// The instances of a stream at one of its takers.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    /// By instance: a [`Progress`].
    progress: Vec<u8>,
    /// Instances at the taker's check, oldest first.
    pub(super) checking: VecDeque<Checking>,
    /// The newest that was delivered.
    pub(super) newest: Option<u32>,
    /// Deliveries of what had been delivered before.
    pub(super) repeated: u64,
}

/// An instance at a check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checking {
    pub(super) number: u32,
    /// Time of its last frame.
    pub(super) at: Time,
    /// True if a second frame of it came: its data do not wait for its code.
    pub(super) has_both: bool,
}

impl Taken {
    /// Adds the next instance.
    pub(super) fn release(&mut self) {
        self.progress.push(Progress::Waiting.pack());
    }

    pub(super) fn progress(&self, number: u32) -> Progress {
        let byte = self.progress.get(number as usize).copied();
        Progress::unpack(byte.unwrap_or_default())
    }

    /// Returns the outcome of each instance.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = DeliveryOutcome> + '_ {
        let progress = self.progress.iter();
        progress.map(|byte| Progress::unpack(*byte).outcome())
    }

    pub(super) fn set(&mut self, number: u32, progress: Progress) {
        if let Some(byte) = self.progress.get_mut(number as usize) {
            *byte = progress.pack();
        }
    }

    pub(super) fn end(&mut self, number: u32, outcome: DeliveryOutcome) {
        self.set(number, Progress::Ended(outcome));
    }

    pub(super) fn is_delivered(&self, number: u32) -> bool {
        self.progress(number) == Progress::Ended(DeliveryOutcome::Delivered)
    }

    pub(super) fn has_ended(&self, number: u32) -> bool {
        matches!(self.progress(number), Progress::Ended(_))
    }

    /// Returns true if a frame of an instance may still change what becomes of it: an intact one
    /// also if it counted as lost, when its sender begins to send it again.
    pub(super) fn awaits(&self, number: u32, is_intact: bool) -> bool {
        match self.progress(number) {
            Progress::Waiting => true,
            Progress::Altered | Progress::Ended(DeliveryOutcome::Lost(_)) => is_intact,
            _ => false,
        }
    }

    /// Ends an instance of which no frame has come.
    pub(super) fn lose_waiting(&mut self, number: u32, loss: Loss) {
        if matches!(self.progress(number), Progress::Waiting | Progress::Altered) {
            self.end(number, DeliveryOutcome::Lost(loss));
        }
    }
}
