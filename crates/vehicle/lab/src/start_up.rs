//! The time from a vehicle's start to its first authentic messages, by situation.
//!
//! [`StartUpVehicle`] is the vehicle as its file has it. [`StartUpVehicle::plan`] lists the
//! [`Situation`]s that it can be in, [`StartUpVehicle::run`] composes and runs one, and [`StartUp`]
//! is the table of them. A situation is composed as the table of a vehicle file, and checked like
//! any other. Nothing here starts a thread or prints; docs/start-up.md has what each situation
//! consists of.

mod figures;
mod situation;
mod table;

use std::collections::BTreeSet;

use toml::Table;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::{EcuIndex, FileErrors, Problem, Thing, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use crate::composing::{reason, simulate_images};
use crate::lower::{LowerError, lower};
use crate::run::run_while;

pub use figures::{LongestWait, StartUpFigures};
pub use situation::{OFF, Situation, SituationKind};
pub use table::{ImpossibleSituations, StartUp, StartUpRow};

/// A vehicle as its file has it, to be started in several situations.
pub struct StartUpVehicle {
    file: VehicleFile,
    table: Table,
}

/// Parameters that all situations share.
#[derive(Clone, Copy, Debug)]
pub struct StartUpSetting {
    /// Seed of the random choices.
    pub seed: u64,
    /// Limit on the simulated duration of each run. A supply that is interrupted is back after half
    /// of it.
    pub duration: Duration,
}

/// The situations of a vehicle.
#[derive(Clone, Debug)]
pub struct StartUpPlan {
    /// Situations to run.
    pub situations: Vec<Situation>,
    /// Those that the vehicle cannot be in, with the reason.
    pub impossible: Vec<ImpossibleSituations>,
}

/// A situation and the figures of its run, or the reason why it cannot be composed or run.
#[derive(Clone, Debug)]
pub struct SituationTrial {
    /// Situation that was run.
    pub situation: Situation,
    /// Figures of its run.
    pub result: Result<StartUpFigures, String>,
}

impl StartUpVehicle {
    /// Reads a vehicle file; `file_name` is only for the error messages.
    ///
    /// # Errors
    /// [`FileErrors`], as of [`VehicleFile::parse`].
    pub fn read(file_name: &str, text: &str) -> Result<Self, FileErrors> {
        let mut file = VehicleFile::parse(file_name, text)?;
        // It was read as TOML just before, by the same parser.
        let mut table = text.parse().unwrap_or_default();
        simulate_images(&mut file, &mut table);
        Ok(StartUpVehicle { file, table })
    }

    /// Returns the vehicle as its file has it.
    #[must_use]
    pub const fn file(&self) -> &VehicleFile {
        &self.file
    }

    /// Returns the ECUs that send or check authenticated messages, in the order of the file; none
    /// if no stream is authenticated from power-on on.
    ///
    /// # Errors
    /// [`LowerError`] by cause.
    pub fn authenticated_ecus(&self, resources: &Resources) -> Result<Vec<EcuIndex>, LowerError> {
        let lowered = lower(&self.file, resources, None)?;
        let all = lowered.measure.first_messages().iter();
        let ecus: BTreeSet<usize> = all.flat_map(|one| [one.sender.0, one.ecu.0]).collect();
        Ok(ecus.into_iter().map(EcuIndex).collect())
    }

    /// Returns the ECU of this name.
    ///
    /// # Errors
    /// The vehicle has none of this name.
    pub fn ecu(&self, name: &str) -> Result<EcuIndex, String> {
        let mut all = self.file.ecus.iter();
        let found = all.position(|one| one.name.value == name);
        found.map(EcuIndex).ok_or_else(|| {
            let known = self.file.ecus.iter().map(|one| one.name.value.clone());
            let problem = Problem::Unknown {
                what: Thing::Ecu,
                name: name.to_owned(),
                known: known.collect(),
            };
            problem.to_string()
        })
    }

    /// Lists the situations in the order in which they are reported; `replaced` are the ECUs that
    /// get a new part, each in a situation of its own.
    #[must_use]
    pub fn plan(&self, replaced: &[EcuIndex], setting: &StartUpSetting) -> StartUpPlan {
        let mut plan = StartUpPlan {
            situations: Vec::new(),
            impossible: Vec::new(),
        };
        let fixed = [
            Situation::AsFile,
            Situation::StoredKeys,
            Situation::KeyExchange,
            Situation::BrownOut,
        ];
        let each = replaced.iter().map(|ecu| Situation::Replaced(*ecu));
        for situation in fixed.into_iter().chain(each) {
            match situation.unless(&self.file, setting) {
                None => plan.situations.push(situation),
                Some(reason) => table::add(&mut plan.impossible, situation.kind(), reason),
            }
        }
        plan
    }

    /// Composes the vehicle of a situation, runs it, and measures its first authentic messages.
    ///
    /// The run ends early once every receiver has accepted a message in this situation, except as
    /// the file says.
    #[must_use]
    pub fn run(
        &self,
        situation: Situation,
        setting: &StartUpSetting,
        resources: &Resources,
    ) -> SituationTrial {
        SituationTrial {
            situation,
            result: self.figures(situation, setting, resources),
        }
    }

    fn figures(
        &self,
        situation: Situation,
        setting: &StartUpSetting,
        resources: &Resources,
    ) -> Result<StartUpFigures, String> {
        let table = situation::compose(&self.file, &self.table, situation, setting);
        let file = VehicleFile::compose("situation", &table).map_err(|errors| reason(&errors))?;
        let lowered =
            lower(&file, resources, Some(setting.seed)).map_err(|error| error.to_string())?;
        let complete = situation.complete_from(&file, setting);
        let complete = complete.map_or(Time::NEVER, |from| Time::from_nanos(from.as_nanos()));
        let outcome = run_while(lowered, &mut Discard, &mut |_, time, measure| {
            time < complete || !measure.has_all_first_messages()
        });
        let outcome = outcome.map_err(|error| error.to_string())?;
        Ok(StartUpFigures::of(&file, situation, &outcome))
    }
}
