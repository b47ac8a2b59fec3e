//! The requests of ECUs as they made them, and how their security module answered.

use std::collections::BTreeMap;

use waywarden_group_keys::Address;
use waywarden_lasan::{LasanKind, StreamId};

use waywarden_vehicle_file::Lasan;

/// Counts requests and the grants of keys that were granted before.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    /// Number of frames of a request.
    frames: u64,
    /// Frames of requests sent, by ECU.
    made: BTreeMap<Address, u64>,
    /// The last key granted, by stream and sender.
    granted: BTreeMap<(StreamId, Address), u32>,
    /// Number of keys granted again, by sender.
    repeated: BTreeMap<Address, u64>,
}

impl Requests {
    pub(super) fn of(lasan: &Lasan) -> Self {
        let length = lasan
            .lengths()
            .and_then(|lengths| lengths.of(LasanKind::Request));
        Requests {
            frames: lasan.frame_count(length.unwrap_or(1)),
            ..Requests::default()
        }
    }

    /// Counts a frame of a request that an ECU sent.
    pub(super) fn made(&mut self, ecu: Address) {
        *self.made.entry(ecu).or_default() += 1;
    }

    /// Counts a grant to a sender; returns true if it has been granted a key more often than
    /// requested. Each grant of a key that it was granted before follows from a request that is not
    /// its first.
    pub(super) fn granted(&mut self, stream: StreamId, sender: Address, generation: u32) -> bool {
        let last = self.granted.insert((stream, sender), generation);
        if last != Some(generation) {
            return false;
        }
        let repeated = self.repeated.entry(sender).or_default();
        *repeated += 1;
        let made = self.made.get(&sender).copied().unwrap_or(0) / self.frames.max(1);
        *repeated >= made.max(1)
    }
}
