//! Cooperative awareness messages \[EN 302 637-2 Annex A\]: the presence, position and motion of a
//! station. Version 1.4.1, all containers.
//!
//! Syntax only: generation rules, such as the rate and the containers to include, are not covered.

mod container;

pub use container::{
    BasicVehicleContainerHighFrequency, BasicVehicleContainerLowFrequency, CenDsrcTollingZone,
    ClosedLanes, Curvature, CurvatureCalculationMode, CurvatureConfidence, DangerousGoodsContainer,
    DriveDirection, EmergencyContainer, HardShoulderStatus, LateralAcceleration,
    LongitudinalAcceleration, ProtectedCommunicationZone, ProtectedZoneType,
    PublicTransportContainer, RescueContainer, RoadWorksContainerBasic, RsuContainerHighFrequency,
    SafetyCarContainer, SpecialTransportContainer, SteeringWheelAngle, VehicleLength,
    VehicleLengthConfidenceIndication, VehicleRole, VerticalAcceleration, YawRate,
    YawRateConfidence,
};

use crate::coer::Visitor;
use crate::error::{EmitError, ParseFault, WireError};
use crate::etsi102894::{ItsPduHeader, ReferencePosition, StationType, message_id};
use crate::uper::{Bounded, UperDecode, UperEncode, UperReader, UperSink, choice, sequence};

/// Protocol version that is parsed.
pub const PROTOCOL_VERSION: i64 = 2;

sequence! {
    /// Header and body of a message.
    pub struct CamParts<'a> = "CAM" {
        /// Header that every message begins with.
        required header: ItsPduHeader = "header";
        /// Body of the message.
        required cam: CoopAwareness<'a> = "cam";
    }
}

sequence! {
    /// Body of a CAM: the time and the containers.
    pub struct CoopAwareness<'a> = "CoopAwareness" {
        /// Generation time: milliseconds of [`TimestampIts`](crate::etsi102894::TimestampIts),
        /// modulo 2^16.
        required generation_delta_time_ms: Bounded<0, 65_535> = "generationDeltaTime";
        /// Containers with position and motion.
        required parameters: CamParameters<'a> = "camParameters";
    }
}

sequence! {
    /// Containers of a CAM.
    pub struct CamParameters<'a> = "CamParameters", extensible {
        /// Station type and position.
        required basic: BasicContainer<'a> = "basicContainer";
        /// Values that change fast.
        required high_frequency: HighFrequencyContainer<'a> = "highFrequencyContainer";
        /// Values that change slowly.
        optional low_frequency: LowFrequencyContainer<'a> = "lowFrequencyContainer";
        /// Data of special vehicles only.
        optional special_vehicle: SpecialVehicleContainer<'a> = "specialVehicleContainer";
    }
}

sequence! {
    /// Type and position of a station.
    pub struct BasicContainer<'a> = "BasicContainer", extensible {
        /// Type of the station.
        required station_type: StationType = "stationType";
        /// Position of the station.
        required reference_position: ReferencePosition = "referencePosition";
    }
}

choice! {
    /// Values that change fast.
    pub enum HighFrequencyContainer<'a> = "HighFrequencyContainer" {
        /// Values of a vehicle.
        0 BasicVehicle(BasicVehicleContainerHighFrequency<'a>)
            = "basicVehicleContainerHighFrequency";
        /// Values of a roadside unit.
        1 Rsu(RsuContainerHighFrequency<'a>) = "rsuContainerHighFrequency";
    }
}

choice! {
    /// Values that change slowly.
    pub enum LowFrequencyContainer<'a> = "LowFrequencyContainer" {
        /// Values of a vehicle.
        0 BasicVehicle(BasicVehicleContainerLowFrequency<'a>)
            = "basicVehicleContainerLowFrequency";
    }
}

choice! {
    /// Data of special vehicles only.
    pub enum SpecialVehicleContainer<'a> = "SpecialVehicleContainer" {
        /// Public transport.
        0 PublicTransport(PublicTransportContainer<'a>) = "publicTransportContainer";
        /// Heavy and oversized goods.
        1 SpecialTransport(SpecialTransportContainer) = "specialTransportContainer";
        /// Dangerous goods.
        2 DangerousGoods(DangerousGoodsContainer) = "dangerousGoodsContainer";
        /// Roadworks.
        3 RoadWorks(RoadWorksContainerBasic<'a>) = "roadWorksContainerBasic";
        /// Rescue.
        4 Rescue(RescueContainer) = "rescueContainer";
        /// Emergency.
        5 Emergency(EmergencyContainer<'a>) = "emergencyContainer";
        /// Safety cars.
        6 SafetyCar(SafetyCarContainer<'a>) = "safetyCarContainer";
    }
}

/// A message whose header says that it is a CAM of this version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cam<'a>(CamParts<'a>);

impl<'a> Cam<'a> {
    /// Creates a message from its parts; `None` if the header is another message's.
    #[must_use]
    pub fn new(parts: CamParts<'a>) -> Option<Self> {
        header_fault(&parts.header).is_none().then_some(Self(parts))
    }
}

fn header_fault(header: &ItsPduHeader) -> Option<ParseFault> {
    match (header.protocol_version.value(), header.message_id.value()) {
        (PROTOCOL_VERSION, message_id::CAM) => None,
        (PROTOCOL_VERSION, _) => Some(ParseFault::Inconsistent("the message is no CAM")),
        (found, _) => Some(ParseFault::Version {
            expected: PROTOCOL_VERSION as u8,
            found: found as u8,
        }),
    }
}

impl<'a> core::ops::Deref for Cam<'a> {
    type Target = CamParts<'a>;

    fn deref(&self) -> &CamParts<'a> {
        &self.0
    }
}

impl<'a> UperDecode<'a> for Cam<'a> {
    const NAME: &'static str = "CAM";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let header: ItsPduHeader = reader.field("header")?;
        // What another message has inside would be read as nonsense.
        if let Some(fault) = header_fault(&header) {
            return Err(WireError::at(fault, offset));
        }
        let cam = reader.field("cam")?;
        Ok(Self(CamParts { header, cam }))
    }
}

impl UperEncode for Cam<'_> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}
