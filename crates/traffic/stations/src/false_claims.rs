//! False contents of messages under a valid certificate, as F2MD and VeReMi have them.

use std::collections::VecDeque;

use waywarden_random::Random;
use waywarden_traffic_lab::radio::PlanePoint;

use crate::hostile::HostileKind;
use crate::kinematics::Kinematics;

/// A vehicle that stops by its claims, or brakes by them, begins so long after its first message,
/// in ns.
const BEGINS_NS: u64 = 5_000_000_000;
/// Claims of [`HostileKind::TimeDelay`] are so old, in ns.
const DELAY_NS: u64 = 2_000_000_000;
/// Feigned braking: its deceleration in m/s², its duration and the time from one to the next.
const BRAKING_M_S2: f64 = 6.0;
const BRAKING_NS: u64 = 2_000_000_000;
const BRAKING_EACH_NS: u64 = 6_000_000_000;
/// Factor on the acceleration.
const MULTIPLIED: f64 = 3.0;
/// Greatest random offset along each axis, in metres, and that of a random place.
const OFFSET_M: f64 = 70.0;
const ANYWHERE_M: f64 = 300.0;
/// Greatest random speed, in m/s.
const SPEED_M_S: f64 = 40.0;
/// Distance of the names of a Sybil vehicle from each other, in metres.
const SYBIL_M: f64 = 12.0;

/// Claims of a hostile vehicle about its motion.
#[derive(Clone, Debug)]
pub(crate) struct FalseClaims {
    kind: HostileKind,
    random: Random,
    /// Number of the name under which the vehicle claims.
    name: usize,
    began: Option<(u64, Kinematics)>,
    /// Offset of place in metres, and one of speed in m/s, for the whole run.
    offset: (f64, f64),
    faster_m_s: f64,
    /// Own motion of before.
    before: VecDeque<(u64, Kinematics)>,
    /// The last that another vehicle claimed.
    heard: Option<Kinematics>,
}

impl FalseClaims {
    pub(crate) fn new(kind: HostileKind, name: usize, mut random: Random) -> Self {
        let mut away = |least: f64, most: f64| {
            let size = least + (most - least) * random.unit();
            if random.chance(0.5) { size } else { -size }
        };
        Self {
            kind,
            name,
            began: None,
            offset: (away(30.0, OFFSET_M), away(30.0, OFFSET_M)),
            faster_m_s: away(5.0, 15.0),
            random,
            before: VecDeque::new(),
            heard: None,
        }
    }

    /// Takes note of what another vehicle claims.
    pub(crate) fn hear(&mut self, claimed: &Kinematics) {
        self.heard = Some(*claimed);
    }

    /// Returns what it claims in place of the truth.
    pub(crate) fn of(&mut self, truth: Kinematics, now_ns: u64) -> Kinematics {
        let (since, first) = *self.began.get_or_insert((now_ns, truth));
        let age_ns = now_ns - since.min(now_ns);
        match self.kind {
            HostileKind::ConstantPosition => at(truth, first.place),
            HostileKind::ConstantOffset => offset(truth, self.offset),
            HostileKind::RandomPosition => {
                let away = (self.around(ANYWHERE_M), self.around(ANYWHERE_M));
                offset(truth, away)
            }
            HostileKind::RandomOffset => {
                let away = (self.around(OFFSET_M), self.around(OFFSET_M));
                offset(truth, away)
            }
            HostileKind::ZeroSpeed => with_speed(truth, 0.0),
            HostileKind::ConstantSpeedOffset => {
                let speed = truth.speed_m_s.unwrap_or(0.0) + self.faster_m_s;
                with_speed(truth, speed.max(0.0))
            }
            HostileKind::RandomSpeed => with_speed(truth, SPEED_M_S * self.random.unit()),
            HostileKind::ReversedHeading => Kinematics {
                heading_degrees: truth.heading_degrees.map(|degrees| degrees + 180.0),
                ..truth
            },
            HostileKind::EventualStop if age_ns >= BEGINS_NS => self.stopped(truth, now_ns),
            HostileKind::FeignedBraking if age_ns >= BEGINS_NS => feigned(truth, age_ns),
            HostileKind::AccelerationMultiplication => Kinematics {
                acceleration_m_s2: truth.acceleration_m_s2.map(|one| one * MULTIPLIED),
                ..truth
            },
            HostileKind::TimeDelay => self.delayed(truth, now_ns),
            HostileKind::DataReplay => self.heard.unwrap_or(truth),
            HostileKind::Sybil => truth.moved(SYBIL_M * self.name as f64, 0.0),
            _ => truth,
        }
    }

    fn around(&mut self, most: f64) -> f64 {
        most * (2.0 * self.random.unit() - 1.0)
    }

    /// It stands where it was when it began to.
    fn stopped(&mut self, truth: Kinematics, now_ns: u64) -> Kinematics {
        if self.before.is_empty() {
            self.before.push_back((now_ns, truth));
        }
        let place = self
            .before
            .front()
            .map_or(truth.place, |(_, one)| one.place);
        with_speed(at(truth, place), 0.0)
    }

    fn delayed(&mut self, truth: Kinematics, now_ns: u64) -> Kinematics {
        self.before.push_back((now_ns, truth));
        while self.before.len() > 1
            && let Some((at, _)) = self.before.get(1)
            && at + DELAY_NS <= now_ns
        {
            self.before.pop_front();
        }
        self.before.front().map_or(truth, |(_, one)| *one)
    }
}

fn at(truth: Kinematics, place: PlanePoint) -> Kinematics {
    Kinematics { place, ..truth }
}

fn offset(truth: Kinematics, (x_m, y_m): (f64, f64)) -> Kinematics {
    let place = PlanePoint {
        x_m: truth.place.x_m + x_m,
        y_m: truth.place.y_m + y_m,
    };
    at(truth, place)
}

fn with_speed(truth: Kinematics, speed_m_s: f64) -> Kinematics {
    Kinematics {
        speed_m_s: Some(speed_m_s),
        ..truth
    }
}

/// Brakes by its claims, while it drives on.
fn feigned(truth: Kinematics, age_ns: u64) -> Kinematics {
    let braking_ns = (age_ns - BEGINS_NS) % BRAKING_EACH_NS;
    if braking_ns >= BRAKING_NS {
        return truth;
    }
    let slower = BRAKING_M_S2 * braking_ns as f64 / 1e9;
    let speed = (truth.speed_m_s.unwrap_or(0.0) - slower).max(0.0);
    Kinematics {
        acceleration_m_s2: Some(-BRAKING_M_S2),
        ..with_speed(truth, speed)
    }
}
