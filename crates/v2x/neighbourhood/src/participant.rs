//! A station that keeps the rules: it sends what is due, and verifies what it hears.

mod congestion;
mod impairment;
mod judgement;
mod own_names;
mod repetition;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_schedule::{Bounds, DropCause, Ego, Features, Policy, Queue};
use waywarden_v2x_station::neighbours::Neighbours;
use waywarden_v2x_station::{Motion, Station, StationMessage, StationSettings, StationTask};
use waywarden_v2x_wire::detect::{Envelope, detect_in};
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64, TwoDLocation};
use waywarden_v2x_wire::link::LinkType;

use crate::actor::{Actor, phase_of};
use crate::channel_summary::ChannelSummary;
use crate::command::Command;
use crate::event::{NeighbourhoodEvent, NotSentCause};
use crate::frame::{EthernetFrame, SenderOrigin, StationFix, StationMoment};
use crate::security::{ReceptionVerdict, SecurityServices, Timings};
use crate::seeds::EndlessSeeds;
use crate::waiting::Waiting;

use congestion::Congestion;
use own_names::OwnName;

/// Limit on messages that are verified together: 6 ms where a signature takes 90 us, which is the
/// longest that the station's own messages wait.
const BATCH: usize = 64;
/// Limit on messages due at one moment: one of each event, of each repeated one, of awareness.
const DUE_MAX: usize = 48;
/// After so long without a certificate to change to, it is asked for again.
const RETRY: Duration = Duration::from_secs(1);

/// Settings of a participant.
#[derive(Clone, Copy, Debug)]
pub struct ParticipantSettings {
    /// Settings of its station.
    pub station: StationSettings,
    /// Order in which it verifies.
    pub policy: Policy,
    /// Limits on messages that wait for verification.
    pub bounds: Bounds,
    /// True if it verifies at all; otherwise it hears nothing.
    pub is_listening: bool,
}

/// A station that keeps the rules.
pub struct Participant {
    settings: ParticipantSettings,
    station: Station,
    security: Box<dyn SecurityServices>,
    neighbours: Neighbours,
    queue: Queue<Waiting>,
    place: Option<TwoDLocation>,
    seeds: EndlessSeeds,
    /// The time of the last message: no earlier one follows.
    last: Option<Time64>,
    impaired: Option<NotSentCause>,
    /// Reasons that were reported since the cause began.
    reported: Vec<NotSentCause>,
    /// Application whose last message was not signed, and the reason.
    unsigned: Option<(Psid, String)>,
    /// Time at which a certificate to change to is requested again.
    retry: Duration,
    udp_port: u16,
    /// The newest names of its own, on the link and in certificates.
    own: VecDeque<OwnName>,
    /// Congestion control, if there is one.
    congestion: Option<Congestion>,
}

impl Participant {
    /// A station that begins now. `seed` is 32 bytes of a random generator.
    #[must_use]
    pub fn new(
        settings: ParticipantSettings,
        security: Box<dyn SecurityServices>,
        now: Time64,
        seed: [u8; 32],
    ) -> Self {
        let mut seeds = EndlessSeeds::new(seed);
        let station = Station::new(settings.station, now, &seeds.next());
        let mut participant = Self {
            udp_port: station.identifiers().udp_port,
            own: VecDeque::new(),
            congestion: None,
            station,
            security,
            neighbours: Neighbours::default(),
            queue: Queue::new(settings.policy, settings.bounds),
            place: None,
            seeds,
            last: None,
            impaired: None,
            reported: Vec::new(),
            unsigned: None,
            retry: Duration::ZERO,
            settings,
        };
        participant.remember_own();
        participant
    }

    /// Returns the stations in reach.
    #[must_use]
    pub fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// Returns what signs and verifies.
    #[must_use]
    pub fn security(&self) -> &dyn SecurityServices {
        &*self.security
    }

    /// Returns the station.
    #[must_use]
    pub fn station(&self) -> &Station {
        &self.station
    }

    fn send(
        &mut self,
        message: &StationMessage,
        (time, now): (Time64, StationMoment),
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        let psid = message.psid;
        let signed = self.security.sign(message, time);
        let signed = signed.map_err(|error| error.to_string());
        let framed = signed.and_then(|spdu| {
            let framed = message.envelope.frame(&spdu);
            framed.map_err(|error| error.to_string())
        });
        match framed {
            Ok(bytes) => {
                self.last = Some(time);
                self.unsigned.take_if(|(unsigned, _)| *unsigned == psid);
                let frame = EthernetFrame {
                    bytes: bytes.into(),
                    origin: SenderOrigin::Honest,
                };
                if let Some(congestion) = &mut self.congestion {
                    congestion.sent(&frame, now.elapsed);
                }
                events(NeighbourhoodEvent::Sent { psid, frame });
            }
            Err(reason) => {
                self.unsigned = Some((psid, reason.clone()));
                events(NeighbourhoodEvent::NotSigned { psid, reason });
            }
        }
    }

    /// Takes another certificate, and then everything else that names the station.
    fn change(
        &mut self,
        time: Time64,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) -> Option<NotSentCause> {
        if now.elapsed < self.retry {
            return self.impaired.clone();
        }
        match self.security.change_certificate(time) {
            Ok(certificate) => {
                let silent_until = self.station.change_pseudonym(time, &self.seeds.next());
                self.udp_port = self.station.identifiers().udp_port;
                self.remember_own();
                events(NeighbourhoodEvent::PseudonymChanged {
                    certificate,
                    silent_until,
                });
                None
            }
            Err(error) => {
                self.retry = now.elapsed + RETRY;
                Some(NotSentCause::Certificate(error.to_string()))
            }
        }
    }

