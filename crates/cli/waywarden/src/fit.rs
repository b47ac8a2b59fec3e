//! `waywarden fit`: does SecOC fit this bus, from a message matrix or a vehicle file.

mod input;
mod print;

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use waywarden_can::timing::BitRate;
use waywarden_command_can::logs::damage::LogReadingOptions;
use waywarden_command_can::resources::load;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::table::OutputFormat;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::dbc::DATA_BIT_RATE;
use waywarden_vehicle_lab::fit::{
    CandidateCarrier, CandidateChoices, DOCUMENT, Fit, FitSetting, FitVehicle, PROFILES, Selection,
    Truncation, page,
};

use crate::parallel::{self, Jobs};
use crate::relocated::relocated;

const EXAMPLES: &str = "\
Examples:
  waywarden fit car.dbc --bitrate 500k                       every message, all candidates
  waywarden fit car.dbc --log drive.blf                      periods and lengths as recorded
  waywarden fit car.dbc --assume 100ms --protect 'Motor_*,Brake*'
  waywarden fit car.dbc --share 0.3 --board s32k3 --html fit.html
  waywarden fit car.toml --profiles autosar-1 --truncations 8/24,8/32,8/56
  waywarden fit car.dbc --attack-rate 10 --risk 0.001        behind a gateway that limits frames
  waywarden fit car.dbc --out rows                           a vehicle file for each row
  waywarden fit car.dbc --print-vehicle > best.toml          of the recommendation";

/// Answer if SecOC fits a bus: candidates of profile, truncation and carrier side by side.
///
/// FILE is a vehicle file or a message matrix. Each candidate is a vehicle file of its own,
/// which is simulated and bounded. The table has its load, its worst latency by analysis and in the
/// simulation, its start-up, and the probability that an attacker guesses a code within a year of
/// 365 days. The attacker has the whole bus for forged messages, unless --attack-rate says how many
/// it sends. Besides are the recommendation with its reason, the costs of each message, and what
/// cannot be. See docs/fit.md.
///
/// A candidate fits if it protects all messages asked for, no message misses a deadline that it met
/// without codes, or one by more, none is refused or lost, and a code is guessed within a year with
/// the probability of --risk at most. Exit code 0 if one fits, 1 if none does, 2 for bad input.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct FitCommand {
    /// The vehicle file, or a message matrix (DBC, ARXML, KCD, SYM).
    file: PathBuf,
    /// Messages to protect, by name, separated by commas; * stands for any text, ? for a letter
    /// [default: all].
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        conflicts_with = "share"
    )]
    protect: Vec<String>,
    /// Share of the messages to protect, from 0 to 1: those with the shortest periods.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: Option<f64>,
    /// Profiles of SecOC, separated by commas: production, jaspar, autosar-1 [default: all].
    #[arg(long, value_delimiter = ',', value_name = "PROFILES", value_parser = PROFILES)]
    profiles: Vec<String>,
    /// Bits that travel, separated by commas: those of the `profile`, a number of bits of the code
    /// such as 32, freshness and code such as 8/56, or `fill` for a full classic frame
    /// [default: profile,32,fill,64].
    #[arg(long, value_delimiter = ',', value_name = "BITS")]
    truncations: Vec<Truncation>,
    /// Frames that carry freshness and code, separated by commas [default: all].
    #[arg(long, value_delimiter = ',', value_enum, value_name = "CARRIERS")]
    carriers: Vec<CarrierName>,
    /// Nominal bit rate of all buses, whatever the file has; a matrix without one has 500k.
    #[arg(long, value_name = "RATE")]
    bitrate: Option<BitRate>,
    /// Data bit rate of buses that become CAN FD [default: 2M].
    #[arg(long, value_name = "RATE")]
    data_bitrate: Option<BitRate>,
    /// A log of the bus: its periods and payload lengths replace those of the file.
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,
    /// The channel of the log that is this bus [default: the one with most of the identifiers].
    #[arg(long, value_name = "CHANNEL", requires = "log")]
    channel: Option<String>,
    #[command(flatten)]
    reading: LogReadingOptions,
    /// The period of messages of a matrix that have none there and in the log, such as 100ms.
    #[arg(long, value_name = "TIME")]
    assume: Option<String>,
    /// The board of ECUs that name none, see `waywarden boards`; without it computing takes no
    /// time.
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Forged messages per second of the attacker that guesses codes [default: as many as the bus
    /// carries].
    #[arg(long, value_name = "NUMBER", value_parser = rate)]
    attack_rate: Option<f64>,
    /// Accepted probability of a guessed code within a year: a candidate with a higher one does not
    /// fit.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    risk: f64,
    /// Seed of all random choices, instead of the file's own seed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Duration of each run, such as 3s, instead of the file's own duration.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Number of candidates that run at a time [default: as many as there are processors].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Write a vehicle file for each row into this folder, which is new or empty.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write the table for a design review: one self-contained HTML file; - is standard output, in
    /// the place of the figures.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the vehicle file of the recommendation instead.
    #[arg(long)]
    print_vehicle: bool,
    /// The form of the figures. JSON has the costs of each message for all rows.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CarrierName {
    /// The message's own frame as it is, behind the payload.
    InMessage,
    /// A cryptographic PDU beside the message.
    CryptographicPdu,
    /// The message's own frame, which becomes CAN FD.
    CanFd,
}

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().unwrap_or(f64::NAN);
    match value > 0.0 && value <= 1.0 {
        true => Ok(value),
        false => Err("a share is above 0 and at most 1, such as 0.3".to_owned()),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().unwrap_or(f64::NAN);
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err("a number of messages per second above 0, such as 10".to_owned()),
    }
}

