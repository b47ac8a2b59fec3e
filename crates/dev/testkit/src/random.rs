//! A generator of random test cases. It must be reproducible, not unpredictable.

use waywarden_random::split_mix;

use crate::first_seed;

/// The numbers of [`split_mix`], and values made of them.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Starts from `WAYWARDEN_SEED`, or else 0x5EED, mixed with the name of a test. Prints the
    /// seed, which is shown if the test fails.
    #[must_use]
    pub fn of_test(test: &str) -> Self {
        let seed = first_seed(0x5EED);
        println!("{test}: WAYWARDEN_SEED={seed}");
        let mix = |mix: u64, byte| mix.rotate_left(9) ^ u64::from(byte);
        Random(test.bytes().fold(seed, mix))
    }

    /// Returns the next number.
    pub fn u64(&mut self) -> u64 {
        split_mix(&mut self.0)
    }

    /// Returns a number of two.
    pub fn u128(&mut self) -> u128 {
        u128::from(self.u64()) << 64 | u128::from(self.u64())
    }

    /// Returns a number below a bound above zero, biased by less than bound / 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.u64() % bound
    }

    /// Returns a number below a bound above zero, to count or index with.
    pub fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }

    /// Returns true once in `times`, which is above zero.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns `length` random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.u64() as u8).collect()
    }

    /// Returns a string of any length up to `most` bytes.
    pub fn bytes_up_to(&mut self, most: usize) -> Vec<u8> {
        let length = self.index(most + 1);
        self.bytes(length)
    }

    /// Returns as many bytes as fill an array.
    pub fn array<const LENGTH: usize>(&mut self) -> [u8; LENGTH] {
        [(); LENGTH].map(|()| self.u64() as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for the seed 0 of the reference code by Vigna, which is in the public
    /// domain.
    #[test]
    fn the_first_numbers_are_those_of_the_reference() {
        let mut random = Random::new(0);
        assert_eq!(random.u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.u64(), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(random.u64(), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn bytes_are_the_lowest_of_each_number() {
        assert_eq!(Random::new(0).bytes(3), [0xAF, 0xF4, 0x4F]);
        assert_eq!(Random::new(0).array(), [0xAF, 0xF4, 0x4F]);
    }
}
