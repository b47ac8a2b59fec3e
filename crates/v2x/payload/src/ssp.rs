//! The SSP of CAM and DENM: an octet with the version, then a bit for each permission.

use alloc::vec::Vec;

use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{Psid, ServiceSpecificPermissions};

/// SSP versions whose bits are known; each version of CAM or DENM has its own table.
const VERSIONS: core::ops::RangeInclusive<u8> = 1..=2;

/// Names of the bits of a CAM's SSP, in order \[EN 302 637-2 §6.2.2.2\]. Version 2 adds the last
/// two \[TS 103 900 §6.2.2.2\].
const CAM: [&str; 16] = [
    "cenDsrcTollingZone",
    "publicTransport",
    "specialTransport",
    "dangerousGoods",
    "roadwork",
    "rescue",
    "emergency",
    "safetyCar",
    "closedLanes",
    "requestForRightOfWay",
    "requestForFreeCrossingAtATrafficLight",
    "noPassing",
    "noPassingForTrucks",
    "speedLimit",
    "twoWheeler",
    "twoWheelerCyclist",
];
const CAM_BITS_OF_VERSION_1: usize = 14;

/// Causes of a DENM's SSP with the names of their bits, in order \[EN 302 637-3 §6.2.2.2\].
/// Version 2 adds the last four \[TS 103 831 §6.2.2.2\].
const DENM: [(u8, &str); 28] = [
    (1, "trafficCondition"),
    (2, "accident"),
    (3, "roadworks"),
    (6, "adverseWeatherCondition-Adhesion"),
    (9, "hazardousLocation-SurfaceCondition"),
    (10, "hazardousLocation-ObstacleOnTheRoad"),
    (11, "hazardousLocation-AnimalOnTheRoad"),
    (12, "humanPresenceOnTheRoad"),
    (14, "wrongWayDriving"),
    (15, "rescueAndRecoveryWorkInProgress"),
    (17, "adverseWeatherCondition-ExtremeWeatherCondition"),
    (18, "adverseWeatherCondition-Visibility"),
    (19, "adverseWeatherCondition-Precipitation"),
    (26, "slowVehicle"),
    (27, "dangerousEndOfQueue"),
    (91, "vehicleBreakdown"),
    (92, "postCrash"),
    (93, "humanProblem"),
    (94, "stationaryVehicle"),
    (95, "emergencyVehicleApproaching"),
    (96, "hazardousLocation-DangerousCurve"),
    (97, "collisionRisk"),
    (98, "signalViolation"),
    (99, "dangerousSituation"),
    (5, "impassability"),
    (7, "aquaplaning"),
    (28, "publicTransportVehicleApproaching"),
    (100, "railwayLevelCrossing"),
];
const DENM_BITS_OF_VERSION_1: usize = 24;

/// The octets of an SSP of CAM or DENM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SspBits<'a>(&'a [u8]);

impl<'a> SspBits<'a> {
    /// Returns the octets of an SSP; `None` for a form that only a later standard defines.
    #[must_use]
    pub fn of(ssp: &ServiceSpecificPermissions<'a>) -> Option<Self> {
        match ssp {
            ServiceSpecificPermissions::Opaque(bytes) => Some(Self(bytes)),
            ServiceSpecificPermissions::Bitmap(bits) => Some(Self(bits.as_bytes())),
            ServiceSpecificPermissions::Unknown(..) => None,
        }
    }

    /// Returns the version; `None` for an empty SSP.
    #[must_use]
    pub fn version(self) -> Option<u8> {
        self.0.first().copied()
    }

    /// Returns the names of the bits of a CAM's SSP; `None` for an unknown version.
    pub(crate) fn of_cam(self) -> Option<&'static [&'static str]> {
        let bits = self.known(CAM_BITS_OF_VERSION_1, CAM.len())?;
        CAM.get(..bits)
    }

    /// Returns causes and names of the bits of a DENM's SSP; `None` for an unknown version.
    pub(crate) fn of_denm(self) -> Option<&'static [(u8, &'static str)]> {
        let bits = self.known(DENM_BITS_OF_VERSION_1, DENM.len())?;
        DENM.get(..bits)
    }

    fn known(self, first: usize, second: usize) -> Option<usize> {
        let version = self.version().filter(|own| VERSIONS.contains(own))?;
        Some(if version == 1 { first } else { second })
    }

    /// Returns true if a bit is set, counted from the end of the version; bits beyond the end are
    /// not.
    pub(crate) fn has(self, bit: usize) -> bool {
        let octet = self.0.get(1 + bit / 8);
        octet.is_some_and(|octet| octet & (0x80 >> (bit % 8)) != 0)
    }
}

/// Returns the names of the permissions that an SSP of CAM or DENM grants; `None` for other
/// applications and versions.
#[must_use]
pub fn permission_names(
    psid: Psid,
    ssp: &ServiceSpecificPermissions<'_>,
) -> Option<Vec<&'static str>> {
    let bits = SspBits::of(ssp)?;
    let set = |(bit, name)| bits.has(bit).then_some(name);
    match psid {
        its_aid::CAM => {
            let names = bits.of_cam()?.iter().copied();
            Some(names.enumerate().filter_map(set).collect())
        }
        its_aid::DENM => {
            let names = bits.of_denm()?.iter().map(|(_, name)| *name);
            Some(names.enumerate().filter_map(set).collect())
        }
        _ => None,
    }
}
