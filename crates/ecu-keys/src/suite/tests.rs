//! What every suite must do, run over each; then what is one suite's own.

mod agreement;
mod encapsulation;
mod signatures;

use std::println;
use std::string::String;
use std::vec::Vec;

use waywarden_work::{Operation, OperationKind};

use super::{Entropy, Meter, Suite};

/// Runs a generic test over both suites.
macro_rules! over_each_suite {
    ($($name:ident),* $(,)?) => {
        mod fourq {
            $(#[test] fn $name() { super::$name::<crate::suite::FourQ>(); })*
        }
        mod p256 {
            $(#[test] fn $name() { super::$name::<crate::suite::P256>(); })*
        }
    };
}
pub(super) use over_each_suite;

/// Cases of a random test: 200, or `WAYWARDEN_CASES`.
pub(super) fn cases() -> usize {
    std::env::var("WAYWARDEN_CASES")
        .ok()
        .map_or(200, |count| count.parse().expect("a number"))
}

/// Random secrets from a seed that is printed: `WAYWARDEN_SEED` repeats it.
pub(super) fn entropy(test: &str) -> Entropy {
    let seed = std::env::var("WAYWARDEN_SEED")
        .ok()
        .map_or(0x5eed_u64, |seed| seed.parse().expect("a number"));
    println!("{test}: WAYWARDEN_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    for (place, byte) in bytes[8..].iter_mut().zip(test.bytes()) {
        *place = byte;
    }
    Entropy::new(bytes)
}

/// What the suite was heard to do since last asked.
pub(super) fn heard(meter: &mut Meter) -> Vec<Operation> {
    assert_eq!(meter.lost(), 0);
    meter.drain().collect()
}

/// An operation of a suite.
pub(super) fn operation<S: Suite>(kind: OperationKind, bytes: u32) -> Operation {
    Operation::new(kind, S::ALGORITHM, bytes)
}

/// The bytes of a hexadecimal string.
pub(super) fn hex<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    let digits: String = text.split_whitespace().collect();
    assert_eq!(digits.len(), 2 * LENGTH, "{text}");
    core::array::from_fn(|i| {
        u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal")
    })
}

#[test]
fn suites_are_told_apart_by_name_and_byte() {
    use super::{FourQ, P256};
    assert_eq!((FourQ::NAME, P256::NAME), ("fourq", "p256"));
    assert_ne!(FourQ::IDENTIFIER, P256::IDENTIFIER);
    assert_eq!(FourQ::ALGORITHM.name(), FourQ::NAME);
    assert_eq!(P256::ALGORITHM.name(), P256::NAME);
}
