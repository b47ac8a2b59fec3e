//! `waywarden road`: cars of a vehicle file among the vehicles of a trace.

mod report;

use std::io::{self, Write as _};
use std::path::PathBuf;

use waywarden_command_can::file_kind;
use waywarden_command_can::resources::load_to_run;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::table::OutputFormat;
use waywarden_command_traffic::traffic::recorded::{RecordedTrace, certificates, read};
use waywarden_traffic_lab::RunSettings;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_road::{
    RecordedBraking, Recording, RoadAttack, RoadError, RoadSettings, drive,
};

use self::report::RoadReport;
use crate::run::{parse, refused};

const EXAMPLES: &str = "\
Examples:
  waywarden road car.toml --fcd fcd.csv.gz                   two cars, no attack
  waywarden road car.toml --fcd fcd.csv.gz --attack wheel    the attackers of the file
  waywarden road car.toml --fcd fcd.csv.gz --attack sybil    one on the road
  waywarden road car.toml --fcd fcd.csv.gz --detailed 4 --format json
  waywarden road car.toml --fcd fcd.csv.gz --vehicles 52,17";

/// Put cars of a vehicle file on the road: from a wheel on a bus to the brake of another car.
///
/// A few vehicles of the trace are cars in full detail: each has the buses, keys and SecOC of the
/// file. What the telematics ECU of `[v2x]` accepts as authentic is in its CAM and DENM; messages
/// of other cars that it verifies reach a stream on its bus, and there the brake ECU accepts or
/// refuses it. All other vehicles drive with the stack of `traffic run`. The table has the time
/// from wheel to brake with its parts, and the brake requests that were accepted, true and false.
/// docs/road.md has the model.
///
/// Exit code 0 if `end_to_end` of `[v2x]` is met or not required, 1 if it is missed, 2 for bad
/// input. The same files, seed and options give the same figures.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Road {
    /// The vehicle with `[v2x]`, in TOML; docs/vehicle-file.md describes it.
    vehicle: PathBuf,
    /// The trace: floating car data in metres, as for `traffic run`.
    #[arg(long, value_name = "FILE")]
    fcd: PathBuf,
    /// Number of cars in full detail: the vehicle that brakes hardest and those behind it.
    #[arg(long, value_name = "NUMBER", default_value_t = 2,
          value_parser = clap::value_parser!(u8).range(1..=32))]
    detailed: u8,
    /// Vehicles of the trace that are cars in full detail, separated by commas, instead of
    /// --detailed. Attackers on the road drive behind the second one.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        conflicts_with = "detailed"
    )]
    vehicles: Vec<String>,
    /// Attack.
    #[arg(long, value_enum, default_value_t)]
    attack: Attack,
    /// Begin of an attack on the road, in seconds from the begin of the trace.
    #[arg(long, value_name = "SECONDS", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(..=86_400))]
    attack_from: u32,
    /// Seed of all random choices.
    #[arg(long, default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// An attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Attack {
    /// None; the attackers of the vehicle file do not act.
    #[default]
    None,
    /// The attackers of the vehicle file, in each car in full detail.
    Wheel,
    /// CAM of a vehicle that brakes, with signatures that its key did not make.
    ForgedCam,
    /// Messages of the cars, sent again two seconds later.
    Replay,
    /// CAM of five vehicles that are not there, with valid certificates.
    Sybil,
    /// A thousand messages a second with wrong signatures.
    Flood,
}

impl Attack {
    const fn of_road(self) -> RoadAttack {
        match self {
            Self::None => RoadAttack::None,
            Self::Wheel => RoadAttack::Wheel,
            Self::ForgedCam => RoadAttack::ForgedCam,
            Self::Replay => RoadAttack::Replay,
            Self::Sybil => RoadAttack::Sybil,
            Self::Flood => RoadAttack::Flood,
        }
    }
}

/// Time for which the hardest braking vehicle was on the road before, in seconds.
const SEEN_S: f64 = 5.0;

const DOCUMENT: DocumentFormat<RoadReport> =
    DocumentFormat::new("road", 1, "waywarden road CAR --fcd TRACE --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Road {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let text = file_kind::vehicle_text(&self.vehicle)?;
        let file = parse(&self.vehicle.display().to_string(), &text)?;
        let resources = load_to_run(&file, &self.vehicle, None)?;
        if self.attack == Attack::Wheel && file.attackers.is_empty() {
            messages::note("the vehicle file has no [[attacker]]: --attack wheel changes nothing");
        }
        let RecordedTrace { steps, names } = read(&self.fcd)?;
        let recording = Recording { steps };
        let settings = RoadSettings {
            cars: self.cars(&recording, &names)?,
            attack: self.attack.of_road(),
            attack_from_ns: u64::from(self.attack_from) * 1_000_000_000,
            run: RunSettings {
                seed: self.seed,
                ..RunSettings::DEFAULT
            },
        };
        let certificates = (certificates(self.seed, 0)?, certificates(self.seed, 1)?);
        let outcome = drive(&file, &resources, &recording, &settings, certificates);
        let outcome = outcome.map_err(|error| self.failure(&file, &error))?;
        let report = RoadReport::new(&file, &outcome, &names);
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &report)?,
            OutputFormat::Csv => report.latencies().print_csv(&mut out)?,
            OutputFormat::Table => report.print(&mut out)?,
        }
        out.flush()?;
        Ok(match report.is_met() {
            true => Answer::Yes,
            false => Answer::No,
        })
    }

    /// Returns the numbers of the vehicles that are cars in full detail.
    fn cars(&self, recording: &Recording, names: &[String]) -> Result<Vec<usize>, Failure> {
        let trace = self.fcd.display();
        if !self.vehicles.is_empty() {
            let number = |name: &String| {
                let found = names.iter().position(|one| one == name);
                found.ok_or_else(|| {
                    Failure::new(format_args!("--vehicles: {trace} has no vehicle {name:?}"))
                })
            };
            return self.vehicles.iter().map(number).collect();
        }
        let braking = recording.hardest_braking(SEEN_S);
        let Some(RecordedBraking {
            vehicle, followers, ..
        }) = braking
        else {
            return Err(Failure::new(format_args!(
                "{trace}: no vehicle brakes with another one behind it after {SEEN_S} s; name \
                 cars with --vehicles"
            )));
        };
        let cars: Vec<usize> = [vehicle].into_iter().chain(followers).collect();
        let wanted = usize::from(self.detailed);
        if cars.len() < wanted {
            let there = cars.len();
            return Err(Failure::new(format_args!(
                "{trace}: {there} vehicles follow each other where one brakes hardest; give \
                 --detailed {there} or less, or name cars with --vehicles"
            )));
        }
        Ok(cars[..wanted].to_vec())
    }

    fn failure(&self, file: &VehicleFile, error: &RoadError) -> Failure {
        match error {
            RoadError::Lower(error) => refused(file, error),
            RoadError::NoV2x | RoadError::NoFigure(_) => {
                Failure::new(format_args!("{}: {error}", self.vehicle.display()))
            }
            error => Failure::new(error),
        }
    }
}
