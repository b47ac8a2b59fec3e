//! Cooperative awareness messages: when they are due \[EN 302 637-2 §6.1.3\], and what they say.

use alloc::vec::Vec;

use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::cam::{
    BasicContainer, BasicVehicleContainerHighFrequency, BasicVehicleContainerLowFrequency, Cam,
    CamParameters, CamParts, CoopAwareness, Curvature, CurvatureCalculationMode,
    CurvatureConfidence, DriveDirection, HighFrequencyContainer, LongitudinalAcceleration,
    LowFrequencyContainer, PROTOCOL_VERSION, RsuContainerHighFrequency, VehicleLength,
    VehicleLengthConfidenceIndication, VehicleRole, YawRate, YawRateConfidence,
};
use waywarden_v2x_wire::etsi102894::{
    Altitude, Heading, ItsPduHeader, ReferencePosition, Speed, message_id,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::uper::{Bits, Bounded, Flags, ListOf, emit, length};

use crate::confidence;
use crate::motion::{Motion, VehicleType};
use crate::number::{bounded, known_or};

/// The least time between two messages (`T_GenCamMin`), in microseconds.
pub const LEAST_US: u64 = 100_000;
/// The greatest one (`T_GenCamMax`).
pub const MOST_US: u64 = 1_000_000;
/// Most messages in a row of which time alone is the trigger, at the last rate of a moving vehicle
/// (`N_GenCam`).
pub const IN_A_ROW: u8 = 3;
/// The least time between two messages with the low frequency container.
pub const LOW_FREQUENCY_US: u64 = 500_000;
/// A vehicle that turns by more than this says so, in tenths of a degree.
pub const TURN_DECIDEGREES: u16 = 40;
/// One that moves by more than this, in metres.
pub const MOVE_M: f64 = 4.0;
/// One whose speed changes by more than this, in cm/s.
pub const SPEED_CM_S: u16 = 50;

/// The trigger of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CamTrigger {
    /// It is the first one.
    First,
    /// The vehicle turned, moved or changed its speed.
    Motion,
    /// Time alone.
    Time,
}

/// A message that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Trigger of the message.
    pub cause: CamTrigger,
    /// True if it has the low frequency container.
    pub with_low_frequency: bool,
}

/// Generation rules of a station.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Least period that the channel allows (`T_GenCam_DCC`), from [`LEAST_US`] to [`MOST_US`].
    channel_us: u64,
    /// Period after which time alone is a trigger (`T_GenCam`).
    period_us: u64,
    by_time: u8,
    last: Option<Motion>,
    /// Time of the last message, by the clock of the generator.
    generated: Time64,
    low_frequency: Option<Time64>,
    is_roadside: bool,
}

impl Rules {
    /// Rules of a station that has sent nothing yet.
    #[must_use]
    pub fn new(vehicle: &VehicleType) -> Self {
        Self {
            channel_us: LEAST_US,
            period_us: MOST_US,
            by_time: 0,
            last: None,
            generated: Time64(0),
            low_frequency: None,
            is_roadside: vehicle.station_type == VehicleType::ROADSIDE_UNIT.station_type,
        }
    }

    /// Sets the least time between two messages that the channel allows, in microseconds.
    pub fn set_channel_limit(&mut self, limit_us: u64) {
        self.channel_us = limit_us.clamp(LEAST_US, MOST_US);
    }

    /// Returns whether a message is due now, and takes note that it is sent. To be called at least
    /// each [`LEAST_US`]. After a clock has stepped
    /// back, the rules start again.
    pub fn check(&mut self, motion: &Motion, now: Time64) -> Option<Generation> {
        let cause = self.cause(motion, now)?;
        let elapsed = now.0.saturating_sub(self.generated.0);
        match cause {
            CamTrigger::First => self.period_us = MOST_US,
            CamTrigger::Motion => {
                self.period_us = elapsed.clamp(LEAST_US, MOST_US);
                self.by_time = 0;
            }
            CamTrigger::Time => {
                self.by_time = self.by_time.saturating_add(1);
                if self.by_time >= IN_A_ROW {
                    self.period_us = MOST_US;
                }
            }
        }
        self.last = Some(*motion);
        self.generated = now;
        let is_due = |sent: Time64| now < sent || now.0 - sent.0 >= LOW_FREQUENCY_US;
        let with_low_frequency = !self.is_roadside && self.low_frequency.is_none_or(is_due);
        if with_low_frequency {
            self.low_frequency = Some(now);
        }
        Some(Generation {
            cause,
            with_low_frequency,
        })
    }

    fn cause(&self, motion: &Motion, now: Time64) -> Option<CamTrigger> {
        let Some(last) = &self.last else {
            return Some(CamTrigger::First);
        };
        if now < self.generated {
            return Some(CamTrigger::First);
        }
        let elapsed = now.0 - self.generated.0;
        if elapsed < self.channel_us {
            return None;
        }
        if !self.is_roadside && has_moved(motion, last) {
            return Some(CamTrigger::Motion);
        }
        let period = match self.is_roadside {
            true => MOST_US,
            false => self.period_us,
        };
        (elapsed >= period).then_some(CamTrigger::Time)
    }
}

fn has_moved(motion: &Motion, last: &Motion) -> bool {
    let turned = motion.turned_decidegrees(last);
    let speeds = motion.speed_cm_s.zip(last.speed_cm_s);
    turned.is_some_and(|turned| turned > TURN_DECIDEGREES)
        || motion.distance_m(last) > MOVE_M
        || speeds.is_some_and(|(one, other)| one.abs_diff(other) > SPEED_CM_S)
}

