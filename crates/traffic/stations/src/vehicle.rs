//! The station of one vehicle.

use std::collections::HashMap;
use std::sync::Arc;

use waywarden_random::Random;
use waywarden_traffic_lab::radio::PlanePoint;
use waywarden_traffic_lab::{MessageReception, VehicleMotion};
use waywarden_v2x_security::store::Verified;
use waywarden_v2x_signing::Seed;
use waywarden_v2x_station::{Station, StationMessage, StationSettings, StationTask, VehicleType};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use crate::control::{Control, Said};
use crate::detection::Detection;
use crate::figures::{DetectionFigures, StackFigures};
use crate::hostile::HostileKind;
use crate::hostile_sender::HostileSender;
use crate::kinematics::{Course, Kinematics, PositionError};
use crate::messages::SentMessage;
use crate::motion::{Plane, time};
use crate::receiver::{Judgement, Receiver};
use crate::sending::{MessageSender, NewMessage, ReceiverNeeds};
use crate::settings::{
    CertificateCondition, CertificateSource, NoCertificate, StackSettings, VehicleIdentity,
};
use crate::symbols::Symbols;
use crate::warnings::Warnings;

/// No message is due within this time of the one before, in ns: the least period of CAM and BSM.
const LEAST_NS: u64 = 100_000_000;
/// The same of a flood.
const FLOOD_NS: u64 = 20_000_000;

/// The station of one vehicle.
pub(crate) struct VehicleStation {
    station: Station,
    sender: MessageSender,
    course: Course,
    position_error: PositionError,
    has_warnings: bool,
    warnings: Warnings,
    /// Its last message.
    last: Option<StationMessage>,
    receiver: Receiver,
    detection: Option<Detection>,
    place: PlanePoint,
    /// Time of its first moment on the road, in ns.
    pub(crate) began_ns: u64,
    pub(crate) control: Control,
    /// Certificates that it lacks, with the time of the first message that showed it.
    lacked: HashMap<HashedId8, u64>,
    /// Time on the air of its last frame, in microseconds.
    airtime_us: u64,
    /// Time of its last message.
    made_ns: Option<u64>,
}

impl VehicleStation {
    pub(crate) fn new(
        settings: &StackSettings,
        (certificates, symbols): (&mut impl CertificateSource, &mut Symbols),
        now_ns: u64,
        (hostile, name): (Option<HostileKind>, usize),
        seeds: &Random,
    ) -> Result<Self, NoCertificate> {
        let is_real = settings.has_real_signatures;
        let needs_verifier = settings.hostile.is_any() || settings.revocation.is_some();
        let hostile = hostile.map(|kind| HostileSender::new(kind, name, seeds.stream("claims", 0)));
        let receiver = Receiver::new(is_real, needs_verifier, certificates)?;
        let condition = hostile
            .as_ref()
            .map_or(CertificateCondition::Valid, HostileSender::condition);
        let identity = certificates.next(condition, time(now_ns))?;
        let error_m = settings.position_error_m;
        let needs = ReceiverNeeds {
            bytes: is_real || needs_verifier,
            inclusion: settings.inclusion,
            scheme: settings.scheme,
            radio: settings.radio,
            claims: needs_verifier || settings.detection.is_some(),
            position_error_m: (error_m > 0.0).then_some(error_m),
        };
        let sender = MessageSender::new(identity, hostile, (needs, symbols), seeds.clone())?;
        let own = StationSettings {
            vehicle: VehicleType::CAR,
            service: settings.service,
            change: settings.change,
        };
        let power_dbm = 10.0 * settings.radio.power_mw.log10();
        let mut station = Self {
            station: Station::new(own, time(now_ns), &Seed::new(seeds.seed("station", 0, 0))),
            sender,
            course: Course::default(),
            position_error: PositionError::new(
                settings.position_error_m,
                seeds.stream("position", 0),
            ),
            has_warnings: settings.has_warnings,
            warnings: Warnings::default(),
            last: None,
            receiver,
            detection: settings.detection.map(Detection::new),
            place: PlanePoint::default(),
            began_ns: now_ns,
            control: Control::new(
                settings.control,
                power_dbm.clamp(0.0, 31.0) as u8,
                seeds.stream("error", 0),
            ),
            lacked: HashMap::new(),
            airtime_us: 0,
            made_ns: None,
        };
        station.learn_own()?;
        Ok(station)
    }

