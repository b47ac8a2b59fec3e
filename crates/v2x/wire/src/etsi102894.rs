//! The data dictionary that ETSI's messages share \[TS 102 894-2 Annex A\].
//!
//! Numbers keep the units of the standard, which field names state, and its values for "not known",
//! which comments state.

use crate::uper::{Bounded, ExtensibleInteger, Flags, ListOf, UperOctets, enumerated, sequence};

/// Latitude in tenths of a microdegree, positive north; 900,000,001: not known.
pub type Latitude = Bounded<-900_000_000, 900_000_001>;
/// Longitude in tenths of a microdegree, positive east; 1,800,000,001: not known.
pub type Longitude = Bounded<-1_800_000_000, 1_800_000_001>;
/// Direction in tenths of a degree, clockwise from north; 3601: not known.
pub type HeadingValue = Bounded<0, 3601>;
/// Half axis of an ellipse in cm; 4094: more, 4095: not known.
pub type SemiAxisLength = Bounded<0, 4095>;
/// Type of a station: 0 unknown, 1 pedestrian, 2 cyclist, 3 moped, 4 motorcycle, 5 passenger car, 6
/// bus, 7 light truck, 8 heavy truck, 9 trailer, 10 special vehicle, 11 tram, 15 roadside unit.
pub type StationType = Bounded<0, 255>;
/// Identifier of a station; it changes with the pseudonym.
pub type StationId = Bounded<0, 0xFFFF_FFFF>;
/// Milliseconds of TAI since 2004-01-01T00:00:00 UTC.
pub type TimestampIts = Bounded<0, 4_398_046_511_103>;
/// Confidence of an acceleration, in 0.1 m/s²; 101: worse, 102: not known.
pub type AccelerationConfidence = Bounded<0, 102>;
/// An acceleration in 0.1 m/s²; 161: not known.
pub type AccelerationValue = Bounded<-160, 161>;
/// Lights and sirens in use: light bar, siren.
pub type LightBarSirenInUse = Flags<2>;
/// Travel time between a path point and its reference point, in 10 ms.
pub type PathDeltaTime = ExtensibleInteger<1, 65_535>;
/// Path that a vehicle has driven, most recent point first.
pub type PathHistory<'a> = ListOf<'a, PathPoint, 0, 40>;

sequence! {
    /// Header that every message begins with.
    pub struct ItsPduHeader = "ItsPduHeader" {
        /// Protocol version of the message.
        required protocol_version: Bounded<0, 255> = "protocolVersion";
        /// Kind of message: 1 DENM, 2 CAM, 3 POI, 4 SPATEM, 5 MAPEM, 6 IVIM, and so on.
        required message_id: Bounded<0, 255> = "messageID";
        /// Station that sent the message.
        required station_id: StationId = "stationID";
    }
}

/// Values of `message_id` in an [`ItsPduHeader`].
pub mod message_id {
    /// A DENM.
    pub const DENM: i64 = 1;
    /// A CAM.
    pub const CAM: i64 = 2;
}

sequence! {
    /// Confidence ellipse of a position, at 95 %.
    pub struct PosConfidenceEllipse = "PosConfidenceEllipse" {
        /// Longer half axis.
        required semi_major_cm: SemiAxisLength = "semiMajorConfidence";
        /// Shorter half axis.
        required semi_minor_cm: SemiAxisLength = "semiMinorConfidence";
        /// Direction of the longer half axis.
        required semi_major_orientation_decidegrees: HeadingValue = "semiMajorOrientation";
    }
}

enumerated! {
    /// Confidence of an altitude, at 95 %.
    pub enum AltitudeConfidence = "AltitudeConfidence" {
        /// 1 cm.
        Centimetre1 = "alt-000-01";
        /// 2 cm.
        Centimetres2 = "alt-000-02";
        /// 5 cm.
        Centimetres5 = "alt-000-05";
        /// 10 cm.
        Centimetres10 = "alt-000-10";
        /// 20 cm.
        Centimetres20 = "alt-000-20";
        /// 50 cm.
        Centimetres50 = "alt-000-50";
        /// 1 m.
        Metre1 = "alt-001-00";
        /// 2 m.
        Metres2 = "alt-002-00";
        /// 5 m.
        Metres5 = "alt-005-00";
        /// 10 m.
        Metres10 = "alt-010-00";
        /// 20 m.
        Metres20 = "alt-020-00";
        /// 50 m.
        Metres50 = "alt-050-00";
        /// 100 m.
        Metres100 = "alt-100-00";
        /// 200 m.
        Metres200 = "alt-200-00";
        /// More than 200 m.
        OutOfRange = "outOfRange";
        /// Not known.
        Unavailable = "unavailable";
    }
}

sequence! {
    /// Altitude and its confidence.
    pub struct Altitude = "Altitude" {
        /// Height above the ellipsoid; 800,001: not known.
        required altitude_cm: Bounded<-100_000, 800_001> = "altitudeValue";
        /// Confidence of the altitude.
        required confidence: AltitudeConfidence = "altitudeConfidence";
    }
}

