//! The containers of a CAM \[EN 302 637-2 Annex B\].

use crate::etsi102894::{
    AccelerationConfidence, AccelerationValue, CauseCode, Heading, Latitude, LightBarSirenInUse,
    Longitude, PathHistory, PtActivation, Speed, TimestampIts, TrafficRule,
};
use crate::uper::{Bounded, ExtensibleInteger, Flags, ListOf, enumerated, sequence};

enumerated! {
    /// Direction in which a vehicle drives.
    pub enum DriveDirection = "DriveDirection" {
        /// Forwards.
        Forward = "forward";
        /// Backwards.
        Backward = "backward";
        /// Not known.
        Unavailable = "unavailable";
    }
}

enumerated! {
    /// Presence of a trailer, and whether the vehicle length includes it.
    pub enum VehicleLengthConfidenceIndication = "VehicleLengthConfidenceIndication" {
        /// No trailer.
        NoTrailer = "noTrailerPresent";
        /// Trailer present, included in the length.
        TrailerWithKnownLength = "trailerPresentWithKnownLength";
        /// Trailer present, not included in the length.
        TrailerWithUnknownLength = "trailerPresentWithUnknownLength";
        /// Presence of a trailer not known.
        TrailerUnknown = "trailerPresenceIsUnknown";
        /// No information at all.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// Length of a vehicle.
    pub struct VehicleLength = "VehicleLength" {
        /// Length; 1022: longer, 1023: not known.
        required length_dm: Bounded<1, 1023> = "vehicleLengthValue";
        /// Presence of a trailer, and whether the length includes it.
        required confidence: VehicleLengthConfidenceIndication
            = "vehicleLengthConfidenceIndication";
    }
}

sequence! {
    /// Longitudinal acceleration and its confidence.
    pub struct LongitudinalAcceleration = "LongitudinalAcceleration" {
        /// Acceleration, positive forwards.
        required acceleration_dm_s2: AccelerationValue = "longitudinalAccelerationValue";
        /// Confidence of the acceleration.
        required confidence_dm_s2: AccelerationConfidence = "longitudinalAccelerationConfidence";
    }
}

sequence! {
    /// Lateral acceleration and its confidence.
    pub struct LateralAcceleration = "LateralAcceleration" {
        /// Acceleration, positive to the left.
        required acceleration_dm_s2: AccelerationValue = "lateralAccelerationValue";
        /// Confidence of the acceleration.
        required confidence_dm_s2: AccelerationConfidence = "lateralAccelerationConfidence";
    }
}

sequence! {
    /// Vertical acceleration and its confidence.
    pub struct VerticalAcceleration = "VerticalAcceleration" {
        /// Acceleration, positive upwards.
        required acceleration_dm_s2: AccelerationValue = "verticalAccelerationValue";
        /// Confidence of the acceleration.
        required confidence_dm_s2: AccelerationConfidence = "verticalAccelerationConfidence";
    }
}

enumerated! {
    /// Confidence of a curvature, in 1/m.
    pub enum CurvatureConfidence = "CurvatureConfidence" {
        /// 0.00002.
        PerMetre0_00002 = "onePerMeter-0-00002";
        /// 0.0001.
        PerMetre0_0001 = "onePerMeter-0-0001";
        /// 0.0005.
        PerMetre0_0005 = "onePerMeter-0-0005";
        /// 0.002.
        PerMetre0_002 = "onePerMeter-0-002";
        /// 0.01.
        PerMetre0_01 = "onePerMeter-0-01";
        /// 0.1.
        PerMetre0_1 = "onePerMeter-0-1";
        /// Worse than 0.1.
        OutOfRange = "outOfRange";
        /// Not known.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// Curvature of a vehicle's path.
    pub struct Curvature = "Curvature" {
        /// Curvature in 1/(10,000 m), positive to the left; 1023: not known.
        required curvature_per_10_km: Bounded<-1023, 1023> = "curvatureValue";
        /// Confidence of the curvature.
        required confidence: CurvatureConfidence = "curvatureConfidence";
    }
}

enumerated! {
    /// Source of a curvature.
    pub enum CurvatureCalculationMode = "CurvatureCalculationMode", extensible {
        /// Calculated with the yaw rate.
        0 YawRateUsed = "yawRateUsed";
        /// Calculated without the yaw rate.
        1 YawRateNotUsed = "yawRateNotUsed";
        /// Not known.
        2 Unavailable = "unavailable";
    }
}

enumerated! {
    /// Confidence of a yaw rate, at 95 %.
    pub enum YawRateConfidence = "YawRateConfidence" {
        /// 0.01 degrees a second.
        DegreesPerSecond0_01 = "degSec-000-01";
        /// 0.05 degrees a second.
        DegreesPerSecond0_05 = "degSec-000-05";
        /// 0.1 degrees a second.
        DegreesPerSecond0_1 = "degSec-000-10";
        /// 1 degree a second.
        DegreesPerSecond1 = "degSec-001-00";
        /// 5 degrees a second.
        DegreesPerSecond5 = "degSec-005-00";
        /// 10 degrees a second.
        DegreesPerSecond10 = "degSec-010-00";
        /// 100 degrees a second.
        DegreesPerSecond100 = "degSec-100-00";
        /// Worse than 100 degrees a second.
        OutOfRange = "outOfRange";
        /// Not known.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// Yaw rate of a vehicle and its confidence.
    pub struct YawRate = "YawRate" {
        /// Yaw rate, positive to the left; 32,767: not known.
        required yaw_rate_centidegrees_s: Bounded<-32_766, 32_767> = "yawRateValue";
        /// Confidence of the yaw rate.
        required confidence: YawRateConfidence = "yawRateConfidence";
    }
}

sequence! {
    /// Angle of the steering wheel and its confidence.
    pub struct SteeringWheelAngle = "SteeringWheelAngle" {
        /// Angle, positive to the left, in units of 1.5 degrees; 512: not known.
        required angle_1_5_degrees: Bounded<-511, 512> = "steeringWheelAngleValue";
        /// Confidence of the angle, in the same units at 95 %; 126: worse, 127: not known.
        required confidence_1_5_degrees: Bounded<1, 127> = "steeringWheelAngleConfidence";
    }
}

sequence! {
    /// A CEN DSRC tolling zone, to be protected from interference.
    pub struct CenDsrcTollingZone<'a> = "CenDsrcTollingZone", extensible {
        /// Latitude of the zone.
        required latitude: Latitude = "protectedZoneLatitude";
        /// Longitude of the zone.
        required longitude: Longitude = "protectedZoneLongitude";
        /// Identifier of the zone.
        optional id: Bounded<0, 134_217_727> = "cenDsrcTollingZoneID";
    }
}

sequence! {
    /// Values of a vehicle that change fast.
    pub struct BasicVehicleContainerHighFrequency<'a> = "BasicVehicleContainerHighFrequency" {
        /// Heading of the vehicle.
        required heading: Heading = "heading";
        /// Speed of the vehicle.
        required speed: Speed = "speed";
        /// Direction of driving: forwards or backwards.
        required drive_direction: DriveDirection = "driveDirection";
        /// Length of the vehicle.
        required vehicle_length: VehicleLength = "vehicleLength";
        /// Width of the vehicle; 61: wider, 62: not known.
        required vehicle_width_dm: Bounded<1, 62> = "vehicleWidth";
        /// Acceleration forwards.
        required longitudinal_acceleration: LongitudinalAcceleration = "longitudinalAcceleration";
        /// Curvature of the path.
        required curvature: Curvature = "curvature";
        /// Source of the curvature.
        required curvature_calculation_mode: CurvatureCalculationMode
            = "curvatureCalculationMode";
        /// Yaw rate of the vehicle.
        required yaw_rate: YawRate = "yawRate";
        /// Active controls of driver and assistants: brake pedal, gas pedal, emergency brake,
        /// collision warning, adaptive cruise control, cruise control, speed limiter.
        optional acceleration_control: Flags<7> = "accelerationControl";
        /// Lane, counted from the inside; -1: off the road, 0: hard shoulder.
        optional lane_position: Bounded<-1, 14> = "lanePosition";
        /// Angle of the steering wheel.
        optional steering_wheel_angle: SteeringWheelAngle = "steeringWheelAngle";
        /// Acceleration to the left.
        optional lateral_acceleration: LateralAcceleration = "lateralAcceleration";
        /// Acceleration upwards.
        optional vertical_acceleration: VerticalAcceleration = "verticalAcceleration";
        /// Quality class of the measurements: 1 A, 2 B; 0: not known.
        optional performance_class: Bounded<0, 7> = "performanceClass";
        /// Tolling zone nearby.
        optional tolling_zone: CenDsrcTollingZone<'a> = "cenDsrcTollingZone";
    }
}

enumerated! {
    /// Permanence of a protected zone. The temporary kind was added in a later version.
    pub enum ProtectedZoneType = "ProtectedZoneType", extensible {
        /// Permanent zone. A temporary one is [`Later`](Self::Later) 0.
        0 PermanentCenDsrcTolling = "permanentCenDsrcTolling";
    }
}

sequence! {
    /// A zone that is to be protected from interference.
    pub struct ProtectedCommunicationZone<'a> = "ProtectedCommunicationZone", extensible {
        /// Permanence of the zone.
        required kind: ProtectedZoneType = "protectedZoneType";
        /// Time at which the protection ends.
        optional expiry_time_ms: TimestampIts = "expiryTime";
        /// Latitude of the zone.
        required latitude: Latitude = "protectedZoneLatitude";
        /// Longitude of the zone.
        required longitude: Longitude = "protectedZoneLongitude";
        /// Radius of the zone.
        optional radius_m: ExtensibleInteger<1, 255> = "protectedZoneRadius";
        /// Identifier of the zone.
        optional id: Bounded<0, 134_217_727> = "protectedZoneID";
    }
}

