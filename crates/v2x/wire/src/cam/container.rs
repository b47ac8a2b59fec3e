//! The containers of a CAM \[EN 302 637-2 Annex B\].

use crate::etsi102894::{
    AccelerationConfidence, AccelerationValue, CauseCode, Heading, Latitude, LightBarSirenInUse,
    Longitude, PathHistory, PtActivation, Speed, TimestampIts, TrafficRule,
};
use crate::uper::{Bounded, ExtensibleInteger, Flags, ListOf, enumerated, sequence};

enumerated! {
    /// Whether a vehicle goes forwards.
    pub enum DriveDirection = "DriveDirection" {
        /// It does.
        Forward = "forward";
        /// It goes backwards.
        Backward = "backward";
        /// Not known.
        Unavailable = "unavailable";
    }
}

enumerated! {
    /// Whether a vehicle draws a trailer.
    pub enum VehicleLengthConfidenceIndication = "VehicleLengthConfidenceIndication" {
        /// It draws none.
        NoTrailer = "noTrailerPresent";
        /// It draws one, which the length counts in.
        TrailerWithKnownLength = "trailerPresentWithKnownLength";
        /// It draws one, which the length does not count in.
        TrailerWithUnknownLength = "trailerPresentWithUnknownLength";
        /// It does not know.
        TrailerUnknown = "trailerPresenceIsUnknown";
        /// Not known at all.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// How long a vehicle is.
    pub struct VehicleLength = "VehicleLength" {
        /// How long; 1022: longer, 1023: not known.
        required length_dm: Bounded<1, 1023> = "vehicleLengthValue";
        /// With or without a trailer.
        required confidence: VehicleLengthConfidenceIndication
            = "vehicleLengthConfidenceIndication";
    }
}

sequence! {
    /// An acceleration forwards.
    pub struct LongitudinalAcceleration = "LongitudinalAcceleration" {
        /// Forwards.
        required acceleration_dm_s2: AccelerationValue = "longitudinalAccelerationValue";
        /// How sure that is.
        required confidence_dm_s2: AccelerationConfidence = "longitudinalAccelerationConfidence";
    }
}

sequence! {
    /// An acceleration to the left.
    pub struct LateralAcceleration = "LateralAcceleration" {
        /// To the left.
        required acceleration_dm_s2: AccelerationValue = "lateralAccelerationValue";
        /// How sure that is.
        required confidence_dm_s2: AccelerationConfidence = "lateralAccelerationConfidence";
    }
}

sequence! {
    /// An acceleration upwards.
    pub struct VerticalAcceleration = "VerticalAcceleration" {
        /// Upwards.
        required acceleration_dm_s2: AccelerationValue = "verticalAccelerationValue";
        /// How sure that is.
        required confidence_dm_s2: AccelerationConfidence = "verticalAccelerationConfidence";
    }
}

enumerated! {
    /// How sure a curvature is, in 1/m.
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
        /// Less sure.
        OutOfRange = "outOfRange";
        /// Not known.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// How a vehicle's path bends.
    pub struct Curvature = "Curvature" {
        /// In 1/10,000 m to the left; 1023: not known.
        required curvature_per_10_km: Bounded<-1023, 1023> = "curvatureValue";
        /// How sure that is.
        required confidence: CurvatureConfidence = "curvatureConfidence";
    }
}

enumerated! {
    /// Where a curvature comes from.
    pub enum CurvatureCalculationMode = "CurvatureCalculationMode", extensible {
        /// From the yaw rate.
        0 YawRateUsed = "yawRateUsed";
        /// From elsewhere.
        1 YawRateNotUsed = "yawRateNotUsed";
        /// Not known.
        2 Unavailable = "unavailable";
    }
}

enumerated! {
    /// How sure a yaw rate is, at 95 %.
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
        /// Less sure.
        OutOfRange = "outOfRange";
        /// Not known.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// How fast a vehicle turns.
    pub struct YawRate = "YawRate" {
        /// To the left; 32,767: not known.
        required yaw_rate_centidegrees_s: Bounded<-32_766, 32_767> = "yawRateValue";
        /// How sure that is.
        required confidence: YawRateConfidence = "yawRateConfidence";
    }
}

sequence! {
    /// How a steering wheel is turned.
    pub struct SteeringWheelAngle = "SteeringWheelAngle" {
        /// To the left, in units of 1.5 degrees; 512: not known.
        required angle_1_5_degrees: Bounded<-511, 512> = "steeringWheelAngleValue";
        /// How sure that is, in the same units at 95 %; 126: less, 127: not known.
        required confidence_1_5_degrees: Bounded<1, 127> = "steeringWheelAngleConfidence";
    }
}

sequence! {
    /// A place where tolls are read by CEN DSRC, which is not to be disturbed.
    pub struct CenDsrcTollingZone<'a> = "CenDsrcTollingZone", extensible {
        /// North.
        required latitude: Latitude = "protectedZoneLatitude";
        /// East.
        required longitude: Longitude = "protectedZoneLongitude";
        /// Its number.
        optional id: Bounded<0, 134_217_727> = "cenDsrcTollingZoneID";
    }
}

