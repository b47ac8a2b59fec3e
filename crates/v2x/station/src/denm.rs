//! Road events that a station announces \[EN 302 637-3 §8\]: triggered, updated, repeated while
//! they hold, and cancelled by the station that detected them or negated by another one.

use alloc::vec::Vec;
use core::fmt;

use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::denm::{
    ActionId, DEFAULT_VALIDITY_S, Denm, LocationContainer, ManagementContainer, SituationContainer,
    Termination,
};
use waywarden_v2x_wire::etsi102894::{CauseCode, PathHistory};
use waywarden_v2x_wire::geonet::{AreaShape, DestinationArea};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::uper::{Bits, ListOf, emit, length};

use crate::cam::{heading, reference_position, speed};
use crate::motion::{Motion, VehicleType};
use crate::number::bounded;

/// Most events that a station announces at a time.
pub const EVENTS_MAX: usize = 16;
/// Radius of the area that is told, in metres, unless an event has another one.
pub const RADIUS_M: u16 = 1_000;

/// An event to be announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DenmEvent {
    /// Cause code \[TS 102 894-2 §A.10\]: 94 a stationary vehicle, 99 a dangerous situation, etc.
    pub cause: u8,
    /// Sub-cause code; 0: not known.
    pub sub_cause: u8,
    /// Certainty of the event: 1 least, 7 most; 0: not known.
    pub quality: u8,
    /// Validity in seconds, at most 86,400.
    pub validity_s: u32,
    /// Repetition interval in milliseconds, from 1 to 10,000; `None` for a single message.
    pub interval_ms: Option<u16>,
    /// Radius of the destination area, in metres.
    pub radius_m: u16,
}

impl DenmEvent {
    /// Creates an event that holds for ten minutes and is announced each second within a kilometre.
    #[must_use]
    pub fn new(cause: u8, sub_cause: u8) -> Self {
        Self {
            cause,
            sub_cause,
            quality: 3,
            validity_s: DEFAULT_VALIDITY_S as u32,
            interval_ms: Some(1_000),
            radius_m: RADIUS_M,
        }
    }
}

/// The identifier of an event: the station that detected it first, and a number of that station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Identifier of the station.
    pub station_id: u32,
    /// Number of the event at this station.
    pub number: u16,
}

/// An error in the announcement of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventError {
    /// The station announces [`EVENTS_MAX`] events already.
    TooMany,
    /// The station announces no event of this number.
    Unknown,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => write!(f, "{EVENTS_MAX} events are told already; cancel one"),
            Self::Unknown => f.write_str("the station tells no event of this number"),
        }
    }
}

impl core::error::Error for EventError {}

/// An event that the station announces.
#[derive(Clone, Copy, Debug)]
struct ActiveEvent {
    action: Action,
    event: DenmEvent,
    motion: Motion,
    detected: Time64,
    referenced: Time64,
    termination: Option<Termination>,
    /// End of its validity.
    ends: Time64,
    next: Time64,
}

/// The events that a station announces.
#[derive(Clone, Debug, Default)]
pub struct DenmEvents {
    active: Vec<ActiveEvent>,
}

/// A message about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Identifier of the event.
    pub action: Action,
    /// Destination area.
    pub area: DestinationArea,
    /// The message, encoded.
    pub message: Vec<u8>,
}

impl DenmEvents {
    /// Returns true if events are announced that another pseudonym could not continue.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !self.active.is_empty()
    }

    /// Returns the numbers of the announced events, but for those of other stations.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        let own = self.active.iter();
        let own = own.filter(|active| active.termination != Some(Termination::Negation));
        own.map(|active| active.action.number)
    }

    /// Tells a new event, seen here and now.
    ///
    /// # Errors
    /// [`EventError::TooMany`].
    pub fn trigger(
        &mut self,
        action: Action,
        event: DenmEvent,
        motion: &Motion,
        now: Time64,
    ) -> Result<(), EventError> {
        if self.active.len() >= EVENTS_MAX {
            return Err(EventError::TooMany);
        }
        self.active.push(ActiveEvent {
            action,
            event,
            motion: *motion,
            detected: now,
            referenced: now,
            termination: None,
            ends: ends(&event, now),
            next: now,
        });
        Ok(())
    }

    /// Updates an announced event: it has moved or changed.
    ///
    /// # Errors
    /// [`EventError::Unknown`].
    pub fn update(
        &mut self,
        number: u16,
        event: DenmEvent,
        motion: &Motion,
        now: Time64,
    ) -> Result<(), EventError> {
        let active = self.find(number)?;
        let referenced = later(active.referenced, now);
        *active = ActiveEvent {
            event,
            motion: *motion,
            detected: now,
            referenced,
            ends: ends(&event, now),
            next: now,
            ..*active
        };
        Ok(())
    }

    /// Cancels an event. The cancellation is repeated for as long as the event would have held.
    ///
    /// # Errors
    /// [`EventError::Unknown`].
    pub fn cancel(&mut self, number: u16, now: Time64) -> Result<(), EventError> {
        let active = self.find(number)?;
        active.termination = Some(Termination::Cancellation);
        active.referenced = later(active.referenced, now);
        active.next = now;
        Ok(())
    }

    /// Says that an event of another station is over, seen from here.
    ///
    /// # Errors
    /// [`EventError::TooMany`].
    pub fn negate(
        &mut self,
        action: Action,
        event: DenmEvent,
        motion: &Motion,
        (now, referenced): (Time64, Time64),
    ) -> Result<(), EventError> {
        self.trigger(action, event, motion, now)?;
        if let Some(active) = self.active.last_mut() {
            active.termination = Some(Termination::Negation);
            // Which state of the event it denies.
            active.referenced = referenced;
        }
        Ok(())
    }

    fn find(&mut self, number: u16) -> Result<&mut ActiveEvent, EventError> {
        let own = self.active.iter_mut().find(|active| {
            active.action.number == number && active.termination != Some(Termination::Negation)
        });
        own.ok_or(EventError::Unknown)
    }

    /// Stops to tell anything.
    pub fn clear(&mut self) {
        self.active.clear();
    }

    /// Returns the due time of the next message.
    #[must_use]
    pub fn next(&self) -> Option<Time64> {
        self.active.iter().map(|active| active.next).min()
    }

    /// Returns a message that is due, and plans the next one. Events that no longer hold are
    /// forgotten.
    ///
    /// # Errors
    /// None: what is out of its field's bounds is brought to the bound.
    pub fn poll(
        &mut self,
        station_id: u32,
        vehicle: &VehicleType,
        now: Time64,
    ) -> Result<Option<Notification>, EmitError> {
        self.active.retain(|active| active.ends > now);
        let Some(at) = self.active.iter().position(|active| active.next <= now) else {
            return Ok(None);
        };
        let Some(active) = self.active.get_mut(at) else {
            return Ok(None);
        };
        let notification = Notification {
            action: active.action,
            area: active.area(),
            message: active.message(station_id, vehicle)?,
        };
        match active.event.interval_ms {
            Some(interval) => {
                let next = u64::from(interval.max(1)) * 1_000;
                active.next = Time64(now.0.saturating_add(next));
            }
            None => {
                self.active.remove(at);
            }
        }
        Ok(Some(notification))
    }
}

