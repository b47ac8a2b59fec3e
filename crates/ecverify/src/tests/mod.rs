//! Known answers, outside implementations, an outside reckoning of each table, hostile input.

mod agreement;
mod arithmetic;
mod ecqv;
mod edges;
mod hostile;
mod kernels;
mod known_answers;
mod lanes;
mod models;
mod outside;
mod paths;
mod samples;
mod tables;
mod vectors;
mod verifier;
mod wycheproof;

use std::println;
use std::string::String;
use std::vec::Vec;

/// Cases of a random test for each curve: `usual`, or `WAYWARDEN_CASES`.
pub(crate) fn cases(usual: usize) -> usize {
    std::env::var("WAYWARDEN_CASES")
        .ok()
        .map_or(usual, |count| count.parse().expect("a number"))
}

/// SplitMix64 from a seed that is printed (and shown with a failure): `WAYWARDEN_SEED` repeats it.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(test: &str) -> Self {
        let seed = std::env::var("WAYWARDEN_SEED")
            .ok()
            .map_or(0x5eed_u64, |seed| seed.parse().expect("a number"));
        println!("{test}: WAYWARDEN_SEED={seed}");
        let mix = test
            .bytes()
            .fold(seed, |mix, byte| mix.rotate_left(9) ^ u64::from(byte));
        Self(mix)
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.u64() % bound as u64) as usize
    }

    /// This many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.u64() as u8).collect()
    }
}

/// Bytes of a hexadecimal string.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal"))
        .collect()
}

/// Hexadecimal of bytes.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| std::format!("{byte:02x}"))
        .collect()
}