sequence! {
    /// Values of a roadside unit that change fast.
    pub struct RsuContainerHighFrequency<'a> = "RSUContainerHighFrequency", extensible {
        /// Zones to be protected from interference.
        optional protected_zones: ListOf<'a, ProtectedCommunicationZone<'a>, 1, 16>
            = "protectedCommunicationZonesRSU";
    }
}

enumerated! {
    /// Role of a vehicle.
    pub enum VehicleRole = "VehicleRole" {
        /// No special role.
        Default = "default";
        /// Public transport.
        PublicTransport = "publicTransport";
        /// Heavy and oversized goods.
        SpecialTransport = "specialTransport";
        /// Dangerous goods.
        DangerousGoods = "dangerousGoods";
        /// Roadworks.
        RoadWork = "roadWork";
        /// Rescue.
        Rescue = "rescue";
        /// Emergency.
        Emergency = "emergency";
        /// Safety car.
        SafetyCar = "safetyCar";
        /// Agriculture.
        Agriculture = "agriculture";
        /// Commerce.
        Commercial = "commercial";
        /// Military.
        Military = "military";
        /// Road operator.
        RoadOperator = "roadOperator";
        /// Taxi.
        Taxi = "taxi";
        /// Reserved.
        Reserved1 = "reserved1";
        /// Reserved.
        Reserved2 = "reserved2";
        /// Reserved.
        Reserved3 = "reserved3";
    }
}

