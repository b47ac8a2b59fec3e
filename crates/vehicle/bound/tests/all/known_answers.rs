//! Message sets of the literature, in examples/, with their known response times.

use std::path::PathBuf;

use waywarden_response_time::{FrameKind, NoBound, worst_case_length};
use waywarden_vehicle_bound::{BoundOptions, bounds, covered};
use waywarden_vehicle_file::{Stream, VehicleFile};
use waywarden_vehicle_resources::Resources;

/// A bit at 125 kbit/s, in picoseconds.
const BIT: u64 = 8_000_000;
const MS: u64 = 1_000_000_000;
/// From the release to the request.
const ROUNDING: u64 = 2_000_000;

fn example(name: &str) -> VehicleFile {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    covered(&VehicleFile::parse(name, &text).unwrap(), true).file
}

fn bounds_of(file: &VehicleFile) -> Vec<Result<u64, NoBound>> {
    let all = bounds(file, &Resources::default(), &BoundOptions::default()).unwrap();
    all.into_iter().map(|one| one.bound).collect()
}

/// Response times of 2, 3 and 3.5 ms [RTA §2.4], which end with the intermission; ours end when the
/// receivers have the frame.
#[test]
fn the_three_messages_of_2007_have_their_published_response_times() {
    let file = example("davis-2007.toml");
    let bounds: Vec<u64> = bounds_of(&file).into_iter().map(Result::unwrap).collect();
    // 124 kbit/s, and upward rounding of each frame.
    let intermission = 3 * 1_000 * MS / 124_000;
    for (bound, published) in bounds.iter().zip([2 * MS, 3 * MS, 7 * MS / 2]) {
        let expected = published - intermission;
        assert!(
            (expected..expected + 2 * ROUNDING).contains(bound),
            "{bound} {expected}"
        );
    }
    let deadlines = file
        .streams
        .iter()
        .map(|one| one.deadline.as_nanos() * 1_000);
    let met: Vec<bool> = deadlines
        .zip(&bounds)
        .map(|(last, bound)| *bound <= last)
        .collect();
    // The first instance of C alone would be in time, after 3 ms.
    assert_eq!(met, [true, true, false]);
}

/// Bits of a frame with any 11-bit identifier and its intermission [RTA §2.2].
fn bits(bytes: u64) -> u64 {
    let stuffed = 34 + 8 * bytes;
    stuffed + 13 + (stuffed - 1) / 4
}

/// The equations once more, for messages in order of urgency that are through before
/// their next instance, simplified [RTA §3.3]: w = max(B, C) + sum of ceil((w + bit) / T) C.
fn sufficient(messages: &[(u64, u64)]) -> Vec<u64> {
    let all = messages.iter().enumerate();
    let response = |(at, &(frame, _)): (usize, &(u64, u64))| {
        let lower = messages[at..].iter().map(|one| one.0).max().unwrap();
        let mut wait = lower;
        loop {
            let higher = messages[..at].iter();
            let later = lower
                + higher
                    .map(|one| (wait + BIT).div_ceil(one.1) * one.0)
                    .sum::<u64>();
            if later == wait {
                return wait + frame;
            }
            wait = later;
        }
    };
    all.map(response).collect()
}

/// All deadlines are met at 125 kbit/s, at a utilisation of 84 to 86 %, as in the report of 1994.
#[test]
fn the_sae_benchmark_is_in_time_at_125_kbit_per_second() {
    let file = example("sae-benchmark.toml");
    let bounds: Vec<u64> = bounds_of(&file).into_iter().map(Result::unwrap).collect();
    assert_eq!(bounds.len(), 17);
    let period = |stream: &Stream| stream.period.as_nanos() * 1_000;
    let streams = file.streams.iter();
    let any: Vec<(u64, u64)> = streams
        .map(|one| (bits(one.length.into()) * BIT, period(one)))
        .collect();
    let load: f64 = any.iter().map(|one| one.0 as f64 / one.1 as f64).sum();
    assert!((0.84..0.86).contains(&load), "{load}");
    // The identifiers are known here, and spare some stuff bits.
    let streams = file.streams.iter();
    let known = streams.map(|one| {
        let length = worst_case_length(one.id.value, FrameKind::Classic, one.length);
        ((u64::from(length.nominal_bits) + 3) * BIT, period(one))
    });
    let known = sufficient(&known.collect::<Vec<_>>());
    let published = sufficient(&any);
    for (at, bound) in bounds.iter().enumerate() {
        let deadline = file.streams[at].deadline.as_nanos() * 1_000;
        assert!(*bound <= deadline, "{at}: {bound}");
        assert!(known[at] <= published[at], "{at}");
        let exact = known[at] - 3 * BIT;
        assert!(*bound <= exact + ROUNDING, "{at}: {bound} {exact}");
        // The last one is not blocked, as the simplified equations say of it.
        let is_close = *bound >= exact - any[0].0;
        assert!(at == 16 || is_close, "{at}: {bound} {exact}");
    }
}
