//! `waywarden start-up`: how long a vehicle takes to its first authentic messages, by situation.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use waywarden_vehicle_file::{EcuIndex, KeyGroup, Lasan};
use waywarden_vehicle_lab::start_up::{StartUp, StartUpRow, StartUpSetting, StartUpVehicle};
use waywarden_vehicle_resources::Resources;

use crate::parallel::{self, Jobs};
use crate::report_table::report_table;
use crate::run::{listed, refused};
use waywarden_command_can::file_kind;
use waywarden_command_can::quantity;
use waywarden_command_can::resources::load;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::OutputFormat;

/// Measure how long receivers wait for the first authentic message: power-on, brown-out, new part.
///
/// The vehicle runs in each situation: as the file says; with stored keys; with a key exchange at
/// power-on; after a brown-out of all ECUs in the middle of the run; and with one ECU replaced. A
/// row has the longest wait of any receiver for a first message that it accepts as authentic. Where
/// the file has `authentic_within` in `[require]`, each situation is checked against it. See
/// docs/start-up.md.
///
/// After a minute it reports its progress on standard error, once a minute.
///
/// Exit code 0 if `authentic_within` is met in every situation or not required, 1 if one misses it,
/// 2 for bad input or a file without an authenticated stream. The same file and seed give the same
/// figures.
#[derive(Debug, clap::Args)]
pub(crate) struct StartUpCommand {
    /// The vehicle, in TOML; docs/vehicle-file.md describes it, examples/ has some.
    vehicle: PathBuf,
    /// ECUs to replace, one at a time, separated by commas [default: each one that sends or checks
    /// authenticated messages].
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    ecu: Vec<String>,
    /// Seed of all random choices, instead of the file's own seed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Longest duration of each run, such as 10s, instead of the file's own duration.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Number of situations that run at a time [default: as many as there are processors].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl StartUpCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let text = file_kind::vehicle_text(&self.vehicle)?;
        let vehicle = StartUpVehicle::read(&self.vehicle.display().to_string(), &text);
        let vehicle = vehicle.map_err(|errors| listed(&errors))?;
        let file = vehicle.file();
        let duration = self.duration.as_deref().map(quantity::run_length);
        let setting = StartUpSetting {
            seed: self.seed.unwrap_or(file.seed),
            duration: duration.transpose()?.unwrap_or(file.duration),
        };
        let resources = load(file, &self.vehicle)?;
        let replaced = self.replaced(&vehicle, &resources)?;
        let plan = vehicle.plan(&replaced, &setting);
        let jobs = Jobs {
            jobs: self.jobs,
            command: "start-up",
            what: "situations",
        };
        let trials = parallel::run(&plan.situations, jobs, |situation| {
            vehicle.run(*situation, &setting, &resources)
        });
        let start_up = StartUp::new(file, &setting, plan, trials);
        print(&mut io::stdout().lock(), &start_up, self.format)?;
        Ok(if start_up.is_met() {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    /// Returns the ECUs to replace; those that are named must have to do with authentication.
    fn replaced(
        &self,
        vehicle: &StartUpVehicle,
        resources: &Resources,
    ) -> Result<Vec<EcuIndex>, Failure> {
        let file = vehicle.file();
        let all = vehicle.authenticated_ecus(resources);
        let all = all.map_err(|error| refused(file, &error))?;
        if all.is_empty() {
            return Err(Failure::new(format_args!(
                "{}: no ECU checks messages from power-on on: add [[authentication]], or a \
                 security module in [[keys]] that protects streams without `windows`",
                self.vehicle.display()
            )));
        }
        if self.ecu.is_empty() {
            return Ok(all);
        }
        let mut replaced = Vec::new();
        for name in &self.ecu {
            let ecu = vehicle.ecu(name);
            let ecu = ecu.map_err(|why| Failure::new(format_args!("--ecu: {why}")))?;
            if !takes_part(vehicle, ecu, &all) {
                let names = all.iter().map(|ecu| file.ecu(*ecu).name.value.as_str());
                let names: Vec<&str> = names.collect();
                return Err(Failure::new(format_args!(
                    "--ecu: {name} neither sends nor checks authenticated messages and keeps no \
                     keys for others; ECUs that send or check: {}",
                    names.join(", ")
                )));
            }
            if !replaced.contains(&ecu) {
                replaced.push(ecu);
            }
        }
        Ok(replaced)
    }
}

/// Returns true if an ECU has to do with authentication: it sends, checks, or takes part in key
/// protocols.
fn takes_part(vehicle: &StartUpVehicle, ecu: EcuIndex, authenticated: &[EcuIndex]) -> bool {
    let file = vehicle.file();
    let mut members = file.groups.iter().flat_map(KeyGroup::parties);
    let mut parties = file.lasan.iter().flat_map(Lasan::parties);
    authenticated.contains(&ecu)
        || members.any(|party| party.ecu == ecu)
        || parties.any(|party| party.ecu == ecu)
}

const DOCUMENT: DocumentFormat<StartUp> =
    DocumentFormat::new("start-up", 1, "waywarden start-up FILE --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

fn print(out: &mut impl Write, start_up: &StartUp, format: OutputFormat) -> Result<(), Failure> {
    match format {
        OutputFormat::Json => DOCUMENT.print(out, start_up)?,
        OutputFormat::Csv => {
            let power_on = start_up.situations.iter();
            let power_on = power_on.filter(|row| row.replaced.is_none());
            print_csv(out, power_on.chain(&start_up.replaced))?;
        }
        OutputFormat::Table => print_table(out, start_up)?,
    }
    Ok(())
}

fn print_table(out: &mut impl Write, start_up: &StartUp) -> Result<(), Failure> {
    writeln!(
        out,
        "{}, seed {}: from power-on, or from a later boot, until an ECU accepts a first authentic \
         message of a stream\n",
        start_up.vehicle, start_up.seed
    )?;
    report_table(&start_up.situations).print(out)?;
    if let Some(ideal) = &start_up.ideal_text {
        writeln!(out, "{ideal}")?;
    }
    let parts = start_up.replaced.len();
    if parts > 1 {
        let met = start_up.replaced.iter().filter(|row| row.met == Some(true));
        let met = start_up.required_text.as_ref().map(|_| met.count());
        let met = met.map_or(String::new(), |met| {
            format!("; `authentic_within` is met with {met} of them")
        });
        writeln!(
            out,
            "replaced ECU: the worst of {parts} that were replaced one at a time{met}"
        )?;
    }
    for one in &start_up.impossible {
        writeln!(
            out,
            "not possible: {}: {}",
            one.situation.name(),
            one.reason
        )?;
    }
    for row in &start_up.situations {
        print_cause(out, row, start_up.required_text.as_deref())?;
    }
    if start_up.required_text.is_none() {
        let nothing = "The vehicle file does not require `authentic_within`.";
        return Ok(writeln!(out, "{nothing}")?);
    }
    let all = start_up.situations.len();
    let met = start_up.situations.iter();
    let met = met.filter(|row| row.met == Some(true)).count();
    writeln!(out, "authentic_within: met in {met} of {all} situations.")?;
    Ok(())
}

/// Says of a situation in which a wait was too long, or not over, how many were and why.
fn print_cause(out: &mut impl Write, row: &StartUpRow, required: Option<&str>) -> io::Result<()> {
    let Some(cause) = &row.figures.cause else {
        return Ok(());
    };
    let (situation, waits) = (row.situation.name(), row.figures.waits);
    match (row.figures.late, required) {
        (Some(late), Some(required)) if late > 0 => {
            writeln!(
                out,
                "MISSED {situation}: {late} of {waits} waits too long, {required} required"
            )?;
        }
        _ => {
            let never = row.figures.never;
            writeln!(
                out,
                "{situation}: {never} of {waits} waits were not over by the end of the run"
            )?;
        }
    }
    writeln!(out, "       {cause}")
}
