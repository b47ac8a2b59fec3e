//! A trace with cars in full detail, from begin to end.

use waywarden_random::Random;
use waywarden_traffic_lab::radio::{PlanePoint, VehiclePosition};
use waywarden_traffic_lab::{PolicyComparison, RunSettings, TrafficSimulation};
use waywarden_traffic_stations::{
    CertificateInclusion, CertificateSource, CongestionControl, HostileSettings, SignatureScheme,
    StackSettings, VehicleStations,
};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_vehicle_file::{Protection, V2x, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_sim::lower::lower;
use waywarden_vehicle_tracks::fcd::{FcdVehicle, TimeStep};
use waywarden_work::{Algorithm as Curve, Duration, Operation, OperationKind};

use crate::attacker::{Attacker, BEHIND_M, RoadAttack};
use crate::car::Car;
use crate::detailed::DetailedCar;
use crate::error::RoadError;
use crate::judgement::Judge;
use crate::outcome::RoadOutcome;
use crate::recording::Recording;
use crate::source::RoadSource;
use crate::station::SigningStation;

/// Settings of a drive.
#[derive(Clone, Debug)]
pub struct RoadSettings {
    /// Vehicles of the trace that are cars in full detail. Attackers on the road drive behind the
    /// second one, or the only one.
    pub cars: Vec<usize>,
    /// Attack.
    pub attack: RoadAttack,
    /// Time at which an attack on the road begins, in ns.
    pub attack_from_ns: u64,
    /// Radio, propagation and seed.
    pub run: RunSettings,
}

/// Drives a trace. All cars have the same vehicle file; each has keys and chances of its own.
/// `certificates` are for the other vehicles, and for cars and attackers.
///
/// # Errors
/// [`RoadError`] by cause.
pub fn drive<C: CertificateSource>(
    file: &VehicleFile,
    resources: &Resources,
    recording: &Recording,
    settings: &RoadSettings,
    certificates: (C, C),
) -> Result<RoadOutcome, RoadError> {
    let v2x = file.v2x.clone().ok_or(RoadError::NoV2x)?;
    check(file, &v2x)?;
    let (ordinary, mut own) = certificates;
    let (begin, end) = ends(recording);
    let mut file = file.clone();
    file.duration = Duration::from_nanos(end);
    if settings.attack != RoadAttack::Wheel {
        file.attackers.clear();
    }
    let costs = costs(&file, resources, &v2x)?;
    let random = Random::new(settings.run.seed);
    let mut cars: Vec<DetailedCar> = Vec::new();
    for (at, &vehicle) in settings.cars.iter().enumerate() {
        if settings.cars[..at].contains(&vehicle) {
            return Err(RoadError::Twice(vehicle));
        }
        let speeds = recording.speeds(vehicle);
        let joins = speeds.begin_ns();
        let joins = joins.ok_or(RoadError::NoSuchVehicle(vehicle))?;
        let seed = random.stream("car", at as u64).next_u64();
        let car = Car::new(&file, resources, v2x.clone(), (seed, speeds))?;
        let seeds = random.stream("station", at as u64);
        let station = SigningStation::new(&mut own, joins, seeds);
        let station = station.map_err(RoadError::Certificate)?;
        let judge = Judge::new(&own, costs.1).map_err(RoadError::Certificate)?;
        cars.push(DetailedCar::new(vehicle, car, station, (judge, costs.0)));
    }
    let mut attackers = Vec::new();
    for number in 0..settings.attack.transmitters() {
        let random = random.stream("attacker", number as u64);
        let begins = (settings.attack_from_ns, random);
        let attacker = Attacker::new(settings.attack, &mut own, begins);
        attackers.push(attacker.map_err(RoadError::Certificate)?);
    }
    let (transmitters, first_attacker) = (attackers.len(), recording.vehicles());
    let stations = VehicleStations::new(stack(settings), ordinary);
    let source = RoadSource::new(
        (stations, own),
        cars,
        (attackers, first_attacker),
        settings.run.radio,
    );
    let comparison = PolicyComparison::default();
    let mut run = TrafficSimulation::with_source(&settings.run, comparison, (), source);
    let victim = settings.cars.get(1).or(settings.cars.first());
    for step in &recording.steps {
        let mut step: TimeStep = step.clone();
        step.time_s -= begin;
        let found = step.vehicles.iter().find(|one| Some(&one.number) == victim);
        if let Some(victim) = found.copied() {
            let numbers = first_attacker..first_attacker + transmitters;
            step.vehicles
                .extend(numbers.map(|one| behind(&victim, one)));
        }
        run.step(&step, |x_m, y_m, heading_degrees| VehiclePosition {
            place: PlanePoint { x_m, y_m },
            heading_degrees,
        });
    }
    let last = recording.steps.last().map_or(0.0, |step| step.time_s);
    let after_ns = end.saturating_sub(((last - begin) * 1e9).round() as u64);
    let (report, (), source) = run.finish(after_ns);
    let mut outcome = source.finish(end)?;
    outcome.vehicles = report.vehicles_most - transmitters;
    Ok(outcome)
}

/// Returns the time of the first step in seconds, and the end in ns: the last step goes on for as
/// long as the one before it.
fn ends(recording: &Recording) -> (f64, u64) {
    let times: Vec<f64> = recording.steps.iter().map(|step| step.time_s).collect();
    let begin = times.first().copied().unwrap_or(0.0);
    let end = match times[..] {
        [.., before, last] => 2.0 * last - before,
        _ => begin + 1.0,
    };
    (begin, ((end - begin) * 1e9).round() as u64)
}

/// Refuses what does not take payloads from outside, or reports none.
fn check(file: &VehicleFile, v2x: &V2x) -> Result<(), RoadError> {
    let signals = [
        Some(v2x.speed),
        v2x.brake,
        v2x.yaw_rate,
        v2x.reverse,
        Some(v2x.brake_request),
    ];
    for signal in signals.into_iter().flatten() {
        let stream = file.stream(signal.stream);
        let place = file.source.place(&stream.name.span);
        let at = format!(
            "{}:{place}: stream {:?} of [v2x]",
            file.source.file_name(),
            stream.name.value
        );
        if stream.protection == Protection::Granted {
            let why = "is under a security module, which is not supported here; give it SecOC";
            return Err(RoadError::Unsupported(format!("{at} {why}")));
        }
        let ecus = [stream.sender, v2x.ecu, v2x.brake_ecu];
        if let Some(ecu) = ecus
            .into_iter()
            .find(|ecu| file.ecu(*ecu).firmware.is_some())
        {
            let name = &file.ecu(ecu).name.value;
            return Err(RoadError::Unsupported(format!(
                "{at}: ECU {name:?} is an image, whose payloads are its own; leave out `firmware`"
            )));
        }
    }
    Ok(())
}

/// Returns the times to sign and to verify a message, in ns.
fn costs(file: &VehicleFile, resources: &Resources, v2x: &V2x) -> Result<(u64, u64), RoadError> {
    let lowered = lower(file, resources, None).map_err(RoadError::Lower)?;
    let cost = |given: Option<Duration>, kind, key: &str| {
        if let Some(given) = given {
            return Ok(given.as_nanos());
        }
        let board = &lowered.boards[v2x.ecu.0];
        let cost = board.cost(&Operation::new(kind, Curve::P256, 0));
        let cost = cost.map(|cost| cost.duration.as_nanos());
        cost.map_err(|error| {
            let name = &file.ecu(v2x.ecu).name.value;
            RoadError::NoFigure(format!("ECU {name:?}: {error}; give `{key}` in [v2x]"))
        })
    };
    Ok((
        cost(v2x.signing, OperationKind::Sign, "signing")?,
        cost(v2x.verification, OperationKind::Verify, "verification")?,
    ))
}

fn stack(settings: &RoadSettings) -> StackSettings {
    StackSettings {
        service: MessageService::CamOverGeoNetworking,
        control: CongestionControl::Etsi(Algorithm::Off),
        change: ChangeRules::default(),
        scheme: SignatureScheme::default(),
        inclusion: CertificateInclusion::default(),
        has_real_signatures: false,
        hostile: HostileSettings::default(),
        has_warnings: false,
        position_error_m: 0.0,
        detection: None,
        revocation: None,
        radio: settings.run.radio,
        seed: settings.run.seed,
    }
}

/// Returns a vehicle that drives behind another one.
fn behind(victim: &FcdVehicle, number: usize) -> FcdVehicle {
    let heading = victim.heading_degrees.unwrap_or(0.0).to_radians();
    FcdVehicle {
        number,
        x: victim.x - BEHIND_M * heading.sin(),
        y: victim.y - BEHIND_M * heading.cos(),
        ..*victim
    }
}