/// The area around a place.
pub(crate) fn circle(motion: &Motion, radius_m: u16) -> DestinationArea {
    DestinationArea {
        shape: AreaShape::Circle,
        latitude: motion.location.latitude.0,
        longitude: motion.location.longitude.0,
        distance_a_m: radius_m,
        distance_b_m: 0,
        angle_degrees: 0,
    }
}

fn ends(event: &DenmEvent, now: Time64) -> Time64 {
    let validity = u64::from(event.validity_s.clamp(1, 86_400)) * 1_000_000;
    Time64(now.0.saturating_add(validity))
}

/// References of one event grow, in milliseconds.
fn later(referenced: Time64, now: Time64) -> Time64 {
    Time64(now.0.max(referenced.0.saturating_add(1_000)))
}

impl ActiveEvent {
    fn area(&self) -> DestinationArea {
        circle(&self.motion, self.event.radius_m)
    }

    fn message(&self, station_id: u32, vehicle: &VehicleType) -> Result<Vec<u8>, EmitError> {
        let none = Bits::default();
        let milliseconds = |time: Time64| bounded((time.0 / 1_000) as i64);
        let management = ManagementContainer {
            action_id: ActionId {
                originating_station: bounded(i64::from(self.action.station_id)),
                sequence_number: bounded(i64::from(self.action.number)),
            },
            detection_time_ms: milliseconds(self.detected),
            reference_time_ms: milliseconds(self.referenced),
            termination: self.termination,
            event_position: reference_position(&self.motion),
            relevance_distance: None,
            relevance_traffic_direction: None,
            validity_duration_s: bounded(i64::from(self.event.validity_s.clamp(1, 86_400))),
            transmission_interval_ms: self
                .event
                .interval_ms
                .map(|interval| bounded(i64::from(interval))),
            station_type: bounded(i64::from(vehicle.station_type)),
            additions: none,
        };
        let trace = ListOf::new(&[]).ok_or(EmitError::OutOfRange("traces"))?;
        let traces = [trace];
        // What is over has no situation \[EN 302 637-3 §6.1.3\].
        let (situation, location) = match self.termination {
            Some(_) => (None, None),
            None => (Some(self.situation()), Some(self.location(&traces)?)),
        };
        let denm = Denm {
            station_id: bounded(i64::from(station_id)),
            management,
            situation,
            location,
            alacarte: None,
        };
        let mut bytes = alloc::vec![0; length(&denm)?];
        emit(&denm, &mut bytes)?;
        Ok(bytes)
    }

    fn situation(&self) -> SituationContainer<'static> {
        SituationContainer {
            information_quality: bounded(i64::from(self.event.quality)),
            event_type: CauseCode {
                cause: bounded(i64::from(self.event.cause)),
                sub_cause: bounded(i64::from(self.event.sub_cause)),
                additions: Bits::default(),
            },
            linked_cause: None,
            event_history: None,
            additions: Bits::default(),
        }
    }

    /// The traces are the ways that lead there: none was recorded, and the list needs one.
    fn location<'a>(
        &self,
        traces: &'a [PathHistory<'a>; 1],
    ) -> Result<LocationContainer<'a>, EmitError> {
        let motion = &self.motion;
        Ok(LocationContainer {
            event_speed: motion.speed_cm_s.map(|_| speed(motion)),
            event_heading: motion.heading_decidegrees.map(|_| heading(motion)),
            traces: ListOf::new(traces).ok_or(EmitError::OutOfRange("traces"))?,
            road_type: None,
            additions: Bits::default(),
        })
    }
}
