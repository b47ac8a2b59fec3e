//! The figures of a candidate: its simulation, its bounds, and what it costs each message.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_response_time::NoBound;
use waywarden_vehicle_bound::StreamBound;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_report::measure::StreamFigures;
use waywarden_vehicle_report::report::Report;

use super::candidate::Candidate;
use super::compose::Composed;
use super::guess::Guess;
use super::judged::{Judged, MissedRequirement};
use super::latency::bound_ms;
use super::messages::{self, MessageRow};
use super::{FitSetting, FitVehicle};
use crate::compare::start_up;

/// Load of a bus that carries all it can: a run begins and ends with a part of a frame.
const FULL: f64 = 0.995;

/// Figures of a candidate. Durations are milliseconds, loads and shares are from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CandidateFigures {
    /// Number of messages with codes.
    pub protected: usize,
    /// Number of messages to protect.
    pub to_protect: usize,
    /// The bus with the highest load.
    pub busiest_bus: String,
    /// Load of that bus over the run.
    pub load: f64,
    /// The same in the busiest 100 ms.
    pub peak_load: f64,
    /// The bound that comes nearest to its deadline or is farthest beyond it, of those that exist.
    pub bound: Option<WorstLatency>,
    /// The simulated latency of which the same holds.
    pub simulated: Option<WorstLatency>,
    /// Messages that may miss or missed their deadlines.
    pub missed: Missed,
    /// Instances of messages that a receiver refused or that were lost, over all receivers; without
    /// those before the first delivery after a start.
    pub refused_or_lost: u64,
    /// Requirements of the file that the simulation missed.
    pub requirements_missed_text: Vec<String>,
    /// From power-on until every message had reached its receivers once and all keys were there;
    /// none if that was not so by the end.
    pub start_up_ms: Option<f64>,
    /// An attacker that guesses codes; none without codes.
    pub guess: Option<Guess>,
    /// The messages to protect, with their costs.
    pub messages: Vec<MessageRow>,
    /// Traffic and effects that the bounds leave out.
    pub bound_assumptions_text: Vec<String>,
    /// True if bounds leave out the traffic of the file's own keys, so that a simulated latency may
    /// be above its bound.
    pub bounds_leave_out_keys: bool,
    /// True if the bus is loaded by all that it carries, so that a queue grows.
    #[serde(skip)]
    pub(super) is_overloaded: bool,
    /// All messages with receivers, to be judged beside another row.
    #[serde(skip)]
    pub(super) judged: Vec<Judged>,
    /// The requirements missed, likewise.
    #[serde(skip)]
    pub(super) requirements_missed: Vec<MissedRequirement>,
}

/// A latency, and its share of the deadline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorstLatency {
    /// The message.
    pub stream: String,
    /// Its latency.
    pub ms: f64,
    /// Its deadline.
    pub deadline_ms: f64,
    /// The latency as a share of the deadline.
    pub share: f64,
}

/// Messages with receivers, of all in the vehicle, that may miss or missed their deadlines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missed {
    /// Those whose bound is beyond the deadline or does not exist; what may be refused has none.
    pub by_bound: Vec<String>,
    /// Of these, the number of those without a bound.
    pub without_bound: usize,
    /// Those that were late or never arrived in the simulation.
    pub simulated: Vec<String>,
    /// Those of which a receiver refused instances, or instances were lost.
    pub refused_or_lost: Vec<String>,
    /// Those that a receiver may refuse by analysis, because their codes may come too late or too
    /// early.
    pub may_be_refused: Vec<String>,
}

impl WorstLatency {
    fn new(stream: &str, ms: f64, deadline_ms: f64) -> Self {
        WorstLatency {
            stream: stream.to_owned(),
            ms,
            deadline_ms,
            share: ms / deadline_ms,
        }
    }

    /// Returns the worse of two; of equal ones the first.
    fn worse(one: Option<Self>, other: Self) -> Option<Self> {
        match one {
            Some(one) if one.share >= other.share => Some(one),
            _ => Some(other),
        }
    }
}

impl CandidateFigures {
    pub(super) fn new(
        vehicle: &FitVehicle,
        composed: &Composed,
        candidate: Candidate,
        setting: &FitSetting,
        (report, streams): (&Report, &[StreamFigures]),
        bounds: &[StreamBound],
    ) -> Self {
        let file = &composed.file;
        let busiest = report
            .buses
            .iter()
            .reduce(|most, bus| if bus.load > most.load { bus } else { most });
        let requirements_missed = MissedRequirement::all(report);
        let requirements = requirements_missed.iter();
        let mut figures = CandidateFigures {
            protected: composed.laid.covered.len(),
            to_protect: vehicle.chosen.len(),
            busiest_bus: busiest.map_or(String::new(), |bus| bus.bus.clone()),
            load: busiest.map_or(0.0, |bus| bus.load),
            peak_load: busiest.map_or(0.0, |bus| bus.peak_load),
            requirements_missed_text: requirements.map(|one| one.title.clone()).collect(),
            start_up_ms: start_up(report),
            guess: Guess::of(file, setting.attack_rate),
            judged: Judged::all(file, bounds, report, streams),
            requirements_missed,
            ..CandidateFigures::default()
        };
        let without_end = |one: &StreamBound| one.bound == Err(NoBound::Overload);
        figures.is_overloaded =
            figures.load >= FULL || figures.peak_load >= FULL && bounds.iter().any(without_end);
        figures.take_bounds(file, bounds);
        figures.take_simulated();
        figures.messages = messages::rows(vehicle, composed, candidate, report, bounds);
        figures
    }

    fn take_bounds(&mut self, file: &VehicleFile, bounds: &[StreamBound]) {
        for own in bounds {
            let stream = file.stream(own.stream);
            if stream.receivers.is_empty() {
                continue;
            }
            let name = stream.name.value.as_str();
            let deadline_ms = stream.deadline.as_nanos() as f64 / 1e6;
            let is_met = match own.bound {
                Ok(bound) => {
                    let worst = WorstLatency::new(name, bound_ms(bound), deadline_ms);
                    self.bound = WorstLatency::worse(self.bound.take(), worst);
                    bound <= stream.deadline.as_nanos().saturating_mul(1_000)
                }
                Err(_) => false,
            };
            if !is_met && self.missed.by_bound.last().is_none_or(|last| last != name) {
                self.missed.by_bound.push(name.to_owned());
                self.missed.without_bound += usize::from(own.bound.is_err());
            }
        }
    }

    fn take_simulated(&mut self) {
        for one in &self.judged {
            if let Some(ms) = one.simulated_ms {
                let worst = WorstLatency::new(&one.name, ms, one.deadline_ms);
                self.simulated = WorstLatency::worse(self.simulated.take(), worst);
            }
            if one.is_late() {
                self.missed.simulated.push(one.name.clone());
            }
            if one.may_be_refused {
                self.missed.may_be_refused.push(one.name.clone());
            }
            if one.refused_or_lost > 0 {
                self.refused_or_lost += one.refused_or_lost;
                self.missed.refused_or_lost.push(one.name.clone());
            }
        }
    }
}
