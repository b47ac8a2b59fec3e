//! Chance by seed, and what it disturbs.

/// A generator of numbers for tests: SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Bytes to fill a frame or a part of it.
    pub(crate) fn bytes(&mut self) -> [u8; 64] {
        core::array::from_fn(|_| self.next() as u8)
    }
}

/// What disturbs this run: once in so many frames, or never.
pub(crate) struct Weather {
    pub(crate) loss: u64,
    pub(crate) double: u64,
    pub(crate) flip: u64,
    pub(crate) hold: u64,
    pub(crate) replay: u64,
    pub(crate) forge: u64,
    pub(crate) reset: u64,
}

impl Weather {
    pub(crate) fn of(dice: &mut Dice) -> Self {
        let mut rate = |often: u64| match dice.below(3) {
            0 => u64::MAX,
            _ => often + dice.below(often * 4),
        };
        Weather {
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

/// Runs `run` for the seed that `WAYWARDEN_SEED` names, or for the first `WAYWARDEN_SEEDS`, or for
/// `few`; a seed that fails is printed. Returns the sums of what came of
/// them.
pub(crate) fn each_seed(
    few: u64,
    run: impl Fn(u64) -> (u64, u64) + std::panic::RefUnwindSafe,
) -> (u64, u64) {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let seeds = match number("WAYWARDEN_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("WAYWARDEN_SEEDS").unwrap_or(few),
    };
    let (mut taken, mut disturbed) = (0, 0);
    for seed in seeds {
        let result = std::panic::catch_unwind(|| run(seed));
        let (more, trouble) = result.unwrap_or_else(|panic| {
            eprintln!("WAYWARDEN_SEED={seed} repeats it");
            std::panic::resume_unwind(panic)
        });
        taken += more;
        disturbed += trouble;
    }
    (taken, disturbed)
}
