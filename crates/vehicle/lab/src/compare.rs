//! The same car with other keys and other authentication: which of them fits it.
//!
//! [`Original`] is the car as its file has it. [`Original::variants`] lists its possible variants,
//! [`Original::run`] makes one, runs it and returns its figures, and [`Comparison`] ranks them. A
//! variant is composed as the table of a vehicle file, and checked like any other. The checks
//! refuse what does not fit, for the reason that a user would read. Nothing here starts a thread
//! or prints; docs/compare.md has what each variant consists of.

mod attackers;
mod choice;
mod comparison;
mod conclusion;
mod keys;
mod obstacle;
mod page;
mod pareto;
mod rank;
mod row;
mod security;
mod tags;

use std::collections::BTreeSet;

use toml::{Table, Value};
use waywarden_can_sim::trace::Discard;
use waywarden_documents::document::DocumentFormat;
use waywarden_work::Duration;

use crate::composing::{nanos, reason, seed, simulate_images};
use crate::lower::lower;
use crate::run::run;
use waywarden_vehicle_file::{FileErrors, Problem, StreamIndex, Thing, VehicleFile, to_text};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

pub use attackers::DURATION_MIN;
pub use choice::{AuthenticationChoice, KeyChoice, KeyLocation, Variant, choose, titles};
pub use comparison::{Comparison, ImpossibleVariants, VariantTrial};
pub use obstacle::Obstacle;
pub(crate) use obstacle::{Laid, none_carried};
pub(crate) use page::bar_figure;
pub use page::page;
pub use rank::RankBy;
pub(crate) use row::start_up;
pub use row::{VariantFigures, VariantRow};
pub use security::Coverage;
pub(crate) use tags::{Car, SecocCarrier, SecocScheme, lay_secoc, masters, profile, verify_only};

/// The document of a comparison for programs.
pub const DOCUMENT: DocumentFormat<Comparison> =
    DocumentFormat::new("compare", 1, "waywarden compare FILE --format json");

/// A car as its file has it, to be varied.
pub struct Original {
    file: VehicleFile,
    table: Table,
    /// The streams that variants are to protect.
    streams: Vec<StreamIndex>,
    /// True if ECU images of the file are simulated.
    has_images: bool,
}

/// Parameters that all variants share.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonSetting {
    /// Seed of the random choices.
    pub seed: u64,
    /// Simulated duration of each run.
    pub duration: Duration,
    /// Storage of the authentication keys that the file does not have itself.
    pub key_store: KeyLocation,
    /// Attackers of the runs; with a standard set each variant runs a second time.
    pub attacks: Attacks,
}

/// Attackers that a variant is run against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attacks {
    /// The file's own, and in a second run a standard set.
    Standard,
    /// The file's own.
    File,
}

impl Original {
    /// Reads a vehicle file; `file_name` is only for the error messages.
    ///
    /// # Errors
    /// [`FileErrors`], as of [`VehicleFile::parse`].
    pub fn read(file_name: &str, text: &str) -> Result<Self, FileErrors> {
        let mut file = VehicleFile::parse(file_name, text)?;
        // It was read as TOML just before, by the same parser.
        let mut table = text.parse().unwrap_or_default();
        let has_images = file.ecus.iter().any(|ecu| ecu.firmware.is_some());
        simulate_images(&mut file, &mut table);
        let streams = security::required(&file);
        Ok(Original {
            file,
            table,
            streams,
            has_images,
        })
    }

    /// Lets variants protect these streams, by name, and no others. Without this they protect those
    /// whose latency `[require]` bounds to 100 ms or less, or all that an ECU receives if it does
    /// so for none.
    ///
    /// # Errors
    /// A stream that the vehicle does not have, or that no ECU receives.
    pub fn protect(&mut self, names: &[String]) -> Result<(), String> {
        let all = || self.file.streams.iter();
        let mut chosen = Vec::new();
        for name in names {
            let Some(at) = all().position(|one| one.name.value == *name) else {
                let known = all().map(|one| one.name.value.clone()).collect::<Vec<_>>();
                let problem = Problem::Unknown {
                    what: Thing::Stream,
                    name: name.clone(),
                    known: known.into(),
                };
                return Err(problem.to_string());
            };
            if self.file.streams[at].receivers.is_empty() {
                return Err(format!(
                    "no ECU receives {name:?}: name streams with `receivers`"
                ));
            }
            if !chosen.contains(&StreamIndex(at)) {
                chosen.push(StreamIndex(at));
            }
        }
        chosen.sort();
        self.streams = chosen;
        Ok(())
    }

