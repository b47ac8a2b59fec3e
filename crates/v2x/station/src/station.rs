//! A station: its messages, packets and pseudonym in one.

use alloc::vec::Vec;

use waywarden_v2x_signing::Seed;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::btp::port;
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{Psid, ThreeDLocation, Time64};

use crate::denm::{Action, DenmEvent, DenmEvents, EventError, RADIUS_M, circle};
use crate::identifiers::StationIdentifiers;
use crate::motion::{Motion, VehicleType};
use crate::network::{Destination, MessageEnvelope, geonetworking};
use crate::pseudonym::{ChangeRules, PseudonymChange, PseudonymPhase};
use crate::repetition::{RepeatedMessage, Repetition};
use crate::{bsm, cam};

/// The application of basic safety messages.
pub const BSM: Psid = Psid(32);
/// Traffic classes of GeoNetworking: the less, the more urgent.
const DENM_CLASS: u8 = 1;
const CAM_CLASS: u8 = 2;

/// The messages that a station sends unsolicited, and their network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageService {
    /// Awareness messages over GeoNetworking, as in Europe.
    CamOverGeoNetworking,
    /// Awareness messages over WSMP, as in \[WAVE-SEC §4\].
    CamOverWsmp,
    /// Basic safety messages over WSMP, as in America.
    BsmOverWsmp,
}

impl MessageService {
    fn is_wsmp(self) -> bool {
        self != Self::CamOverGeoNetworking
    }
}

/// Settings of a station.
#[derive(Clone, Copy, Debug)]
pub struct StationSettings {
    /// Type and size of the vehicle.
    pub vehicle: VehicleType,
    /// Messages and network.
    pub service: MessageService,
    /// Rules for the change of pseudonyms.
    pub change: ChangeRules,
}

/// A message to be signed.
#[derive(Clone, Debug, PartialEq)]
pub struct StationMessage {
    /// Application of the message.
    pub psid: Psid,
    /// Payload to sign: a packet of GeoNetworking, or the message alone.
    pub payload: Vec<u8>,
    /// Position of the station, for applications whose messages are signed with it.
    pub location: ThreeDLocation,
    /// Headers around the signed message.
    pub envelope: MessageEnvelope,
}

/// A task for the owner of a station.
#[derive(Clone, Debug, PartialEq)]
pub enum StationTask {
    /// Sign a message and send it.
    Message(StationMessage),
    /// Take another certificate, then call [`Station::change_pseudonym`]. Nothing is sent before.
    PseudonymChange,
}

/// A station.
#[derive(Clone, Debug)]
pub struct Station {
    settings: StationSettings,
    identifiers: StationIdentifiers,
    cam: cam::Rules,
    /// Due time of the next basic safety message.
    bsm: Time64,
    /// Time between two basic safety messages, in microseconds.
    bsm_period_us: u64,
    /// The media-dependent data of packets to all in range.
    media_dependent: [u8; 4],
    events: DenmEvents,
    repetition: Repetition,
    change: PseudonymChange,
    /// Start of sending: nothing is sent before.
    starts: Time64,
}

impl Station {
    /// A station that begins now, under a fresh pseudonym.
    #[must_use]
    pub fn new(settings: StationSettings, now: Time64, seed: &Seed) -> Self {
        let identifiers = StationIdentifiers::new(seed);
        let starts = Time64(now.0.saturating_add(u64::from(identifiers.phase_us)));
        Self {
            cam: cam::Rules::new(&settings.vehicle),
            bsm: starts,
            bsm_period_us: bsm::PERIOD_US,
            media_dependent: [0; 4],
            events: DenmEvents::default(),
            repetition: Repetition::default(),
            change: PseudonymChange::new(settings.change, now, seed),
            identifiers,
            settings,
            starts,
        }
    }

    /// Sends these messages, too, each at its period, but for the time of silence after a change of
    /// pseudonym. They stay as they are: what names the station in them links its pseudonyms. Of
    /// more than [`REPEATED_MAX`](crate::repetition::REPEATED_MAX) the first ones are taken.
    #[must_use]
    pub fn repeating(mut self, messages: Vec<RepeatedMessage>) -> Self {
        self.repetition = Repetition::new(messages, self.starts);
        self
    }

