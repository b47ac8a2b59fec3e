//! `waywarden keys`: one exchange of group keys, or one start under a security module, on a
//! built-in vehicle or on one's own, and its time line.
//!
//! A built-in vehicle is composed and checked like any vehicle file, and runs as `waywarden run`
//! would run it; `keys/built_in.rs` has its options. What is printed comes from
//! [`waywarden_vehicle_lab::exchange`]; `keys/print.rs` lays it out.

mod built_in;
mod print;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::{KeyTable, VehicleFile};
use waywarden_vehicle_lab::exchange::{self, Exchange, ExchangeScenario};
use waywarden_work::Duration;

use crate::run;
use waywarden_command_can::{file_kind, resources};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::quantity;
use waywarden_command_line::table::OutputFormat;

use built_in::BuiltIn;

/// Name of the built-in vehicle in errors.
const BUILT_IN: &str = "the built-in vehicle (see it with --print-vehicle)";

const EXAMPLES: &str = "\
Examples:
  waywarden keys                                      4 ECUs and an orchestrator, hardened
  waywarden keys --profile as-published --frames      each frame with its bytes
  waywarden keys --scheme symmetric-distribution --suite p256 --ecus 16
  waywarden keys --transport classic --format json
  waywarden keys --scheme lasan                       4 ECUs under a security module
  waywarden keys --scheme lasan --profile compact --suite ml-kem-512+fn-dsa-512
  waywarden keys --ecus 6 --print-vehicle > car.toml  a vehicle file to go on from
  waywarden keys car.toml --group car                 one group of a vehicle file";

/// Run one exchange of group keys, or one start under a security module, and show its time line,
/// its frames and its cost.
///
/// Without a vehicle it makes one: --ecus ECUs and an orchestrator on one bus without other
/// traffic. With --scheme lasan there is a security module instead, and on CAN FD each ECU has one
/// stream to be authorized for, sent once a second. With a vehicle it runs that, with all its
/// traffic and disturbances, until each group has its first key, and all ECUs under security
/// modules are authenticated and authorized. docs/keys.md describes the output,
/// docs/protocols/gke.md and docs/protocols/lasan.md the messages.
///
/// The time line has a line for each message, each stage of computations, and each ECU that has the
/// key. If that is more than 120 lines, there is a line for each exchange between two instead.
/// --steps and --frames show more, at any length.
///
/// Exit code 0 if all groups agreed and all ECUs were authenticated and authorized, 1 if not (the
/// output names what is missing), 2 for bad input.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Keys {
    /// A vehicle file with `[[keys]]`, instead of the built-in vehicle.
    vehicle: Option<PathBuf>,
    /// Only this group, or security module, of the vehicle file [default: all].
    #[arg(long, value_name = "NAME", requires = "vehicle")]
    group: Option<String>,
    #[command(flatten)]
    built_in: BuiltIn,
    /// Seed of all random choices [default: 0, or the vehicle file's].
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Time limit, in simulated time, such as 500ms
    /// [default: 5min, or the vehicle file's duration].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    until: Option<String>,
    /// Show each message and each stage, however many there are.
    #[arg(long)]
    steps: bool,
    /// Show each frame with its bytes in hexadecimal, each computation and each event.
    #[arg(long, conflicts_with = "steps")]
    frames: bool,
    /// The form of the output; JSON and CSV always have each frame with its bytes.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

const DOCUMENT: DocumentFormat<Exchange> =
    DocumentFormat::new("keys", 1, "waywarden keys --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Keys {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        if let Some(until) = &self.until
            && quantity::duration(until)? == Duration::ZERO
        {
            let never = format_args!("--until {until}: nothing has happened by then; such as 1s");
            return Err(Failure::new(never));
        }
        if self.built_in.print_vehicle {
            self.file()?;
            let text = self.recipe()?.toml();
            out.write_all(text.as_bytes())?;
            return Ok(Answer::Yes);
        }
        let file = self.file()?;
        let tables = self.tables(&file)?;
        let folder = self.vehicle.as_deref().unwrap_or(Path::new("keys.toml"));
        let resources = resources::load(&file, folder)?;
        let lowered = run::lowered(&file, &resources, self.seed.unwrap_or(file.seed))?;
        let spinner = match messages::shows_progress() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        let mut progress = |now: Time| {
            let seconds = now.as_picos() as f64 * 1e-12;
            spinner.set_message(format!("{seconds:.1} s simulated"));
            spinner.tick();
            ControlFlow::Continue(())
        };
        let exchange = exchange::run(&file, lowered, &tables, &mut progress);
        spinner.finish_and_clear();
        let exchange = exchange.map_err(Failure::new)?;
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &exchange)?,
            OutputFormat::Csv => print_csv(&mut out, &exchange.time_line)?,
            OutputFormat::Table => {
                let detail = match (self.frames, self.steps) {
                    (true, _) => print::Detail::Frames,
                    (_, true) => print::Detail::Steps,
                    _ => print::Detail::Fitting,
                };
                print::table(&mut out, &exchange, detail)?;
            }
        }
        Ok(match exchange.agreed {
            true => Answer::Yes,
            false => Answer::No,
        })
    }

    /// Reads the vehicle file, or the built-in vehicle as if it were one.
    fn file(&self) -> Result<VehicleFile, Failure> {
        let Some(path) = &self.vehicle else {
            let vehicle = self.recipe()?.table();
            return VehicleFile::compose(BUILT_IN, &vehicle).map_err(|errors| run::listed(&errors));
        };
        let mut file = run::parse(&path.display().to_string(), &file_kind::vehicle_text(path)?)?;
        let until = self.until.as_deref().map(quantity::duration);
        let until = until.transpose()?.unwrap_or(file.duration);
        run::warn_of_late(&file, until);
        file.duration = until;
        Ok(file)
    }

    fn recipe(&self) -> Result<ExchangeScenario<'_>, Failure> {
        let (seed, until) = (self.seed.unwrap_or(0), self.until.as_deref());
        self.built_in.recipe(seed, until)
    }

    /// Returns the key protocols of the file that are asked for.
    fn tables(&self, file: &VehicleFile) -> Result<Vec<KeyTable>, Failure> {
        let name = file.source.file_name();
        let groups = file.groups.iter().map(|one| one.name.value.as_str());
        let networks = file.lasan.iter().map(|one| one.name.value.as_str());
        let groups = (0..).map(KeyTable::Group).zip(groups);
        let networks = (0..).map(KeyTable::Lasan).zip(networks);
        let all: Vec<(KeyTable, &str)> = groups.chain(networks).collect();
        if all.is_empty() {
            return Err(Failure::new(format_args!(
                "{name}: no group agrees on a key; add [[keys]] with at least an `orchestrator`, \
                 or with a `security_module` and `scheme = \"lasan\"`, see docs/vehicle-file.md"
            )));
        }
        let wanted = |name: &str| self.group.as_deref().is_none_or(|group| group == name);
        let asked = all.iter().filter(|(_, name)| wanted(name));
        let asked: Vec<KeyTable> = asked.map(|(table, _)| *table).collect();
        match (asked.is_empty(), &self.group) {
            (true, Some(group)) => {
                let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
                Err(Failure::new(format_args!(
                    "{name}: no group `{group}`; there are: {}",
                    names.join(", ")
                )))
            }
            _ => Ok(asked),
        }
    }
}
