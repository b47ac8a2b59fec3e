//! One vehicle over time: between its samples, too.

use crate::local::{PlaneOrigin, turned, wrapped};
use crate::sample::Sample;

/// Longest time between two samples over which positions are interpolated, in seconds.
pub const GAP_S: f64 = 2.0;
/// Greatest plausible speed, in m/s: a greater one shows a wrong unit.
pub const SPEED_MAX_M_S: f64 = 150.0;
/// A vehicle that moves by less than this between two samples has the heading that it had.
const STANDSTILL_M: f64 = 0.2;

/// The samples of a vehicle, in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    points: Vec<Point>,
}

/// A sample with the speed and the heading that it has, or that follow.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    sample: Sample,
    speed_m_s: f64,
    heading_degrees: Option<f64>,
}

/// Position and motion of a vehicle at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionState {
    /// Degrees to the north.
    pub latitude: f64,
    /// Degrees to the east.
    pub longitude: f64,
    /// Metres above sea.
    pub altitude_m: Option<f64>,
    /// Metres a second.
    pub speed_m_s: f64,
    /// Degrees from north to the east, 0 to below 360; `None` if it has not moved yet.
    pub heading_degrees: Option<f64>,
    /// Metres a second, in a second.
    pub acceleration_m_s2: f64,
    /// Degrees a second, to the left.
    pub yaw_rate_degrees_s: f64,
}

/// Reason why samples make no track.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// There are none.
    #[error("no samples")]
    Empty,
    /// Two samples are in the wrong order, or at the same time.
    #[error("the time {time_s} s follows on {last_s} s: it has to rise from sample to sample")]
    Order {
        /// The later time in the file, in seconds.
        time_s: f64,
        /// The time before it.
        last_s: f64,
    },
    /// The vehicle is too fast.
    #[error(
        "{distance_m:.0} m in {passed_s} s up to the time {time_s} s: more than {SPEED_MAX_M_S} \
         m/s; are the coordinates degrees, and the times seconds?"
    )]
    Jump {
        /// Length of the jump, in metres.
        distance_m: f64,
        /// Duration of the jump, in seconds.
        passed_s: f64,
        /// Time at its end, in seconds.
        time_s: f64,
    },
    /// More of the samples beside this one fit without it.
    #[error("the place at the time {time_s} s cannot be reached from the others")]
    Unreachable {
        /// Its time, in seconds.
        time_s: f64,
    },
}

/// Returns the distance in metres and the direction in degrees from one sample to another.
fn way(from: &Sample, to: &Sample) -> (f64, f64) {
    let origin = PlaneOrigin {
        latitude: from.latitude,
        longitude: from.longitude,
    };
    let (x, y) = origin.metres(to.latitude, to.longitude);
    (libm::hypot(x, y), turned(x.atan2(y).to_degrees()))
}

/// Returns the turn from one direction to another, -180 to 180 degrees to the right.
fn turn(from: f64, to: f64) -> f64 {
    wrapped(to - from)
}

impl Track {
    /// Checks samples. A file's own speeds and headings are kept; others follow from the positions.
    ///
    /// # Errors
    /// [`TrackError`].
    pub fn new(samples: &[Sample]) -> Result<Self, TrackError> {
        check(samples)?;
        let mut points: Vec<Point> = Vec::with_capacity(samples.len());
        for (at, &sample) in samples.iter().enumerate() {
            let last = points.last().copied();
            points.push(point(sample, last, samples.get(at + 1)));
        }
        // What stood at first looks to where it then goes.
        let first = points.iter().find_map(|point| point.heading_degrees);
        for point in &mut points {
            match point.heading_degrees {
                None => point.heading_degrees = first,
                Some(_) => break,
            }
        }
        Ok(Self { points })
    }

    /// Returns the time of the first sample, in seconds.
    #[must_use]
    pub fn begin_s(&self) -> f64 {
        self.points.first().map_or(0.0, |point| point.sample.time_s)
    }

