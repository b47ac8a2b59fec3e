//! Powers between pairs of stations, kept while all stand still.

/// Number of stations on the road whose pairs are kept: 2,096,128 numbers, 16 MiB. Pairs of later
/// stations are computed each time.
const MOST: usize = 2_048;

/// The power that arrives between two stations, which is the same in both directions, until a
/// station moves.
#[derive(Clone, Debug, Default)]
pub(super) struct PairCache {
    /// By the number of a station: its place among those on the road.
    ranks: Vec<usize>,
    /// By the ranks of a pair, in mW; NaN: not computed yet.
    powers_mw: Vec<f64>,
}

impl PairCache {
    /// Forgets all pairs; takes the stations on the road in the order of their numbers.
    pub(super) fn place(&mut self, present: impl Iterator<Item = usize>) {
        self.ranks.clear();
        let mut count = 0;
        for station in present {
            self.ranks.resize(station, MOST);
            self.ranks.push(count);
            count += 1;
        }
        let pairs = index(0, count.min(MOST));
        self.powers_mw.clear();
        self.powers_mw.resize(pairs, f64::NAN);
    }

    /// Returns the power between two stations, and computes it if this is the first time.
    #[inline]
    pub(super) fn power_mw(
        &mut self,
        (one, other): (usize, usize),
        compute: impl FnOnce() -> f64,
    ) -> f64 {
        let rank = |station: usize| self.ranks.get(station).copied().unwrap_or(MOST);
        let (one, other) = (rank(one), rank(other));
        let (low, high) = (one.min(other), one.max(other));
        if low == high || high >= MOST {
            return compute();
        }
        let Some(power) = self.powers_mw.get_mut(index(low, high)) else {
            return compute();
        };
        if power.is_nan() {
            *power = compute();
        }
        *power
    }
}

/// Pairs by the higher rank, then by the lower one.
fn index(low: usize, high: usize) -> usize {
    high * high.saturating_sub(1) / 2 + low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_computed_once_until_a_station_moves() {
        let mut cache = PairCache::default();
        for _ in 0..2 {
            cache.place([2, 3, 5, 9].into_iter());
            let mut computed = 0;
            for _ in 0..2 {
                for one in [2, 3, 5, 9] {
                    for other in [2, 3, 5, 9] {
                        let expected = (one * other) as f64;
                        let power = cache.power_mw((one, other), || {
                            computed += usize::from(one != other);
                            expected
                        });
                        assert_eq!(power, expected);
                    }
                }
            }
            assert_eq!(computed, 6);
        }
    }

    #[test]
    fn memory_is_bounded_and_stations_beyond_are_computed_each_time() {
        let mut cache = PairCache::default();
        cache.place(0..3 * MOST);
        assert_eq!(cache.powers_mw.len(), 2_096_128);
        let mut computed = 0;
        for pair in [
            (0, MOST - 1),
            (MOST - 1, 0),
            (0, MOST),
            (MOST, 0),
            (0, 4 * MOST),
        ] {
            cache.power_mw(pair, || {
                computed += 1;
                1.0
            });
        }
        assert_eq!(computed, 4);
    }
}
