//! The system's clock, and a place on the ring road.

use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_neighbourhood::{Fix, PositionAndTime, RingRoad};
use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_service::time::TimeSource;
use waywarden_v2x_service::time::system::{SystemClock, SystemSettings};

/// Makes the clock that all stations of the program share: it never goes back, and says when it
/// would.
pub(super) fn system() -> Arc<dyn TimeSource> {
    let settings = SystemSettings::default();
    Arc::new(SystemClock::new(settings, LeapSeconds::built_in(), |_| ()))
}

/// A vehicle on the ring road, now.
pub(super) struct OnRing {
    pub(super) road: RingRoad,
    pub(super) car: usize,
    pub(super) clock: Arc<dyn TimeSource>,
}

impl PositionAndTime for OnRing {
    fn read(&mut self, elapsed: Duration) -> Option<Fix> {
        let reading = self.clock.read();
        Some(Fix {
            time: reading.time,
            distrust: reading.distrust.map(|why| why.to_string()),
            motion: Some(self.road.motion(self.car, elapsed, reading.time)),
        })
    }
}
