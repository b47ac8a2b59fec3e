//! Repeatable pseudo-random numbers: xoshiro256** (D. Blackman and S. Vigna, 2018), seeded by
//! SplitMix64.
//!
//! For simulation only: the numbers are uniform and the same on every machine, but anyone can
//! predict them. Nothing here uses a floating-point function whose result differs by platform.
#![no_std]
#![forbid(unsafe_code)]

/// 2^64.
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    /// Seed of the stream; sub-streams are derived from it, whatever has been drawn.
    key: u64,
    state: [u64; 4],
}

impl Random {
    /// Creates the stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut mix = seed;
        let state = [(); 4].map(|()| split_mix(&mut mix));
        Random { key: seed, state }
    }

    /// Creates the sub-stream with this name and number.
    ///
    /// It does not depend on how much has been drawn from this stream, so a new consumer does not
    /// change the numbers of the others.
    #[must_use]
    pub fn stream(&self, name: &str, number: u64) -> Self {
        let mut key = self.key;
        for byte in name.bytes().map(u64::from).chain([256, number]) {
            key ^= byte;
            key = split_mix(&mut key);
        }
        Random::new(key)
    }

    /// Draws 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Draws a number below `bound`; 0 if `bound` is 0.
    ///
    /// The bias of the multiplication is below `bound` / 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Draws from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        // 53 bits fit the mantissa exactly.
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Draws the number of failed trials before the first success, if each trial succeeds with this
    /// probability.
    ///
    /// [`u64::MAX`] if the probability is NaN or at most 2^-60; 0 if it is 1 or more.
    pub fn failures_before_success(&mut self, probability: f64) -> u64 {
        if probability >= 1.0 {
            return 0;
        }
        // At 2^-60 the first success is beyond any simulation.
        if probability.is_nan() || probability <= 1.0 / (1_u64 << 60) as f64 {
            return u64::MAX;
        }
        // log(u) / log(1 - p), both logarithms negative and in the same unit.
        let success = (probability * TWO_64) as u64;
        let step = minus_log2(u64::MAX - success);
        (minus_log2(self.next_u64().max(1)) / step.max(1)) as u64
    }

    /// Derives 32 bytes from a name and two numbers, such as the seed of an ECU's n-th boot. Like
    /// [`Random::stream`], it does not depend on what has been drawn.
    #[must_use]
    pub fn seed(&self, name: &str, first: u64, second: u64) -> [u8; 32] {
        let mut stream = self.stream(name, first).stream("", second);
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            chunk.copy_from_slice(&stream.next_u64().to_le_bytes());
        }
        bytes
    }
}

/// Draws 64 bits from SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, every value once in a
/// period of 2^64. For seeds and for streams that need no sub-streams.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns -log2(x / 2^64) in units of 2^-60, for x > 0; each squaring yields one binary digit.
fn minus_log2(x: u64) -> u128 {
    let shift = x.leading_zeros();
    // In [1, 2) with 63 binary places.
    let mut mantissa = x << shift;
    let mut fraction: u128 = 0;
    for _ in 0..60 {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carry = square >> 127;
        mantissa = (square >> (63 + carry)) as u64;
        fraction = fraction << 1 | carry;
    }
    // x / 2^64 = mantissa * 2^-(shift + 1)
    (u128::from(shift + 1) << 60) - fraction
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn the_generators_give_their_published_numbers() {
        // SplitMix64 from 1234567, and xoshiro256** from the state 1, 2, 3, 4, as the reference
        // implementations print them.
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
        let mut random = Random {
            key: 0,
            state: [1, 2, 3, 4],
        };
        assert_eq!(random.next_u64(), 11_520);
        assert_eq!(random.next_u64(), 0);
        assert_eq!(random.next_u64(), 1_509_978_240);
    }

    #[test]
    fn streams_depend_on_name_and_number_but_not_on_what_was_drawn() {
        let mut root = Random::new(7);
        let first = root.stream("bus", 0);
        root.next_u64();
        assert_eq!(root.stream("bus", 0), first);
        assert_ne!(root.stream("bus", 1), first);
        assert_ne!(root.stream("node", 0), first);
        assert_eq!(root.seed("boot", 1, 2), Random::new(7).seed("boot", 1, 2));
        assert_ne!(root.seed("boot", 1, 2), root.seed("boot", 2, 1));
    }

    #[test]
    fn the_logarithm_agrees_with_the_floating_point_one() {
        for x in [1, 2, 3, 1 << 63, u64::MAX, 0x1234_5678_9ABC_DEF0, 1 << 40] {
            let ours = minus_log2(x) as f64 / (1_u64 << 60) as f64;
            let theirs = 64.0 - (x as f64).log2();
            assert!((ours - theirs).abs() < 1e-9, "{x}: {ours} {theirs}");
        }
    }

    #[test]
    fn the_number_of_failures_has_the_right_mean() {
        for (probability, tolerance) in [(0.5, 0.05), (0.01, 0.05), (1e-6, 0.05), (1e-12, 0.05)] {
            let mut random = Random::new(42);
            let draws = 20_000;
            let sum: f64 = (0..draws)
                .map(|_| random.failures_before_success(probability) as f64)
                .sum();
            let mean = sum / f64::from(draws);
            let expected = (1.0 - probability) / probability;
            assert!(
                (mean / expected - 1.0).abs() < tolerance,
                "{probability}: {mean}"
            );
        }
        let mut random = Random::new(1);
        assert_eq!(random.failures_before_success(1.0), 0);
        assert_eq!(random.failures_before_success(0.0), u64::MAX);
        assert_eq!(random.failures_before_success(f64::NAN), u64::MAX);
        assert_eq!(random.failures_before_success(-1.0), u64::MAX);
    }

    #[test]
    fn below_covers_its_range_and_no_more() {
        let mut random = Random::new(3);
        let mut seen = [0_u32; 7];
        for _ in 0..7_000 {
            seen[random.below(7) as usize] += 1;
        }
        assert!(
            seen.iter().all(|&count| (850..1_150).contains(&count)),
            "{seen:?}"
        );
        assert_eq!(random.below(0), 0);
    }
}
