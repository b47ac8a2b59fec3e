//! A small generator for jitter and payloads. It must be reproducible, not unpredictable: keys
//! never come from here.

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, every value once in a period of 2^64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Folds a boot seed into the state.
    pub(crate) fn new(seed: &[u8; 32]) -> Self {
        let (words, _) = seed.as_chunks::<8>();
        Random(words.iter().fold(0, |state, word| {
            state.rotate_left(17) ^ u64::from_le_bytes(*word)
        }))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, 0 for a bound of 0; biased by less than bound / 2^64.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}
