//! SecOC on a bus: candidates of profile, truncation and carrier, each simulated and bounded.
//!
//! [`FitVehicle`] is the vehicle with the messages that are to be protected.
//! [`FitVehicle::candidates`] lists the possible ones, [`FitVehicle::run`] composes one, runs and
//! bounds it, and [`Fit`] is the table of them with the recommendation. A candidate is composed as
//! the table of a vehicle file, and checked like any other: `run` and `bus bound` of that file have
//! the same figures. Nothing here starts a thread, opens a file or prints; docs/fit.md has the
//! meaning of each figure.

mod candidate;
mod cells;
mod compose;
mod figures;
mod guess;
mod judged;
mod latency;
mod messages;
mod of_matrix;
mod page;
mod pattern;
mod prepare;
mod recommend;
mod row;
mod stand_in;
mod table;
mod wording;

use waywarden_documents::document::DocumentFormat;
use waywarden_vehicle_bound::{BoundOptions, bounds, covered};
use waywarden_vehicle_file::{FreshnessMasterPlace, StreamIndex, VehicleFile, to_text};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

use self::wording::in_messages;
use crate::compare::none_carried;
use crate::lower::lower;
use crate::run::run;
use waywarden_can_sim::trace::Discard;

pub use candidate::{
    Candidate, CandidateCarrier, CandidateChoices, PROFILES, Truncation, TruncationError,
};
pub use figures::{CandidateFigures, Missed, WorstLatency};
pub use guess::{Guess, YEAR_SECONDS, guessed, mean_time};
pub use messages::MessageRow;
pub use of_matrix::MatrixVehicle;
pub use page::page;
pub use prepare::{FitError, Preparation, RecordedStream, Selection};
pub use row::{CandidateRow, ImpossibleCandidates, Unfit};
pub use table::Fit;

/// The document of a fit for programs.
pub const DOCUMENT: DocumentFormat<Fit> =
    DocumentFormat::new("fit", 1, "waywarden fit FILE --format json");

/// A vehicle, and the messages of it that are to be protected.
pub struct FitVehicle {
    file: VehicleFile,
    table: toml::Table,
    chosen: Vec<StreamIndex>,
    /// The freshness masters of the file.
    masters: Vec<FreshnessMasterPlace>,
    remarks: Vec<String>,
}

/// Parameters that all candidates share.
#[derive(Clone, Copy, Debug)]
pub struct FitSetting {
    /// Data bit rate of buses that become CAN FD, in bits per second.
    pub data_bit_rate: u32,
    /// Forged messages per second; by default as many as the bus carries beside nothing else.
    pub attack_rate: Option<f64>,
    /// Acceptable probability that an attacker guesses a code within a year: a candidate with a
    /// higher one does not fit.
    pub risk: f64,
}

/// A candidate and its figures, or the reason why it cannot be.
#[derive(Clone, Debug)]
pub struct CandidateTrial {
    /// Candidate that was tried.
    pub candidate: Candidate,
    /// Its figures.
    pub result: Result<CandidateFigures, String>,
}

impl FitVehicle {
    /// Reads a vehicle file and prepares it: without attackers, interferers, faults, replays and
    /// message authentication, and with a receiver for each message that has none.
    /// `file_name` is only for the error messages.
    ///
    /// # Errors
    /// [`FitError`] by cause.
    pub fn read(file_name: &str, text: &str, preparation: &Preparation) -> Result<Self, FitError> {
        prepare::prepare(file_name, text, preparation)
    }

    /// Returns the vehicle as it is prepared.
    #[must_use]
    pub const fn file(&self) -> &VehicleFile {
        &self.file
    }

    /// Returns the messages that are to be protected.
    #[must_use]
    pub fn chosen(&self) -> &[StreamIndex] {
        &self.chosen
    }

    /// Returns the changes that the preparation made, a sentence each.
    #[must_use]
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Lists the candidates: the bus as it is, the same messages on CAN FD without codes, then all
    /// of the choices.
    #[must_use]
    pub fn candidates(&self, choices: &CandidateChoices) -> Vec<Candidate> {
        candidate::list(&self.file, &self.chosen, choices)
    }

    /// Writes a candidate as a vehicle file.
    ///
    /// # Errors
    /// The reason why it cannot be.
    pub fn toml(&self, candidate: Candidate, setting: &FitSetting) -> Result<String, String> {
        let composed = compose::compose(self, candidate, setting);
        composed
            .map(|composed| to_text(&composed.table))
            .map_err(|why| in_messages(&why))
    }

    /// Composes a candidate, simulates it, bounds it, and returns its figures.
    #[must_use]
    pub fn run(
        &self,
        candidate: Candidate,
        setting: &FitSetting,
        resources: &Resources,
    ) -> CandidateTrial {
        CandidateTrial {
            candidate,
            result: self
                .figures(candidate, setting, resources)
                .map_err(|why| in_messages(&why)),
        }
    }

    fn figures(
        &self,
        candidate: Candidate,
        setting: &FitSetting,
        resources: &Resources,
    ) -> Result<CandidateFigures, String> {
        let composed = compose::compose(self, candidate, setting)?;
        if candidate.secoc().is_some() && composed.laid.covered.is_empty() {
            return Err(none_carried("it", self.chosen.len(), &composed.laid));
        }
        let file = &composed.file;
        let lowered = lower(file, resources, None).map_err(|error| error.to_string())?;
        let outcome = run(lowered, &mut Discard, &mut |_| ()).map_err(|error| error.to_string())?;
        let report = Report::new(file, file.seed, &outcome);
        let run = (&report, outcome.measure.streams.as_slice());
        let own = covered(file, true);
        let has_keys = !(file.groups.is_empty() && file.lasan.is_empty());
        let bounds_leave_out_keys = has_keys && own.keys.is_empty();
        let options = BoundOptions {
            keys: own.keys,
            ..BoundOptions::default()
        };
        let bounds = bounds(&own.file, resources, &options).map_err(|error| error.to_string())?;
        let assumptions = own.assumptions.iter().map(|one| in_messages(&one.0));
        Ok(CandidateFigures {
            bounds_leave_out_keys,
            bound_assumptions_text: assumptions.collect(),
            ..CandidateFigures::new(self, &composed, candidate, setting, run, &bounds)
        })
    }
}
