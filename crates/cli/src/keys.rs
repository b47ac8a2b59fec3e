//! `waywarden keys`: one exchange of group keys, on a built-in vehicle or on one's own, and its
//! time line.
//!
//! A built-in vehicle is text like that of any vehicle file, and runs as `waywarden run` would run
//! it. What is printed comes from [`waywarden_vehicle::exchange`]; `keys/print.rs` lays it out.

mod print;

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use indicatif::ProgressBar;
use waywarden_boards::Board;
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::clock::Time;
use waywarden_vehicle::exchange::{self, Recipe};
use waywarden_vehicle::file::VehicleFile;
use waywarden_work::Duration;

use crate::exit::{Answer, Failure};
use crate::table::{Format, print_json};
use crate::{files, quantity, run};

/// What errors call the built-in vehicle.
const BUILT_IN: &str = "the built-in vehicle (see it with --print-vehicle)";

/// How long the built-in vehicle may take: the slowest board with 127 ECUs is done by then.
const UNTIL: &str = "5min";

/// The data bit rate of the built-in CAN FD bus.
const DATA_BIT_RATE: u32 = 2_000_000;

const EXAMPLES: &str = "\
Examples:
  waywarden keys                                      4 ECUs and an orchestrator, hardened
  waywarden keys --profile as-published --frames      each frame with its bytes
  waywarden keys --scheme symmetric-distribution --suite p256 --ecus 16
  waywarden keys --transport classic --format json
  waywarden keys --ecus 6 --print-vehicle > car.toml  a vehicle file to go on from
  waywarden keys car.toml --group car                 one group of a vehicle file";

/// Run one exchange of group keys and show its time line, its frames and what it cost.
///
/// Without a vehicle it runs one that it writes itself: --ecus ECUs and an orchestrator on one bus,
/// nothing else on it. With one it runs that, with all its traffic and trouble, until each group
/// has its first key. docs/keys.md describes the output, docs/protocols/gke.md the messages.
///
/// The time line has a line for each message, each stage of computations, and each ECU that has the
/// key. If that is more than 120 lines, nobody reads it: there is a line for each exchange between
/// two instead. --steps and --frames show more, however long it is.
///
/// Exit code 0 if all groups agreed, 1 if one did not (who is missing is said), 2 for bad input.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Keys {
    /// A vehicle file with `[[keys]]`, instead of the built-in vehicle.
    vehicle: Option<PathBuf>,
    /// Only this group of the vehicle file [default: all].
    #[arg(long, value_name = "NAME", requires = "vehicle")]
    group: Option<String>,
    #[command(flatten)]
    built_in: BuiltIn,
    /// What every random choice follows from [default: 0, or the vehicle file's].
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// When to give up, in simulated time, such as 500ms [default: 5min, or the vehicle file's
    /// duration].
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Show each message and each stage, however many there are.
    #[arg(long)]
    steps: bool,
    /// Show each frame with its bytes in hexadecimal, each computation and each event.
    #[arg(long, conflicts_with = "steps")]
    frames: bool,
    /// The form of the output; JSON and CSV always have each frame with its bytes.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The built-in vehicle. What a vehicle file says is not said again here.
#[derive(Debug, clap::Args)]
struct BuiltIn {
    /// How the group comes to its key.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    scheme: Scheme,
    /// Which cryptography.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    suite: Suite,
    /// Whose messages: as published, they have known weaknesses.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    profile: Profile,
    /// How many ECUs besides the orchestrator, up to 127; 85 in a tree with the orchestrator.
    #[arg(
        long,
        conflicts_with = "vehicle",
        default_value_t = 4,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..=127)
    )]
    ecus: u32,
    /// The board of all ECUs: a built-in one, or a board file; see docs/boards.md.
    #[arg(long, conflicts_with = "vehicle", default_value = "tc297", value_parser = board)]
    board: String,
    /// The kind of frames, and of bus.
    #[arg(long, value_enum, default_value_t, conflicts_with = "vehicle")]
    transport: Transport,
    /// Nominal bit rate.
    #[arg(
        long,
        conflicts_with = "vehicle",
        value_name = "RATE",
        default_value = "500k"
    )]
    bitrate: BitRate,
    /// Data bit rate of a CAN FD bus [default: 2M].
    #[arg(long, conflicts_with = "vehicle", value_name = "RATE")]
    data_bitrate: Option<BitRate>,
    /// Print the built-in vehicle as a vehicle file, and do not run it.
    #[arg(long, conflicts_with = "vehicle")]
    print_vehicle: bool,
}

/// Declares words of a vehicle file as an option's values.
macro_rules! words {
    ($(#[$meta:meta])* enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Returns the word, as vehicle files have it.
            fn word(self) -> String {
                let value = self.to_possible_value();
                value.map_or(String::new(), |value| value.get_name().to_owned())
            }
        }
    };
}

words! {
    /// A scheme of group keys.
    enum Scheme {
        /// A full tree, with the orchestrator in each pair of the lowest level.
        #[default]
        #[value(alias = "tree")]
        TreeWithOrchestrator,
        /// A tree in which the orchestrator is one more ECU.
        TreeWithoutOrchestrator,
        /// The orchestrator exchanges a key with each ECU and hands out the group's.
        SymmetricDistribution,
    }
}

