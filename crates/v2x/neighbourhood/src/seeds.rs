//! Seeds without end.

use waywarden_v2x_pki::Seeds;
use waywarden_v2x_signing::Seed;

/// After so many seeds the next one is the root of others.
const SEEDS_OF_ONE: u32 = 1 << 20;

/// Independent seeds made of one, for as long as a station runs.
pub(crate) struct EndlessSeeds {
    seeds: Seeds,
    left: u32,
}

impl EndlessSeeds {
    /// Takes 32 bytes of a random generator.
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        Self {
            seeds: Seeds::new(seed),
            left: SEEDS_OF_ONE,
        }
    }

    /// Returns the next seed.
    pub(crate) fn next(&mut self) -> Seed {
        if self.left == 0 {
            *self = Self::new(*self.seeds.next());
        }
        self.left -= 1;
        Seed::new(*self.seeds.next())
    }
}
