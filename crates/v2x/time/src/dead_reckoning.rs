//! Dead reckoning: the position of a vehicle between two fixes.
//!
//! A fix says where a vehicle was at the time of the fix. From then on it is taken to go along a
//! circle at its speed and course, with the turn and the acceleration that it had between earlier
//! fixes. Nothing here reads a clock: the caller gives the time, and bounds how far it is ahead.
//!
//! Choice: a fix without a speed, or without a course while the vehicle moves, is completed from
//! the places of two fixes; the first fix of that kind has no position. To sign the place of the
//! last fix as that of now would be wrong by all that the vehicle has moved since.

use waywarden_v2x_security::region::{ahead, bearing, distance};
use waywarden_v2x_wire::ieee1609dot2::{Elevation, ThreeDLocation, Time64, TwoDLocation};

use super::StationPosition;
use super::fix::{Errors, Place, ReceiverFix, SPEED_WITH_TRACK_MIN};

/// Shortest span in microseconds over which turn and acceleration are measured, if there are fixes
/// so far apart: over less, the noise of a receiver would be most of them.
const SPAN_WANTED_US: u64 = 400_000;
/// Shortest span of all: fixes come at most ten times a second or they are averaged.
const SPAN_MIN_US: u64 = 90_000;
/// Longest span: what a vehicle did longer ago says nothing of now.
const SPAN_MAX_US: u64 = 2_000_000;

/// Fastest turn that is believed, in degrees a second: a car that parks turns by 25.
const TURN_MAX: f64 = 60.0;
/// Largest acceleration to a side that is believed, in m/s²: tyres bear as much.
const LATERAL_MAX: f64 = 10.0;
/// Largest acceleration ahead that is believed, in m/s².
const ACCELERATION_MAX: f64 = 12.0;
/// Shortest way in metres whose direction is taken as the course.
const WAY_MIN: f64 = 1.0;

/// A receiver's report of a fix. Speed in m/s, course in degrees from north.
#[derive(Clone, Copy, Debug)]
struct State {
    time: Time64,
    place: TwoDLocation,
    speed: Option<f64>,
    track: Option<f64>,
}

/// Motion of a vehicle at the time of a fix.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    /// In m/s.
    speed: f64,
    /// In degrees from north; `None` at rest.
    track: Option<f64>,
    /// To the right, in degrees a second.
    turn: Option<f64>,
    /// Ahead, in m/s².
    acceleration: Option<f64>,
}

/// The newest fix, and two earlier ones to compare it with: constant memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeadReckoning {
    newest: Option<(State, Errors)>,
    /// The fixes before the newest one, the later one first.
    earlier: [Option<State>; 2],
    /// Elevation of the newest fix that has one.
    elevation: Option<Elevation>,
}

impl DeadReckoning {
    /// Takes a fix that is trusted, with its time: not before that of the newest one. A second
    /// report of one time replaces the first.
    pub(super) fn take(&mut self, fix: &ReceiverFix, place: &Place, time: Time64) {
        let location = fix.location(place, self.elevation);
        self.elevation = Some(location.elevation);
        let state = State {
            time,
            place: over_ground(&location),
            speed: fix.speed_m_s(),
            track: fix.track_degrees(),
        };
        if let Some((before, _)) = self.newest
            && before.time < time
        {
            let [later, _] = self.earlier;
            if later.is_none_or(|later| before.time.0 - later.time.0 >= SPAN_WANTED_US) {
                self.earlier = [Some(before), later];
            }
        }
        self.newest = Some((state, fix.errors()));
    }

    /// Forgets how the vehicle moved: what was before a jump is not compared with what is after it.
    pub(super) fn restart(&mut self) {
        (self.newest, self.earlier) = (None, [None; 2]);
    }

    /// Returns how many microseconds a time is after the newest fix.
    pub(super) fn age_us(&self, time: Time64) -> Option<u64> {
        let (state, _) = self.newest?;
        Some(time.0.saturating_sub(state.time.0))
    }