words! {
    /// A suite.
    enum Suite {
        /// FourQ and SchnorrQ.
        #[default]
        #[value(name = "fourq")]
        FourQ,
        /// ECDH and ECDSA on P-256.
        #[value(name = "p256")]
        P256,
    }
}

words! {
    /// A profile.
    enum Profile {
        /// Everything bound to everything.
        #[default]
        Hardened,
        /// The paper's messages.
        AsPublished,
    }
}

words! {
    /// What carries the messages.
    enum Transport {
        /// CAN FD, 64 bytes a frame.
        #[default]
        Fd,
        /// Classic CAN, 8 bytes a frame.
        Classic,
    }
}

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
            let text = self.built_in_text()?;
            run::parse(BUILT_IN, &text)?;
            out.write_all(text.as_bytes())?;
            return Ok(Answer::Yes);
        }
        let file = self.file()?;
        let groups = self.groups(&file)?;
        let folder = self.vehicle.as_deref().unwrap_or(Path::new("keys.toml"));
        let resources = run::load(&file, folder)?;
        let lowered = run::lowered(&file, &resources, self.seed.unwrap_or(file.seed))?;
        let spinner = match io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        let mut progress = |now: Time| {
            let seconds = now.as_picos() as f64 * 1e-12;
            spinner.set_message(format!("{seconds:.1} s simulated"));
            spinner.tick();
            ControlFlow::Continue(())
        };
        let exchange = exchange::run(&file, lowered, &groups, &mut progress);
        spinner.finish_and_clear();
        let exchange = exchange.map_err(Failure::new)?;
        match self.format {
            Format::Json => print_json(&mut out, &exchange)?,
            Format::Csv => print::everything(&exchange).print_csv(&mut out)?,
            Format::Table => {
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
            return run::parse(BUILT_IN, &self.built_in_text()?);
        };
        let mut file = run::parse(&path.display().to_string(), &files::text(path)?)?;
        if let Some(until) = &self.until {
            file.duration = quantity::duration(until)?;
        }
        Ok(file)
    }

    fn built_in_text(&self) -> Result<String, Failure> {
        let vehicle = &self.built_in;
        let data_bit_rate = match (vehicle.transport, vehicle.data_bitrate) {
            (Transport::Classic, Some(rate)) => {
                return Err(Failure::new(format_args!(
                    "--data-bitrate {rate}: classic frames have one bit rate; leave it out, or \
                     take --transport fd"
                )));
            }
            (Transport::Classic, None) => None,
            (Transport::Fd, None) => Some(DATA_BIT_RATE),
            (Transport::Fd, Some(rate)) => {
                quantity::checked(BitTiming::fd(vehicle.bitrate, rate))?;
                Some(rate.bits_per_second())
            }
        };
        let [scheme, suite, profile, transport] = [
            vehicle.scheme.word(),
            vehicle.suite.word(),
            vehicle.profile.word(),
            vehicle.transport.word(),
        ];
        let recipe = Recipe {
            ecus: vehicle.ecus,
            board: &vehicle.board,
            bit_rate: vehicle.bitrate.bits_per_second(),
            data_bit_rate,
            keys: &[
                ("scheme", &scheme),
                ("suite", &suite),
                ("profile", &profile),
                ("transport", &transport),
            ],
            seed: self.seed.unwrap_or(0),
            duration: self.until.as_deref().unwrap_or(UNTIL),
        };
        Ok(recipe.toml())
    }

    /// Returns the places in the file of the groups that are asked for.
    fn groups(&self, file: &VehicleFile) -> Result<Vec<usize>, Failure> {
        let name = file.source.file_name();
        if file.groups.is_empty() {
            return Err(Failure::new(format_args!(
                "{name}: no group agrees on a key; add [[keys]] with at least an `orchestrator`, \
                 see docs/vehicle-file.md"
            )));
        }
        let wanted = |one: &&str| self.group.as_deref().is_none_or(|group| group == *one);
        let names: Vec<&str> = file
            .groups
            .iter()
            .map(|one| one.name.value.as_str())
            .collect();
        let asked = names.iter().enumerate().filter(|(_, name)| wanted(name));
        let asked: Vec<usize> = asked.map(|(at, _)| at).collect();
        match (asked.is_empty(), &self.group) {
            (true, Some(group)) => Err(Failure::new(format_args!(
                "{name}: no group `{group}`; there are: {}",
                names.join(", ")
            ))),
            _ => Ok(asked),
        }
    }
}

/// Reads the name of a built-in board, in any case, or the path of a board file.
fn board(text: &str) -> Result<String, String> {
    if text.contains('/') || text.ends_with(".toml") {
        return Ok(text.to_owned());
    }
    let known = || Board::builtin_names();
    let same = known().find(|name| name.eq_ignore_ascii_case(text));
    same.map(str::to_owned).ok_or_else(|| {
        let known: Vec<&str> = known().collect();
        format!(
            "no such board; there are {}, and files that end in .toml",
            known.join(", ")
        )
    })
}