    /// Returns its kind, if it is hostile.
    pub(crate) fn hostile(&self) -> Option<HostileKind> {
        self.sender.kind()
    }

    /// Returns its certificate of now.
    pub(crate) fn certificate(&self) -> &Arc<Verified> {
        self.sender.signer.credential().certificate()
    }

    /// Refuses what is signed under a certificate from now on.
    pub(crate) fn revoke(&mut self, certificate: &Verified) {
        self.receiver.revoke(certificate);
    }

    /// Has the receiver know its own certificate, for others ask for it.
    fn learn_own(&mut self) -> Result<(), NoCertificate> {
        match self.sender.condition() {
            CertificateCondition::UnknownAuthority => Ok(()),
            _ => self
                .receiver
                .learn_own(self.sender.signer.credential().certificate()),
        }
    }

    /// Returns the message that is due now, if any.
    pub(crate) fn due(
        &mut self,
        (vehicle, plane): (&VehicleMotion, &mut Plane),
        (certificates, symbols): (&mut impl CertificateSource, &mut Symbols),
        now_ns: u64,
        figures: &mut StackFigures,
    ) -> Result<Option<NewMessage>, NoCertificate> {
        let least_ns = match self.hostile() {
            Some(HostileKind::Flood) => FLOOD_NS,
            _ => LEAST_NS,
        };
        plane.begin(vehicle.place);
        let truth = self.course.at(vehicle, now_ns);
        self.place = truth.place;
        let rests = self.made_ns.is_some_and(|made| now_ns < made + least_ns);
        let warns = self.has_warnings && self.warnings.is_due(&truth);
        if (rests && !warns) || !self.control.is_open(now_ns) {
            return Ok(None);
        }
        let Some(message) = self.message(
            (truth, &mut *plane),
            (certificates, symbols),
            now_ns,
            figures,
        )?
        else {
            return Ok(None);
        };
        let now = time(now_ns);
        self.control.said(Said {
            at_ns: now_ns,
            place: truth.place,
            speed_m_s: truth.speed_m_s.unwrap_or(0.0),
            heading_degrees: truth.heading_degrees.unwrap_or(0.0),
        });
        let (field, sender) = (self.control.field(), &mut self.sender);
        let new = match sender.kind() {
            Some(HostileKind::Replayed | HostileKind::Late) => {
                sender.replay(&message, field, now_ns)?
            }
            _ => sender.sign(&message, (plane, field), now)?,
        };
        let Some(mut new) = new else {
            return Ok(None);
        };
        if message.psid == its_aid::DENM {
            new.contents.warned_ns = self.warnings.since_ns();
        }
        self.count(&new, now_ns, figures);
        Ok(Some(new))
    }

    /// Returns the message that the station makes now, if any, of what the vehicle claims.
    fn message(
        &mut self,
        (truth, plane): (Kinematics, &Plane),
        (certificates, symbols): (&mut impl CertificateSource, &mut Symbols),
        now_ns: u64,
        figures: &mut StackFigures,
    ) -> Result<Option<StationMessage>, NoCertificate> {
        let (awareness_us, safety_us) = self.control.intervals_us(self.airtime_us);
        self.station.set_channel_limit(awareness_us);
        self.station.set_safety_period(safety_us);
        let now = time(now_ns);
        if self.control.is_hastened(&truth.place, now_ns) {
            self.station.hasten_safety(now);
        }
        if let Some(field) = self.control.field() {
            self.station.set_media_dependent(field.to_bytes());
        }
        let claimed = match &mut self.sender.hostile {
            Some(hostile) => hostile.claims.of(truth, now_ns),
            None => truth,
        };
        let claimed = Kinematics {
            place: self.position_error.add(claimed.place, now_ns),
            ..claimed
        };
        let motion = plane.motion_of(&claimed, self.position_error.deviation_m(), now_ns);
        if self.has_warnings {
            let station = (&mut self.station, &motion);
            let figures = &mut figures.warnings;
            self.warnings
                .update(&truth, station, (now, now_ns), figures);
        }
        loop {
            match self.station.poll(&motion, now) {
                Ok(Some(StationTask::Message(message))) => {
                    self.last =
                        (self.hostile() == Some(HostileKind::Flood)).then(|| message.clone());
                    return Ok(Some(message));
                }
                Ok(Some(StationTask::PseudonymChange)) => {
                    let identity = certificates.next(self.sender.condition(), now)?;
                    self.change_pseudonym(identity, symbols, now)?;
                    figures.changes += 1;
                }
                // Only a flood keeps its last message.
                Ok(None) => return Ok(self.last.clone()),
                Err(error) => return Err(NoCertificate(error.to_string())),
            }
        }
    }