sequence! {
    /// What changes fast in a vehicle.
    pub struct BasicVehicleContainerHighFrequency<'a> = "BasicVehicleContainerHighFrequency" {
        /// Where it goes.
        required heading: Heading = "heading";
        /// How fast.
        required speed: Speed = "speed";
        /// Whether it goes forwards.
        required drive_direction: DriveDirection = "driveDirection";
        /// How long it is.
        required vehicle_length: VehicleLength = "vehicleLength";
        /// How wide it is; 61: wider, 62: not known.
        required vehicle_width_dm: Bounded<1, 62> = "vehicleWidth";
        /// How it accelerates.
        required longitudinal_acceleration: LongitudinalAcceleration = "longitudinalAcceleration";
        /// How its path bends.
        required curvature: Curvature = "curvature";
        /// Where that comes from.
        required curvature_calculation_mode: CurvatureCalculationMode
            = "curvatureCalculationMode";
        /// How fast it turns.
        required yaw_rate: YawRate = "yawRate";
        /// What the driver and the assistants do: brake pedal, gas pedal, emergency brake,
        /// collision warning, adaptive cruise control, cruise control, speed limiter.
        optional acceleration_control: Flags<7> = "accelerationControl";
        /// On which lane, from the inside; -1: off the road, 0: hard shoulder.
        optional lane_position: Bounded<-1, 14> = "lanePosition";
        /// How its steering wheel is turned.
        optional steering_wheel_angle: SteeringWheelAngle = "steeringWheelAngle";
        /// How it accelerates to the left.
        optional lateral_acceleration: LateralAcceleration = "lateralAcceleration";
        /// How it accelerates upwards.
        optional vertical_acceleration: VerticalAcceleration = "verticalAcceleration";
        /// How good its measurements are: 1 A, 2 B; 0: not known.
        optional performance_class: Bounded<0, 7> = "performanceClass";
        /// Where tolls are read nearby.
        optional tolling_zone: CenDsrcTollingZone<'a> = "cenDsrcTollingZone";
    }
}

enumerated! {
    /// Whether a protected zone stays; the second one came in a later version.
    pub enum ProtectedZoneType = "ProtectedZoneType", extensible {
        /// It stays. A temporary one is [`Later`](Self::Later) 0.
        0 PermanentCenDsrcTolling = "permanentCenDsrcTolling";
    }
}

sequence! {
    /// A place where others must not be disturbed.
    pub struct ProtectedCommunicationZone<'a> = "ProtectedCommunicationZone", extensible {
        /// Whether it stays.
        required kind: ProtectedZoneType = "protectedZoneType";
        /// Until when it is there.
        optional expiry_time_ms: TimestampIts = "expiryTime";
        /// North.
        required latitude: Latitude = "protectedZoneLatitude";
        /// East.
        required longitude: Longitude = "protectedZoneLongitude";
        /// How far around.
        optional radius_m: ExtensibleInteger<1, 255> = "protectedZoneRadius";
        /// Its number.
        optional id: Bounded<0, 134_217_727> = "protectedZoneID";
    }
}

