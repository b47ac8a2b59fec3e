//! A car that brakes hard, one behind it, and certificates of a laboratory.

use waywarden_testkit::workspace;
use waywarden_traffic_lab::RunSettings;
use waywarden_traffic_stations::{
    CertificateCondition, CertificateSource, NoCertificate, VehicleIdentity,
};
use waywarden_v2x_neighbourhood::{CertificateForm, Laboratory};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_road::{Recording, RoadAttack, RoadError, RoadOutcome, RoadSettings, drive};
use waywarden_vehicle_tracks::fcd::{FcdVehicle, TimeStep};

pub(crate) struct Certificates(Laboratory);

impl Certificates {
    fn new(stations: u8) -> Self {
        Self(Laboratory::new(1, 1, [stations; 32]).unwrap())
    }
}

impl CertificateSource for Certificates {
    fn next(
        &mut self,
        _: CertificateCondition,
        now: Time64,
    ) -> Result<VehicleIdentity, NoCertificate> {
        let form = CertificateForm::Explicit;
        let issued = self.0.issue(0, form, &[], None, now).unwrap();
        Ok(VehicleIdentity {
            certificate: issued.credential.certificate().clone(),
            key: Some((issued.credential.key(), issued.store)),
        })
    }

    fn trust(&self, verifier: &mut Verifier) -> Result<(), NoCertificate> {
        self.0.teach(verifier, 1).unwrap();
        Ok(())
    }
}

/// The text of the example.
pub(crate) fn example() -> String {
    let path = workspace().join("examples/road/car.toml");
    std::fs::read_to_string(path).unwrap()
}

/// The time at which the first car begins to brake, in ns.
pub(crate) const BRAKES_NS: u64 = 6_000_000_000;

/// Vehicle 0 brakes from 15 m/s to 5 m/s after 6 s; vehicle 1 follows at 12 m/s, others drive
/// beside them.
pub(crate) fn recording(brakes: bool) -> Recording {
    let vehicle = |number, x, y, speed| FcdVehicle {
        number,
        x,
        y,
        z: None,
        speed_m_s: Some(speed),
        heading_degrees: Some(0.0),
    };
    let mut place = 100.0;
    let steps = (0..20).map(|half: usize| {
        let time_s = half as f64 / 2.0;
        let braked = match brakes {
            true => (time_s - 6.0).clamp(0.0, 2.0),
            false => 0.0,
        };
        let speed = 15.0 - 5.0 * braked;
        place += speed / 2.0;
        let beside = (2..6).map(|at| vehicle(at, 10.0 * at as f64, place, 13.0));
        TimeStep {
            time_s,
            vehicles: [
                vehicle(0, 0.0, place, speed),
                vehicle(1, 0.0, 12.0 * time_s + 60.0, 12.0),
            ]
            .into_iter()
            .chain(beside)
            .collect(),
        }
    });
    Recording {
        steps: steps.collect(),
    }
}

pub(crate) fn try_drive(
    text: &str,
    attack: RoadAttack,
    recording: &Recording,
) -> Result<RoadOutcome, RoadError> {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RoadSettings {
        cars: vec![0, 1],
        attack,
        attack_from_ns: 3_000_000_000,
        run: RunSettings::DEFAULT,
    };
    let certificates = (Certificates::new(1), Certificates::new(2));
    drive(
        &file,
        &Resources::default(),
        recording,
        &settings,
        certificates,
    )
}

pub(crate) fn go(text: &str, attack: RoadAttack, brakes: bool) -> RoadOutcome {
    let outcome = try_drive(text, attack, &recording(brakes));
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    println!("{attack:?}: {outcome:#?}");
    outcome
}
