//! The data dictionary that ETSI's messages share \[TS 102 894-2 Annex A\].
//!
//! Numbers keep the units of the standard, which field names tell, and its numbers for what is not
//! known, which their docs tell.

use crate::uper::{Bounded, ExtensibleInteger, Flags, ListOf, Octets, enumerated, sequence};

/// Tenths of a microdegree north; 900,000,001: not known.
pub type Latitude = Bounded<-900_000_000, 900_000_001>;
/// Tenths of a microdegree east; 1,800,000,001: not known.
pub type Longitude = Bounded<-1_800_000_000, 1_800_000_001>;
/// Tenths of a degree from north to the east; 3601: not known.
pub type HeadingValue = Bounded<0, 3601>;
/// The axis of an ellipse in cm; 4094: more, 4095: not known.
pub type SemiAxisLength = Bounded<0, 4095>;
/// What a station is: 0 unknown, 1 pedestrian, 2 cyclist, 3 moped, 4 motorcycle, 5 passenger car,
/// 6 bus, 7 light truck, 8 heavy truck, 9 trailer, 10 special vehicle, 11 tram, 15 roadside unit.
pub type StationType = Bounded<0, 255>;
/// Who a station is, for as long as its pseudonym lasts.
pub type StationId = Bounded<0, 0xFFFF_FFFF>;
/// Milliseconds of TAI since 2004-01-01T00:00:00 UTC.
pub type TimestampIts = Bounded<0, 4_398_046_511_103>;
/// How sure an acceleration is, in 0.1 m/s²; 101: less, 102: not known.
pub type AccelerationConfidence = Bounded<0, 102>;
/// An acceleration in 0.1 m/s²; 161: not known.
pub type AccelerationValue = Bounded<-160, 161>;
/// Which lights and sirens are on: light bar, siren.
pub type LightBarSirenInUse = Flags<2>;
/// How long ago a place of a path was left, in 10 ms.
pub type PathDeltaTime = ExtensibleInteger<1, 65_535>;
/// The places that a vehicle came through, the last one first.
pub type PathHistory<'a> = ListOf<'a, PathPoint, 0, 40>;

sequence! {
    /// What every message begins with.
    pub struct ItsPduHeader = "ItsPduHeader" {
        /// The version of the message.
        required protocol_version: Bounded<0, 255> = "protocolVersion";
        /// What the message is: 1 DENM, 2 CAM, 3 POI, 4 SPATEM, 5 MAPEM, 6 IVIM, and so on.
        required message_id: Bounded<0, 255> = "messageID";
        /// Who sent it.
        required station_id: StationId = "stationID";
    }
}

/// The message that it is, in an [`ItsPduHeader`].
pub mod message_id {
    /// A DENM.
    pub const DENM: i64 = 1;
    /// A CAM.
    pub const CAM: i64 = 2;
}

sequence! {
    /// Where something is within, at 95 %.
    pub struct PosConfidenceEllipse = "PosConfidenceEllipse" {
        /// The longer half axis.
        required semi_major_cm: SemiAxisLength = "semiMajorConfidence";
        /// The shorter one.
        required semi_minor_cm: SemiAxisLength = "semiMinorConfidence";
        /// Where the longer one points.
        required semi_major_orientation_decidegrees: HeadingValue = "semiMajorOrientation";
    }
}

enumerated! {
    /// How sure a height is, at 95 %.
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
    /// A height.
    pub struct Altitude = "Altitude" {
        /// Above the ellipsoid; 800,001: not known.
        required altitude_cm: Bounded<-100_000, 800_001> = "altitudeValue";
        /// How sure it is.
        required confidence: AltitudeConfidence = "altitudeConfidence";
    }
}

sequence! {
    /// A place.
    pub struct ReferencePosition = "ReferencePosition" {
        /// North.
        required latitude: Latitude = "latitude";
        /// East.
        required longitude: Longitude = "longitude";
        /// How sure that is.
        required confidence_ellipse: PosConfidenceEllipse = "positionConfidenceEllipse";
        /// Up.
        required altitude: Altitude = "altitude";
    }
}

