//! Seeds, one for each call that needs one.

use waywarden_v2x_signing::Seed;
use zeroize::Zeroizing;

/// Independent seeds made of one of 32 bytes from a random generator.
pub struct Seeds {
    seed: Seed,
    number: u32,
}

impl Seeds {
    /// Takes 32 bytes of a random generator. They are used for nothing else.
    #[must_use]
    pub fn new(seed: [u8; 32]) -> Self {
        Self {
            seed: Seed::new(seed),
            number: 0,
        }
    }

    /// Returns the next seed, which no other call has. It is wiped when it is dropped.
    ///
    /// # Panics
    /// After 2^32 seeds.
    #[expect(clippy::should_implement_trait, reason = "seeds do not end")]
    pub fn next(&mut self) -> Zeroizing<[u8; 32]> {
        let number = self.number;
        self.number = number.checked_add(1).expect("fewer than 2^32 seeds");
        self.seed.derive("seed", number)
    }
}
