//! Durations in bounded memory: exact count, sum, least and greatest; percentiles to 1.6 %.

use waywarden_work::Duration;

/// Buckets within one power of two; the width of one is at most 1/64 of its value.
const STEPS: u64 = 64;

/// A log-linear histogram of durations in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    least: Option<Duration>,
    greatest: Option<Duration>,
}

impl Histogram {
    /// Adds one duration.
    pub fn add(&mut self, value: Duration) {
        let bucket = bucket(value.as_nanos());
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum += u128::from(value.as_nanos());
        self.least = Some(self.least.map_or(value, |least| least.min(value)));
        self.greatest = Some(self.greatest.map_or(value, |greatest| greatest.max(value)));
    }

    /// Returns how many durations were added.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean, `None` without values.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(mean as u64))
    }

    /// Returns the shortest, exactly.
    #[must_use]
    pub fn least(&self) -> Option<Duration> {
        self.least
    }

    /// Returns the longest, exactly.
    #[must_use]
    pub fn greatest(&self) -> Option<Duration> {
        self.greatest
    }

    /// Returns the value that a share of `per_mille` / 1000 of the durations do not exceed, to
    /// 1.6 %.
    #[must_use]
    pub fn percentile(&self, per_mille: u64) -> Option<Duration> {
        let rank = (self.count * per_mille).div_ceil(1_000).max(1);
        let mut seen = 0;
        let at = self.counts.iter().position(|&count| {
            seen += count;
            seen >= rank
        })?;
        let upper = Duration::from_nanos(upper_edge(at));
        Some(upper.min(self.greatest?).max(self.least?))
    }

    /// Returns the buckets that hold something: upper edge and count, shortest first.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count > 0)
            .map(|(at, &count)| (Duration::from_nanos(upper_edge(at)), count))
    }
}

/// Values below `STEPS` have a bucket each; above, the top 7 bits choose.
fn bucket(nanos: u64) -> usize {
    let octave = u64::from((nanos / STEPS).checked_ilog2().map_or(0, |log| log + 1));
    if octave == 0 {
        nanos as usize
    } else {
        (octave * STEPS + (nanos >> (octave - 1)) - STEPS) as usize
    }
}

fn upper_edge(bucket: usize) -> u64 {
    let (octave, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    match octave {
        0 => step,
        _ => (u128::from(STEPS + step + 1) << (octave - 1))
            .saturating_sub(1)
            .min(u128::from(u64::MAX)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket_to_one_in_sixty_four() {
        let mut nanos = 0_u64;
        while nanos < u64::MAX / 2 {
            let edge = upper_edge(bucket(nanos));
            assert!(
                edge >= nanos && edge - nanos <= nanos / 64,
                "{nanos} in bucket up to {edge}"
            );
            nanos += nanos / 97 + 1;
        }
        assert!(bucket(u64::MAX) < 64 * 60);
    }

    #[test]
    fn percentiles_of_a_ramp() {
        let mut ramp = Histogram::default();
        for micros in 1..=1000 {
            ramp.add(Duration::from_micros(micros));
        }
        let p99 = ramp.percentile(990).unwrap().as_nanos();
        assert!((990_000..=1_006_000).contains(&p99), "{p99}");
        assert_eq!(ramp.greatest(), Some(Duration::from_millis(1)));
        assert_eq!(ramp.mean(), Some(Duration::from_nanos(500_500)));
        assert_eq!(Histogram::default().percentile(500), None);
    }
}