sequence! {
    /// Position with altitude and confidence.
    pub struct ReferencePosition = "ReferencePosition" {
        /// Latitude of the position.
        required latitude: Latitude = "latitude";
        /// Longitude of the position.
        required longitude: Longitude = "longitude";
        /// Confidence of latitude and longitude.
        required confidence_ellipse: PosConfidenceEllipse = "positionConfidenceEllipse";
        /// Altitude of the position.
        required altitude: Altitude = "altitude";
    }
}

sequence! {
    /// Position relative to a reference point.
    pub struct DeltaReferencePosition = "DeltaReferencePosition" {
        /// Offset to the north in tenths of a microdegree; 131,072: not known.
        required delta_latitude: Bounded<-131_071, 131_072> = "deltaLatitude";
        /// Offset to the east in tenths of a microdegree; 131,072: not known.
        required delta_longitude: Bounded<-131_071, 131_072> = "deltaLongitude";
        /// Offset upwards; 12,800: not known.
        required delta_altitude_cm: Bounded<-12_700, 12_800> = "deltaAltitude";
    }
}

sequence! {
    /// A point of the path that a vehicle has driven.
    pub struct PathPoint = "PathPoint" {
        /// Position relative to the point before.
        required position: DeltaReferencePosition = "pathPosition";
        /// Travel time between this point and its reference point.
        optional delta_time_10ms: PathDeltaTime = "pathDeltaTime";
    }
}

sequence! {
    /// Heading and its confidence.
    pub struct Heading = "Heading" {
        /// Direction of motion.
        required heading_decidegrees: HeadingValue = "headingValue";
        /// Confidence of the heading, in tenths of a degree at 95 %; 126: worse, 127: not known.
        required confidence_decidegrees: Bounded<1, 127> = "headingConfidence";
    }
}

sequence! {
    /// Speed and its confidence.
    pub struct Speed = "Speed" {
        /// Speed; 16,383: not known.
        required speed_cm_s: Bounded<0, 16_383> = "speedValue";
        /// Confidence of the speed, at 95 %; 126: worse, 127: not known.
        required confidence_cm_s: Bounded<1, 127> = "speedConfidence";
    }
}

sequence! {
    /// Cause of a message: an event on the road.
    pub struct CauseCode<'a> = "CauseCode", extensible {
        /// Kind of event: 1 traffic, 2 accident, 3 roadworks, 94 stationary vehicle, 95 emergency
        /// vehicle, 97 risk of a collision, 99 dangerous situation, and so on.
        required cause: Bounded<0, 255> = "causeCode";
        /// Kind of event within the cause.
        required sub_cause: Bounded<0, 255> = "subCauseCode";
    }
}

enumerated! {
    /// Distance within which an event is relevant.
    pub enum RelevanceDistance = "RelevanceDistance" {
        /// Less than 50 m.
        Metres50 = "lessThan50m";
        /// Less than 100 m.
        Metres100 = "lessThan100m";
        /// Less than 200 m.
        Metres200 = "lessThan200m";
        /// Less than 500 m.
        Metres500 = "lessThan500m";
        /// Less than 1 km.
        Metres1000 = "lessThan1000m";
        /// Less than 5 km.
        Kilometres5 = "lessThan5km";
        /// Less than 10 km.
        Kilometres10 = "lessThan10km";
        /// More than 10 km.
        Farther = "over10km";
    }
}

enumerated! {
    /// Traffic for which an event is relevant.
    pub enum RelevanceTrafficDirection = "RelevanceTrafficDirection" {
        /// Traffic in all directions.
        All = "allTrafficDirections";
        /// Upstream traffic, which approaches the event.
        Upstream = "upstreamTraffic";
        /// Downstream traffic, which has passed the event.
        Downstream = "downstreamTraffic";
        /// Traffic in the opposite direction.
        Opposite = "oppositeTraffic";
    }
}

enumerated! {
    /// Type of a road.
    pub enum RoadType = "RoadType" {
        /// Urban, not separated from the opposite lanes.
        UrbanNotSeparated = "urban-NoStructuralSeparationToOppositeLanes";
        /// Urban, separated from the opposite lanes.
        UrbanSeparated = "urban-WithStructuralSeparationToOppositeLanes";
        /// Rural, not separated from the opposite lanes.
        RuralNotSeparated = "nonUrban-NoStructuralSeparationToOppositeLanes";
        /// Rural, separated from the opposite lanes.
        RuralSeparated = "nonUrban-WithStructuralSeparationToOppositeLanes";
    }
}

enumerated! {
    /// Traffic rule at a place.
    pub enum TrafficRule = "TrafficRule", extensible {
        /// No overtaking.
        0 NoPassing = "noPassing";
        /// No overtaking for trucks.
        1 NoPassingForTrucks = "noPassingForTrucks";
        /// Pass to the right.
        2 PassToRight = "passToRight";
        /// Pass to the left.
        3 PassToLeft = "passToLeft";
    }
}

sequence! {
    /// Request of public transport to traffic lights, in a format outside of this standard.
    pub struct PtActivation<'a> = "PtActivation" {
        /// Format of the request: 1 R09.16, 2 VDV 50149.
        required kind: Bounded<0, 255> = "ptActivationType";
        /// Request in this format.
        required data: UperOctets<'a, 1, 20> = "ptActivationData";
    }
}