    /// Returns the position at a time after the newest fix; `None` if it cannot be found.
    pub(super) fn at(&self, time: Time64) -> Option<StationPosition> {
        let (state, errors) = self.newest?;
        let course = self.course(&state)?;
        let seconds = self.age_us(time)? as f64 / 1e6;
        let (way, speed) = course.way(seconds);
        let (place, heading) = course.follow(&state.place, way);
        let is_said = state.speed.is_some();
        Some(StationPosition {
            location: ThreeDLocation {
                latitude: place.latitude,
                longitude: place.longitude,
                elevation: self.elevation?,
            },
            heading: heading.map(|degrees| (degrees * 100.0).round() as u16 % 36_000),
            speed: is_said.then_some((speed * 100.0).round() as u32),
            turn_rate: course.turn.map(|turn| (-turn * 100.0).round() as i16),
            acceleration: course.acceleration.map(|one| (one * 100.0).round() as i16),
            accuracy: errors.after(seconds, course.speed, is_said),
        })
    }

    /// The earlier fix that the newest one is compared with, and the seconds between them.
    fn base(&self, newest: &State) -> Option<(State, f64)> {
        let [later, earliest] = self.earlier;
        let span = |state: &State| newest.time.0.saturating_sub(state.time.0);
        let is_wanted = |state: &State| (SPAN_WANTED_US..=SPAN_MAX_US).contains(&span(state));
        let is_usable = |state: &State| (SPAN_MIN_US..=SPAN_MAX_US).contains(&span(state));
        let wanted = later.filter(is_wanted).or(earliest.filter(is_wanted));
        let base = wanted.or(later.filter(is_usable))?;
        Some((base, span(&base) as f64 / 1e6))
    }

    fn course(&self, newest: &State) -> Option<Course> {
        let base = self.base(newest);
        let way = base.map(|(base, _)| distance(&base.place, &newest.place));
        let measured = way.zip(base).map(|(way, (_, seconds))| way / seconds);
        let speed = newest.speed.or(measured)?;
        if speed < SPEED_WITH_TRACK_MIN {
            return Some(Course {
                speed,
                ..Course::default()
            });
        }
        let way = way.filter(|way| *way >= WAY_MIN);
        let measured = way.zip(base);
        let measured = measured.map(|(_, (base, _))| bearing(&base.place, &newest.place));
        let track = newest.track.or(measured)?;
        let rate = |one: Option<f64>, other: Option<f64>| Some((one?, other?, base?.1));
        let turn = rate(base.and_then(|(base, _)| base.track), newest.track);
        let turn = turn.map(|(from, to, seconds)| turned(from, to) / seconds);
        let is_turn =
            |turn: &f64| turn.abs() <= TURN_MAX && turn.abs().to_radians() * speed <= LATERAL_MAX;
        let faster = rate(base.and_then(|(base, _)| base.speed), newest.speed);
        let faster = faster.map(|(from, to, seconds)| (to - from) / seconds);
        Some(Course {
            speed,
            track: Some(track),
            turn: turn.filter(is_turn),
            acceleration: faster.filter(|one| one.abs() <= ACCELERATION_MAX),
        })
    }
}

impl Course {
    /// Returns the way in so many seconds, in metres, and the speed at its end. A vehicle that
    /// brakes comes to a stand and does not go backwards.
    fn way(&self, seconds: f64) -> (f64, f64) {
        let acceleration = self.acceleration.unwrap_or(0.0);
        let speed = self.speed + acceleration * seconds;
        match speed < 0.0 {
            true => (self.speed * self.speed / (-2.0 * acceleration), 0.0),
            false => ((self.speed + speed) / 2.0 * seconds, speed),
        }
    }

    /// Returns the place at the end of a way, and the course there in degrees. The way keeps its
    /// curvature: its chord bisects the turn, and is shorter by `sin(x) / x` of half of the turn.
    fn follow(&self, from: &TwoDLocation, way: f64) -> (TwoDLocation, Option<f64>) {
        let Some(track) = self.track else {
            return (*from, None);
        };
        // A vehicle with a track has a speed.
        let half = self.turn.unwrap_or(0.0) / self.speed * way / 2.0;
        let radians = half.to_radians();
        let share = match radians.abs() > 1e-9 {
            true => radians.sin() / radians,
            false => 1.0,
        };
        let (place, onwards) = ahead(from, track + half, way * share);
        (place, Some((onwards + half).rem_euclid(360.0)))
    }
}

/// The turn from one course to another, the shorter way, in degrees to the right.
fn turned(from: f64, to: f64) -> f64 {
    (to - from + 180.0).rem_euclid(360.0) - 180.0
}

fn over_ground(location: &ThreeDLocation) -> TwoDLocation {
    TwoDLocation {
        latitude: location.latitude,
        longitude: location.longitude,
    }
}
