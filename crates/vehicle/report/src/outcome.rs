//! Result of a run.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_trace::GroundTruth;

use crate::measure::Measure;
use crate::prose::Prose;

/// A run that is over.
pub struct RunOutcome {
    /// Figures of the run.
    pub measure: Measure,
    /// The names of buses and ECUs, attackers among them, by index.
    pub names: VehicleNames,
    /// Time at which it ended.
    pub end: Time,
    /// The board of each ECU.
    pub boards: Vec<Arc<Board>>,
    /// The names behind the numbers of facts.
    pub prose: Prose,
    /// The outcome of each message.
    pub truth: GroundTruth,
}

/// The names of buses and ECUs by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VehicleNames {
    /// Names of buses.
    pub buses: Vec<String>,
    /// Names of ECUs, then of replays, then of attackers that send.
    pub ecus: Vec<String>,
}
