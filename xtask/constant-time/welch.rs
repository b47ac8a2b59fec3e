//! Is an operation's time the same for a fixed secret and for random ones? Welch's t-test over
//! interleaved measurements [Reparaz, Balasch, Verbauwhede: Dude, is my code constant time?].
//!
//! Laid down beforehand:
//! * Each measurement tosses a coin: the fixed secret, or a fresh random one. The fixed one is the
//!   number 1, whose digits are as far from random as they get.
//! * Secrets are prepared in batches before the clock starts, both classes in the same array; the
//!   operation sees a reference and cannot know the class.
//! * Time is the time stamp counter between fences.
//! * Interruptions make outliers, so the statistic is taken over all measurements and over those
//!   below each of the percentiles in [`CROPS`] of the batch before, classes pooled. The largest
//!   |t| of them counts.
//! * |t| >= 4.5 is a leak.
//!
//! Two controls run along. Random against random must stay below the limit, or the measurement
//! itself is unsound; the leaky operations must exceed it, or it is blind.

use std::hint::black_box;

use waywarden_fourq::{EncodedPoint, SigningKey, dh};

use crate::leaky;
use crate::random::Random;
use crate::stamp;

/// Smallest |t| that counts as a leak.
const LIMIT: f64 = 4.5;
/// Shares of a batch that are kept, fastest first.
const CROPS: [f64; 6] = [1.0, 0.99, 0.95, 0.8, 0.5, 0.2];
/// Measurements of a batch.
const BATCH: usize = 2_000;
const SEED: u64 = 0x5741_5957_4152_4445;

/// The number 1, little endian.
const FIXED: [u8; 32] = {
    let mut one = [0; 32];
    one[0] = 1;
    one
};

/// Count, mean and sum of squared deviations, by Welford's recurrence.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let delta = value - self.mean;
        self.mean += delta / self.count;
        self.squares += delta * (value - self.mean);
    }

    /// The variance of the mean.
    fn uncertainty(&self) -> f64 {
        self.squares / (self.count - 1.0) / self.count
    }
}

/// Welch's t; zero where there is too little to tell.
fn welch(a: &Moments, b: &Moments) -> f64 {
    let uncertainty = a.uncertainty() + b.uncertainty();
    if a.count < 2.0 || b.count < 2.0 || uncertainty <= 0.0 {
        return 0.0;
    }
    (a.mean - b.mean) / uncertainty.sqrt()
}

/// One measurement to come: which class, and the secret in the form the operation takes.
struct Input<S> {
    fixed: bool,
    secret: S,
}

/// Result of one operation.
struct Outcome {
    /// The largest |t| of all crops.
    t: f64,
    /// The crop it was found in.
    crop: f64,
    /// Median ticks.
    ticks: u64,
}

/// Measures `operation`; `prepare` converts bytes to its input.
fn measure<S, R>(
    measurements: usize,
    fixed: Option<[u8; 32]>,
    prepare: impl Fn(&[u8; 32]) -> S,
    operation: impl Fn(&S) -> R,
) -> Outcome {
    let mut random = Random(SEED);
    let mut moments = [[Moments::default(); 2]; CROPS.len()];
    let mut limits = [u64::MAX; CROPS.len()];
    let mut times = vec![0; BATCH];
    let mut ticks = 0;
    // The first batch warms up and sets the limits of the second.
    for batch in 0..=measurements.div_ceil(BATCH) {
        let inputs: Vec<Input<S>> = (0..BATCH)
            .map(|_| {
                let bytes = random.bytes();
                let coin = random.next() >> 63 == 1;
                let secret = prepare(fixed.as_ref().filter(|_| coin).unwrap_or(&bytes));
                Input {
                    fixed: coin,
                    secret,
                }
            })
            .collect();
        for (time, input) in times.iter_mut().zip(&inputs) {
            let secret = black_box(&input.secret);
            let begin = stamp::begin();
            black_box(operation(secret));
            *time = stamp::end().wrapping_sub(begin);
        }
        if batch > 0 {
            for (&time, input) in times.iter().zip(&inputs) {
                for (moments, &limit) in moments.iter_mut().zip(&limits) {
                    if time <= limit {
                        moments[usize::from(input.fixed)].add(time as f64);
                    }
                }
            }
        }
        times.sort_unstable();
        ticks = times[BATCH / 2];
        for (limit, crop) in limits.iter_mut().zip(CROPS) {
            *limit = if crop < 1.0 {
                times[(crop * BATCH as f64) as usize]
            } else {
                u64::MAX
            };
        }
    }
    let (t, crop) = moments
        .iter()
        .zip(CROPS)
        .map(|([a, b], crop)| (welch(a, b).abs(), crop))
        .fold(
            (0.0, 1.0),
            |best, one| if one.0 > best.0 { one } else { best },
        );
    Outcome { t, crop, ticks }
}

/// Expected result of a row, for the run to pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Even,
    Leak,
}

fn report(name: &str, expected: Expected, outcome: &Outcome) -> bool {
    let leaks = outcome.t >= LIMIT;
    let right = leaks == (expected == Expected::Leak);
    let verdict = match (leaks, right) {
        (false, true) => "no leak seen",
        (true, true) => "leak found, as it must be",
        (true, false) => "LEAK",
        (false, false) => "leak NOT found: the test is blind",
    };
    println!(
        "{name:<24} |t| = {:>8.2} (of the fastest {:>3.0} %)   {:>7} ticks   {verdict}",
        outcome.t,
        outcome.crop * 100.0,
        outcome.ticks,
    );
    right
}

/// Measures every operation; returns true if all results are as expected.
///
/// # Errors
/// If the number of measurements is too small to mean anything.
pub(crate) fn run(measurements: usize) -> Result<bool, String> {
    if measurements < 10_000 {
        return Err("fewer than 10000 measurements show nothing".to_owned());
    }
    let fixed = Some(FIXED);
    let peer: EncodedPoint = dh::Secret::from_bytes(&[0x42; 32]).share();
    let message = [0x5a; 64];
    let extract = |secret: &dh::Secret| secret.extract(&peer);
    let sign = |key: &SigningKey| key.sign(&message);
    let mut right = true;
    let mut row = |name: &str, expected, outcome: &Outcome| {
        right &= report(name, expected, outcome);
    };
    // The leaky index is not here: its table fits two cache lines. That kind is memcheck's to find.
    let toys: [(&str, fn(&[u8; 32]) -> [u8; 32]); 2] = [
        ("control: leaky branch", leaky::branch),
        ("control: early exit", leaky::early_exit),
    ];
    for (name, toy) in toys {
        let outcome = measure(measurements / 10, fixed, |bytes| *bytes, toy);
        row(name, Expected::Leak, &outcome);
    }
    let secret = dh::Secret::from_bytes;
    let outcome = measure(measurements, None, secret, dh::Secret::share);
    row("control: random, random", Expected::Even, &outcome);
    let outcome = measure(measurements, fixed, secret, dh::Secret::share);
    row("share", Expected::Even, &outcome);
    let outcome = measure(measurements, fixed, secret, extract);
    row("extract", Expected::Even, &outcome);
    let outcome = measure(measurements, fixed, SigningKey::from_bytes, sign);
    row("sign", Expected::Even, &outcome);
    Ok(right)
}
