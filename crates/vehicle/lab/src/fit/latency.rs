//! Bounds of a message as figures.

use waywarden_response_time::NoBound;
use waywarden_vehicle_bound::StreamBound;

/// Picoseconds as milliseconds, rounded up to microseconds, as `bus bound` prints them.
pub(super) fn bound_ms(picoseconds: u64) -> f64 {
    picoseconds.div_ceil(1_000_000) as f64 / 1e3
}

/// Returns the longest bound of a message over its buses.
pub(super) fn longest(bounds: &[StreamBound], stream: usize) -> Option<Result<f64, NoBound>> {
    let own = bounds.iter().filter(|one| one.stream.0 == stream);
    let longest = own
        .map(|one| one.bound)
        .reduce(|one, other| Ok(one?.max(other?)));
    longest.map(|bound| bound.map(bound_ms))
}
