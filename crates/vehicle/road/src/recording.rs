//! Recorded motion of the vehicles of a trace.

use std::collections::BTreeMap;

use waywarden_vehicle_tracks::fcd::TimeStep;

/// Greatest distance of a follower, in metres.
const FOLLOWER_MOST_M: f64 = 120.0;
/// Greatest difference of the headings of two vehicles that follow each other, in degrees.
const HEADING_MOST: f64 = 30.0;
/// Vehicles slower than this do not brake hard: they stop.
const SLOW_M_S: f64 = 1.0;

/// The hardest braking of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedBraking {
    /// The vehicle, by its number.
    pub vehicle: usize,
    /// Time from the begin of the trace, in seconds.
    pub at_s: f64,
    /// Mean deceleration in a time step, in m/s².
    pub deceleration_m_s2: f64,
    /// Vehicles behind it in its direction at that time, the nearest first.
    pub followers: Vec<usize>,
}

/// Recorded speed of a vehicle: linear between time steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Speeds {
    /// Times in ns from the begin, and speeds in m/s.
    samples: Vec<(u64, f64)>,
}

/// A trace, read whole.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The time steps.
    pub steps: Vec<TimeStep>,
}

impl Recording {
    /// Returns the number of vehicles: one above the greatest.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        let vehicles = self.steps.iter().flat_map(|step| &step.vehicles);
        vehicles.map(|one| one.number + 1).max().unwrap_or(0)
    }

    /// Returns the hardest braking before which a vehicle with a follower was seen for so many
    /// seconds.
    #[must_use]
    pub fn hardest_braking(&self, seen_s: f64) -> Option<RecordedBraking> {
        let begin = self.steps.first()?.time_s;
        let mut before: BTreeMap<usize, (f64, f64, f64)> = BTreeMap::new();
        let mut hardest: Option<RecordedBraking> = None;
        for step in &self.steps {
            for vehicle in &step.vehicles {
                let Some(speed) = vehicle.speed_m_s else {
                    continue;
                };
                let entry = before.entry(vehicle.number);
                let (first, last, was) = *entry.or_insert((step.time_s, step.time_s, speed));
                before.insert(vehicle.number, (first, step.time_s, speed));
                let passed = step.time_s - last;
                if passed <= 0.0 || step.time_s - first < seen_s || was < SLOW_M_S {
                    continue;
                }
                let deceleration = (was - speed) / passed;
                let most = hardest.as_ref().map_or(0.0, |one| one.deceleration_m_s2);
                if deceleration <= most {
                    continue;
                }
                let followers = followers(step, vehicle.number);
                let is_seen = |other: &usize| {
                    before
                        .get(other)
                        .is_some_and(|(first, ..)| step.time_s - first >= seen_s)
                };
                if followers.first().is_some_and(is_seen) {
                    hardest = Some(RecordedBraking {
                        vehicle: vehicle.number,
                        at_s: step.time_s - begin,
                        deceleration_m_s2: deceleration,
                        followers,
                    });
                }
            }
        }
        hardest
    }

    /// Returns the speeds of a vehicle.
    pub(crate) fn speeds(&self, vehicle: usize) -> Speeds {
        let begin = self.steps.first().map_or(0.0, |step| step.time_s);
        let samples = self.steps.iter().filter_map(|step| {
            let own = step.vehicles.iter().find(|one| one.number == vehicle)?;
            let at = ((step.time_s - begin) * 1e9).round() as u64;
            Some((at, own.speed_m_s.unwrap_or(0.0)))
        });
        Speeds {
            samples: samples.collect(),
        }
    }
}

/// Returns the vehicles behind one, the nearest first.
fn followers(step: &TimeStep, number: usize) -> Vec<usize> {
    let find = |number| step.vehicles.iter().find(|one| one.number == number);
    let Some((own, heading)) = find(number).and_then(|own| Some((own, own.heading_degrees?)))
    else {
        return Vec::new();
    };
    let (sine, cosine) = heading.to_radians().sin_cos();
    let mut behind: Vec<(f64, usize)> = step
        .vehicles
        .iter()
        .filter_map(|other| {
            let (east, north) = (other.x - own.x, other.y - own.y);
            let along = east * sine + north * cosine;
            let turned = (other.heading_degrees? - heading).rem_euclid(360.0);
            let distance = east.hypot(north);
            let follows = along < -1.0
                && distance < FOLLOWER_MOST_M
                && turned.min(360.0 - turned) < HEADING_MOST
                && other.speed_m_s.is_some_and(|speed| speed > SLOW_M_S);
            follows.then_some((distance, other.number))
        })
        .collect();
    behind.sort_by(|one, other| one.0.total_cmp(&other.0));
    behind.into_iter().map(|(_, number)| number).collect()
}

