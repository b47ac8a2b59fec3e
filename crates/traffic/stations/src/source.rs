//! All vehicles' stations as the source of a run's messages.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use waywarden_random::Random;
use waywarden_traffic_lab::radio::RadioFrame;
use waywarden_traffic_lab::{MessageReception, MessageSigner, MessageSource, VehicleMotion};
use waywarden_v2x_congestion::BusyRatio;
use waywarden_v2x_security::store::Verified;
use waywarden_v2x_wire::ieee1609dot2::HashedId3;

use crate::authority::Authority;
use crate::figures::StackFigures;
use crate::hostile::HostileKind;
use crate::messages::Messages;
use crate::motion::Plane;
use crate::receiver::Judgement;
use crate::settings::{CertificateSource, NoCertificate, StackSettings};
use crate::symbols::Symbols;
use crate::vehicle::VehicleStation;

/// Time from one question to a station whether a message is due to the next, in ns.
const PERIOD_NS: u64 = 10_000_000;

/// Judgement of a received message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedJudgement {
    /// Time of the frame's end, in ns from the begin of the run.
    pub time_ns: u64,
    /// Vehicle that sent it.
    pub sender: usize,
    /// Vehicle that received it.
    pub receiver: usize,
    /// Its judgement.
    pub judgement: Judgement,
}

/// The stations of all vehicles.
///
/// A vehicle has its station from its first moment on the road on. One that comes back has the same
/// station.
pub struct VehicleStations<C> {
    settings: StackSettings,
    certificates: C,
    vehicles: Vec<Option<VehicleStation>>,
    /// Stations of vehicles that are several by their messages, beside their own.
    more_names: HashMap<usize, Vec<VehicleStation>>,
    messages: Messages,
    plane: Plane,
    random: Random,
    symbols: Symbols,
    authority: Option<Authority>,
    /// Certificates that are revoked at all vehicles.
    revoked: Vec<Arc<Verified>>,
    /// Judgements of all receptions, if they are kept.
    judgements: Option<Vec<ReceivedJudgement>>,
    /// The last bytes of each certificate, by which others ask for it.
    endings: HashSet<HashedId3>,
    figures: StackFigures,
    failure: Option<NoCertificate>,
}

impl<C: CertificateSource> VehicleStations<C> {
    /// Stations of vehicles that are still to come.
    #[must_use]
    pub fn new(settings: StackSettings, certificates: C) -> Self {
        Self {
            certificates,
            vehicles: Vec::new(),
            more_names: HashMap::new(),
            messages: Messages::default(),
            plane: Plane::default(),
            random: Random::new(settings.seed),
            symbols: Symbols::new(settings.has_real_signatures),
            authority: settings.revocation.and_then(Authority::new),
            revoked: Vec::new(),
            judgements: None,
            endings: HashSet::new(),
            figures: StackFigures::default(),
            failure: None,
            settings,
        }
    }

    /// Keeps the judgement of each reception, for [`judgements`](Self::judgements): some 40 bytes
    /// each.
    #[must_use]
    pub fn keeping_judgements(self) -> Self {
        Self {
            judgements: Some(Vec::new()),
            ..self
        }
    }

    /// Returns the judgements that were kept, in the order of receptions.
    #[must_use]
    pub fn judgements(&self) -> &[ReceivedJudgement] {
        self.judgements.as_deref().unwrap_or_default()
    }

    /// Returns the figures.
    ///
    /// # Errors
    /// [`NoCertificate`] if a vehicle had none: it was silent from then on.
    pub fn finish(self) -> Result<StackFigures, NoCertificate> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.figures),
        }
    }

    /// Returns the number of messages that wait or are on the air.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.messages.len()
    }

    /// Gives a vehicle its station.
    fn begin(&mut self, number: usize, time_ns: u64) -> Result<(), NoCertificate> {
        let random = self.random.stream("vehicle", number as u64);
        let kind = self.settings.hostile.draw(&random);
        let mut new = |name, random: &Random| {
            let signing = (&mut self.certificates, &mut self.symbols);
            let of = (kind, name);
            let mut vehicle = VehicleStation::new(&self.settings, signing, time_ns, of, random)?;
            for certificate in &self.revoked {
                vehicle.revoke(certificate);
            }
            Ok(vehicle)
        };
        let vehicle = new(0, &random)?;
        let names = kind.map_or(1, HostileKind::names);
        let others = (1..names).map(|name| new(name, &random.stream("name", name as u64)));
        let others = others.collect::<Result<Vec<_>, NoCertificate>>()?;
        if let Some(kind) = vehicle.hostile() {
            self.figures.hostile.entry(kind).or_default().vehicles += 1;
            if kind == HostileKind::Revoked {
                let certificate = Arc::clone(vehicle.certificate());
                self.revoke(certificate);
            }
        }
        self.vehicles[number] = Some(vehicle);
        if !others.is_empty() {
            self.more_names.insert(number, others);
        }
        Ok(())
    }

    /// Has all vehicles refuse a certificate.
    fn revoke(&mut self, certificate: Arc<Verified>) {
        for vehicle in self.vehicles.iter_mut().flatten() {
            vehicle.revoke(&certificate);
        }
        self.revoked.push(certificate);
    }

    /// Has all vehicles refuse those that the authority has revoked: the certificates that they
    /// have now.
    fn revoke_due(&mut self, time_ns: u64, number: usize) {
        let Some(authority) = &mut self.authority else {
            return;
        };
        let mut due: Vec<usize> = std::iter::from_fn(|| authority.due(time_ns)).collect();
        // It may have changed its pseudonym.
        if authority.is_revoked(number) {
            due.push(number);
        }
        for vehicle in due {
            let own = self.vehicles.get(vehicle).into_iter().flatten();
            let others = self.more_names.get(&vehicle).into_iter().flatten();
            let names = own.chain(others);
            let certificates: Vec<_> = names.map(|one| Arc::clone(one.certificate())).collect();
            for certificate in certificates {
                let is_known = |one: &Arc<Verified>| one.id() == certificate.id();
                if !self.revoked.iter().any(is_known) {
                    self.revoke(certificate);
                }
            }
        }
    }

    fn frame(
        &mut self,
        time_ns: u64,
        number: usize,
        motion: &VehicleMotion,
    ) -> Result<Option<RadioFrame>, NoCertificate> {
        if self.vehicles.len() <= number {
            self.vehicles.resize_with(number + 1, || None);
        }
        if self.vehicles[number].is_none() {
            self.begin(number, time_ns)?;
        }
        self.revoke_due(time_ns, number);
        let Some(vehicle) = &mut self.vehicles[number] else {
            return Ok(None);
        };
        let kind = vehicle.hostile();
        let names = self.more_names.get_mut(&number).into_iter().flatten();
        let mut names = std::iter::once(&mut *vehicle).chain(names);
        let new = loop {
            let Some(name) = names.next() else {
                return Ok(None);
            };
            let moving = (motion, &mut self.plane);
            let signing = (&mut self.certificates, &mut self.symbols);
            if let Some(new) = name.due(moving, signing, time_ns, &mut self.figures)? {
                break new;
            }
        };
        if let Some(kind) = kind {
            self.figures.hostile.entry(kind).or_default().messages += 1;
        }
        let power_share = 10_f64.powf(-vehicle.control.below_most_db() / 10.0);
        self.figures.power_share += power_share;
        let givable = new.contents.signer.chain().map(|one| one.id().id_3());
        self.endings.extend(givable);
        let unanswerable = new.contents.requests();
        let unanswerable = unanswerable
            .filter(|one| !self.endings.contains(one))
            .count();
        self.figures.requests_unanswerable += unanswerable as u64;
        Ok(Some(RadioFrame {
            airtime_ns: new.frames.airtime_ns,
            power_share,
            message: self.messages.put(new.contents),
        }))
    }
}

