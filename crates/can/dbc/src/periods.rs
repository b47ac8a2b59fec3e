//! Guesses periods from when frames were seen.

use std::collections::HashMap;
use std::hash::Hash;

use waywarden_work::Duration;

/// Maximum number of gaps of one identifier that enter the guess: a minute of a 1 ms message.
const GAPS_MAX: usize = 65_536;

/// Periods that matrices use, in microseconds. A guess within 5 % of one of them means it.
const USUAL_MICROS: [u64; 22] = [
    1_000, 2_000, 2_500, 4_000, 5_000, 8_000, 10_000, 12_500, 15_000, 16_000, 20_000, 25_000,
    30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 200_000, 250_000, 500_000, 1_000_000,
];

/// Returns the period of each identifier, or identifier of a channel, that was seen at least three
/// times: the median of its gaps, taken to the usual period within 5 % if there is one, else
/// rounded to 0.1 ms.
///
/// `sightings` are in the order of time, as a log has them. An identifier that comes in bursts or
/// on events has a median too; whether that is a period is for a person to judge.
#[must_use]
pub fn observed_periods<K: Eq + Hash>(
    sightings: impl IntoIterator<Item = (K, Duration)>,
) -> HashMap<K, Duration> {
    let mut seen: HashMap<K, (Duration, Vec<u64>)> = HashMap::new();
    for (id, time) in sightings {
        let Some((last, gaps)) = seen.get_mut(&id) else {
            seen.insert(id, (time, Vec::new()));
            continue;
        };
        if gaps.len() < GAPS_MAX {
            gaps.push((time - *last).as_nanos());
        }
        *last = time;
    }
    seen.into_iter()
        .filter_map(|(id, (_, mut gaps))| {
            let period = usual(median(&mut gaps)?);
            (period > Duration::ZERO).then_some((id, period))
        })
        .collect()
}

/// The lower of the two middle ones where their number is even; `None` for fewer than two.
fn median(gaps: &mut [u64]) -> Option<u64> {
    if gaps.len() < 2 {
        return None;
    }
    let middle = (gaps.len() - 1) / 2;
    Some(*gaps.select_nth_unstable(middle).1)
}

fn usual(nanos: u64) -> Duration {
    let near = |micros: &&u64| {
        let usual = **micros * 1_000;
        usual.abs_diff(nanos) * 20 <= usual
    };
    match USUAL_MICROS.iter().find(near) {
        Some(micros) => Duration::from_micros(*micros),
        None => Duration::from_micros(nanos.saturating_add(50_000) / 100_000 * 100),
    }
}
