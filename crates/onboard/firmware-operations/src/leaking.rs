//! Computations for a check of constant time alone: those that show their secret, each in one way,
//! which it has to find, and one whose secret no operation varies alone.

use core::hint::black_box;

use crate::post_quantum::decapsulate_with_vector;
use crate::{Gate, Run, bytes};

/// A computation that no board file has a figure for.
pub struct OtherComputation {
    /// Its secret, or the way in which it shows it.
    pub by: &'static str,
    run: fn(&mut Run<'_>),
}

impl OtherComputation {
    /// Computes between two gates, with the secret of a seed.
    pub fn run(&self, gate: &mut dyn Gate, secret: u32) {
        let secret = secret.into();
        let given = &[];
        (self.run)(&mut Run {
            gate,
            secret,
            given,
        });
    }
}

/// A computation that keeps its secret.
pub static KEEPING: &[OtherComputation] = &[OtherComputation {
    by: "the secret vector of a key of ML-KEM-768",
    run: decapsulate_with_vector,
}];

/// Computations that show their secret.
pub static LEAKING: &[OtherComputation] = &[
    OtherComputation {
        by: "a branch",
        run: branch,
    },
    OtherComputation {
        by: "a look-up",
        run: look_up,
    },
    OtherComputation {
        by: "a store",
        run: store,
    },
    OtherComputation {
        by: "a division",
        run: divide,
    },
];

/// A modulus: 2^31 - 1.
const MODULUS: u32 = 0x7FFF_FFFF;

fn multiply(a: u32, b: u32) -> u32 {
    let product = u64::from(a) * u64::from(b);
    let folded = (product >> 31) as u32 + (product as u32 & MODULUS);
    folded.min(folded.wrapping_sub(MODULUS))
}

fn branch(run: &mut Run<'_>) {
    let secret = u32::from_le_bytes(bytes(run.secret));
    run.count(|| {
        let secret = black_box(secret);
        (0..32).rev().fold(1, |power, bit| {
            let square = multiply(power, power);
            // Opaque, so that the compiler makes no selection of it.
            match secret >> bit & 1 {
                1 => black_box(multiply(black_box(square), 3)),
                _ => square,
            }
        })
    });
}

static TABLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = (at * 167 + 13) as u8;
        at += 1;
    }
    table
};

fn look_up(run: &mut Run<'_>) {
    let secret = bytes::<16>(run.secret);
    run.count(|| {
        let (secret, table) = (black_box(&secret), black_box(&TABLE));
        secret
            .iter()
            .fold(0, |sum: u8, byte| sum ^ table[usize::from(*byte)])
    });
}

fn store(run: &mut Run<'_>) {
    let secret = bytes::<16>(run.secret);
    let mut histogram = [0u8; 256];
    run.count(|| {
        let histogram = black_box(&mut histogram);
        for byte in black_box(&secret) {
            histogram[usize::from(*byte)] = 1;
        }
    });
}

/// Takes as many cycles as its operands want, in one and the same trace.
fn divide(run: &mut Run<'_>) {
    let secret = u32::from_le_bytes(bytes(run.secret));
    run.count(|| black_box(u32::MAX) / (black_box(secret) | 1));
}
