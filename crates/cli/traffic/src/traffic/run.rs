//! `waywarden traffic run`: a trace on the channel.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use indicatif::ProgressBar;
use waywarden_traffic_lab::message_log::{MessageLog, MessageTables, TableFormat};
use waywarden_traffic_lab::{PolicyComparison, RunPicture, RunSettings, page};

use super::compared::{AttackOptions, Compared, Kind};
use super::failed;
use super::figures::Figures;
use super::kept::Kept;
use super::numbers;
use super::options::RadioOptions;
use super::scenario::Folder;
use super::stack::StackPlan;
use super::sumo::simulate;
use super::trace::{self, Trace, bar};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::table::OutputFormat;

const EXAMPLES: &str = "\
Examples:
  waywarden traffic run fcd.xml.gz                    what each vehicle of a trace hears
  waywarden traffic run roundabout --level rush         a scenario, which SUMO simulates first
  waywarden traffic run roundabout --board a72 --out results
  waywarden traffic run fcd.xml --awareness cam --congestion-control adaptive
  waywarden traffic run fcd.xml --awareness cam --hostile sybil --detection --revoke-after 3
  waywarden traffic run fcd.xml --awareness cam --hostile forged,replayed,revoked --hostile-share 0.2
  waywarden traffic run fcd.xml --out results --messages parquet
  waywarden traffic run fcd.xml --format json";

/// Put the vehicles of a trace or a scenario on the radio channel, and count what each of them
/// hears.
///
/// A trace is floating car data of SUMO (`sumo --fcd-output`), as XML or CSV, compressed by gzip
/// or not, or as Parquet, in metres; docs/vehicle-tracks.md has the formats. A scenario is a folder
/// with a scenario.toml (docs/traffic-scenarios.md); SUMO simulates it first. Each vehicle
/// broadcasts by IEEE 802.11p; docs/traffic-radio.md has the model, and what it leaves out.
///
/// With --board it says which share of the relevant messages a board verifies in time.
///
/// The same input, seed and options give the same figures. `waywarden traffic sweep` runs many.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TrafficRun {
    /// The trace, or the folder of the scenario.
    input: PathBuf,
    /// Level of traffic of a scenario, by its name for it, such as rush.
    #[arg(long)]
    level: Option<String>,
    /// Keep what is found in this folder: summary.json, windows.csv, report.html, manifest.json;
    /// the trace of a scenario is in its folder sumo. A folder that has the same run already is
    /// left as it is, and its figures are printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep each message too, in the folder of --out: generated.parquet has each message that a
    /// vehicle made, received.parquet each reception,
    /// decided.parquet what became of it at each receiver that verifies (.csv.gz with csv).
    #[arg(long, value_enum, value_name = "FORMAT", requires = "out")]
    messages: Option<MessageFormat>,
    /// The seed of the random generator for trips, phases of messages, backoffs and errors.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The trace is in degrees (`sumo --fcd-output.geo`).
    #[arg(long)]
    geo: bool,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    radio: RadioOptions,
    #[command(flatten)]
    compared: Compared,
    /// Transmitters beside the road send false messages. Each claims to come from 20 m ahead of its
    /// receiver.
    #[arg(long, value_enum, help_heading = "How attackers send")]
    attack: Option<Kind>,
    #[command(flatten)]
    attackers: AttackOptions,
}

/// Format of a log of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum MessageFormat {
    /// Comma-separated values, compressed by gzip.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// One run: what goes in, and what is kept.
pub(super) struct Job<'a> {
    pub(super) input: &'a Path,
    /// The scenario, if the input is one.
    pub(super) folder: Option<&'a Folder>,
    pub(super) level: Option<&'a str>,
    pub(super) is_geo: bool,
    pub(super) buildings: Option<&'a Path>,
    pub(super) settings: &'a RunSettings,
    pub(super) comparison: &'a PolicyComparison,
    /// The stack that sends in place of beacons.
    pub(super) stack: Option<StackPlan>,
    pub(super) messages: Option<MessageFormat>,
}

const DOCUMENT: DocumentFormat<Figures> = DocumentFormat::new(
    "traffic-run",
    1,
    "waywarden traffic run TRACE --format json",
);

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl TrafficRun {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let folder = match self.input.is_dir() {
            true => Some(Folder::read(&self.input)?),
            false => None,
        };
        let stack = self.radio.stack()?;
        let comparison = self.compared.comparison(stack.as_ref())?;
        let attack = self.attack.and_then(Kind::attack);
        let attack = attack.map(|kind| self.attackers.attack(kind));
        let settings = self.radio.settings(folder.as_ref(), attack, self.seed)?;
        let job = Job {
            input: &self.input,
            folder: folder.as_ref(),
            level: self.level.as_deref(),
            is_geo: self.geo,
            buildings: self.radio.buildings.as_deref(),
            settings: &settings,
            comparison: &comparison,
            stack,
            messages: self.messages,
        };
        let figures = self.figures(&job)?;
        if attack.is_some() && !figures.was_attacked() {
            messages::note("no false message was sent: attacks begin 10 s after the trace");
        }
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &figures)?,
            OutputFormat::Csv => print_csv(
                &mut out,
                &numbers::figures(&figures).map_err(io::Error::from)?,
            )?,
            OutputFormat::Table => figures.rows().print(&mut out)?,
        }
        out.flush()?;
        Ok(Answer::Yes)
    }

    fn figures(&self, job: &Job<'_>) -> Result<Figures, Failure> {
        let bar = bar();
        let Some(out) = &self.out else {
            if job.folder.is_some() {
                let what = "a scenario needs a folder for its trace: give --out DIR";
                return Err(failed(&self.input, what));
            }
            return job.count(&self.input, &bar);
        };
        let kept = job.kept(out)?;
        if let Some(figures) = kept.figures()? {
            messages::note(format_args!("{}: this run is there already", out.display()));
            return Ok(figures);
        }
        let trace = match job.folder {
            Some(folder) => {
                let (_, vehicles) = folder.level(job.level)?;
                simulate(folder, vehicles, self.seed, &out.join("sumo"))?
            }
            None => self.input.clone(),
        };
        job.run(kept, &trace, &bar)
    }
}

