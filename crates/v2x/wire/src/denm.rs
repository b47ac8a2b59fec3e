//! Decentralised environmental notification messages \[EN 302 637-3 Annex A\], which tell that
//! something has happened on the road. Version 1.3.1: management, situation and location.
//!
//! The à-la-carte container is not read: its bits are kept, and written as they are.

use crate::coer::Visitor;
use crate::error::{EmitError, Fault, WireError};
use crate::etsi102894::{
    CauseCode, DeltaReferencePosition, Heading, ItsPduHeader, PathDeltaTime, PathHistory,
    ReferencePosition, RelevanceDistance, RelevanceTrafficDirection, RoadType, Speed, StationId,
    StationType, TimestampIts, message_id,
};
use crate::uper::{Bits, Bounded, Decode, Encode, ListOf, Reader, Sink, enumerated, sequence};

/// The version of messages that is read.
pub const PROTOCOL_VERSION: i64 = 2;
/// How long something holds where a message does not say, in seconds.
pub const DEFAULT_VALIDITY_S: i64 = 600;

sequence! {
    /// Which event it is.
    pub struct ActionId = "ActionID" {
        /// Who saw it first.
        required originating_station: StationId = "originatingStationID";
        /// Which of the events that it saw.
        required sequence_number: Bounded<0, 65_535> = "sequenceNumber";
    }
}

enumerated! {
    /// How an event ends.
    pub enum Termination = "Termination" {
        /// Who saw it takes it back.
        Cancellation = "isCancellation";
        /// Another station says that it is over.
        Negation = "isNegation";
    }
}

const DEFAULT_VALIDITY: Bounded<0, 86_400> = Bounded::new(DEFAULT_VALIDITY_S).unwrap();

sequence! {
    /// Which event, when and where.
    pub struct ManagementContainer<'a> = "ManagementContainer", extensible {
        /// Which.
        required action_id: ActionId = "actionID";
        /// When it was seen.
        required detection_time_ms: TimestampIts = "detectionTime";
        /// When the message was made.
        required reference_time_ms: TimestampIts = "referenceTime";
        /// Whether it is over.
        optional termination: Termination = "termination";
        /// Where it is.
        required event_position: ReferencePosition = "eventPosition";
        /// How far off it still matters.
        optional relevance_distance: RelevanceDistance = "relevanceDistance";
        /// For which traffic.
        optional relevance_traffic_direction: RelevanceTrafficDirection
            = "relevanceTrafficDirection";
        /// How long it holds after it was seen.
        default validity_duration_s: Bounded<0, 86_400> = "validityDuration", DEFAULT_VALIDITY;
        /// How often the message is sent.
        optional transmission_interval_ms: Bounded<1, 10_000> = "transmissionInterval";
        /// What the sender is.
        required station_type: StationType = "stationType";
    }
}

sequence! {
    /// A place that an event was at.
    pub struct EventPoint = "EventPoint" {
        /// Where, seen from the event's place.
        required position: DeltaReferencePosition = "eventPosition";
        /// When.
        optional delta_time_10ms: PathDeltaTime = "eventDeltaTime";
        /// How sure it is: 1 least, 7 most; 0: not known.
        required information_quality: Bounded<0, 7> = "informationQuality";
    }
}

sequence! {
    /// What happened.
    pub struct SituationContainer<'a> = "SituationContainer", extensible {
        /// How sure it is: 1 least, 7 most; 0: not known.
        required information_quality: Bounded<0, 7> = "informationQuality";
        /// What.
        required event_type: CauseCode<'a> = "eventType";
        /// What else it goes with.
        optional linked_cause: CauseCode<'a> = "linkedCause";
        /// Where it was before.
        optional event_history: ListOf<'a, EventPoint, 1, 23> = "eventHistory";
    }
}

sequence! {
    /// How one gets there.
    pub struct LocationContainer<'a> = "LocationContainer", extensible {
        /// How fast it moves.
        optional event_speed: Speed = "eventSpeed";
        /// Where to.
        optional event_heading: Heading = "eventPositionHeading";
        /// The ways that lead there.
        required traces: ListOf<'a, PathHistory<'a>, 1, 7> = "traces";
        /// What kind of road it is on.
        optional road_type: RoadType = "roadType";
    }
}

/// A message whose header says that it is a DENM of this version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Denm<'a> {
    /// Who sent it.
    pub station_id: StationId,
    /// Which event, when and where.
    pub management: ManagementContainer<'a>,
    /// What happened.
    pub situation: Option<SituationContainer<'a>>,
    /// How one gets there.
    pub location: Option<LocationContainer<'a>>,
    /// The à-la-carte container with all bits behind it.
    pub alacarte: Option<Bits<'a>>,
}

impl<'a> Decode<'a> for Denm<'a> {
    const NAME: &'static str = "DENM";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let header: ItsPduHeader = reader.field("header")?;
        let fault = match (header.protocol_version.value(), header.message_id.value()) {
            (PROTOCOL_VERSION, message_id::DENM) => None,
            (PROTOCOL_VERSION, _) => Some(Fault::Inconsistent("the message is no DENM")),
            (found, _) => Some(Fault::Version {
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

impl Encode for Denm<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
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
