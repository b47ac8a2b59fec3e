//! The outcomes of a stream's instances at each receiver.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_trace::{DeliveryOutcome as Ended, Loss};

use super::ms;
use crate::RunOutcome;
use crate::measure::{ReceiverFigures, StreamFigures};

/// Outcomes of the instances of a stream at one receiver: `released` is the sum of `delivered`,
/// `refused`, `lost` and `under_way`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutcomeRow {
    /// The receiver.
    pub receiver: String,
    /// Instances that the sender's software released.
    pub released: u64,
    /// Instances that the receiver's software had, each once.
    pub delivered: u64,
    /// Delivered instances that were later than the deadline.
    pub late: u64,
    /// Deliveries of an instance that it had had before; in no other figure.
    pub repeated: u64,
    /// Instances that its check did not let pass, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Instances that did not come to it, by the place where they were lost.
    pub lost: BTreeMap<&'static str, u64>,
    /// Lost instances that a fault or an absence kept away which the vehicle file declares.
    pub lost_by_declared_faults: u64,
    /// Instances of which a frame stood in a queue, on a bus or in a node at the end.
    pub under_way: u64,
    /// Mean time from release to delivery.
    pub mean_ms: Option<f64>,
    /// The slowest delivery.
    pub worst_ms: Option<f64>,
}

pub(super) fn rows(outcome: &RunOutcome, stream: &StreamFigures) -> Vec<OutcomeRow> {
    let receivers = stream.receivers.iter();
    receivers
        .map(|receiver| row(outcome, stream.released, receiver))
        .collect()
}

fn row(outcome: &RunOutcome, released: u64, figures: &ReceiverFigures) -> OutcomeRow {
    let mut row = OutcomeRow {
        receiver: outcome.names.ecus[figures.ecu.0].clone(),
        released,
        delivered: 0,
        late: figures.late,
        repeated: figures.repeated,
        refused: BTreeMap::new(),
        lost: BTreeMap::new(),
        lost_by_declared_faults: 0,
        under_way: 0,
        mean_ms: figures.mean().map(ms),
        worst_ms: figures.longest.map(ms),
    };
    for (ended, number) in &figures.outcomes {
        match ended {
            Ended::Delivered => row.delivered += number,
            Ended::UnderWay => row.under_way += number,
            Ended::Refused(why) => *row.refused.entry(why.code()).or_default() += number,
            Ended::Lost(Loss { place, is_declared }) => {
                *row.lost.entry(place.code()).or_default() += number;
                row.lost_by_declared_faults += number * u64::from(*is_declared);
            }
        }
    }
    row
}
