//! Payloads of the demonstration's stations: CAMs of cars that move, DENMs of roadworks.

use waywarden_v2x_pki::GeographicPoint;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::cam::{
    BasicContainer, BasicVehicleContainerHighFrequency, Cam, CamParameters, CamParts,
    CoopAwareness, Curvature, CurvatureCalculationMode, CurvatureConfidence, DriveDirection,
    HighFrequencyContainer, LongitudinalAcceleration, VehicleLength,
    VehicleLengthConfidenceIndication, YawRate, YawRateConfidence,
};
use waywarden_v2x_wire::denm::{ActionId, DEFAULT_VALIDITY_S, Denm, ManagementContainer};
use waywarden_v2x_wire::etsi102894::{
    Altitude, AltitudeConfidence, Heading, ItsPduHeader, PosConfidenceEllipse, ReferencePosition,
    Speed, StationType, message_id,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::uper::{self, Bits, Bounded};

/// 13.9 m/s: 50 km/h.
const SPEED_CM_S: i64 = 1_390;
const PASSENGER_CAR: i64 = 5;
const ROADSIDE_UNIT: i64 = 15;

/// A car's CAM: at a place, eastwards at 50 km/h.
pub(super) fn cam(station: u32, now: Time64, place: GeographicPoint) -> Result<Vec<u8>, EmitError> {
    let parts = CamParts {
        header: ItsPduHeader {
            protocol_version: number(waywarden_v2x_wire::cam::PROTOCOL_VERSION),
            message_id: number(message_id::CAM),
            station_id: number(station.into()),
        },
        cam: CoopAwareness {
            generation_delta_time_ms: number(milliseconds(now) % 65_536),
            parameters: CamParameters {
                basic: BasicContainer {
                    station_type: number(PASSENGER_CAR),
                    reference_position: position(place),
                    additions: Bits::default(),
                },
                high_frequency: HighFrequencyContainer::BasicVehicle(motion()),
                low_frequency: None,
                special_vehicle: None,
                additions: Bits::default(),
            },
        },
    };
    let cam = Cam::new(parts).ok_or(EmitError::OutOfRange("header"))?;
    written(&cam)
}

/// A warning of roadworks at a place.
pub(super) fn denm(
    station: u32,
    now: Time64,
    place: GeographicPoint,
) -> Result<Vec<u8>, EmitError> {
    let now = milliseconds(now);
    let station_type: StationType = number(ROADSIDE_UNIT);
    written(&Denm {
        station_id: number(station.into()),
        management: ManagementContainer {
            action_id: ActionId {
                originating_station: number(station.into()),
                sequence_number: number(1),
            },
            detection_time_ms: number(now),
            reference_time_ms: number(now),
            termination: None,
            event_position: position(place),
            relevance_distance: None,
            relevance_traffic_direction: None,
            validity_duration_s: number(DEFAULT_VALIDITY_S),
            transmission_interval_ms: None,
            station_type,
            additions: Bits::default(),
        },
        situation: None,
        location: None,
        alacarte: None,
    })
}

fn motion() -> BasicVehicleContainerHighFrequency<'static> {
    BasicVehicleContainerHighFrequency {
        heading: Heading {
            heading_decidegrees: number(900),
            confidence_decidegrees: number(10),
        },
        speed: Speed {
            speed_cm_s: number(SPEED_CM_S),
            confidence_cm_s: number(10),
        },
        drive_direction: DriveDirection::Forward,
        vehicle_length: VehicleLength {
            length_dm: number(45),
            confidence: VehicleLengthConfidenceIndication::NoTrailer,
        },
        vehicle_width_dm: number(18),
        longitudinal_acceleration: LongitudinalAcceleration {
            acceleration_dm_s2: number(0),
            confidence_dm_s2: number(1),
        },
        curvature: Curvature {
            curvature_per_10_km: number(0),
            confidence: CurvatureConfidence::PerMetre0_002,
        },
        curvature_calculation_mode: CurvatureCalculationMode::YawRateUsed,
        yaw_rate: YawRate {
            yaw_rate_centidegrees_s: number(0),
            confidence: YawRateConfidence::DegreesPerSecond0_1,
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

fn position(place: GeographicPoint) -> ReferencePosition {
    ReferencePosition {
        latitude: number(place.latitude.into()),
        longitude: number(place.longitude.into()),
        confidence_ellipse: PosConfidenceEllipse {
            semi_major_cm: number(50),
            semi_minor_cm: number(50),
            semi_major_orientation_decidegrees: number(0),
        },
        altitude: Altitude {
            altitude_cm: Bounded::MAX,
            confidence: AltitudeConfidence::Unavailable,
        },
    }
}

/// Milliseconds since 2004, as TimestampIts counts them too.
fn milliseconds(now: Time64) -> i64 {
    i64::try_from(now.0 / 1_000).unwrap_or(i64::MAX)
}

/// A number of a field; out of bounds the greatest, which says "not known" where a field can.
fn number<const MIN: i64, const MAX: i64>(value: i64) -> Bounded<MIN, MAX> {
    Bounded::new(value).unwrap_or(Bounded::MAX)
}

fn written<T: uper::UperEncode>(value: &T) -> Result<Vec<u8>, EmitError> {
    let mut buffer = vec![0; uper::length(value)?];
    uper::emit(value, &mut buffer)?;
    Ok(buffer)
}
