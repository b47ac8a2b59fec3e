//! The protection of a car's streams by a variant: the first criterion of the ranking.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_work::Duration;

use waywarden_vehicle_file::{Protection, StreamIndex, VehicleFile};

/// Protection of the streams that are to be protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coverage {
    /// Streams with message authentication.
    pub covered: usize,
    /// Of these, streams whose keys ECUs agree on or are granted while the car runs; the keys of
    /// the others are in place when it starts, and stay.
    pub session_keys: usize,
    /// Streams that are to be protected.
    pub streams: usize,
}

impl Coverage {
    /// Counts how a vehicle protects these streams.
    #[must_use]
    pub fn of(file: &VehicleFile, streams: &[StreamIndex]) -> Self {
        let covered = streams.iter().filter(|at| is_covered(file, **at));
        Coverage {
            covered: covered.clone().count(),
            session_keys: covered.filter(|at| has_session_key(file, **at)).count(),
            streams: streams.len(),
        }
    }
}

/// Returns true if a stream of a variant has message authentication.
fn is_covered(file: &VehicleFile, at: StreamIndex) -> bool {
    file.stream(at).protection != Protection::None
}

fn has_session_key(file: &VehicleFile, at: StreamIndex) -> bool {
    let mut tables = file.authentications.iter();
    match tables.find(|table| table.streams.contains(&at)) {
        Some(table) => table.keys.is_session_key(),
        // A security module grants it.
        None => is_covered(file, at),
    }
}

/// A required latency up to this is short: what must arrive as soon as this commands the car.
const SHORT: Duration = Duration::from_millis(100);

/// Streams whose latency `[require]` bounds to a short one and that an ECU receives; all that an
/// ECU receives if there are none.
pub(super) fn required(file: &VehicleFile) -> Vec<StreamIndex> {
    let received = |at: &StreamIndex| !file.stream(*at).receivers.is_empty();
    let bounds = file.require.latency.iter();
    let bounded = bounds.filter(|(_, latency)| latency.value <= SHORT);
    let bounded: Vec<StreamIndex> = bounded.map(|(at, _)| *at).filter(received).collect();
    match bounded.is_empty() {
        true => (0..file.streams.len())
            .map(StreamIndex)
            .filter(received)
            .collect(),
        false => bounded,
    }
}
