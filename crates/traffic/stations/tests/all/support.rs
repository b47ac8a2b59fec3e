//! Vehicles on a straight road, and the laboratory that certifies them.

use waywarden_traffic_lab::radio::{PlanePoint, RadioSettings, VehiclePosition};
use waywarden_traffic_lab::{
    PolicyComparison, RunLog, RunSettings, TrafficReport, TrafficSimulation,
};
use waywarden_traffic_stations::{
    CertificateCondition, CertificateInclusion, CertificateSource, CongestionControl,
    HostileSettings, NoCertificate, ReceivedJudgement, SignatureScheme, StackFigures,
    StackSettings, VehicleIdentity, VehicleStations,
};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::{CertificateForm, Laboratory};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_vehicle_tracks::fcd::{FcdVehicle, TimeStep};

/// Certificates of a laboratory; after `left` of them there are no more.
pub(crate) struct Certificates {
    laboratory: Laboratory,
    /// Under a root that no vehicle knows.
    unknown: Laboratory,
    form: CertificateForm,
    left: usize,
}

impl Certificates {
    pub(crate) fn new(seed: u64, form: CertificateForm) -> Self {
        Self {
            laboratory: Laboratory::new(seed, 1, [7; 32]).unwrap(),
            unknown: Laboratory::new(!seed, 1, [8; 32]).unwrap(),
            form,
            left: usize::MAX,
        }
    }

    pub(crate) fn at_most(self, left: usize) -> Self {
        Self { left, ..self }
    }
}

impl CertificateSource for Certificates {
    fn next(
        &mut self,
        condition: CertificateCondition,
        now: Time64,
    ) -> Result<VehicleIdentity, NoCertificate> {
        let none = || NoCertificate("no more".to_owned());
        self.left = self.left.checked_sub(1).ok_or_else(none)?;
        let laboratory = match condition {
            CertificateCondition::UnknownAuthority => &mut self.unknown,
            _ => &mut self.laboratory,
        };
        let then = match condition {
            CertificateCondition::Expired => Time64(now.0 - 8 * 86_400_000_000),
            _ => now,
        };
        let issued = laboratory.issue(0, self.form, &[], None, then).unwrap();
        Ok(VehicleIdentity {
            certificate: issued.credential.certificate().clone(),
            key: Some((issued.credential.key(), issued.store)),
        })
    }

    fn trust(&self, verifier: &mut Verifier) -> Result<(), NoCertificate> {
        self.laboratory.teach(verifier, 1).unwrap();
        Ok(())
    }
}

pub(crate) fn settings(service: MessageService, seed: u64) -> StackSettings {
    StackSettings {
        service,
        control: CongestionControl::Etsi(Algorithm::Off),
        change: ChangeRules::default(),
        has_real_signatures: false,
        scheme: SignatureScheme::EcdsaP256,
        inclusion: CertificateInclusion::Rules,
        hostile: HostileSettings::default(),
        has_warnings: false,
        position_error_m: 0.0,
        detection: None,
        revocation: None,
        radio: RadioSettings::DEFAULT,
        seed,
    }
}

/// A vehicle on the road.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Car {
    pub(crate) begin_m: f64,
    pub(crate) speed_m_s: f64,
    /// Tenths of a second from when on it is there.
    pub(crate) from: u64,
    /// Tenths of a second from when on it brakes with 5 m/s².
    pub(crate) brakes: Option<u64>,
}

impl Car {
    /// Speed at a tenth of a second.
    fn speed_m_s(&self, tenth: u64) -> f64 {
        let braking = self.brakes.map_or(0, |brakes| tenth.saturating_sub(brakes));
        (self.speed_m_s - 0.5 * braking as f64).max(0.0)
    }

    /// Place at a tenth of a second: each tenth at the speed of its begin.
    fn x_m(&self, tenth: u64) -> f64 {
        let moved: f64 = (0..tenth).map(|tenth| self.speed_m_s(tenth) / 10.0).sum();
        self.begin_m + moved
    }
}

/// Lets cars drive for so many tenths of a second.
pub(crate) fn drive(
    cars: &[Car],
    tenths: u64,
    settings: StackSettings,
    certificates: Certificates,
) -> (TrafficReport, Result<StackFigures, NoCertificate>, usize) {
    let comparison = PolicyComparison::default();
    let (report, (), stations) = drive_logged(cars, tenths, settings, certificates, comparison, ());
    let in_flight = stations.in_flight();
    (report, stations.finish(), in_flight)
}

/// The same; returns the judgements of all receptions, and the figures.
pub(crate) fn drive_judged(
    cars: &[Car],
    tenths: u64,
    settings: StackSettings,
    certificates: Certificates,
) -> (Vec<ReceivedJudgement>, StackFigures) {
    let comparison = PolicyComparison::default();
    let (_, (), stations) = drive_logged(cars, tenths, settings, certificates, comparison, ());
    (stations.judgements().to_vec(), stations.finish().unwrap())
}

/// Lets cars drive before boards; `log` takes what happens.
pub(crate) fn drive_logged<L: RunLog>(
    cars: &[Car],
    tenths: u64,
    settings: StackSettings,
    certificates: Certificates,
    comparison: PolicyComparison,
    log: L,
) -> (TrafficReport, L, VehicleStations<Certificates>) {
    let run = RunSettings {
        radio: settings.radio,
        seed: settings.seed,
        ..RunSettings::DEFAULT
    };
    let stations = VehicleStations::new(settings, certificates).keeping_judgements();
    let mut simulation = TrafficSimulation::with_source(&run, comparison, log, stations);
    for tenth in 0..tenths {
        let present = cars.iter().enumerate().filter(|(_, car)| tenth >= car.from);
        let vehicles = present.map(|(number, car)| FcdVehicle {
            number,
            x: car.x_m(tenth),
            y: 4.0 * (number % 4) as f64,
            z: None,
            speed_m_s: Some(car.speed_m_s(tenth)),
            heading_degrees: Some(90.0),
        });
        let step = TimeStep {
            time_s: tenth as f64 / 10.0,
            vehicles: vehicles.collect(),
        };
        simulation.step(&step, |x_m, y_m, heading_degrees| VehiclePosition {
            place: PlanePoint { x_m, y_m },
            heading_degrees,
        });
    }
    simulation.finish(100_000_000)
}
