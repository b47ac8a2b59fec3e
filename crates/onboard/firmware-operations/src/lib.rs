//! Each operation of a board file that the crates for firmware have, to be computed once between
//! two gates.
//!
//! The image counts what it executes from gate to gate: the operation alone, not the making of its
//! inputs. These come from fixed seeds, so that a count is the same in every run. The seed of the
//! secret is the caller's: with several one sees what an operation lets its secret show.
#![no_std]
#![forbid(unsafe_code)]

mod curves;
mod leaking;
mod list;
mod post_quantum;
mod symmetric;

use core::hint::black_box;

use waywarden_work::Operation;

pub use self::leaking::{KEEPING, LEAKING, OtherComputation};
pub use self::list::OPERATIONS;
pub use self::post_quantum::ml_dsa_44_sample;

/// An operation that is counted.
pub struct CountedOperation {
    /// The operation, as a board file names it.
    pub operation: Operation,
    /// The crate that computes it, and the variant where it has several.
    pub by: &'static str,
    run: fn(&mut Run<'_>),
}

/// The place that the image passes before an operation and after it.
pub trait Gate {
    /// Passes it.
    fn pass(&mut self);
}

/// The place of the first of [`LEAKING`], in what the image takes.
pub const FIRST_LEAK: usize = 0x8000;

/// The place of the first of [`KEEPING`].
pub const FIRST_KEPT: usize = 0xC000;

/// Seed of the secret with which operations are counted.
pub const SECRET: u32 = 1;

/// One run of an operation.
pub struct Run<'a> {
    gate: &'a mut dyn Gate,
    secret: u64,
    given: &'a [u8],
}

impl CountedOperation {
    /// Computes it, on inputs of its own: a secret by its seed, and public ones that are always the
    /// same. A verification with ML-DSA takes those that are `given`, see [`ml_dsa_44_sample`], as
    /// a small ECU cannot make them.
    ///
    /// # Panics
    /// If the operation fails, or the inputs are none for it.
    pub fn run(&self, gate: &mut dyn Gate, secret: u32, given: &[u8]) {
        let secret = secret.into();
        (self.run)(&mut Run {
            gate,
            secret,
            given,
        });
    }
}

/// Passes both gates with nothing between them: what the gates themselves take.
pub fn nothing(gate: &mut dyn Gate) {
    let (secret, given) = (0, &[][..]);
    Run {
        gate,
        secret,
        given,
    }
    .count(|| ());
}

impl Run<'_> {
    /// Computes something between two gates.
    fn count<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.gate.pass();
        let result = black_box(work());
        self.gate.pass();
        result
    }
}

/// Bytes that look random, one sequence for each seed: SplitMix64.
fn bytes<const LENGTH: usize>(seed: u64) -> [u8; LENGTH] {
    let mut state = seed << 32;
    let mut bytes = [0; LENGTH];
    for chunk in bytes.chunks_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
    }
    bytes
}
