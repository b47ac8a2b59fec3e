//! Random numbers by seed, and the disturbances that they select.

use std::panic::RefUnwindSafe;

use waywarden_testkit::Random;

/// The disturbances of this run: once in so many frames, or never.
pub(crate) struct FaultPlan {
    pub(crate) loss: u64,
    pub(crate) double: u64,
    pub(crate) flip: u64,
    pub(crate) hold: u64,
    pub(crate) replay: u64,
    pub(crate) forge: u64,
    pub(crate) reset: u64,
}

impl FaultPlan {
    pub(crate) fn of(random: &mut Random) -> Self {
        let mut rate = |often: u64| match random.below(3) {
            0 => u64::MAX,
            _ => often + random.below(often * 4),
        };
        FaultPlan {
            loss: rate(4),
            double: rate(8),
            flip: rate(20),
            hold: rate(20),
            replay: rate(4),
            forge: rate(4),
            reset: rate(80),
        }
    }
}

/// Runs `run` as [`waywarden_testkit::each_seed`] does; returns the sums of what came of each.
pub(crate) fn each_seed(few: u64, run: impl Fn(u64) -> (u64, u64) + RefUnwindSafe) -> (u64, u64) {
    let results = waywarden_testkit::each_seed(few, run).into_iter();
    results.fold((0, 0), |(taken, disturbed), (more, disturbance)| {
        (taken + more, disturbed + disturbance)
    })
}
