//! Runs of fuzz entry points over random bytes.

use std::panic;

use crate::random::Random;
use crate::seeds::{cases, first_seed};

/// Runs a fuzz entry point over random bytes, `few` or `WAYWARDEN_CASES` times, and passes each
/// result to `see`. Prints the seed of a failure.
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
