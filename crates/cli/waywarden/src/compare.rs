//! `waywarden compare`: the same car with other keys and other authentication, ranked.

mod plot;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, Comparison, ComparisonSetting, DOCUMENT, DURATION_MIN,
    KeyChoice, KeyLocation, Original, RankBy, Variant, choose, page, titles,
};

use crate::parallel::{self, Jobs};
use crate::relocated::relocated;
use crate::report_table::report_table;
use crate::run::listed;
use waywarden_command_can::file_kind;
use waywarden_command_can::quantity;
use waywarden_command_can::resources::load;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::table::OutputFormat;

const EXAMPLES: &str = "\
Examples:
  waywarden compare car.toml                          all keys and authentication, ranked
  waywarden compare car.toml --keys none --authentication none,secoc-jaspar
  waywarden compare car.toml --protect EngineSpeed,BrakePressure --rank-by latency
  waywarden compare car.toml --html compare.html      the variants side by side
  waywarden compare car.toml --print-vehicle > safe.toml";

/// Compare the same vehicle under other keys and other message authentication, and rank them.
///
/// Each combination is a variant of the vehicle file, and runs by itself: once as in the file, and
/// once under standard attackers. Variants that meet all requirements come first, the others by
/// how many they miss; then they are ranked by security (streams protected, attacks stopped,
/// streams with session keys), worst latency as a share of its deadline, load of the busiest bus
/// and start-up time. The vehicle without protection is the baseline and has no rank; see
/// docs/compare.md.
///
/// After a minute it reports its progress on standard error, once a minute.
///
/// Exit code 0 if a variant that protects streams meets every requirement, 1 if none does, 2 for
/// bad input. The same file and seed give the same ranking.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Compare {
    /// The vehicle, in TOML; docs/vehicle-file.md describes it, examples/ has some.
    vehicle: PathBuf,
    /// Key exchanges of the ECUs, separated by commas: none, file (as it says), SCHEME/SUITE or
    /// lasan-PROFILE/SUITE of docs/compare.md, or the beginning of such names [default: all].
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    keys: Vec<String>,
    /// Authentication of messages, separated by commas: none, none-on-can-fd,
    /// none-on-can-fd-autosar-1, file, vatican, leia, secoc-production, secoc-jaspar,
    /// secoc-autosar-1, secoc-pdus-production, secoc-pdus-jaspar, secoc-pdus-autosar-1, lasan, or
    /// the beginning of such names [default: all].
    #[arg(long, value_delimiter = ',', value_name = "SCHEMES")]
    authentication: Vec<String>,
    /// Streams to protect, separated by commas [default: those whose latency `[require]` bounds to
    /// 100 ms or less; all that an ECU receives if there are none].
    #[arg(long, value_delimiter = ',', value_name = "STREAMS")]
    protect: Vec<String>,
    /// Attackers of a second run: the standard attackers, or only the file's own.
    #[arg(long, value_enum, default_value_t = Attackers::Default)]
    attacks: Attackers,
    /// The place of the authentication keys.
    #[arg(long, value_enum, default_value_t = Place::File)]
    key_store: Place,
    /// The first criterion of the ranking.
    #[arg(long, value_enum, default_value_t = First::Security)]
    rank_by: First,
    /// Seed of all random choices, instead of the file's own seed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Duration of each run, such as 3s, instead of the file's own duration.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Number of variants that run at a time [default: as many as there are processors].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Write the variants side by side: one self-contained HTML file; - is standard output, in the
    /// place of the figures.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the variant that fits best as a vehicle file instead.
    #[arg(long)]
    print_vehicle: bool,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Attackers {
    /// A standard set besides.
    Default,
    /// The file's own.
    File,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Place {
    /// As in the file's first `[[authentication]]`, in software if there is none.
    File,
    /// In software: an attacker that runs code on an ECU has them.
    Software,
    /// In a protected module.
    Module,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum First {
    /// Streams protected, then attacks stopped, then streams with session keys.
    Security,
    /// Attacks that reach a receiver.
    Attacks,
    /// Worst latency as a share of its deadline.
    Latency,
    /// Load of the busiest bus.
    Load,
    /// Start-up time.
    StartUp,
}

impl Compare {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        self.format.beside("--html", self.html.as_deref())?;
        let keys = choose(&self.keys, KeyChoice::ALL, KeyChoice::name);
        let keys = keys.map_err(|why| Failure::new(format_args!("--keys: {why}")))?;
        let (all, name) = (AuthenticationChoice::ALL, AuthenticationChoice::name);
        let authentications = choose(&self.authentication, all, name);
        let authentications =
            authentications.map_err(|why| Failure::new(format_args!("--authentication: {why}")))?;
        let text = file_kind::vehicle_text(&self.vehicle)?;
        let original = Original::read(&self.vehicle.display().to_string(), &text);
        let mut original = original.map_err(|errors| listed(&errors))?;
        if !self.protect.is_empty() {
            let chosen = original.protect(&self.protect);
            chosen.map_err(|why| Failure::new(format_args!("--protect: {why}")))?;
        }
        if original.streams().is_empty() {
            return Err(Failure::new(format_args!(
                "{}: there is nothing to compare: no stream has `receivers`",
                self.vehicle.display()
            )));
        }
        let setting = self.setting(&original)?;
        let resources = load(original.file(), &self.vehicle)?;
        let variants = original.variants(&keys, &authentications);
        let is_bare = |one: &AuthenticationChoice| {
            matches!(
                one,
                AuthenticationChoice::None | AuthenticationChoice::NoneOnFd(_)
            )
        };
        let asks_for_baseline =
            keys.contains(&KeyChoice::None) && authentications.iter().any(is_bare);
        let baselines = [
            Variant::BASELINE,
            Variant::BASELINE_ON_FD,
            Variant::BASELINE_ON_FD_WITH_COUNTERS,
        ];
        if variants.iter().all(|one| baselines.contains(one)) && !asks_for_baseline {
            return Err(Failure::new(
                "there is nothing to compare: the file has no [[keys]] or [[authentication]] of \
                 its own, or there is no security module for `lasan`; choose others, or leave \
                 --keys and --authentication out",
            ));
        }
        let html = self.html.as_deref().map(OutputFile::create).transpose()?;
        let jobs = Jobs {
            jobs: self.jobs,
            command: "compare",
            what: "variants",
        };
        let trials = parallel::run(&variants, jobs, |variant| {
            original.run(*variant, &setting, &resources)
        });
        let mut comparison = Comparison::new(&original, &setting, self.rank_by.into(), trials);
        let lacking = original.lacks_baseline_on_fd(&authentications);
        comparison.impossible.extend(lacking);
        if let Some(mut html) = html {
            html.write_all(page(&comparison).as_bytes())
                .map_err(Failure::writing)?;
            html.finish()?;
        }
        if !self.html.as_deref().is_some_and(is_standard) {
            self.print(&original, &setting, &comparison)?;
        }
        Ok(if comparison.is_met() {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    fn print(
        &self,
        original: &Original,
        setting: &ComparisonSetting,
        comparison: &Comparison,
    ) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match comparison.variants.first().filter(|_| self.print_vehicle) {
            Some(best) => {
                writeln!(out, "# {}", comparison.conclusion)?;
                let text = original.toml(best.variant(), setting);
                write!(out, "{}", relocated(text, &self.vehicle))?;
                Ok(())
            }
            None => print(&mut out, comparison, self.format),
        }
    }

    fn setting(&self, original: &Original) -> Result<ComparisonSetting, Failure> {
        let duration = self.duration.as_deref().map(quantity::run_length);
        let duration = duration.transpose()?.unwrap_or(original.file().duration);
        let attacks = match self.attacks {
            Attackers::Default => Attacks::Standard,
            Attackers::File => Attacks::File,
        };
        if attacks == Attacks::Standard && duration < DURATION_MIN {
            return Err(Failure::new(format_args!(
                "the standard attackers need a --duration of {DURATION_MIN} or more; write \
                 `--attacks file` for shorter runs"
            )));
        }
        Ok(ComparisonSetting {
            seed: self.seed.unwrap_or(original.file().seed),
            duration,
            key_store: match self.key_store {
                Place::File => KeyLocation::File,
                Place::Software => KeyLocation::Software,
                Place::Module => KeyLocation::Module,
            },
            attacks,
        })
    }
}

impl From<First> for RankBy {
    fn from(first: First) -> Self {
        match first {
            First::Security => RankBy::Security,
            First::Attacks => RankBy::Attacks,
            First::Latency => RankBy::Latency,
            First::Load => RankBy::Load,
            First::StartUp => RankBy::StartUp,
        }
    }
}

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

fn print(
    out: &mut impl Write,
    comparison: &Comparison,
    format: OutputFormat,
) -> Result<(), Failure> {
    match format {
        OutputFormat::Json => DOCUMENT.print(out, comparison)?,
        OutputFormat::Csv => print_csv(out, &comparison.variants)?,
        OutputFormat::Table => print_table(out, comparison)?,
    }
    Ok(())
}

fn print_table(out: &mut impl Write, comparison: &Comparison) -> Result<(), Failure> {
    writeln!(out, "{}: {}\n", comparison.vehicle, comparison.conclusion)?;
    writeln!(
        out,
        "{} variants, {} ms each, seed {}\n",
        comparison.tried(),
        comparison.duration_ms,
        comparison.seed
    )?;
    report_table(&comparison.variants).print(out)?;
    if let Some(plot) = plot::plot(&comparison.variants) {
        writeln!(out, "\n{plot}")?;
    }
    for row in comparison
        .variants
        .iter()
        .filter(|row| !row.same.is_empty())
    {
        let (shown, same) = (row.variant().title(), titles(&row.same));
        writeln!(out, "same figures as {shown}: {same}")?;
    }
    if let Some(sentence) = comparison.on_ideal_boards() {
        writeln!(out, "{sentence}")?;
    }
    for one in &comparison.impossible {
        writeln!(
            out,
            "not possible: {}: {}",
            titles(&one.variants),
            one.reason
        )?;
    }
    Ok(())
}
