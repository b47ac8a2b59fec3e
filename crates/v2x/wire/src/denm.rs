//! Decentralised environmental notification messages \[EN 302 637-3 Annex A\], which report events
//! on the road. Version 1.3.1: management, situation and location.
//!
//! The à-la-carte container is not parsed: its bits are kept, and written unchanged.

use crate::coer::Visitor;
use crate::error::{EmitError, ParseFault, WireError};
use crate::etsi102894::{
    CauseCode, DeltaReferencePosition, Heading, ItsPduHeader, PathDeltaTime, PathHistory,
    ReferencePosition, RelevanceDistance, RelevanceTrafficDirection, RoadType, Speed, StationId,
    StationType, TimestampIts, message_id,
};
use crate::uper::{
    Bits, Bounded, ListOf, UperDecode, UperEncode, UperReader, UperSink, enumerated, sequence,
};

/// Protocol version that is parsed.
pub const PROTOCOL_VERSION: i64 = 2;
/// Validity of an event where a message does not state one, in seconds.
pub const DEFAULT_VALIDITY_S: i64 = 600;

sequence! {
    /// Identifier of an event.
    pub struct ActionId = "ActionID" {
        /// Station that first detected the event.
        required originating_station: StationId = "originatingStationID";
        /// Number of the event among those of the originating station.
        required sequence_number: Bounded<0, 65_535> = "sequenceNumber";
    }
}

enumerated! {
    /// End of an event.
    pub enum Termination = "Termination" {
        /// The originating station cancels its message.
        Cancellation = "isCancellation";
        /// Another station declares that the event is over.
        Negation = "isNegation";
    }
}

const DEFAULT_VALIDITY: Bounded<0, 86_400> = Bounded::new(DEFAULT_VALIDITY_S).unwrap();

sequence! {
    /// Identifier, time and place of an event.
    pub struct ManagementContainer<'a> = "ManagementContainer", extensible {
        /// Identifier of the event.
        required action_id: ActionId = "actionID";
        /// Time of detection.
        required detection_time_ms: TimestampIts = "detectionTime";
        /// Time at which the message was generated.
        required reference_time_ms: TimestampIts = "referenceTime";
        /// End of the event, if it is over.
        optional termination: Termination = "termination";
        /// Position of the event.
        required event_position: ReferencePosition = "eventPosition";
        /// Distance within which the event is relevant.
        optional relevance_distance: RelevanceDistance = "relevanceDistance";
        /// Traffic for which the event is relevant.
        optional relevance_traffic_direction: RelevanceTrafficDirection
            = "relevanceTrafficDirection";
        /// Validity of the event, from its detection.
        default validity_duration_s: Bounded<0, 86_400> = "validityDuration", DEFAULT_VALIDITY;
        /// Interval between transmissions of the message.
        optional transmission_interval_ms: Bounded<1, 10_000> = "transmissionInterval";
        /// Type of the sending station.
        required station_type: StationType = "stationType";
    }
}

sequence! {
    /// An earlier place of an event.
    pub struct EventPoint = "EventPoint" {
        /// Position relative to the event's position.
        required position: DeltaReferencePosition = "eventPosition";
        /// Travel time between this point and its reference point.
        optional delta_time_10ms: PathDeltaTime = "eventDeltaTime";
        /// Quality of the information: 1 lowest, 7 highest; 0: not known.
        required information_quality: Bounded<0, 7> = "informationQuality";
    }
}

sequence! {
    /// Kind of event.
    pub struct SituationContainer<'a> = "SituationContainer", extensible {
        /// Quality of the information: 1 lowest, 7 highest; 0: not known.
        required information_quality: Bounded<0, 7> = "informationQuality";
        /// Cause code of the event.
        required event_type: CauseCode<'a> = "eventType";
        /// Cause code of a linked event.
        optional linked_cause: CauseCode<'a> = "linkedCause";
        /// Earlier places of the event.
        optional event_history: ListOf<'a, EventPoint, 1, 23> = "eventHistory";
    }
}

sequence! {
    /// Motion of the event and ways that lead to it.
    pub struct LocationContainer<'a> = "LocationContainer", extensible {
        /// Speed of the event.
        optional event_speed: Speed = "eventSpeed";
        /// Direction in which the event moves.
        optional event_heading: Heading = "eventPositionHeading";
        /// Paths that lead to the event.
        required traces: ListOf<'a, PathHistory<'a>, 1, 7> = "traces";
        /// Type of the road.
        optional road_type: RoadType = "roadType";
    }
}

/// A message whose header says that it is a DENM of this version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Denm<'a> {
    /// Station that sent the message.
    pub station_id: StationId,
    /// Identifier, time and place of the event.
    pub management: ManagementContainer<'a>,
    /// Kind of event.
    pub situation: Option<SituationContainer<'a>>,
    /// Motion of the event and ways that lead to it.
    pub location: Option<LocationContainer<'a>>,
    /// The à-la-carte container with all bits behind it.
    pub alacarte: Option<Bits<'a>>,
}

impl<'a> UperDecode<'a> for Denm<'a> {
    const NAME: &'static str = "DENM";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let header: ItsPduHeader = reader.field("header")?;
        let fault = match (header.protocol_version.value(), header.message_id.value()) {
            (PROTOCOL_VERSION, message_id::DENM) => None,
            (PROTOCOL_VERSION, _) => Some(ParseFault::Inconsistent("the message is no DENM")),
            (found, _) => Some(ParseFault::Version {
                expected: PROTOCOL_VERSION as u8,
                found: found as u8,
            }),
        };
        if let Some(fault) = fault {
            return Err(WireError::at(fault, offset));
        }
        let [has_situation, has_location, has_alacarte] =
            [reader.bit()?, reader.bit()?, reader.bit()?];
        let management = reader.field("management")?;
        let situation = match has_situation {
            true => Some(reader.field("situation")?),
            false => None,
        };
        let location = match has_location {
            true => Some(reader.field("location")?),
            false => None,
        };
        Ok(Self {
            station_id: header.station_id,
            management,
            situation,
            location,
            alacarte: has_alacarte.then(|| reader.rest()),
        })
    }
}

impl UperEncode for Denm<'_> {
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(PROTOCOL_VERSION as u64, 8)?;
        sink.put(message_id::DENM as u64, 8)?;
        self.station_id.encode(sink)?;
        sink.put(u64::from(self.situation.is_some()), 1)?;
        sink.put(u64::from(self.location.is_some()), 1)?;
        sink.put(u64::from(self.alacarte.is_some()), 1)?;
        self.management.encode(sink)?;
        if let Some(situation) = &self.situation {
            situation.encode(sink)?;
        }
        if let Some(location) = &self.location {
            location.encode(sink)?;
        }
        match &self.alacarte {
            Some(bits) => bits.encode(sink),
            None => Ok(()),
        }
    }
}
