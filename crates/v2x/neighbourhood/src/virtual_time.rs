//! All stations in one thread, through virtual seconds: the same events each time.
//!
//! A frame is on the air for as long as its bytes take at 6 Mb/s, and all others hear it then. The
//! channel has no collisions, and computing takes no time: what a board and a channel do to a
//! neighbourhood is for the traffic laboratory.

use std::time::Duration;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::actor::{Actor, STEP};
use crate::event::NeighbourhoodEvent;
use crate::frame::{EthernetFrame, PositionAndTime, StationFix, StationMoment};

/// A station with its time and position.
pub struct PlacedStation {
    /// Station of this place.
    pub actor: Box<dyn Actor>,
    /// Its time and position.
    pub position: Box<dyn PositionAndTime>,
}

/// Event of one of several stations.
#[derive(Debug)]
pub struct StationEvent {
    /// The number of the station, from 0.
    pub station: usize,
    /// Time of the event, by the station's clock.
    pub now: StationMoment,
    /// Event of the station.
    pub event: NeighbourhoodEvent,
}

/// Moves stations through so much time. `watch` sees every event as it happens, and may command
/// stations between two steps: what it returns is not waited for.
pub fn run(places: &mut [PlacedStation], duration: Duration, watch: &mut dyn FnMut(StationEvent)) {
    let mut elapsed = Duration::ZERO;
    while elapsed < duration {
        let phases = places.iter().map(|place| place.actor.phase());
        let mut order: Vec<_> = phases.zip(0..).collect();
        order.sort_unstable();
        for (phase, at) in order {
            step(places, at, elapsed + phase, watch);
        }
        elapsed += STEP;
    }
}

fn step(
    places: &mut [PlacedStation],
    at: usize,
    elapsed: Duration,
    watch: &mut dyn FnMut(StationEvent),
) {
    let Some(PlacedStation { actor, position }) = places.get_mut(at) else {
        return;
    };
    let Some(fix) = position.read(elapsed) else {
        return;
    };
    let now = moment(&fix, elapsed);
    let mut frames = Vec::new();
    actor.step(&fix, now, &mut |event| {
        if let NeighbourhoodEvent::Sent { frame, .. } = &event {
            frames.push(frame.clone());
        }
        watch(StationEvent {
            station: at,
            now,
            event,
        });
    });
    for frame in frames {
        deliver(places, at, &frame, elapsed, watch);
    }
}

/// Has all other stations hear a frame, and verify it.
fn deliver(
    places: &mut [PlacedStation],
    from: usize,
    frame: &EthernetFrame,
    elapsed: Duration,
    watch: &mut dyn FnMut(StationEvent),
) {
    let elapsed = elapsed + airtime(frame.bytes.len());
    for (at, PlacedStation { actor, position }) in places.iter_mut().enumerate() {
        if at == from {
            continue;
        }
        let Some(fix) = position.read(elapsed) else {
            continue;
        };
        let now = moment(&fix, elapsed);
        let mut tell = |event| {
            watch(StationEvent {
                station: at,
                now,
                event,
            });
        };
        actor.receive(frame, now, &mut tell);
        while actor.work(now, &mut tell) {}
    }
}

fn moment(fix: &StationFix, elapsed: Duration) -> StationMoment {
    StationMoment {
        time: fix.time,
        elapsed,
    }
}

/// Returns the airtime of a frame at 6 Mb/s with the preamble and header of IEEE 802.11p (40 us).
fn airtime(bytes: usize) -> Duration {
    const PREAMBLE_US: u64 = 40;
    let bits = bytes as u64 * 8;
    Duration::from_micros(PREAMBLE_US + bits.div_ceil(6))
}

/// A time and position of virtual seconds: the clock begins at a time, and a function has the
/// movement.
pub struct Scripted<F> {
    begin: Time64,
    movement: F,
}

impl<F> Scripted<F> {
    /// Creates a time and position that begin at `begin`.
    #[must_use]
    pub fn new(begin: Time64, movement: F) -> Self {
        Self { begin, movement }
    }
}

impl<F> PositionAndTime for Scripted<F>
where
    F: FnMut(Duration, Time64) -> Option<waywarden_v2x_station::Motion> + Send,
{
    fn read(&mut self, elapsed: Duration) -> Option<StationFix> {
        let passed = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let time = Time64(self.begin.0.saturating_add(passed));
        let motion = (self.movement)(elapsed, time)?;
        Some(StationFix {
            time,
            distrust: None,
            motion: Some(motion),
            stale_position: None,
        })
    }
}
