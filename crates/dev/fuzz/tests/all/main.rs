//! Random bytes into the networks of key protocols and the readers of V2X.

mod group_keys;
mod heap;
mod lasan;
mod v2x;

use waywarden_fuzz::Seen;
use waywarden_testkit::each_random_bytes;

/// Runs of each test, in the quick run.
const FEW: usize = 150;

/// Returns the counts of all runs.
fn over_seeds(entry: fn(&[u8]) -> Seen) -> Seen {
    let mut all = Seen::default();
    each_random_bytes(FEW, entry, |seen| all.add(&seen));
    println!("{all:?}");
    all
}
