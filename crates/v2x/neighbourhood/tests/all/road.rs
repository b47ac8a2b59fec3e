//! A ring road in Munich, and stations on it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, Scripted};
use waywarden_v2x_neighbourhood::{
    Actor, CertificateForm, CertificateUse, InProcess, Laboratory, Participant,
    ParticipantSettings, Tickets,
};
use waywarden_v2x_schedule::{Bounds, Policy};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_signing::MessageSigner;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{MessageService, Motion, StationSettings, VehicleType};
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

/// In November 2026.
pub(crate) const BEGIN: Time64 = Time64(722_000_000_000_000);
const RADIUS_M: f64 = 300.0;

/// Returns the motion of a car on the ring after so much time, at a speed in m/s.
pub(crate) fn on_ring(angle: f64, speed: f64, elapsed: Duration, time: Time64) -> Motion {
    let angle = angle + speed / RADIUS_M * elapsed.as_secs_f64();
    let (north, east) = (RADIUS_M * angle.sin(), RADIUS_M * angle.cos());
    let degree_m = 111_320.0;
    let latitude = 48.137 + north / degree_m;
    let longitude = 11.575 + east / (degree_m * 48.137_f64.to_radians().cos());
    // Counterclockwise: at the east of the ring it goes north.
    let heading = (-angle.to_degrees()).rem_euclid(360.0);
    let location = ThreeDLocation {
        latitude: Latitude((latitude * 1e7) as i32),
        longitude: Longitude((longitude * 1e7) as i32),
        elevation: Elevation::from_decimetres(5_200).unwrap(),
    };
    Motion {
        heading_decidegrees: Some((heading * 10.0) as u16 % 3_600),
        speed_cm_s: Some((speed * 100.0) as u16),
        ..Motion::at(location, time)
    }
}

pub(crate) fn settings(service: MessageService, change: ChangeRules) -> ParticipantSettings {
    ParticipantSettings {
        station: StationSettings {
            vehicle: VehicleType::CAR,
            service,
            change,
        },
        policy: Policy::FIFO,
        bounds: Bounds::DEFAULT,
        is_listening: true,
    }
}

pub(crate) fn laboratory(random: &mut Random, authorities: usize) -> Arc<Mutex<Laboratory>> {
    let stations = random.bytes(32).try_into().unwrap();
    let laboratory = Laboratory::new(7, authorities, stations).unwrap();
    Arc::new(Mutex::new(laboratory))
}

/// Settings of a station in a test.
pub(crate) struct Plan {
    pub(crate) settings: ParticipantSettings,
    pub(crate) authority: usize,
    /// Number of the authorities that it knows from the beginning.
    pub(crate) known: usize,
    pub(crate) form: CertificateForm,
    pub(crate) role: CertificateUse,
    pub(crate) joins: Duration,
    pub(crate) speed: f64,
    pub(crate) angle: f64,
    pub(crate) sender: fn(MessageSigner) -> MessageSigner,
    pub(crate) control: Option<Algorithm>,
}

impl Plan {
    pub(crate) fn new(settings: ParticipantSettings, angle: f64) -> Self {
        Self {
            settings,
            authority: 0,
            known: 1,
            form: CertificateForm::Explicit,
            role: CertificateUse::DirectSender,
            joins: Duration::ZERO,
            speed: 20.0,
            angle,
            sender: |sender| sender,
            control: None,
        }
    }

    pub(crate) fn place(
        self,
        laboratory: &Arc<Mutex<Laboratory>>,
        random: &mut Random,
    ) -> PlacedStation {
        let mut verifier = Verifier::default();
        laboratory
            .lock()
            .unwrap()
            .teach(&mut verifier, self.known)
            .unwrap();
        let tickets = Tickets::new(laboratory, self.authority, self.form);
        let mut seed = || random.bytes(32).try_into().unwrap();
        let security = InProcess::new(self.role, Box::new(tickets), verifier, BEGIN, seed());
        let security = security.unwrap().with_sender(self.sender);
        let begin = Time64(BEGIN.0 + self.joins.as_micros() as u64);
        let actor = Participant::new(self.settings, Box::new(security), begin, seed());
        let actor = match self.control {
            Some(algorithm) => actor.with_congestion_control(algorithm),
            None => actor,
        };
        let (joins, angle, speed) = (self.joins, self.angle, self.speed);
        on_road(Box::new(actor), joins, angle, speed)
    }
}

/// Puts a station on the road.
pub(crate) fn on_road(
    actor: Box<dyn Actor>,
    joins: Duration,
    angle: f64,
    speed: f64,
) -> PlacedStation {
    let movement = move |elapsed: Duration, time| {
        (elapsed >= joins).then(|| on_ring(angle, speed, elapsed, time))
    };
    PlacedStation {
        actor,
        position: Box::new(Scripted::new(BEGIN, movement)),
    }
}