sequence! {
    /// A place, seen from another one.
    pub struct DeltaReferencePosition = "DeltaReferencePosition" {
        /// Tenths of a microdegree to the north; 131,072: not known.
        required delta_latitude: Bounded<-131_071, 131_072> = "deltaLatitude";
        /// Tenths of a microdegree to the east; 131,072: not known.
        required delta_longitude: Bounded<-131_071, 131_072> = "deltaLongitude";
        /// Up; 12,800: not known.
        required delta_altitude_cm: Bounded<-12_700, 12_800> = "deltaAltitude";
    }
}

sequence! {
    /// A place that a vehicle came through.
    pub struct PathPoint = "PathPoint" {
        /// Where, seen from the place before.
        required position: DeltaReferencePosition = "pathPosition";
        /// When.
        optional delta_time_10ms: PathDeltaTime = "pathDeltaTime";
    }
}

sequence! {
    /// Where to.
    pub struct Heading = "Heading" {
        /// Where to.
        required heading_decidegrees: HeadingValue = "headingValue";
        /// How sure that is, in tenths of a degree at 95 %; 126: less, 127: not known.
        required confidence_decidegrees: Bounded<1, 127> = "headingConfidence";
    }
}

sequence! {
    /// How fast.
    pub struct Speed = "Speed" {
        /// How fast; 16,383: not known.
        required speed_cm_s: Bounded<0, 16_383> = "speedValue";
        /// How sure that is, at 95 %; 126: less, 127: not known.
        required confidence_cm_s: Bounded<1, 127> = "speedConfidence";
    }
}

sequence! {
    /// Why: something that happened on the road.
    pub struct CauseCode<'a> = "CauseCode", extensible {
        /// What: 1 traffic, 2 accident, 3 roadworks, 94 stationary vehicle, 95 emergency vehicle,
        /// 97 risk of a collision, 99 dangerous situation, and so on.
        required cause: Bounded<0, 255> = "causeCode";
        /// What, more exactly.
        required sub_cause: Bounded<0, 255> = "subCauseCode";
    }
}

enumerated! {
    /// How far off something still matters.
    pub enum RelevanceDistance = "RelevanceDistance" {
        /// 50 m.
        Metres50 = "lessThan50m";
        /// 100 m.
        Metres100 = "lessThan100m";
        /// 200 m.
        Metres200 = "lessThan200m";
        /// 500 m.
        Metres500 = "lessThan500m";
        /// 1 km.
        Metres1000 = "lessThan1000m";
        /// 5 km.
        Kilometres5 = "lessThan5km";
        /// 10 km.
        Kilometres10 = "lessThan10km";
        /// Farther.
        Farther = "over10km";
    }
}

enumerated! {
    /// For which traffic something matters.
    pub enum RelevanceTrafficDirection = "RelevanceTrafficDirection" {
        /// For all.
        All = "allTrafficDirections";
        /// For what comes towards it.
        Upstream = "upstreamTraffic";
        /// For what has passed it.
        Downstream = "downstreamTraffic";
        /// For what goes the other way.
        Opposite = "oppositeTraffic";
    }
}

enumerated! {
    /// What kind of road.
    pub enum RoadType = "RoadType" {
        /// In a town, the other direction not parted off.
        UrbanNotSeparated = "urban-NoStructuralSeparationToOppositeLanes";
        /// In a town, the other direction parted off.
        UrbanSeparated = "urban-WithStructuralSeparationToOppositeLanes";
        /// In the country, the other direction not parted off.
        RuralNotSeparated = "nonUrban-NoStructuralSeparationToOppositeLanes";
        /// In the country, the other direction parted off.
        RuralSeparated = "nonUrban-WithStructuralSeparationToOppositeLanes";
    }
}

enumerated! {
    /// What is forbidden or asked for at a place.
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
    /// What public transport tells traffic lights, in a form of its own.
    pub struct PtActivation<'a> = "PtActivation" {
        /// Which form: 1 R09.16, 2 VDV 50149.
        required kind: Bounded<0, 255> = "ptActivationType";
        /// What.
        required data: Octets<'a, 1, 20> = "ptActivationData";
    }
}
