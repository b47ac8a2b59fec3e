//! Random numbers and places of tests.

use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, TwoDLocation};

/// The tests' generator, with fractions and places.
#[derive(Clone)]
pub(super) struct Random(waywarden_testkit::Random);

impl Random {
    pub(super) fn new(test: &str) -> Self {
        Self(waywarden_testkit::Random::of_test(test))
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.index(bound)
    }

    /// True once in so many times.
    pub(super) fn once_in(&mut self, count: u64) -> bool {
        self.0.once_in(count)
    }

    /// A number from `low` to `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0.u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from `low` to `high`, each order of magnitude as likely.
    pub(super) fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// A place with coordinates of any value: most are at the ends of the ranges of places.
    pub(super) fn any_place(&mut self) -> TwoDLocation {
        let mut of = |end: i32| match self.below(8) {
            0 => i32::MIN,
            1 => i32::MAX,
            2 | 3 => self.0.u64() as i32,
            4 => end - self.below(4) as i32 + 2,
            5 => -end - self.below(4) as i32 + 2,
            _ => self.between(-f64::from(end), f64::from(end)) as i32,
        };
        TwoDLocation {
            latitude: Latitude(of(900_000_000)),
            longitude: Longitude(of(1_800_000_000)),
        }
    }
}
