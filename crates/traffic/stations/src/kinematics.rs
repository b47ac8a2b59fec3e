//! Motion of a vehicle on the plane, with what follows from its last steps, and errors of its
//! position.

use waywarden_random::Random;
use waywarden_traffic_lab::VehicleMotion;
use waywarden_traffic_lab::radio::PlanePoint;

/// A vehicle moves on for at most this time from its step, in ns.
const MOVE_ON_MOST_NS: u64 = 1_000_000_000;
/// Steps that are farther apart say nothing of acceleration and turn, in s.
const STEP_MOST_S: f64 = 1.5;
/// Time after which an error of the position has fallen to 1/e, in s. `Choice:` errors of satellite
/// navigation change over tens of seconds.
const ERROR_FALLS_S: f64 = 30.0;

/// Motion of a vehicle at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Kinematics {
    /// Place in metres.
    pub(crate) place: PlanePoint,
    /// Degrees from north to the east.
    pub(crate) heading_degrees: Option<f64>,
    /// Metres a second; backwards it is negative.
    pub(crate) speed_m_s: Option<f64>,
    /// Metres a second in a second, forwards.
    pub(crate) acceleration_m_s2: Option<f64>,
    /// Degrees a second, to the right.
    pub(crate) turn_degrees_s: Option<f64>,
}

impl Kinematics {
    /// Returns the motion of a vehicle after its step, without what follows from steps before.
    pub(crate) fn after(step: &VehicleMotion, time_ns: u64) -> Self {
        let passed = time_ns.saturating_sub(step.at_ns).min(MOVE_ON_MOST_NS) as f64 / 1e9;
        let still = Self {
            place: step.place,
            heading_degrees: step.heading_degrees,
            speed_m_s: step.speed_m_s,
            acceleration_m_s2: None,
            turn_degrees_s: None,
        };
        match step.heading_degrees {
            Some(_) => still.moved(step.speed_m_s.unwrap_or(0.0) * passed, 0.0),
            None => still,
        }
    }

    /// Moves the place by metres ahead and to the right.
    pub(crate) fn moved(self, ahead_m: f64, right_m: f64) -> Self {
        let degrees = self.heading_degrees.unwrap_or(0.0);
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let place = PlanePoint {
            x_m: self.place.x_m + ahead_m * sine + right_m * cosine,
            y_m: self.place.y_m + ahead_m * cosine - right_m * sine,
        };
        Self { place, ..self }
    }
}

/// The last two steps of a vehicle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Course {
    step: Option<VehicleMotion>,
    acceleration_m_s2: Option<f64>,
    turn_degrees_s: Option<f64>,
}

impl Course {
    /// Returns the motion at a time after the step.
    pub(crate) fn at(&mut self, step: &VehicleMotion, time_ns: u64) -> Kinematics {
        if self.step.is_none_or(|before| before.at_ns != step.at_ns) {
            self.take(step);
        }
        Kinematics {
            acceleration_m_s2: self.acceleration_m_s2,
            turn_degrees_s: self.turn_degrees_s,
            ..Kinematics::after(step, time_ns)
        }
    }

    fn take(&mut self, step: &VehicleMotion) {
        let before = self.step.replace(*step);
        let before = before.filter(|before| before.at_ns < step.at_ns);
        let rate = |of: fn(&VehicleMotion) -> Option<f64>, change: fn(f64) -> f64| {
            let before = before?;
            let passed_s = (step.at_ns - before.at_ns) as f64 / 1e9;
            let changed = change(of(step)? - of(&before)?);
            (passed_s <= STEP_MOST_S).then_some(changed / passed_s)
        };
        self.acceleration_m_s2 = rate(|motion| motion.speed_m_s, |change| change);
        // The shorter way round.
        let turn = |change: f64| (change + 180.0).rem_euclid(360.0) - 180.0;
        self.turn_degrees_s = rate(|motion| motion.heading_degrees, turn);
    }
}

/// The error of a vehicle's position: it drifts.
#[derive(Clone, Debug)]
pub(crate) struct PositionError {
    deviation_m: f64,
    random: Random,
    error: Option<(u64, PlanePoint)>,
}

impl PositionError {
    /// `deviation_m` is the standard deviation along each axis.
    pub(crate) fn new(deviation_m: f64, random: Random) -> Self {
        Self {
            deviation_m,
            random,
            error: None,
        }
    }

    /// Returns the standard deviation along each axis, in metres.
    pub(crate) fn deviation_m(&self) -> f64 {
        self.deviation_m
    }

    /// Adds the error of a time to a place.
    pub(crate) fn add(&mut self, place: PlanePoint, time_ns: u64) -> PlanePoint {
        if self.deviation_m <= 0.0 {
            return place;
        }
        let (keeps, before) = match self.error {
            Some((at, error)) => {
                let passed_s = time_ns.saturating_sub(at) as f64 / 1e9;
                ((-passed_s / ERROR_FALLS_S).exp(), error)
            }
            None => (0.0, PlanePoint { x_m: 0.0, y_m: 0.0 }),
        };
        let fresh = self.deviation_m * (1.0 - keeps * keeps).sqrt();
        let error = PlanePoint {
            x_m: before.x_m * keeps + fresh * self.normal(),
            y_m: before.y_m * keeps + fresh * self.normal(),
        };
        self.error = Some((time_ns, error));
        PlanePoint {
            x_m: place.x_m + error.x_m,
            y_m: place.y_m + error.y_m,
        }
    }

    /// Draws of a normal distribution: the sum of twelve, at most 6 from its mean.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.random.unit()).sum::<f64>() - 6.0
    }
}
