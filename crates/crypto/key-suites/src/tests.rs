//! Tests that run over every suite; then those of one suite alone.

mod agreement;
mod offers;
mod signatures;
mod signers;

use std::vec::Vec;

use waywarden_testkit::bytes_of;
pub(crate) use waywarden_testkit::{blocks, flipped};
use waywarden_work::{Operation, OperationKind};

use super::{CurveSuite, Entropy, RecordedOperations};

/// Makes tests of generic functions: one for each function and suite, in a module for the suite.
macro_rules! over_each {
    ([$($module:ident: $suite:ident),* $(,)?], $functions:tt $(,)?) => {
        $($crate::tests::over_each!(@ $module, $suite, $functions);)*
    };
    (@ $module:ident, $suite:ident, [$($function:ident),* $(,)?]) => {
        mod $module {
            $(#[test] fn $function() { super::$function::<$crate::$suite>(); })*
        }
    };
}
pub(super) use over_each;

/// Cases of a random test: 200, or `WAYWARDEN_CASES`.
pub(crate) fn cases() -> usize {
    waywarden_testkit::cases(200)
}

/// Random secrets from a seed that is printed: `WAYWARDEN_SEED` repeats it.
pub(crate) fn entropy(test: &str) -> Entropy {
    Entropy::new(waywarden_testkit::seeded_bytes(test))
}

/// Takes the operations that the suite has metered since the last call.
pub(crate) fn heard(meter: &mut RecordedOperations) -> Vec<Operation> {
    assert_eq!(meter.lost(), 0);
    meter.drain().collect()
}

/// An operation of a suite.
pub(crate) fn operation<S: CurveSuite>(kind: OperationKind, bytes: u32) -> Operation {
    Operation::new(kind, S::ALGORITHM, bytes)
}

/// One random bit in each of some 400 bytes, evenly spread, or in every byte where there are fewer.
pub(crate) fn bits(entropy: &mut Entropy, length: usize) -> impl Iterator<Item = usize> + '_ {
    waywarden_testkit::spread_bits(length, || entropy.draw().as_bytes()[0])
}

/// The bytes of a hexadecimal string of known length.
pub(crate) fn hex<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    bytes_of(text).try_into().expect(text)
}

#[test]
fn suites_are_distinguished_by_name_and_byte() {
    use super::{FourQ, P256};
    assert_eq!((FourQ::NAME, P256::NAME), ("fourq", "p256"));
    assert_ne!(FourQ::IDENTIFIER, P256::IDENTIFIER);
    assert_eq!(FourQ::ALGORITHM.name(), FourQ::NAME);
    assert_eq!(P256::ALGORITHM.name(), P256::NAME);
}
