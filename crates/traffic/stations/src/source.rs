//! All vehicles' stations as the source of a run's messages.

use std::collections::HashSet;

use waywarden_random::Random;
use waywarden_traffic_lab::radio::RadioFrame;
use waywarden_traffic_lab::{MessageReception, MessageSource, VehicleMotion};
use waywarden_v2x_congestion::BusyRatio;
use waywarden_v2x_wire::ieee1609dot2::HashedId3;

use crate::figures::StackFigures;
use crate::messages::Messages;
use crate::motion::Plane;
use crate::settings::{CertificateSource, NoCertificate, StackSettings};
use crate::vehicle::VehicleStation;

/// Time from one question to a station whether a message is due to the next, in ns.
const PERIOD_NS: u64 = 10_000_000;

/// The stations of all vehicles.
///
/// A vehicle has its station from its first moment on the road on. One that comes back has the same
/// station.
pub struct VehicleStations<C> {
    settings: StackSettings,
    certificates: C,
    vehicles: Vec<Option<VehicleStation>>,
    messages: Messages,
    plane: Plane,
    random: Random,
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
            messages: Messages::default(),
            plane: Plane::default(),
            random: Random::new(settings.seed),
            endings: HashSet::new(),
            figures: StackFigures::default(),
            failure: None,
            settings,
        }
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

    fn frame(
        &mut self,
        time_ns: u64,
        number: usize,
        motion: &VehicleMotion,
    ) -> Result<Option<RadioFrame>, NoCertificate> {
        if self.vehicles.len() <= number {
            self.vehicles.resize_with(number + 1, || None);
        }
        let vehicle = match &mut self.vehicles[number] {
            Some(vehicle) => vehicle,
            place => {
                let random = self.random.stream("vehicle", number as u64);
                let certificates = &mut self.certificates;
                place.insert(VehicleStation::new(
                    &self.settings,
                    certificates,
                    time_ns,
                    random,
                )?)
            }
        };
        let moving = (motion, &mut self.plane);
        let figures = &mut self.figures;
        let Some(new) = vehicle.due(moving, &mut self.certificates, time_ns, figures)? else {
            return Ok(None);
        };
        let power_share = 10_f64.powf(-vehicle.control.below_most_db() / 10.0);
        self.figures.power_share += power_share;
        self.endings.insert(new.contents.id.id_3());
        let unanswerable = new.contents.requests();
        let unanswerable = unanswerable
            .filter(|one| !self.endings.contains(one))
            .count();
        self.figures.requests_unanswerable += unanswerable as u64;
        Ok(Some(RadioFrame {
            airtime_ns: self.settings.radio.airtime_ns(new.bytes),
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
        let message = self.messages.get(reception.message);
        let vehicle = self.vehicles.get_mut(reception.receiver);
        if let Some((message, Some(vehicle))) = message.zip(vehicle) {
            vehicle.received(reception, message, &mut self.figures);
        }
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