    /// Brings the begin back to `now` if it lies later, because the clock that it was taken from
    /// was ahead. Only before the first message: messages never go back in time.
    pub fn begin_by(&mut self, now: Time64) {
        let starts = Time64(now.0.saturating_add(u64::from(self.identifiers.phase_us)));
        if self.change.phase() == PseudonymPhase::Active && self.starts > starts {
            self.starts = starts;
            self.bsm = starts;
            self.repetition.restart(starts);
            self.change.begin_by(now);
        }
    }

    /// Returns the current identifiers of the station.
    #[must_use]
    pub fn identifiers(&self) -> &StationIdentifiers {
        &self.identifiers
    }

    /// Returns the state of its pseudonym.
    #[must_use]
    pub fn phase(&self) -> PseudonymPhase {
        self.change.phase()
    }

    /// Sets the least time between two awareness messages that the channel allows, in
    /// microseconds.
    pub fn set_channel_limit(&mut self, limit_us: u64) {
        self.cam.set_channel_limit(limit_us);
    }

    /// Sets the time between two basic safety messages that congestion control asks for, in
    /// microseconds, within [`bsm::PERIOD_US`] and [`bsm::PERIOD_MOST_US`]. It counts from the last
    /// one.
    pub fn set_safety_period(&mut self, period_us: u64) {
        let period = period_us.clamp(bsm::PERIOD_US, bsm::PERIOD_MOST_US);
        let sent = self.bsm.0.saturating_sub(self.bsm_period_us);
        if self.bsm > self.starts {
            self.bsm = Time64(sent.saturating_add(period));
        }
        self.bsm_period_us = period;
    }

    /// Has the next basic safety message be due now, if the first one was sent: others know the
    /// position wrongly \[J2945/1 §6.3.8\].
    pub fn hasten_safety(&mut self, now: Time64) {
        if self.bsm > self.starts {
            self.bsm = self.bsm.min(now);
        }
    }

    /// Sets the data that congestion control puts into each packet to all in range, from the next
    /// one on (`DCC-MCO`) \[TS 102 636-4-2 §6\].
    pub fn set_media_dependent(&mut self, data: [u8; 4]) {
        self.media_dependent = data;
    }

    /// Asks for another pseudonym as soon as it may be.
    pub fn ask_for_change(&mut self) {
        self.change.ask();
    }

    /// Sends nothing more under this pseudonym, even for an event: its certificate has expired.
    pub fn require_change(&mut self) {
        self.change.require();
    }

    /// Tells an event that is seen here and now; returns its number.
    ///
    /// # Errors
    /// [`EventError::TooMany`].
    pub fn trigger(
        &mut self,
        event: DenmEvent,
        motion: &Motion,
        now: Time64,
    ) -> Result<u16, EventError> {
        let number = self.identifiers.event_number;
        let action = Action {
            station_id: self.identifiers.station_id,
            number,
        };
        self.events.trigger(action, event, motion, now)?;
        self.identifiers.event_number = number.wrapping_add(1);
        Ok(number)
    }

    /// Returns the events that it announces, to update and to cancel them.
    pub fn events(&mut self) -> &mut DenmEvents {
        &mut self.events
    }

    /// Returns the next due task. Call it until there is none, at least each tenth of a second.
    ///
    /// # Errors
    /// [`EmitError`] for a message that no packet has room for: none that is made here is.
    pub fn poll(&mut self, motion: &Motion, now: Time64) -> Result<Option<StationTask>, EmitError> {
        match self.change.update(motion, now, self.events.is_any()) {
            PseudonymPhase::Due => return Ok(Some(StationTask::PseudonymChange)),
            PseudonymPhase::Silent(_) => return Ok(None),
            PseudonymPhase::Active if now < self.starts => return Ok(None),
            PseudonymPhase::Active => {}
        }
        if let Some(message) = self.event(motion, now)? {
            return Ok(Some(StationTask::Message(message)));
        }
        if let Some(repeated) = self.repetition.poll(now) {
            let message = self.repeated(repeated, motion)?;
            return Ok(Some(StationTask::Message(message)));
        }
        let message = match self.settings.service {
            MessageService::BsmOverWsmp => self.safety(motion, now)?,
            MessageService::CamOverWsmp | MessageService::CamOverGeoNetworking => {
                self.awareness(motion, now)?
            }
        };
        Ok(message.map(StationTask::Message))
    }

