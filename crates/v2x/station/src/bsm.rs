//! Basic safety messages: ten a second \[J2945/1 §6.3.8\], and what they say \[J2735 §5\].

use alloc::vec::Vec;

use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::bsm::{
    AccelerationSet4Way, AuxiliaryBrakeStatus, BasicSafetyMessage, BrakeBoostApplied,
    BrakeSystemStatus, BsmCoreData, BsmOptionalParts, ControlStatus, MessageFrame,
    TransmissionState, VehicleSize,
};
use waywarden_v2x_wire::uper::{Bounded, Flags, emit, length};

use crate::confidence::positional_accuracy;
use crate::motion::{Motion, VehicleType};
use crate::number::{bounded, known_or};

/// The least time between two messages, in microseconds.
pub const PERIOD_US: u64 = 100_000;
/// The greatest one that congestion control may ask for, in microseconds.
pub const PERIOD_MOST_US: u64 = 1_000_000;

/// Returns the message in its frame, encoded. `count` is below 128.
///
/// # Errors
/// None: what is out of its field's bounds is said to be unknown, or brought to the bound.
pub fn message(
    temporary_id: u32,
    count: u8,
    vehicle: &VehicleType,
    motion: &Motion,
) -> Result<Vec<u8>, EmitError> {
    let location = &motion.location;
    let minute_ms = to_unix(motion.time).map(|time| time.div_euclid(1_000).rem_euclid(60_000));
    let core = BsmCoreData {
        message_count: bounded(i64::from(count & 0x7F)),
        temporary_id: bounded(i64::from(temporary_id)),
        second_mark_ms: known_or(minute_ms, 65_535),
        latitude: known_or(Some(i64::from(location.latitude.0)), 900_000_001),
        longitude: known_or(Some(i64::from(location.longitude.0)), 1_800_000_001),
        elevation_dm: bounded(i64::from(location.elevation.decimetres())),
        accuracy: positional_accuracy(&motion.accuracy),
        transmission: match (motion.speed_cm_s, motion.is_reversing) {
            (None, _) => TransmissionState::Unavailable,
            (_, true) => TransmissionState::ReverseGears,
            (_, false) => TransmissionState::ForwardGears,
        },
        speed_2_cm_s: known_or(motion.speed_cm_s.map(|speed| i64::from(speed) / 2), 8_191),
        heading_eightieth_degrees: known_or(
            motion
                .heading_decidegrees
                .map(|heading| i64::from(heading) * 8),
            28_800,
        ),
        steering_1_5_degrees: Bounded::MAX,
        acceleration: acceleration(motion),
        brakes: brakes()?,
        size: VehicleSize {
            width_cm: bounded(i64::from(vehicle.width_cm.unwrap_or(0))),
            length_cm: bounded(i64::from(vehicle.length_cm.unwrap_or(0))),
        },
    };
    let frame = MessageFrame::BasicSafety(BasicSafetyMessage {
        core,
        more: BsmOptionalParts::default(),
    });
    let mut bytes = alloc::vec![0; length(&frame)?];
    emit(&frame, &mut bytes)?;
    Ok(bytes)
}

fn acceleration(motion: &Motion) -> AccelerationSet4Way {
    AccelerationSet4Way {
        longitudinal_cm_s2: known_or(motion.acceleration_cm_s2.map(i64::from), 2_001),
        lateral_cm_s2: Bounded::MAX,
        vertical_2_centi_g: Bounded::MIN,
        // It counts to the right, and has no value for what is not known.
        yaw_rate_centidegrees_s: bounded(-i64::from(
            motion.yaw_rate_centidegrees_s.unwrap_or_default(),
        )),
    }
}

/// Brakes of which nothing is known.
fn brakes() -> Result<BrakeSystemStatus, EmitError> {
    // The first of five bits: no wheel is known.
    const UNAVAILABLE: u64 = 0b1_0000;
    Ok(BrakeSystemStatus {
        wheel_brakes: Flags::new(UNAVAILABLE).ok_or(EmitError::OutOfRange("wheelBrakes"))?,
        traction: ControlStatus::Unavailable,
        abs: ControlStatus::Unavailable,
        stability: ControlStatus::Unavailable,
        boost: BrakeBoostApplied::Unavailable,
        auxiliary: AuxiliaryBrakeStatus::Unavailable,
    })
}