impl Speeds {
    /// Returns the time at which it was on the road first.
    pub(crate) fn begin_ns(&self) -> Option<u64> {
        self.samples.first().map(|(at, _)| *at)
    }

    /// Returns the speed at a time; before the first step and after the last one, that of the step.
    pub(crate) fn at(&self, time_ns: u64) -> f64 {
        let next = self.samples.partition_point(|(at, _)| *at <= time_ns);
        let (before, after) = (
            next.checked_sub(1).map(|at| self.samples[at]),
            self.samples.get(next),
        );
        match (before, after) {
            (Some((begin, speed)), Some(&(end, then))) => {
                let share = (time_ns - begin) as f64 / (end - begin) as f64;
                speed + (then - speed) * share
            }
            (Some((_, speed)), None) => speed,
            (None, Some((_, speed))) => *speed,
            (None, None) => 0.0,
        }
    }

    /// Returns the deceleration between the steps around a time, in m/s².
    pub(crate) fn deceleration(&self, time_ns: u64) -> f64 {
        let next = self.samples.partition_point(|(at, _)| *at <= time_ns);
        match (next.checked_sub(1), self.samples.get(next)) {
            (Some(before), Some(&(end, then))) => {
                let (begin, speed) = self.samples[before];
                (speed - then) / ((end - begin) as f64 / 1e9)
            }
            _ => 0.0,
        }
    }

    /// Returns true if it braked at least so hard at any time of a span.
    pub(crate) fn braked(&self, from_ns: u64, until_ns: u64, least_m_s2: f64) -> bool {
        let steps = self.samples.iter().map(|(at, _)| *at);
        let within = steps.filter(|at| (from_ns..=until_ns).contains(at));
        let mut times = [from_ns, until_ns].into_iter().chain(within);
        times.any(|at| self.deceleration(at) >= least_m_s2)
    }

    /// Returns the number of times that it began to brake so hard.
    pub(crate) fn hard_brakings(&self, least_m_s2: f64) -> usize {
        let is_hard = |(at, _): &(u64, f64)| self.deceleration(*at) >= least_m_s2;
        let hard: Vec<bool> = self.samples.iter().map(is_hard).collect();
        let begins = hard.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        begins + usize::from(hard.first() == Some(&true))
    }

    /// Returns the metres from one time to another, in steps of 10 ms.
    pub(crate) fn metres(&self, from_ns: u64, until_ns: u64) -> f64 {
        const STEP_NS: u64 = 10_000_000;
        let mut metres = 0.0;
        let mut at = from_ns;
        while at < until_ns {
            let end = (at + STEP_NS).min(until_ns);
            metres += self.at(at) * (end - at) as f64 / 1e9;
            at = end;
        }
        metres
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_vehicle_tracks::fcd::FcdVehicle;

    fn recording(speeds: &[f64]) -> Recording {
        let vehicle = |number, y, speed| FcdVehicle {
            number,
            x: 0.0,
            y,
            z: None,
            speed_m_s: Some(speed),
            heading_degrees: Some(0.0),
        };
        let steps = speeds.iter().enumerate().map(|(at, speed)| TimeStep {
            time_s: 100.0 + at as f64,
            vehicles: vec![vehicle(0, 50.0, *speed), vehicle(1, 20.0, 15.0)],
        });
        Recording {
            steps: steps.collect(),
        }
    }

    #[test]
    fn speed_is_linear_and_braking_is_found_with_its_follower() {
        let recording = recording(&[15.0, 15.0, 10.0, 10.0]);
        let speeds = recording.speeds(0);
        assert_eq!(speeds.at(1_500_000_000), 12.5);
        assert_eq!(speeds.deceleration(1_500_000_000), 5.0);
        assert_eq!(speeds.hard_brakings(4.0), 1);
        assert_eq!(speeds.hard_brakings(6.0), 0);
        assert!(speeds.braked(1_900_000_000, 3_000_000_000, 4.0));
        assert!(!speeds.braked(2_000_000_000, 3_000_000_000, 4.0));
        assert!((speeds.metres(0, 1_000_000_000) - 15.0).abs() < 1e-9);
        let braking = recording.hardest_braking(1.0).unwrap();
        assert_eq!((braking.vehicle, braking.at_s), (0, 2.0));
        assert_eq!(braking.followers, [1]);
        assert_eq!(recording.vehicles(), 2);
    }
}
