//! One bound for each stream: of its slowest bus.

use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_resources::Resources;

use crate::covered::{Covered, covered};
use crate::hops::DeriveError;
use crate::solve::{BoundOptions, bounds};

/// Returns the bound of each stream in milliseconds, rounded up to microseconds: of the slowest bus
/// with receivers, for any offsets. None where there is no bound.
///
/// # Errors
/// [`DeriveError`] by cause.
pub fn stream_bounds(
    file: &VehicleFile,
    resources: &Resources,
) -> Result<Vec<Option<f64>>, DeriveError> {
    let Covered {
        file: own, keys, ..
    } = covered(file, true);
    let options = BoundOptions {
        keys,
        ..BoundOptions::default()
    };
    let all = bounds(&own, resources, &options)?;
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
    Ok(streams.collect())
}