    /// Returns the streams that variants are to protect.
    #[must_use]
    pub fn streams(&self) -> &[StreamIndex] {
        &self.streams
    }

    /// Returns the vehicle as its file has it.
    #[must_use]
    pub const fn file(&self) -> &VehicleFile {
        &self.file
    }

    /// Returns true if ECU images of the file are simulated: their software computes on their
    /// boards.
    #[must_use]
    pub const fn has_images(&self) -> bool {
        self.has_images
    }

    /// Returns what can be made of these choices, none twice, and first the car without keys and
    /// authentication; then the same in the CAN FD frames of SecOC, if that makes any.
    ///
    /// Cryptographic PDUs are among them only if frames of messages lack room. What the file does
    /// not have is left out, and so are LASAN's protection of streams where there is no security
    /// module, and keys that would protect nothing.
    #[must_use]
    pub fn variants(
        &self,
        keys: &[KeyChoice],
        authentications: &[AuthenticationChoice],
    ) -> Vec<Variant> {
        let has_keys = !(self.file.groups.is_empty() && self.file.lasan.is_empty());
        let has_tags = !self.file.authentications.is_empty();
        let keys = keys.iter().copied();
        let keys = keys.filter(|one| *one != KeyChoice::File || has_keys);
        let is_granted = self.file.lasan.iter().any(|one| !one.protected.is_empty());
        let mut variants = vec![Variant::BASELINE];
        variants.extend(self.baselines_on_fd(authentications));
        for keys in keys {
            for &authentication in authentications {
                let exists = match authentication {
                    // Once, whatever the keys: see below.
                    AuthenticationChoice::NoneOnFd(_) => false,
                    AuthenticationChoice::SecocPdus(profile) => self.lacks_room(profile),
                    AuthenticationChoice::File => has_tags,
                    AuthenticationChoice::Lasan => keys.is_lasan(),
                    AuthenticationChoice::None => keys == KeyChoice::File && is_granted,
                    _ => true,
                };
                let variant = Variant {
                    keys,
                    authentication,
                };
                if exists && !variants.contains(&variant) {
                    variants.push(variant);
                }
            }
        }
        variants
    }

    /// Returns the baselines on CAN FD of these choices: each has the frames that SecOC in the
    /// message makes CAN FD. Two with the same frames are one.
    fn baselines_on_fd(&self, authentications: &[AuthenticationChoice]) -> Vec<Variant> {
        let asked = |profiles: &[&str]| {
            authentications.iter().any(|one| match one {
                AuthenticationChoice::NoneOnFd(profile) | AuthenticationChoice::Secoc(profile) => {
                    profiles.contains(profile)
                }
                _ => false,
            })
        };
        let [synchronised, counted] = ["production", "autosar-1"].map(|one| self.widened(one));
        let is_one = synchronised == counted;
        let asks = [asked(&["production", "jaspar"]), asked(&["autosar-1"])];
        let mut baselines = Vec::new();
        if !synchronised.is_empty() && (asks[0] || (asks[1] && is_one)) {
            baselines.push(Variant::BASELINE_ON_FD);
        }
        if !counted.is_empty() && asks[1] && !is_one {
            baselines.push(Variant::BASELINE_ON_FD_WITH_COUNTERS);
        }
        baselines
    }