    /// Returns the time of the last sample, in seconds.
    #[must_use]
    pub fn end_s(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.sample.time_s)
    }

    /// Returns the samples.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = &Sample> {
        self.points.iter().map(|point| &point.sample)
    }

    /// Returns where the vehicle is at a time; `None` before the first sample, after the last one,
    /// and in a gap of more than [`GAP_S`].
    #[must_use]
    pub fn at(&self, time_s: f64) -> Option<MotionState> {
        let after = self
            .points
            .partition_point(|point| point.sample.time_s <= time_s);
        let from = self.points.get(after.checked_sub(1)?)?;
        let Some(to) = self.points.get(after) else {
            let is_last = from.sample.time_s >= time_s;
            return is_last.then(|| from.alone());
        };
        let passed = to.sample.time_s - from.sample.time_s;
        match passed > GAP_S {
            true => (from.sample.time_s >= time_s).then(|| from.alone()),
            false => Some(from.towards(to, (time_s - from.sample.time_s) / passed)),
        }
    }
}

fn check(samples: &[Sample]) -> Result<(), TrackError> {
    if samples.is_empty() {
        return Err(TrackError::Empty);
    }
    let mut pairs = samples.iter().zip(samples.iter().skip(1));
    pairs.try_for_each(|(from, to)| follows(from, to))
}

/// Checks that a vehicle's sample can follow on another one.
pub(crate) fn follows(from: &Sample, to: &Sample) -> Result<(), TrackError> {
    if to.time_s.is_nan() || to.time_s <= from.time_s {
        return Err(TrackError::Order {
            time_s: to.time_s,
            last_s: from.time_s,
        });
    }
    let passed_s = to.time_s - from.time_s;
    let (distance_m, _) = way(from, to);
    // After a gap it may be anywhere.
    if passed_s <= GAP_S && distance_m > SPEED_MAX_M_S * passed_s {
        return Err(TrackError::Jump {
            distance_m,
            passed_s,
            time_s: to.time_s,
        });
    }
    Ok(())
}

fn point(sample: Sample, last: Option<Point>, next: Option<&Sample>) -> Point {
    let is_near = |one: &Sample, other: &Sample| other.time_s - one.time_s <= GAP_S;
    let next = next.filter(|next| is_near(&sample, next));
    let before = last.filter(|last| is_near(&last.sample, &sample));
    let (from, to) = match (next, before) {
        (Some(next), _) => (sample, *next),
        (None, Some(last)) => (last.sample, sample),
        (None, None) => (sample, sample),
    };
    let (distance, bearing) = way(&from, &to);
    let passed = (to.time_s - from.time_s).max(f64::MIN_POSITIVE);
    let derived = (distance >= STANDSTILL_M).then_some(bearing);
    let kept = last.and_then(|last| last.heading_degrees);
    let moved = if distance > 0.0 {
        distance / passed
    } else {
        0.0
    };
    Point {
        sample,
        speed_m_s: sample.speed_m_s.unwrap_or(moved),
        heading_degrees: sample.heading_degrees.or(derived).or(kept),
    }
}

impl Point {
    fn alone(&self) -> MotionState {
        MotionState {
            latitude: self.sample.latitude,
            longitude: self.sample.longitude,
            altitude_m: self.sample.altitude_m,
            speed_m_s: self.speed_m_s,
            heading_degrees: self.heading_degrees,
            acceleration_m_s2: 0.0,
            yaw_rate_degrees_s: 0.0,
        }
    }

