//! Signatures at the ends of the ranges, wrapped abscissas, and equal points in the sums.

use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::{ask, collision, not_wrapped, small, wrapping};
use crate::tests::outside::{self, OwnedJob, OwnedPoint};
use crate::{Curve, SignatureRefusal, Verdict, verify, verify_many};

#[test]
fn ranges_of_r_and_s() {
    let mut random = Random::of_test("ranges");
    for theirs in outside::all() {
        let (order, prime) = (theirs.order.clone(), theirs.prime.clone());
        let top = (small(1) << (8 * theirs.length())) - 1_u8;
        let outside = [
            small(0),
            order.clone(),
            &order + 1_u8,
            prime.clone(),
            top.clone(),
        ];
        let inside = [small(1), &order - 1_u8, &order >> 1];
        for _ in 0..8 {
            let mut good = theirs.valid(&mut random);
            if let OwnedPoint::Compressed(x, _) | OwnedPoint::Uncompressed(x) = &good.r {
                good.r = OwnedPoint::XOnly(theirs.bytes(&theirs.remainder(x)));
            }
            assert_eq!(ask(&good.job()), Ok(()));
            for (values, in_range) in [(&outside[..], false), (&inside[..], true)] {
                for value in values {
                    let (mut of_r, mut of_s) = (good.clone(), good.clone());
                    of_r.r = OwnedPoint::XOnly(theirs.bytes(value));
                    of_s.s = theirs.bytes(value);
                    let refusals = if in_range {
                        [SignatureRefusal::Equation; 2]
                    } else {
                        [SignatureRefusal::ROutOfRange, SignatureRefusal::SOutOfRange]
                    };
                    assert_eq!(ask(&of_r.job()), Err(refusals[0]));
                    assert_eq!(ask(&of_s.job()), Err(refusals[1]));
                }
            }
            // As a point: x = 0 and x = n give r = 0; x and y must be below p.
            for (x, y) in [
                (small(0), small(1)),
                (order.clone(), small(1)),
                (prime.clone(), small(1)),
                (top.clone(), small(1)),
                (small(1), prime.clone()),
                (small(1), top.clone()),
            ] {
                let mut bad = good.clone();
                bad.r = OwnedPoint::Uncompressed([theirs.bytes(&x), theirs.bytes(&y)].concat());
                assert_eq!(ask(&bad.job()), Err(SignatureRefusal::ROutOfRange));
                bad.r = OwnedPoint::Compressed(theirs.bytes(&x), false);
                let refusal = ask(&bad.job()).expect_err("x is none of R's");
                assert_eq!(refusal == SignatureRefusal::ROutOfRange, x != small(1));
            }
        }
    }
}

#[test]
fn a_high_s_is_as_good() {
    let mut random = Random::of_test("high s");
    for theirs in outside::all() {
        for _ in 0..20 {
            let mut owned = theirs.valid(&mut random);
            let s = &theirs.order - BigUint::from_bytes_be(&owned.s);
            owned.s = theirs.bytes(&s);
            let expected = match &owned.r {
                OwnedPoint::XOnly(_) => Ok(()),
                // -s belongs to -R, which is not the point that was sent.
                _ => Err(SignatureRefusal::NoncePoint),
            };
            assert_eq!(ask(&owned.job()), expected);
            match &mut owned.r {
                OwnedPoint::XOnly(_) => {}
                OwnedPoint::Compressed(_, odd) => *odd = !*odd,
                OwnedPoint::Uncompressed(point) => *point = theirs.negate(point),
            }
            assert_eq!(ask(&owned.job()), Ok(()));
        }
    }
}

#[test]
fn abscissas_that_wrap() {
    let mut random = Random::of_test("wrap");
    let mut found = 0;
    for theirs in outside::all() {
        for owned in wrapping(&theirs, 20, &mut random) {
            assert_eq!(ask(&owned.job()), Ok(()), "{owned:?}");
            let wrong = not_wrapped(&theirs, owned);
            assert_eq!(ask(&wrong.job()), Err(SignatureRefusal::NoncePoint));
            found += 1;
        }
    }
    println!("{found} signatures with n <= x < p");
}

#[test]
fn equal_and_opposite_points_in_the_sums() {
    let mut random = Random::of_test("collisions");
    let mut counts = [0, 0];
    for theirs in outside::all() {
        for i in 0..cases(400) {
            if let Some((owned, valid)) = collision(&theirs, &mut random, i % 2 == 1) {
                let expected = if valid {
                    Ok(())
                } else {
                    Err(SignatureRefusal::Equation)
                };
                assert_eq!(ask(&owned.job()), expected, "{owned:?}");
                counts[usize::from(valid)] += 1;
            }
        }
    }
    assert!(counts[0] > 0 && counts[1] > 0);
    println!("{} finite sums, {} at infinity", counts[1], counts[0]);
}

#[test]
#[should_panic(expected = "a verdict for each job")]
fn a_verdict_for_each_job() {
    verify_many(&[], &mut [Verdict::Valid]);
}

#[test]
fn curves_mixed_in_one_call() {
    let mut random = Random::of_test("mixed");
    let curves = outside::all();
    let owned: Vec<_> = (0..150)
        .map(|_| {
            let mut owned = curves[random.index(4)].valid(&mut random);
            if random.index(8) == 0 {
                // A job of another curve: wrong lengths or a wrong equation, never accepted.
                owned.curve = Curve::ALL[random.index(4)];
            }
            owned
        })
        .collect();
    let jobs: Vec<_> = owned.iter().map(OwnedJob::job).collect();
    let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
    verify_many(&jobs, &mut verdicts);
    for (job, verdict) in jobs.iter().zip(verdicts) {
        assert_eq!(verdict, Verdict::from(verify(job)));
    }
}