sequence! {
    /// Values of a vehicle that change slowly.
    pub struct BasicVehicleContainerLowFrequency<'a> = "BasicVehicleContainerLowFrequency" {
        /// Role of the vehicle.
        required vehicle_role: VehicleRole = "vehicleRole";
        /// Lights: low beam, high beam, left turn, right turn, daytime, reverse, fog, parking.
        required exterior_lights: Flags<8> = "exteriorLights";
        /// Path that the vehicle has driven.
        required path_history: PathHistory<'a> = "pathHistory";
    }
}

sequence! {
    /// Data of a public transport vehicle.
    pub struct PublicTransportContainer<'a> = "PublicTransportContainer" {
        /// True if passengers get on and off.
        required embarkation_status: bool = "embarkationStatus";
        /// Request to traffic lights.
        optional activation: PtActivation<'a> = "ptActivation";
    }
}

sequence! {
    /// Data of a heavy or oversized transport.
    pub struct SpecialTransportContainer = "SpecialTransportContainer" {
        /// Kind of transport: heavy, too wide, too long, too high.
        required kind: Flags<4> = "specialTransportType";
        /// Light bar and siren in use.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
    }
}

sequence! {
    /// Data of a transport of dangerous goods.
    pub struct DangerousGoodsContainer = "DangerousGoodsContainer" {
        /// Class of the goods, in the order of the standard: 0 to 5 explosives, 6 flammable gases,
        /// and so on.
        required class: Bounded<0, 19> = "dangerousGoodsBasic";
    }
}

enumerated! {
    /// Permitted use of a hard shoulder.
    pub enum HardShoulderStatus = "HardShoulderStatus" {
        /// Open for stopping.
        AvailableForStopping = "availableForStopping";
        /// Closed.
        Closed = "closed";
        /// Open for driving.
        AvailableForDriving = "availableForDriving";
    }
}

sequence! {
    /// Data of a roadworks vehicle.
    pub struct RoadWorksContainerBasic<'a> = "RoadWorksContainerBasic" {
        /// Kind of roadworks, as a sub-cause code.
        optional sub_cause: Bounded<0, 255> = "roadworksSubCauseCode";
        /// Light bar and siren in use.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
        /// Closed lanes.
        optional closed_lanes: ClosedLanes<'a> = "closedLanes";
    }
}

sequence! {
    /// Closed lanes and hard shoulders.
    pub struct ClosedLanes<'a> = "ClosedLanes", extensible {
        /// Status of the inner hard shoulder.
        optional inner_hard_shoulder: HardShoulderStatus = "innerhardShoulderStatus";
        /// Status of the outer hard shoulder.
        optional outer_hard_shoulder: HardShoulderStatus = "outerhardShoulderStatus";
        /// Driving lanes from the inside; true: closed.
        optional driving_lanes: ListOf<'a, bool, 1, 13> = "drivingLaneStatus";
    }
}

sequence! {
    /// Data of a rescue vehicle.
    pub struct RescueContainer = "RescueContainer" {
        /// Light bar and siren in use.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
    }
}

sequence! {
    /// Data of an emergency vehicle.
    pub struct EmergencyContainer<'a> = "EmergencyContainer" {
        /// Light bar and siren in use.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
        /// Cause of the operation.
        optional incident: CauseCode<'a> = "incidentIndication";
        /// Requested priority: right of way, a free crossing.
        optional priority: Flags<2> = "emergencyPriority";
    }
}

sequence! {
    /// Data of a safety car.
    pub struct SafetyCarContainer<'a> = "SafetyCarContainer" {
        /// Light bar and siren in use.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
        /// Cause of the operation.
        optional incident: CauseCode<'a> = "incidentIndication";
        /// Traffic rule at this place.
        optional traffic_rule: TrafficRule = "trafficRule";
        /// Speed limit.
        optional speed_limit_km_h: Bounded<1, 255> = "speedLimit";
    }
}