impl<C: CertificateSource> MessageSource for VehicleStations<C> {
    fn period_ns(&self) -> Option<u64> {
        Some(PERIOD_NS)
    }

    fn due(
        &mut self,
        time_ns: u64,
        vehicle: usize,
        motion: &VehicleMotion,
        _beacon: RadioFrame,
    ) -> Option<RadioFrame> {
        if self.failure.is_some() {
            return None;
        }
        match self.frame(time_ns, vehicle, motion) {
            Ok(frame) => frame,
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }

    fn sent(&mut self, time_ns: u64, vehicle: usize, frame: &RadioFrame) {
        if let Some(Some(vehicle)) = self.vehicles.get_mut(vehicle) {
            vehicle.sent(time_ns, frame.airtime_ns);
        }
    }

    fn received(&mut self, reception: &MessageReception) {
        let hostile = |vehicles: &[Option<VehicleStation>], number: usize| {
            let vehicle = vehicles.get(number).and_then(Option::as_ref);
            vehicle.and_then(VehicleStation::hostile)
        };
        let sender = hostile(&self.vehicles, reception.sender);
        let message = self.messages.get(reception.message);
        let vehicle = self.vehicles.get_mut(reception.receiver);
        let Some((message, Some(vehicle))) = message.zip(vehicle) else {
            return;
        };
        let figures = &mut self.figures;
        let known = (&self.symbols, sender.is_none());
        let judgement = vehicle.received(reception, message, known, figures);
        let of_kind = sender.map(|kind| figures.hostile.entry(kind).or_default());
        let detection = match of_kind {
            Some(of_kind) => {
                if vehicle.hostile().is_none() {
                    of_kind.received(judgement);
                }
                &mut of_kind.detection
            }
            None => &mut figures.detection,
        };
        let pair = (reception.sender, reception.receiver);
        if matches!(judgement, Judgement::Accepted { .. })
            && vehicle.assess(reception, message, detection)
            && let Some(authority) = &mut self.authority
            && authority.report(pair, message, reception.time_ns)
        {
            let sender = self.vehicles.get(reception.sender);
            let began = sender.and_then(Option::as_ref).map(|one| one.began_ns);
            let began_ns = began.unwrap_or(reception.time_ns);
            detection.revoke(reception.time_ns.saturating_sub(began_ns));
        }
        if let Some(judgements) = &mut self.judgements {
            judgements.push(ReceivedJudgement {
                time_ns: reception.time_ns,
                sender: reception.sender,
                receiver: reception.receiver,
                judgement,
            });
        }
    }

    fn signer(&self, receiver: usize, message: u32) -> Option<MessageSigner> {
        let id = self.messages.get(message)?.id;
        // A vehicle that has just come has no station before its first question.
        let receiver = self.vehicles.get(receiver).and_then(Option::as_ref);
        Some(MessageSigner {
            certificate: u64::from_be_bytes(id.0),
            is_known: receiver.is_some_and(|receiver| receiver.knows(id)),
        })
    }

    fn ended(&mut self, frame: &RadioFrame) {
        self.messages.remove(frame.message);
    }

    fn measured(&mut self, time_ns: u64, vehicle: usize, ratio: BusyRatio) {
        if let Some(Some(vehicle)) = self.vehicles.get_mut(vehicle) {
            vehicle.control.measured(time_ns, ratio);
        }
        let (count, sum, greatest) = &mut self.figures.busy;
        *count += 1;
        *sum += ratio.share();
        *greatest = greatest.max(ratio.share());
    }
}