    fn poll(
        &mut self,
        (motion, time): (&Motion, Time64),
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) -> Option<NotSentCause> {
        if let Some(congestion) = &mut self.congestion
            && !congestion.step(&mut self.station, now.elapsed)
        {
            return None;
        }
        for _ in 0..DUE_MAX {
            match self.station.poll(motion, time) {
                Ok(Some(StationTask::Message(message))) => self.send(&message, (time, now), events),
                Ok(Some(StationTask::PseudonymChange)) => return self.change(time, now, events),
                Ok(None) => break,
                Err(error) => {
                    let (psid, reason) = (Psid(0), error.to_string());
                    events(NeighbourhoodEvent::NotSigned { psid, reason });
                    break;
                }
            }
        }
        None
    }

    fn cancel(&mut self, number: Option<u16>, now: Time64) -> Result<(), String> {
        let events = self.station.events();
        let numbers: Vec<u16> = match number {
            Some(number) => vec![number],
            None => events.numbers().collect(),
        };
        for number in numbers {
            let cancelled = events.cancel(number, now);
            cancelled.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Actor for Participant {
    fn receive(
        &mut self,
        frame: &EthernetFrame,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        if let Some(congestion) = &mut self.congestion {
            congestion.saw(frame);
        }
        if !self.settings.is_listening {
            return;
        }
        let bytes = Arc::clone(&frame.bytes);
        let origin = frame.origin;
        let found = match detect_in(LinkType::Ethernet, &bytes) {
            Ok(found) => found,
            Err(error) => {
                let reason = error.to_string();
                return events(NeighbourhoodEvent::Unreadable { origin, reason });
            }
        };
        let link = found.link.map_or([0; 6], |(_, address)| address);
        if self.own.iter().any(|own| own.link == link) {
            return events(NeighbourhoodEvent::OwnAddress { origin });
        }
        let begin = found.spdu.as_ptr() as usize - bytes.as_ptr() as usize;
        let waiting = Waiting {
            frame: frame.clone(),
            spdu: begin..begin + found.spdu.len(),
            link,
            psid: match &found.envelope {
                Envelope::Wsm(wsm) => Some(wsm.psid),
                _ => None,
            },
            received: now.time,
            place: self.place,
            heard: now.elapsed,
        };
        let features = Features::of(&found);
        if let Some(dropped) = self.queue.push(waiting, &features, now.time) {
            events(NeighbourhoodEvent::Dropped {
                origin: dropped.item.frame.origin,
                cause: dropped.cause,
                bytes: dropped.item.frame.bytes,
            });
        }
    }

    fn work(&mut self, now: StationMoment, events: &mut dyn FnMut(NeighbourhoodEvent)) -> bool {
        while let Some(expired) = self.queue.pop_expired(now.time) {
            events(NeighbourhoodEvent::Dropped {
                origin: expired.frame.origin,
                cause: DropCause::Expired,
                bytes: expired.frame.bytes,
            });
        }
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(waiting) = self.queue.pop(now.time)
        {
            batch.push(waiting);
        }
        if batch.is_empty() {
            return false;
        }
        let received: Vec<_> = batch.iter().map(Waiting::received).collect();
        let verdicts = self.security.verify(&received);
        drop(received);
        let missing =
            || ReceptionVerdict::Unanswered("the security service gave no verdict".to_owned());
        let mut verdicts = verdicts.into_iter();
        for waiting in batch {
            let verdict = verdicts.next().unwrap_or_else(missing);
            let verdict = self.unless_own(verdict);
            self.judge(waiting, verdict, now, events);
        }
        !self.queue.is_empty()
    }

    fn step(
        &mut self,
        fix: &StationFix,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        let is_trusted = fix.distrust.is_none();
        self.security
            .observe_clock(now.elapsed, fix.time, is_trusted);
        self.neighbours.forget_old(fix.time);
        if let Some(motion) = &fix.motion {
            let place = TwoDLocation {
                latitude: motion.location.latitude,
                longitude: motion.location.longitude,
            };
            self.place = Some(place);
            let heading = motion.heading_decidegrees.map(|heading| heading * 10);
            self.queue.set_ego(Ego::new(place, heading));
        }
        if self.last.is_none() && fix.distrust.is_none() {
            self.station.begin_by(fix.time);
        }
        let end = self.security.valid_until();
        if end.is_some_and(|end| fix.time >= end) {
            self.station.require_change();
        }
        let cause = match (self.obstacle(fix), &fix.motion) {
            (None, Some(motion)) => self.poll((motion, fix.time), now, events),
            (cause, _) => cause,
        };
        let cause = cause.or_else(|| self.signing_failure());
        self.report(cause, events);
    }

    fn phase(&self) -> Duration {
        phase_of(self.station.identifiers())
    }

    fn command(&mut self, command: Command, fix: &StationFix) -> Result<(), String> {
        match command {
            Command::Trigger(event) => {
                let motion = fix.motion.as_ref();
                let motion =
                    motion.ok_or("the position is not known: there is no place to tell")?;
                let reported = self.station.trigger(event, motion, fix.time);
                reported.map(drop).map_err(|error| error.to_string())
            }
            Command::Cancel(number) => self.cancel(number, fix.time),
            Command::ChangePseudonym => {
                self.station.ask_for_change();
                Ok(())
            }
        }
    }

    fn timings(&self) -> Option<&Timings> {
        Some(self.security.timings())
    }

    fn channel(&self) -> Option<ChannelSummary> {
        self.congestion.as_ref().map(|one| one.summary)
    }

    fn udp_port(&self) -> u16 {
        self.udp_port
    }

    fn take_udp_port(&mut self, port: u16) {
        self.udp_port = port;
    }
}