    fn count(&mut self, new: &NewMessage, now_ns: u64, figures: &mut StackFigures) {
        figures.add_sent(&new.frames);
        figures.warnings.messages += u64::from(new.contents.warned_ns.is_some());
        if new.contents.brings_certificate {
            figures.with_certificate += 1;
            let more = u64::from(self.sender.more_in_certificate());
            figures.certificate_bytes += new.contents.signer.bytes().len() as u64 + more;
        }
        figures.requests += new.contents.requests().count() as u64;
        if let Some(before) = self.made_ns.replace(now_ns) {
            let interval = now_ns.saturating_sub(before);
            let (count, sum, longest) = &mut figures.intervals;
            *count += 1;
            *sum += interval;
            *longest = (*longest).max(interval);
        }
    }

    fn change_pseudonym(
        &mut self,
        identity: VehicleIdentity,
        symbols: &mut Symbols,
        now: Time64,
    ) -> Result<(), NoCertificate> {
        let seed = self.sender.change(identity, symbols)?;
        self.learn_own()?;
        self.station.change_pseudonym(now, &seed);
        Ok(())
    }

    /// A frame begins.
    pub(crate) fn sent(&mut self, now_ns: u64, airtime_ns: u64) {
        self.airtime_us = airtime_ns.div_ceil(1_000);
        self.control.sent(now_ns, airtime_ns);
    }

    /// Returns true if it has a certificate.
    pub(crate) fn knows(&self, certificate: HashedId8) -> bool {
        self.receiver.knows(certificate)
    }

    /// Assesses an accepted message of another vehicle, if it is honest and has a detector.
    /// Returns true if its sender is to be reported.
    pub(crate) fn assess(
        &mut self,
        reception: &MessageReception,
        message: &SentMessage,
        figures: &mut DetectionFigures,
    ) -> bool {
        match (self.sender.kind(), &mut self.detection) {
            (None, Some(detection)) => detection.observe(&self.place, reception, message, figures),
            (kind, _) => kind == Some(HostileKind::LyingReporter),
        }
    }

    /// A message of another vehicle came.
    pub(crate) fn received(
        &mut self,
        reception: &MessageReception,
        message: &SentMessage,
        (symbols, is_honest): (&Symbols, bool),
        figures: &mut StackFigures,
    ) -> Judgement {
        figures.received += 1;
        self.control.received(reception, message.field.as_ref());
        let now_ns = reception.time_ns;
        if let Some(hostile) = self.sender.hostile.as_mut().filter(|_| is_honest) {
            hostile.hear(now_ns, message);
        }
        let judgement =
            self.receiver
                .judge(message, &mut self.sender.signer, symbols, time(now_ns));
        match judgement {
            Judgement::Accepted { is_new: false } => {}
            Judgement::Accepted { is_new: true } => {
                if let Some(since) = self.lacked.remove(&message.id) {
                    let lacked = now_ns.saturating_sub(since);
                    figures.came += 1;
                    figures.lacked_ns.0 += lacked;
                    figures.lacked_ns.1 = figures.lacked_ns.1.max(lacked);
                }
            }
            Judgement::UnknownSigner => {
                figures.unknown_signer += 1;
                self.lacked.entry(message.id).or_insert_with(|| {
                    figures.lacked += 1;
                    now_ns
                });
            }
            Judgement::Refused(_) => figures.refused += 1,
        }
        if let (Judgement::Accepted { .. }, Some(since_ns)) = (judgement, message.warned_ns) {
            let warning = (reception.sender, since_ns);
            self.warnings
                .received(warning, now_ns, &mut figures.warnings);
        }
        judgement
    }
}