    /// Takes another pseudonym: draws every identifier, number and phase again, and ends all
    /// events. Returns the end of the silent period.
    pub fn change_pseudonym(&mut self, now: Time64, seed: &Seed) -> Time64 {
        let silent_until = self.change.changed(now, seed);
        self.identifiers = StationIdentifiers::new(seed);
        let phase = u64::from(self.identifiers.phase_us);
        self.starts = Time64(silent_until.0.saturating_add(phase));
        self.cam = cam::Rules::new(&self.settings.vehicle);
        self.bsm = self.starts;
        self.repetition.restart(self.starts);
        self.events.clear();
        silent_until
    }

    fn event(&mut self, motion: &Motion, now: Time64) -> Result<Option<StationMessage>, EmitError> {
        let vehicle = self.settings.vehicle;
        let station_id = self.identifiers.station_id;
        let Some(due) = self.events.poll(station_id, &vehicle, now)? else {
            return Ok(None);
        };
        let sending = (Destination::Area(due.area), DENM_CLASS, port::DENM);
        self.message(its_aid::DENM, sending, motion, due.message)
            .map(Some)
    }

    /// Choice: a DENM goes to the area around the station, as one of its own events does; other
    /// messages go to all in range.
    fn repeated(
        &mut self,
        repeated: RepeatedMessage,
        motion: &Motion,
    ) -> Result<StationMessage, EmitError> {
        let RepeatedMessage { psid, message, .. } = repeated;
        let sending = match repeated.port {
            Some(port::DENM) => (
                Destination::Area(circle(motion, RADIUS_M)),
                DENM_CLASS,
                port::DENM,
            ),
            Some(port) => (Destination::InRange, CAM_CLASS, port),
            None => return Ok(self.short_message(psid, motion, message)),
        };
        self.packet(psid, sending, motion, &message)
    }

    fn awareness(
        &mut self,
        motion: &Motion,
        now: Time64,
    ) -> Result<Option<StationMessage>, EmitError> {
        let Some(generation) = self.cam.check(motion, now) else {
            return Ok(None);
        };
        let vehicle = &self.settings.vehicle;
        let message = cam::message(self.identifiers.station_id, vehicle, motion, generation)?;
        let sending = (Destination::InRange, CAM_CLASS, port::CAM);
        self.message(its_aid::CAM, sending, motion, message)
            .map(Some)
    }

    fn safety(
        &mut self,
        motion: &Motion,
        now: Time64,
    ) -> Result<Option<StationMessage>, EmitError> {
        if now < self.bsm {
            return Ok(None);
        }
        // The next one keeps its phase, unless this one comes late by more than a period.
        let period = self.bsm_period_us;
        let next = self.bsm.0.saturating_add(period);
        self.bsm = Time64(match next > now.0 {
            true => next,
            false => now.0.saturating_add(period),
        });
        let StationIdentifiers {
            temporary_id,
            message_count,
            ..
        } = self.identifiers;
        let message = bsm::message(temporary_id, message_count, &self.settings.vehicle, motion)?;
        self.identifiers.message_count = message_count.wrapping_add(1) & 0x7F;
        let sending = (Destination::InRange, CAM_CLASS, port::CAM);
        self.message(BSM, sending, motion, message).map(Some)
    }

    fn message(
        &mut self,
        psid: Psid,
        sending: (Destination, u8, u16),
        motion: &Motion,
        message: Vec<u8>,
    ) -> Result<StationMessage, EmitError> {
        match self.settings.service.is_wsmp() {
            true => Ok(self.short_message(psid, motion, message)),
            false => self.packet(psid, sending, motion, &message),
        }
    }

    fn short_message(&self, psid: Psid, motion: &Motion, message: Vec<u8>) -> StationMessage {
        StationMessage {
            psid,
            payload: message,
            location: motion.location,
            envelope: MessageEnvelope::wsmp(&self.identifiers, psid),
        }
    }

    fn packet(
        &mut self,
        psid: Psid,
        sending: (Destination, u8, u16),
        motion: &Motion,
        message: &[u8],
    ) -> Result<StationMessage, EmitError> {
        let vehicle = self.settings.vehicle;
        let media_dependent = self.media_dependent;
        let (payload, envelope) = geonetworking(
            &mut self.identifiers,
            (&vehicle, motion),
            sending,
            media_dependent,
            message,
        )?;
        Ok(StationMessage {
            psid,
            payload,
            location: motion.location,
            envelope,
        })
    }
}