/// Returns the message, encoded.
///
/// # Errors
/// None: what is out of its field's bounds is said to be unknown, or brought to the bound.
pub fn message(
    station_id: u32,
    vehicle: &VehicleType,
    motion: &Motion,
    generation: Generation,
) -> Result<Vec<u8>, EmitError> {
    let none = Bits::default();
    let is_roadside = vehicle.station_type == VehicleType::ROADSIDE_UNIT.station_type;
    let high_frequency = match is_roadside {
        true => HighFrequencyContainer::Rsu(RsuContainerHighFrequency {
            protected_zones: None,
            additions: none,
        }),
        false => HighFrequencyContainer::BasicVehicle(high_frequency(vehicle, motion)),
    };
    let low_frequency = BasicVehicleContainerLowFrequency {
        vehicle_role: VehicleRole::Default,
        exterior_lights: Flags::new(0).ok_or(EmitError::OutOfRange("exteriorLights"))?,
        path_history: ListOf::new(&[]).ok_or(EmitError::OutOfRange("pathHistory"))?,
    };
    let parameters = CamParameters {
        basic: BasicContainer {
            station_type: bounded(i64::from(vehicle.station_type)),
            reference_position: reference_position(motion),
            additions: none,
        },
        high_frequency,
        low_frequency: generation
            .with_low_frequency
            .then_some(LowFrequencyContainer::BasicVehicle(low_frequency)),
        special_vehicle: None,
        additions: none,
    };
    let parts = CamParts {
        header: ItsPduHeader {
            protocol_version: bounded(PROTOCOL_VERSION),
            message_id: bounded(message_id::CAM),
            station_id: bounded(i64::from(station_id)),
        },
        cam: CoopAwareness {
            generation_delta_time_ms: bounded(((motion.time.0 / 1_000) & 0xFFFF) as i64),
            parameters,
        },
    };
    let cam = Cam::new(parts).ok_or(EmitError::OutOfRange("header"))?;
    let mut bytes = alloc::vec![0; length(&cam)?];
    emit(&cam, &mut bytes)?;
    Ok(bytes)
}

fn high_frequency(
    vehicle: &VehicleType,
    motion: &Motion,
) -> BasicVehicleContainerHighFrequency<'static> {
    let decimetres = |centimetres: Option<u16>| centimetres.map(|one| i64::from(one.div_ceil(10)));
    let deci_acceleration = motion.acceleration_cm_s2.map(|one| i64::from(one) / 10);
    BasicVehicleContainerHighFrequency {
        heading: heading(motion),
        speed: speed(motion),
        drive_direction: match (motion.speed_cm_s, motion.is_reversing) {
            (None, _) => DriveDirection::Unavailable,
            (_, true) => DriveDirection::Backward,
            (_, false) => DriveDirection::Forward,
        },
        vehicle_length: VehicleLength {
            length_dm: known_or(decimetres(vehicle.length_cm), 1_023),
            confidence: match vehicle.length_cm {
                Some(_) => VehicleLengthConfidenceIndication::NoTrailer,
                None => VehicleLengthConfidenceIndication::Unavailable,
            },
        },
        vehicle_width_dm: known_or(decimetres(vehicle.width_cm), 62),
        longitudinal_acceleration: LongitudinalAcceleration {
            acceleration_dm_s2: known_or(deci_acceleration, 161),
            confidence_dm_s2: Bounded::MAX,
        },
        curvature: Curvature {
            curvature_per_10_km: Bounded::MAX,
            confidence: CurvatureConfidence::Unavailable,
        },
        curvature_calculation_mode: CurvatureCalculationMode::Unavailable,
        yaw_rate: YawRate {
            yaw_rate_centidegrees_s: known_or(
                motion.yaw_rate_centidegrees_s.map(i64::from),
                32_767,
            ),
            confidence: YawRateConfidence::Unavailable,
        },
        acceleration_control: None,
        lane_position: None,
        steering_wheel_angle: None,
        lateral_acceleration: None,
        vertical_acceleration: None,
        performance_class: None,
        tolling_zone: None,
    }
}

/// Returns a place as ETSI's messages have it, with its errors.
pub(crate) fn reference_position(motion: &Motion) -> ReferencePosition {
    let location = &motion.location;
    let elevation = i64::from(location.elevation.decimetres());
    ReferencePosition {
        latitude: known_or(Some(i64::from(location.latitude.0)), 900_000_001),
        longitude: known_or(Some(i64::from(location.longitude.0)), 1_800_000_001),
        confidence_ellipse: confidence::ellipse(&motion.accuracy),
        altitude: Altitude {
            altitude_cm: known_or(Some(elevation * 10), 800_001),
            confidence: confidence::altitude(&motion.accuracy),
        },
    }
}

/// Returns the heading of a vehicle, with its error.
pub(crate) fn heading(motion: &Motion) -> Heading {
    let error = motion.accuracy.heading_decidegrees;
    let error = motion.heading_decidegrees.and(error);
    Heading {
        heading_decidegrees: known_or(motion.heading_decidegrees.map(i64::from), 3_601),
        confidence_decidegrees: confidence::confidence(error),
    }
}

/// Returns its speed, with its error.
pub(crate) fn speed(motion: &Motion) -> Speed {
    let error = motion.speed_cm_s.and(motion.accuracy.speed_cm_s);
    Speed {
        speed_cm_s: known_or(motion.speed_cm_s.map(i64::from), 16_383),
        confidence_cm_s: confidence::confidence(error),
    }
}
