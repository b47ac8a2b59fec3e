//! Choice and number of the seeds that a property test runs.

use std::panic;

/// Returns the number in an environment variable, if it is set.
///
/// # Panics
///
/// If it is set to anything else: a typing error must not pass for the usual count.
#[must_use]
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable}={text}: a number is expected")))
}

/// Returns how many random cases a test makes: `usual`, or `WAYWARDEN_CASES`.
#[must_use]
pub fn cases(usual: usize) -> usize {
    number("WAYWARDEN_CASES").map_or(usual, |count| count as usize)
}

/// Returns how many seeds a test runs: `usual`, or `WAYWARDEN_SEEDS`.
#[must_use]
pub fn seeds(usual: u64) -> u64 {
    number("WAYWARDEN_SEEDS").unwrap_or(usual)
}

/// Returns the seed that `WAYWARDEN_SEED` asks for, if it does.
#[must_use]
pub fn only_seed() -> Option<u64> {
    number("WAYWARDEN_SEED")
}

/// Returns the seed to begin with: `usual`, or `WAYWARDEN_SEED`.
#[must_use]
pub fn first_seed(usual: u64) -> u64 {
    only_seed().unwrap_or(usual)
}

/// Runs `run` for the seed that `WAYWARDEN_SEED` names, or for the first `WAYWARDEN_SEEDS`, or for
/// `few`. Prints the seed that fails. Returns what came of each.
pub fn each_seed<T>(few: u64, run: impl Fn(u64) -> T + panic::RefUnwindSafe) -> Vec<T> {
    let range = only_seed().map_or_else(|| 0..seeds(few), |seed| seed..seed + 1);
    let one = |seed| {
        panic::catch_unwind(|| run(seed)).unwrap_or_else(|cause| {
            eprintln!("WAYWARDEN_SEED={seed} repeats it");
            panic::resume_unwind(cause)
        })
    };
    range.map(one).collect()
}