impl FitCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        self.format.beside("--html", self.html.as_deref())?;
        let vehicle = input::vehicle(self)?;
        let resources = load(vehicle.file(), &self.file)?;
        let setting = self.setting();
        let html = self.html.as_deref().map(OutputFile::create).transpose()?;
        let folder = self.out.as_deref().map(fresh).transpose()?;
        let candidates = vehicle.candidates(&self.choices());
        let jobs = Jobs {
            jobs: self.jobs,
            command: "fit",
            what: "candidates",
        };
        let trials = parallel::run(&candidates, jobs, |candidate| {
            vehicle.run(*candidate, &setting, &resources)
        });
        let fit = Fit::new(&vehicle, &setting, trials);
        if let Some(folder) = folder {
            self.write_rows(folder, &vehicle, &setting, &fit)?;
        }
        if let Some(mut html) = html {
            html.write_all(page(&fit).as_bytes())
                .map_err(Failure::writing)?;
            html.finish()?;
        }
        if !self.html.as_deref().is_some_and(is_standard) {
            self.print(&vehicle, &setting, &fit)?;
        }
        Ok(if fit.fits { Answer::Yes } else { Answer::No })
    }

    fn setting(&self) -> FitSetting {
        let data = self.data_bitrate.unwrap_or(DATA_BIT_RATE);
        FitSetting {
            data_bit_rate: data.bits_per_second(),
            attack_rate: self.attack_rate,
            risk: self.risk,
        }
    }

    fn choices(&self) -> CandidateChoices {
        let all = CandidateChoices::default();
        let chosen = |name: &&'static str| self.profiles.iter().any(|one| one == name);
        let carriers = self.carriers.iter().map(|one| match one {
            CarrierName::InMessage => CandidateCarrier::InMessage,
            CarrierName::CryptographicPdu => CandidateCarrier::CryptographicPdu,
            CarrierName::CanFd => CandidateCarrier::CanFd,
        });
        CandidateChoices {
            profiles: match self.profiles.is_empty() {
                true => all.profiles,
                false => PROFILES.iter().copied().filter(chosen).collect(),
            },
            truncations: match self.truncations.is_empty() {
                true => all.truncations,
                false => self.truncations.clone(),
            },
            carriers: match self.carriers.is_empty() {
                true => all.carriers,
                false => carriers.collect(),
            },
        }
    }

    fn selection(&self) -> Selection {
        match self.share {
            Some(share) => Selection::Share(share),
            None if self.protect.is_empty() => Selection::All,
            None => Selection::Named(self.protect.clone()),
        }
    }

    fn print(&self, vehicle: &FitVehicle, setting: &FitSetting, fit: &Fit) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.print_vehicle {
            let Some(best) = fit.best() else {
                let mut said = Vec::new();
                writeln!(said, "{}: {}", fit.vehicle, fit.conclusion_text)?;
                print::impossible(&mut said, fit)?;
                let said = String::from_utf8_lossy(&said);
                messages::error(plain_lines(said.trim_end()));
                return Ok(());
            };
            let text = vehicle
                .toml(best.candidate, setting)
                .map_err(Failure::new)?;
            let text = relocated(text, &self.file);
            writeln!(out, "# {}", fit.conclusion_text)?;
            write!(out, "{text}")?;
            return Ok(());
        }
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, fit)?,
            OutputFormat::Csv => print::csv(&mut out, fit)?,
            OutputFormat::Table => print::table(&mut out, fit)?,
        }
        Ok(())
    }

    /// Writes the vehicle file of each row.
    fn write_rows(
        &self,
        folder: &Path,
        vehicle: &FitVehicle,
        setting: &FitSetting,
        fit: &Fit,
    ) -> Result<(), Failure> {
        for row in &fit.rows {
            let text = vehicle.toml(row.candidate, setting).map_err(Failure::new)?;
            let text = relocated(text, &self.file);
            let mut output = OutputFile::create(&folder.join(format!("{}.toml", row.name)))?;
            let written = format!(
                "# Row {} of `waywarden fit`: {}.\n# `run` and `bus bound` have its \
                 figures.\n{text}",
                row.number, row.candidate
            );
            output
                .write_all(written.as_bytes())
                .map_err(Failure::writing)?;
            output.finish()?;
        }
        Ok(())
    }
}

/// Makes a folder, or takes one that is empty.
fn fresh(folder: &Path) -> Result<&Path, Failure> {
    let shown = folder.display();
    fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format_args!("{shown}: cannot be made: {error}")))?;
    let mut entries = fs::read_dir(folder)
        .map_err(|error| Failure::new(format_args!("{shown}: cannot be read: {error}")))?;
    match entries.next() {
        None => Ok(folder),
        Some(_) => Err(Failure::new(format_args!(
            "{shown}: is not empty; name a new folder for --out"
        ))),
    }
}