sequence! {
    /// What changes fast in a roadside unit.
    pub struct RsuContainerHighFrequency<'a> = "RSUContainerHighFrequency", extensible {
        /// Where others must not be disturbed.
        optional protected_zones: ListOf<'a, ProtectedCommunicationZone<'a>, 1, 16>
            = "protectedCommunicationZonesRSU";
    }
}

enumerated! {
    /// What a vehicle is for.
    pub enum VehicleRole = "VehicleRole" {
        /// Nothing special.
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
        /// Who runs the road.
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
    /// What changes slowly in a vehicle.
    pub struct BasicVehicleContainerLowFrequency<'a> = "BasicVehicleContainerLowFrequency" {
        /// What it is for.
        required vehicle_role: VehicleRole = "vehicleRole";
        /// Lights: low beam, high beam, left turn, right turn, daytime, reverse, fog, parking.
        required exterior_lights: Flags<8> = "exteriorLights";
        /// Where it came through.
        required path_history: PathHistory<'a> = "pathHistory";
    }
}

sequence! {
    /// What public transport says.
    pub struct PublicTransportContainer<'a> = "PublicTransportContainer" {
        /// Whether people get on and off.
        required embarkation_status: bool = "embarkationStatus";
        /// What it tells traffic lights.
        optional activation: PtActivation<'a> = "ptActivation";
    }
}

sequence! {
    /// What heavy and oversized transports say.
    pub struct SpecialTransportContainer = "SpecialTransportContainer" {
        /// What it is: heavy, too wide, too long, too high.
        required kind: Flags<4> = "specialTransportType";
        /// Which lights and sirens are on.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
    }
}

sequence! {
    /// What transports of dangerous goods say.
    pub struct DangerousGoodsContainer = "DangerousGoodsContainer" {
        /// Their class, in the order of the standard: 0 to 5 explosives, 6 flammable gases, and
        /// so on.
        required class: Bounded<0, 19> = "dangerousGoodsBasic";
    }
}

enumerated! {
    /// Whether one may go on a hard shoulder.
    pub enum HardShoulderStatus = "HardShoulderStatus" {
        /// To stop.
        AvailableForStopping = "availableForStopping";
        /// Not at all.
        Closed = "closed";
        /// To drive.
        AvailableForDriving = "availableForDriving";
    }
}

sequence! {
    /// What roadworks say.
    pub struct RoadWorksContainerBasic<'a> = "RoadWorksContainerBasic" {
        /// Which.
        optional sub_cause: Bounded<0, 255> = "roadworksSubCauseCode";
        /// Which lights and sirens are on.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
        /// Which lanes are closed.
        optional closed_lanes: ClosedLanes<'a> = "closedLanes";
    }
}

sequence! {
    /// Which lanes are closed.
    pub struct ClosedLanes<'a> = "ClosedLanes", extensible {
        /// The inner hard shoulder.
        optional inner_hard_shoulder: HardShoulderStatus = "innerhardShoulderStatus";
        /// The outer one.
        optional outer_hard_shoulder: HardShoulderStatus = "outerhardShoulderStatus";
        /// The lanes, from the inside: which are closed.
        optional driving_lanes: ListOf<'a, bool, 1, 13> = "drivingLaneStatus";
    }
}

sequence! {
    /// What rescuers say.
    pub struct RescueContainer = "RescueContainer" {
        /// Which lights and sirens are on.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
    }
}

sequence! {
    /// What emergency vehicles say.
    pub struct EmergencyContainer<'a> = "EmergencyContainer" {
        /// Which lights and sirens are on.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
        /// Why.
        optional incident: CauseCode<'a> = "incidentIndication";
        /// What it asks for: right of way, a free crossing.
        optional priority: Flags<2> = "emergencyPriority";
    }
}

sequence! {
    /// What safety cars say.
    pub struct SafetyCarContainer<'a> = "SafetyCarContainer" {
        /// Which lights and sirens are on.
        required light_bar_siren: LightBarSirenInUse = "lightBarSirenInUse";
        /// Why.
        optional incident: CauseCode<'a> = "incidentIndication";
        /// What is forbidden or asked for.
        optional traffic_rule: TrafficRule = "trafficRule";
        /// How fast one may go.
        optional speed_limit_km_h: Bounded<1, 255> = "speedLimit";
    }
}