impl Job<'_> {
    /// Returns the folder that keeps the run.
    pub(super) fn kept(&self, out: &Path) -> Result<Kept, Failure> {
        let inputs = match self.folder {
            Some(folder) => folder.files(),
            None => vec![self.input.to_owned()],
        };
        let inputs = inputs.into_iter().chain(self.buildings.map(Path::to_owned));
        Kept::new(out, inputs, self.options())
    }

    /// Returns all that a run depends on, beside the files that go in.
    fn options(&self) -> serde_json::Value {
        let RunSettings {
            radio,
            propagation,
            bytes,
            period_ns,
            attack,
            seed,
        } = self.settings;
        let boards = self.comparison.boards.iter().map(|board| {
            serde_json::json!({
                "name": board.name,
                "message_ns": board.message_ns,
                "known_sender_ns": board.known_sender_ns,
                "cores": board.cores,
            })
        });
        let policies = self.comparison.policies.iter().map(ToString::to_string);
        let stack = self.stack.as_ref().map(StackPlan::options);
        let mut options = serde_json::json!({
            "scenario": self.folder.map(|folder| folder.text.as_str()),
            "level": self.level,
            "seed": seed,
            "is_in_degrees": self.is_geo,
            "messages": self.messages.map(|format| format!("{format:?}").to_lowercase()),
            "bytes": bytes,
            "period_ns": period_ns,
            "power_mw": radio.power_mw,
            "radio": format!("{radio:?}"),
            "antenna": format!("{:?}", propagation.antenna),
            "attack": attack.map(|attack| serde_json::json!({
                "kind": format!("{:?}", attack.kind),
                "transmitters": attack.transmitters,
                "period_ns": attack.period_ns,
            })),
            "boards": boards.collect::<Vec<_>>(),
            "policies": policies.collect::<Vec<_>>(),
            "receivers": self.comparison.receivers,
        });
        // Runs with beacons keep the names of their options of before.
        if let Some(stack) = stack {
            options["stack"] = stack;
        }
        options
    }

    fn trace<'a>(&'a self, path: &'a Path) -> Trace<'a> {
        Trace {
            path,
            is_geo: self.is_geo,
            settings: self.settings,
            comparison: self.comparison,
            stack: self.stack.as_ref(),
        }
    }

    /// Runs a trace, and keeps nothing.
    fn count(&self, path: &Path, bar: &ProgressBar) -> Result<Figures, Failure> {
        let (counted, _) = trace::run(&self.trace(path), None, bar)?;
        Ok(Figures::of(counted, self.comparison))
    }

    /// Runs a trace, and keeps what is found.
    pub(super) fn run(
        &self,
        mut kept: Kept,
        path: &Path,
        bar: &ProgressBar,
    ) -> Result<Figures, Failure> {
        const WINDOWS: &str = "windows.csv";
        let log = self.log(&mut kept, WINDOWS)?;
        let logs = Some((log, RunPicture::default()));
        let (counted, logs) = trace::run(&self.trace(path), logs, bar)?;
        if let Some((log, picture)) = logs {
            log.finish().map_err(|error| kept.failed(WINDOWS, &error))?;
            let name = self.folder.map(|folder| folder.scenario.name.as_str());
            let name = name.map_or_else(|| self.input.display().to_string(), str::to_owned);
            let level = self
                .level
                .map_or_else(String::new, |level| format!(", {level}"));
            let title = format!("{name}{level}, seed {}", self.settings.seed);
            let page = page(&title, &counted.report, self.comparison, &picture);
            kept.write("report.html", page.as_bytes())?;
        }
        let figures = Figures::of(counted, self.comparison);
        kept.finish(&figures)?;
        Ok(figures)
    }

    /// Begins the log of windows and messages.
    fn log(&self, kept: &mut Kept, windows: &str) -> Result<MessageLog, Failure> {
        let file = Box::new(kept.create(windows)?);
        let tables = match self.messages {
            None => None,
            Some(MessageFormat::Parquet) => Some(MessageTables {
                generated: Box::new(kept.create("generated.parquet")?),
                received: Box::new(kept.create("received.parquet")?),
                decided: Box::new(kept.create("decided.parquet")?),
                format: TableFormat::Parquet,
            }),
            Some(MessageFormat::Csv) => {
                let mut packed = |name| {
                    let file = kept.create(name)?;
                    let packed = GzEncoder::new(file, flate2::Compression::fast());
                    Ok::<_, Failure>(Packed(packed))
                };
                Some(MessageTables {
                    generated: Box::new(packed("generated.csv.gz")?),
                    received: Box::new(packed("received.csv.gz")?),
                    decided: Box::new(packed("decided.csv.gz")?),
                    format: TableFormat::Csv,
                })
            }
        };
        let boards = self
            .comparison
            .boards
            .iter()
            .map(|board| board.name.clone());
        let policies = self.comparison.policies.iter().map(ToString::to_string);
        let names = (boards.collect(), policies.collect());
        MessageLog::new(file, tables, names).map_err(|error| kept.failed(windows, &error))
    }
}

/// A file that is compressed by gzip. To flush it ends it, which can fail, as dropping it cannot.
struct Packed(GzEncoder<File>);

impl io::Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.try_finish()
    }
}