    /// Returns the reason why there is no baseline on CAN FD, if one is among these choices.
    #[must_use]
    pub fn lacks_baseline_on_fd(
        &self,
        authentications: &[AuthenticationChoice],
    ) -> Option<ImpossibleVariants> {
        let is_one = |one: &&AuthenticationChoice| matches!(one, AuthenticationChoice::NoneOnFd(_));
        let authentication = *authentications.iter().find(is_one)?;
        if !self.baselines_on_fd(authentications).is_empty() {
            return None;
        }
        let is_fd = |at: &StreamIndex| {
            let mut carried = self.file.stream(*at).carried.iter();
            carried.all(|one| self.file.bus(one.bus).fd.is_some())
        };
        let why = match self.streams.iter().any(is_fd) {
            true => "on CAN FD buses no classic stream that it protects lacks room",
            false => "no stream to protect runs on CAN FD buses alone: write a `data_bitrate`",
        };
        Some(ImpossibleVariants {
            reason: format!("SecOC makes no CAN FD frame of a classic one: {why}"),
            variants: vec![Variant {
                keys: KeyChoice::None,
                authentication,
            }],
        })
    }

    /// Returns the streams that SecOC in the message makes CAN FD.
    fn widened(&self, profile: &'static str) -> BTreeSet<StreamIndex> {
        let masters = masters(&self.file);
        let car = Car {
            file: &self.file,
            streams: &self.streams,
            masters: &masters,
        };
        tags::all_widened(car, profile)
    }

    /// Returns true if SecOC finds no room in the frames of some streams to protect, so that PDUs
    /// of their own carry more.
    fn lacks_room(&self, profile: &str) -> bool {
        let mut streams = self.streams.iter().map(|at| self.file.stream(*at));
        streams.any(|stream| tags::widened(&self.file, profile, stream).is_none())
    }

    /// Writes a variant as a vehicle file, without the comments of the original.
    #[must_use]
    pub fn toml(&self, variant: Variant, setting: &ComparisonSetting) -> String {
        to_text(&self.table_of(variant, setting).0)
    }

    /// Makes a variant, runs it, and returns its figures.
    #[must_use]
    pub fn run(
        &self,
        variant: Variant,
        setting: &ComparisonSetting,
        resources: &Resources,
    ) -> VariantTrial {
        VariantTrial {
            variant,
            result: self.figures(variant, setting, resources),
        }
    }

    fn figures(
        &self,
        variant: Variant,
        setting: &ComparisonSetting,
        resources: &Resources,
    ) -> Result<VariantFigures, String> {
        let (mut table, laid) = self.table_of(variant, setting);
        let file = read(&table)?;
        let coverage = Coverage::of(&file, &self.streams);
        if !variant.authentication.is_none() && coverage.covered == 0 {
            let name = variant.authentication.name();
            return Err(none_carried(&name, self.streams.len(), &laid));
        }
        let report = simulate(&file, setting, resources)?;
        let mut figures = VariantFigures::new(&self.file, (&file, coverage), &report);
        if setting.attacks == Attacks::Standard {
            let standard = attackers::standard(&self.file, &self.streams, setting.duration);
            table.insert("attacker".to_owned(), Value::Array(standard));
            table.remove("interferer");
            let file = read(&table)?;
            let report = simulate(&file, setting, resources)?;
            figures.add_attacks(&file, &report);
        }
        Ok(figures)
    }

    fn table_of(&self, variant: Variant, setting: &ComparisonSetting) -> (Table, Laid) {
        let mut table = self.table.clone();
        if let Some(Value::Table(vehicle)) = table.get_mut("vehicle") {
            vehicle.insert("seed".to_owned(), seed(setting.seed));
            vehicle.insert("duration".to_owned(), nanos(setting.duration));
        }
        keys::write(&mut table, &self.file, variant.keys);
        let masters = masters(&self.file);
        let car = Car {
            file: &self.file,
            streams: &self.streams,
            masters: &masters,
        };
        let laid = tags::write(&mut table, car, variant, setting.key_store);
        (table, laid)
    }
}

fn read(table: &Table) -> Result<VehicleFile, String> {
    VehicleFile::compose("variant", table).map_err(|errors| reason(&errors))
}

fn simulate(
    file: &VehicleFile,
    setting: &ComparisonSetting,
    resources: &Resources,
) -> Result<Report, String> {
    let lowered = lower(file, resources, Some(setting.seed)).map_err(|error| error.to_string())?;
    let outcome = run(lowered, &mut Discard, &mut |_| ()).map_err(|error| error.to_string())?;
    Ok(Report::new(file, setting.seed, &outcome))
}
