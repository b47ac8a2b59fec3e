//! Time and position: the system's clock with a place on the ring road, on a recorded track or a
//! fixed one, or gpsd.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use waywarden_v2x_neighbourhood::{PositionAndTime, RingRoad, StationFix};
use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_station::Motion;
use waywarden_v2x_time::gpsd::{Gpsd, GpsdSettings};
use waywarden_v2x_time::system::{SystemClock, SystemSettings};
use waywarden_v2x_time::{ClockEvent, StationPosition, TimeSource};
use waywarden_v2x_wire::ieee1609dot2::{ThreeDLocation, Time64};

use super::tracks::Tracks;
use waywarden_command_line::exit::Failure;

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
    fn read(&mut self, elapsed: Duration) -> Option<StationFix> {
        let reading = self.clock.read();
        Some(StationFix {
            time: reading.time,
            distrust: reading.distrust.map(|why| why.to_string()),
            motion: Some(self.road.motion(self.car, elapsed, reading.time)),
            stale_position: None,
        })
    }
}

/// A roadside unit.
pub(super) struct AtPlace {
    pub(super) location: ThreeDLocation,
    pub(super) clock: Arc<dyn TimeSource>,
}

impl PositionAndTime for AtPlace {
    fn read(&mut self, _elapsed: Duration) -> Option<StationFix> {
        let reading = self.clock.read();
        Some(StationFix {
            time: reading.time,
            distrust: reading.distrust.map(|why| why.to_string()),
            motion: Some(standing(self.location, reading.time)),
            stale_position: None,
        })
    }
}

/// Clock of a track.
pub(super) enum Clock {
    /// Virtual seconds, from a time on.
    Virtual(Time64),
    /// The system's clock.
    Real(Arc<dyn TimeSource>),
}

/// A vehicle of a recorded track: it comes with its first sample, and sends nothing in gaps and
/// after the last one.
pub(super) struct OnTrack {
    pub(super) tracks: Tracks,
    pub(super) station: usize,
    pub(super) clock: Clock,
}

impl PositionAndTime for OnTrack {
    fn read(&mut self, elapsed: Duration) -> Option<StationFix> {
        let (time, distrust) = match &self.clock {
            Clock::Virtual(begin) => {
                let passed = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
                (Time64(begin.0.saturating_add(passed)), None)
            }
            Clock::Real(clock) => {
                let reading = clock.read();
                (reading.time, reading.distrust.map(|why| why.to_string()))
            }
        };
        let motion = self.tracks.motion(self.station, elapsed, time);
        Some(StationFix {
            time,
            distrust,
            motion: motion.ok()?,
            stale_position: None,
        })
    }
}

/// A receiver of satellites: without a fix nothing is sent.
pub(super) struct FromGpsd(pub(super) Arc<dyn TimeSource>);

impl PositionAndTime for FromGpsd {
    fn read(&mut self, _elapsed: Duration) -> Option<StationFix> {
        let reading = self.0.read();
        let position = reading.position.as_ref();
        Some(StationFix {
            time: reading.time,
            distrust: reading.distrust.map(|why| why.to_string()),
            motion: position.map(|position| motion(position, reading.time)),
            stale_position: reading.stale_position,
        })
    }
}

/// The motion at the time for which a position holds.
fn motion(position: &StationPosition, time: Time64) -> Motion {
    Motion {
        heading_decidegrees: position.heading.map(|heading| heading / 10),
        speed_cm_s: position
            .speed
            .map(|speed| u16::try_from(speed).unwrap_or(u16::MAX)),
        acceleration_cm_s2: position.acceleration,
        yaw_rate_centidegrees_s: position.turn_rate,
        accuracy: position.accuracy,
        ..Motion::at(position.location, time)
    }
}

/// Faults of a source of time and position that do not stop a station, until they are printed.
#[derive(Clone, Default)]
pub(super) struct Warnings(Arc<Mutex<VecDeque<ClockEvent>>>);

impl Warnings {
    /// Most warnings that wait; later ones are dropped until there is room.
    const MAX: usize = 64;

    fn push(&self, event: &ClockEvent) {
        // A station reports by itself that it has no fix.
        let is_reported = matches!(event, ClockEvent::Disconnected | ClockEvent::FixLost(_));
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if event.is_warning() && !is_reported && waiting.len() < Self::MAX {
            waiting.push_back(*event);
        }
    }

    /// Takes the oldest one.
    pub(super) fn next(&self) -> Option<ClockEvent> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop_front()
    }
}

/// Connects to gpsd, in a thread of its own, again and again while it is not there.
pub(super) fn gpsd(
    host: &str,
    port: u16,
    warnings: &Warnings,
) -> Result<Arc<dyn TimeSource>, Failure> {
    let settings = GpsdSettings {
        host: host.to_owned(),
        port,
        ..GpsdSettings::default()
    };
    let warnings = warnings.clone();
    let observe = move |event: &ClockEvent| warnings.push(event);
    let started = Gpsd::start(settings, LeapSeconds::built_in(), observe);
    let failed = |error| Failure::new(format_args!("--position gpsd:{host}:{port}: {error}"));
    Ok(Arc::new(started.map_err(failed)?))
}

/// Returns the motion of a station that stands at a fixed location.
pub(super) fn standing(location: ThreeDLocation, time: Time64) -> Motion {
    Motion {
        speed_cm_s: Some(0),
        ..Motion::at(location, time)
    }
}

#[cfg(test)]
mod tests;
