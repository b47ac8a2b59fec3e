//! Runs over random bytes, for entry points of fuzzers.

use std::panic;

use crate::random::Random;
use crate::seeds::{cases, first_seed};

/// Runs an entry point for fuzzers over random bytes, `few` times or `WAYWARDEN_CASES`, and hands
/// over what came of each. Prints the seed that fails.
pub fn each_random_bytes<T>(few: usize, entry: fn(&[u8]) -> T, mut see: impl FnMut(T)) {
    let first = first_seed(0);
    for seed in first..first + cases(few) as u64 {
        let bytes = Random::new(seed).bytes(64 + (seed % 8) as usize * 128);
        see(
            panic::catch_unwind(|| entry(&bytes)).unwrap_or_else(|cause| {
                println!("WAYWARDEN_SEED={seed} WAYWARDEN_CASES=1 repeats it");
                panic::resume_unwind(cause)
            }),
        );
    }
}
