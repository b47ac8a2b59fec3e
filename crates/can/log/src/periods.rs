//! Periods guessed from the times at which frames were seen.

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

#[cfg(test)]
mod tests {
    use waywarden_can::Id;

    use super::*;

    #[test]
    fn periods_are_the_usual_ones_near_the_median_gap() {
        let id = |raw| Id::standard(raw).unwrap();
        let every = |raw: u16, micros: u64, jitter: u64| {
            (0..101_u64).map(move |at| {
                let late = at * 7 % 11 * jitter;
                (id(raw), Duration::from_micros(at * micros + late))
            })
        };
        let sightings: Vec<(Id, Duration)> = every(1, 10_000, 20)
            .chain(every(2, 96_000, 0))
            .chain(every(3, 333_333, 0))
            .chain([(id(4), Duration::ZERO), (id(4), Duration::from_millis(10))])
            .chain(std::iter::repeat_n((id(5), Duration::ZERO), 9))
            .collect();
        let periods = observed_periods(sightings);
        assert_eq!(periods.get(&id(1)), Some(&Duration::from_millis(10)));
        assert_eq!(periods.get(&id(2)), Some(&Duration::from_millis(100)));
        assert_eq!(periods.get(&id(3)), Some(&Duration::from_micros(333_300)));
        assert_eq!(periods.get(&id(4)), None, "two sightings are one gap");
        assert_eq!(periods.get(&id(5)), None, "all at once is no period");
    }
}
