//! Random choices that a vehicle makes in a run.

use waywarden_work::Duration;

use super::{Data, Stream, VehicleFile};

impl VehicleFile {
    /// Returns false if nothing in a run is random, so that each seed gives the same run. The draws
    /// of unknown offsets do not count.
    #[must_use]
    pub fn is_random(&self) -> bool {
        let is_drawn = |one: &Stream| one.jitter > Duration::ZERO || one.data == Data::Random;
        // Keys, nonces and forged payloads are drawn.
        let has_secrets =
            !self.authentications.is_empty() || !self.groups.is_empty() || !self.lasan.is_empty();
        let is_disturbed = !self.attackers.is_empty() || !self.interferers.is_empty();
        self.streams.iter().any(is_drawn) || has_secrets || is_disturbed
    }
}
