//! Bounds by analysis beside what a run showed.

use waywarden_command_line::messages;
use waywarden_vehicle_bound::{BoundOptions, Covered, bounds, covered};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::Resources;

/// Returns the bound of each stream in milliseconds, rounded up to microseconds, as `waywarden bus
/// bound` has it: of the slowest bus with receivers, for any offsets.
pub(super) fn of_streams(file: &VehicleFile, resources: &Resources) -> Vec<Option<f64>> {
    let Covered {
        file: own, keys, ..
    } = covered(file, true);
    let options = BoundOptions {
        keys,
        ..BoundOptions::default()
    };
    let all = match bounds(&own, resources, &options) {
        Ok(all) => all,
        Err(error) => {
            messages::note(format_args!("no bound stands beside the figures: {error}"));
            return vec![None; file.streams.len()];
        }
    };
    let streams = (0..file.streams.len()).map(|at| {
        let own = all
            .iter()
            .filter(|one| one.stream.0 == at && one.receivers > 0);
        let longest = own
            .map(|one| one.bound.ok())
            .reduce(|one, other| Some(one?.max(other?)));
        let picoseconds = longest.flatten()?;
        Some(picoseconds.div_ceil(1_000_000) as f64 / 1e3)
    });
    streams.collect()
}