    /// Between this point and the next, 0 to 1.
    fn towards(&self, to: &Self, share: f64) -> MotionState {
        let between = |one: f64, other: f64| one + (other - one) * share;
        let passed = to.sample.time_s - self.sample.time_s;
        let east = wrapped(to.sample.longitude - self.sample.longitude);
        let headings = self.heading_degrees.zip(to.heading_degrees);
        let turn = headings.map_or(0.0, |(one, other)| turn(one, other));
        let altitudes = self.sample.altitude_m.zip(to.sample.altitude_m);
        let heading = self.heading_degrees.or(to.heading_degrees);
        MotionState {
            latitude: between(self.sample.latitude, to.sample.latitude),
            longitude: wrapped(self.sample.longitude + east * share),
            altitude_m: altitudes.map(|(one, other)| between(one, other)),
            speed_m_s: between(self.speed_m_s, to.speed_m_s),
            heading_degrees: heading.map(|heading| turned(heading + turn * share)),
            acceleration_m_s2: (to.speed_m_s - self.speed_m_s) / passed,
            yaw_rate_degrees_s: -turn / passed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_s: f64, latitude: f64, longitude: f64) -> Sample {
        Sample {
            time_s,
            latitude,
            longitude,
            altitude_m: None,
            speed_m_s: None,
            heading_degrees: None,
        }
    }

    #[test]
    fn speed_and_heading_follow_from_positions() {
        // 11.1 m a second to the north.
        let samples = [0.0, 1.0, 2.0, 3.0, 4.0].map(|at| sample(at, 48.0 + at * 1e-4, 11.0));
        let north = Track::new(&samples);
        let north = north.unwrap();
        let state = north.at(1.5).unwrap();
        assert!((state.latitude - 48.000_15).abs() < 1e-9);
        assert!((state.speed_m_s - 11.12).abs() < 0.01, "{state:?}");
        assert_eq!(state.heading_degrees, Some(0.0));
        assert!(state.acceleration_m_s2.abs() < 1e-6);
        assert_eq!((north.at(-0.1), north.at(4.1)), (None, None));
        assert!(north.at(0.0).is_some() && north.at(4.0).is_some());
    }

    #[test]
    fn headings_turn_the_short_way_and_longitudes_go_over_180() {
        let samples =
            [(0.0, 179.9999, 350.0), (1.0, -179.9999, 10.0)].map(|(time_s, longitude, heading)| {
                Sample {
                    heading_degrees: Some(heading),
                    ..sample(time_s, 0.0, longitude)
                }
            });
        let state = Track::new(&samples).unwrap().at(0.5).unwrap();
        assert!((state.longitude.abs() - 180.0).abs() < 1e-9, "{state:?}");
        assert!(
            state
                .heading_degrees
                .unwrap()
                .min(360.0 - state.heading_degrees.unwrap())
                < 1e-9
        );
        assert!((state.yaw_rate_degrees_s + 20.0).abs() < 1e-9);
    }

    #[test]
    fn gaps_are_silent_and_vehicles_may_reappear_elsewhere() {
        let track = Track::new(&[
            sample(0.0, 48.0, 11.0),
            sample(2.5, 49.0, 11.0),
            sample(3.0, 49.0, 11.0),
        ])
        .unwrap();
        assert!(track.at(0.0).is_some() && track.at(0.1).is_none());
        assert!(track.at(2.4).is_none() && track.at(2.7).is_some());
    }

    #[test]
    fn standing_vehicles_keep_their_heading() {
        let samples = [
            sample(0.0, 48.0, 11.0),
            sample(1.0, 48.0, 11.0),
            sample(2.0, 48.0, 11.0001),
            sample(3.0, 48.0, 11.0001),
            sample(4.0, 48.0, 11.0001),
        ];
        let track = Track::new(&samples).unwrap();
        for time in [0.0, 0.5, 1.5, 2.5, 4.0] {
            let heading = track.at(time).unwrap().heading_degrees.unwrap();
            assert!((heading - 90.0).abs() < 0.001, "{time} {heading}");
        }
        let alone = Track::new(&[sample(5.0, 48.0, 11.0)]).unwrap();
        assert_eq!(alone.at(5.0).unwrap().heading_degrees, None);
        assert_eq!(alone.at(5.0).unwrap().speed_m_s, 0.0);
    }

    #[test]
    fn what_makes_no_track_is_refused() {
        assert_eq!(Track::new(&[]), Err(TrackError::Empty));
        let twice = [sample(1.0, 48.0, 11.0), sample(1.0, 48.0, 11.0)];
        assert!(matches!(Track::new(&twice), Err(TrackError::Order { .. })));
        let jump = [sample(0.0, 10.0, 11.0), sample(0.1, 11.0, 11.0)];
        let error = Track::new(&jump).unwrap_err().to_string();
        assert!(error.contains("are the coordinates degrees"), "{error}");
    }
}
