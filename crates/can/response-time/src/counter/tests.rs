//! Peaks of error counters: known answers, and counters that are played.

use super::*;
use waywarden_testkit::{Random, each_seed};

const MS: u64 = 1_000_000_000;

fn errors(burst: u64, interval: u64) -> Errors {
    Errors {
        burst,
        interval,
        overhead: 0,
    }
}

const fn each(period: u64, late: u64) -> CounterProgress {
    CounterProgress { period, late }
}

/// Eight frames sent for each error are the balance.
#[test]
fn a_counter_grows_without_end_if_fewer_than_eight_frames_follow_an_error() {
    let sent = [each(10 * MS, MS)];
    assert_eq!(counter_peak(&errors(1, 10 * MS), &sent), None);
    assert_eq!(counter_peak(&errors(1, 79 * MS), &sent), None);
    assert_eq!(counter_peak(&errors(1, 100 * MS), &sent), Some(8));
    // The second error may come one late frame early.
    assert_eq!(
        counter_peak(&errors(1, 81 * MS), &[each(10 * MS, 4 * MS)]),
        Some(9)
    );
    assert_eq!(counter_peak(&errors(1, 100 * MS), &[]), None);
    let two = [each(20 * MS, MS), each(20 * MS, MS)];
    assert!(counter_peak(&errors(1, 100 * MS), &two).is_some_and(|peak| peak < 20));
}

#[test]
fn a_burst_of_32_errors_takes_a_sender_off_the_bus() {
    let sent = [each(10 * MS, MS)];
    let peak = |burst| counter_peak(&errors(burst, 1_000 * MS), &sent);
    assert_eq!(peak(16), Some(128));
    assert_eq!((peak(31), is_bus_off(peak(31))), (Some(248), false));
    assert_eq!((peak(32), is_bus_off(peak(32))), (Some(256), true));
    assert!(is_bus_off(None));
}

/// Plays errors and frames against one counter; it stays below its peak.
#[test]
fn no_played_counter_exceeds_its_peak() {
    let bounded = each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let progress: Vec<CounterProgress> = (0..1 + random.below(4))
            .map(|_| each(1 + random.below(50), random.below(80)))
            .collect();
        let errors = errors(1 + random.below(5), 20 + random.below(300));
        let Some(peak) = counter_peak(&errors, &progress) else {
            return 0;
        };
        // The latest frames in order, and errors as soon as they may come, some left out.
        let mut coming: Vec<(u64, bool)> = Vec::new();
        for one in &progress {
            let phase = random.below(one.period);
            let late = |_| one.late.saturating_sub(random.below(3));
            let lates: Vec<u64> = (0..200).map(late).collect();
            let all = lates.iter().zip(0..);
            coming.extend(all.map(|(late, at)| (phase + at * one.period + late, false)));
        }
        let mut now = random.below(100);
        for at in 0..60 {
            coming.push((now, true));
            now += match at < errors.burst - 1 {
                true => 0,
                false => errors.interval + random.below(2) * random.below(40),
            };
        }
        coming.sort_unstable();
        // Up to the first message that has no more frames.
        let end = progress.iter().map(|one| 198 * one.period).min().unwrap();
        let mut counter = 0_u64;
        for (at, is_error) in coming.into_iter().filter(|(at, _)| *at <= end) {
            counter = match is_error {
                true => counter + 8,
                false => counter.saturating_sub(1),
            };
            assert!(
                counter <= peak,
                "{counter} > {peak} at {at}: {progress:?} {errors:?}"
            );
        }
        1
    });
    let bounded: u64 = bounded.into_iter().sum();
    assert!(bounded > 30, "most cases have no peak: {bounded}");
}
