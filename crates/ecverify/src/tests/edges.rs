//! Jobs made to hurt: ends of ranges, wrapped abscissas, keys at infinity, equal and opposite
//! points in the sums, encodings that are none.

use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::outside::{self, Outside, OwnedJob, OwnedKey, OwnedPoint};
use crate::{Curve, EncodedPoint, Job, Key, Point, PointError, Refusal, Sec1, Verdict};
use crate::{verify, verify_many};

fn small(value: u64) -> BigUint {
    BigUint::from(value)
}

/// Also asks `verify_many`, with another job beside it.
fn ask(job: &Job<'_>) -> Result<(), Refusal> {
    let mut verdicts = [Verdict::Refused(Refusal::Equation); 2];
    verify_many(&[*job, *job], &mut verdicts);
    let alone = verify(job);
    assert_eq!(verdicts, [Verdict::from(alone); 2]);
    alone
}

/// A job whose u1 and u2 are these, for a key and the point R = u1 G + u2 Q: s = r/u2, z = u1 s.
fn from_factors(
    theirs: &Outside,
    [u1, u2]: [&BigUint; 2],
    key: OwnedKey,
    point: &[u8],
    choice: usize,
) -> OwnedJob {
    let order = &theirs.order;
    let s = theirs.remainder(point) * theirs.invert(u2) % order;
    let z = u1 * &s % order;
    OwnedJob {
        curve: theirs.curve,
        digest: theirs.bytes(&z),
        r: theirs.nonce(point, choice),
        s: theirs.bytes(&s),
        key,
    }
}

/// An implicit key with P = -(1/e) C, and a signature that anyone could make for it: R = u1 G.
pub(super) fn key_at_infinity(theirs: &Outside, random: &mut Random) -> OwnedJob {
    let order = &theirs.order;
    let ca = theirs.pair(theirs.scalar(random));
    let e = theirs.scalar(random);
    let minus = order - theirs.invert(&e) * &ca.secret % order;
    let key = OwnedKey::Implicit(
        // 32 or 48 bytes, as the order's are.
        theirs.bytes(&e),
        OwnedPoint::of(&theirs.point(&minus), random.index(2)),
        OwnedPoint::of(&ca.public, random.index(2)),
    );
    let (u1, u2) = (theirs.scalar(random), theirs.scalar(random));
    let choice = random.index(3);
    from_factors(theirs, [&u1, &u2], key, &theirs.point(&u1), choice)
}

#[test]
fn a_key_at_infinity_signs_nothing() {
    let mut random = Random::of_test("infinity");
    for theirs in outside::all() {
        for _ in 0..20 {
            let owned = key_at_infinity(&theirs, &mut random);
            assert_eq!(ask(&owned.job()), Err(Refusal::KeyAtInfinity), "{owned:?}");
        }
    }
}

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
                        [Refusal::Equation; 2]
                    } else {
                        [Refusal::ROutOfRange, Refusal::SOutOfRange]
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
                assert_eq!(ask(&bad.job()), Err(Refusal::ROutOfRange));
                bad.r = OwnedPoint::Compressed(theirs.bytes(&x), false);
                let refusal = ask(&bad.job()).expect_err("x is none of R's");
                assert_eq!(refusal == Refusal::ROutOfRange, x != small(1));
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
                _ => Err(Refusal::NoncePoint),
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

/// Valid jobs whose R has an abscissa from n up to p, so that r = x - n: R is chosen first, then
/// the key that has it. Three for each of `count` points, R in all three forms.
pub(super) fn wrapping(theirs: &Outside, count: usize, random: &mut Random) -> Vec<OwnedJob> {
    let mut x = theirs.order.clone();
    let mut jobs = Vec::new();
    for _ in 0..count {
        // r = 0 is no signature, so x begins at n + 1.
        let point = loop {
            x += 1_u8;
            let bytes = theirs.bytes(&x);
            let odd = random.index(2) == 1;
            let encoded = OwnedPoint::Compressed(bytes, odd);
            if let Ok(point) = Point::decode(theirs.curve, &encoded.encoded()) {
                break [point.x(), point.y()].concat();
            }
        };
        let (u1, u2) = (theirs.scalar(random), theirs.scalar(random));
        // Q = (R - u1 G)/u2
        let inverse = theirs.invert(&u2);
        let scaled = (theirs.combine)(
            &theirs.bytes(&(&theirs.order - &inverse * &u1 % &theirs.order - 1_u8)),
            &theirs.point(&small(1)),
            &theirs.point(&small(1)),
        );
        let key = (theirs.combine)(&theirs.bytes(&inverse), &point, &scaled.expect("a point"))
            .expect("a key");
        for choice in 0..3 {
            let key = OwnedKey::Explicit(OwnedPoint::of(&key, random.index(2)));
            jobs.push(from_factors(theirs, [&u1, &u2], key, &point, choice));
        }
    }
    jobs
}

/// What [`wrapping`] makes, with r itself taken for an abscissa, which is not R's.
pub(super) fn not_wrapped(theirs: &Outside, mut owned: OwnedJob) -> OwnedJob {
    let x = match &owned.r {
        OwnedPoint::Compressed(x, _) | OwnedPoint::XOnly(x) => x,
        OwnedPoint::Uncompressed(point) => &point[..theirs.length()],
    };
    let r = theirs.bytes(&(BigUint::from_bytes_be(x) % &theirs.order));
    owned.r = OwnedPoint::Compressed(r, false);
    owned
}

#[test]
fn abscissas_that_wrap() {
    let mut random = Random::of_test("wrap");
    let mut found = 0;
    for theirs in outside::all() {
        for owned in wrapping(&theirs, 20, &mut random) {
            assert_eq!(ask(&owned.job()), Ok(()), "{owned:?}");
            let wrong = not_wrapped(&theirs, owned);
            assert_eq!(ask(&wrong.job()), Err(Refusal::NoncePoint));
            found += 1;
        }
    }
    println!("{found} signatures with n <= x < p");
}

/// A signature whose u1, u2 and key k G are such small numbers that the points of the sums are
/// often equal or opposite; whether it is valid. If not, R is infinity.
pub(super) fn collision(
    theirs: &Outside,
    random: &mut Random,
    implicit: bool,
) -> Option<(OwnedJob, bool)> {
    let order = &theirs.order;
    let near = |random: &mut Random| {
        let value = small(random.index(40) as u64 + 1);
        if random.index(2) == 0 {
            value
        } else {
            order - value
        }
    };
    let (k, u2) = (near(random), near(random));
    // Often exactly what makes u1 G equal or opposite to u2 Q.
    let u1 = match random.index(4) {
        0 => &u2 * &k % order,
        1 => order - &u2 * &k % order,
        2 => small(0),
        _ => near(random),
    };
    let key = if implicit {
        // e p + c = k, all small or nearly n.
        let (e, p) = (near(random), near(random));
        let c = (&k + (order - &e * &p % order)) % order;
        if c == small(0) {
            return None;
        }
        OwnedKey::Implicit(
            theirs.bytes(&e),
            OwnedPoint::of(&theirs.point(&p), random.index(2)),
            OwnedPoint::of(&theirs.point(&c), random.index(2)),
        )
    } else {
        OwnedKey::Explicit(OwnedPoint::of(&theirs.point(&k), random.index(2)))
    };
    let sum = (&u1 + &u2 * &k) % order;
    if sum == small(0) {
        // R is infinity: refused whatever r is.
        let point = theirs.point(&theirs.scalar(random));
        let owned = from_factors(theirs, [&u1, &u2], key, &point, random.index(3));
        return Some((owned, false));
    }
    let point = theirs.point(&sum);
    let owned = from_factors(theirs, [&u1, &u2], key, &point, random.index(3));
    Some((owned, true))
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
                    Err(Refusal::Equation)
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
fn encodings_that_are_no_keys() {
    let mut random = Random::of_test("encodings");
    for theirs in outside::all() {
        let good = theirs.valid(&mut random);
        let length = theirs.length();
        let x = theirs.point(&theirs.scalar(&mut random));
        let (x, y) = x.split_at(length);
        let (zero, p) = (std::vec![0; length], theirs.bytes(&theirs.prime));
        let top = std::vec![0xff; length];
        let wrong_y = theirs.bytes(&(BigUint::from_bytes_be(y) ^ small(1)));
        // The first abscissa without a point.
        let no_x = (0..200_u64)
            .map(|x| theirs.bytes(&small(x)))
            .find(|x| Point::decode(theirs.curve, &EncodedPoint::CompressedY0(x)).is_err())
            .expect("half of them");
        let long = [x, &[0]].concat();
        let pair = |x, y| EncodedPoint::Uncompressed { x, y };
        for (bad, error) in [
            (EncodedPoint::XOnly(x), PointError::XOnly),
            (EncodedPoint::Fill, PointError::Fill),
            (EncodedPoint::CompressedY0(&x[1..]), PointError::Length),
            (EncodedPoint::CompressedY1(&long), PointError::Length),
            (pair(x, &y[1..]), PointError::Length),
            (pair(&long, y), PointError::Length),
            (EncodedPoint::CompressedY0(&p), PointError::NotCanonical),
            (EncodedPoint::CompressedY1(&top), PointError::NotCanonical),
            (pair(&p, y), PointError::NotCanonical),
            (pair(x, &p), PointError::NotCanonical),
            (pair(x, &top), PointError::NotCanonical),
            (pair(x, &wrong_y), PointError::NotOnCurve),
            (pair(&zero, &zero), PointError::NotOnCurve),
            (EncodedPoint::CompressedY0(&no_x), PointError::NotOnCurve),
            (EncodedPoint::CompressedY1(&no_x), PointError::NotOnCurve),
        ] {
            assert_eq!(Point::decode(theirs.curve, &bad), Err(error), "{bad:?}");
            let mut job = good.job();
            job.key = Key::Explicit(bad);
            assert_eq!(ask(&job), Err(Refusal::Key(error)));
            let fine = pair(x, y);
            for (reconstruction, ca) in [(bad, fine), (fine, bad)] {
                job.key = Key::Implicit {
                    e: &[7; 32],
                    reconstruction,
                    ca,
                };
                let expected = if reconstruction == bad {
                    Refusal::Reconstruction(error)
                } else {
                    Refusal::Ca(error)
                };
                assert_eq!(ask(&job), Err(expected));
            }
        }
    }
}

#[test]
fn lengths_and_forms() {
    let mut random = Random::of_test("lengths");
    for theirs in outside::all() {
        let owned = theirs.valid(&mut random);
        let good = owned.job();
        for length in (0..100).filter(|length| ![32, 48].contains(length)) {
            let bytes = std::vec![1; length];
            let mut job = good;
            job.digest = &bytes;
            assert_eq!(ask(&job), Err(Refusal::DigestLength));
            let point = Point::decode(theirs.curve, &EncodedPoint::CompressedY0(&[])).err();
            assert_eq!(point, Some(PointError::Length));
            job = good;
            job.key = Key::Implicit {
                e: &bytes,
                reconstruction: EncodedPoint::Fill,
                ca: EncodedPoint::Fill,
            };
            assert_eq!(ask(&job), Err(Refusal::HashLength));
        }
        for length in (0..100).filter(|&length| length != theirs.length()) {
            let bytes = std::vec![1; length];
            let mut job = good;
            job.signature.s = &bytes;
            assert_eq!(ask(&job), Err(Refusal::SignatureLength));
            for r in [
                EncodedPoint::XOnly(&bytes),
                EncodedPoint::CompressedY0(&bytes),
            ] {
                job = good;
                job.signature.r = r;
                assert_eq!(ask(&job), Err(Refusal::SignatureLength));
            }
        }
        let mut job = good;
        job.signature.r = EncodedPoint::Fill;
        assert_eq!(ask(&job), Err(Refusal::SignatureForm));
    }
}

#[test]
fn octet_strings_of_sec1() {
    let mut random = Random::of_test("sec1");
    for theirs in outside::all() {
        for _ in 0..20 {
            let bytes = theirs.point(&theirs.scalar(&mut random));
            let sec1 = [&[4], &bytes[..]].concat();
            let encoded = EncodedPoint::from_sec1(&sec1).expect("split");
            let point = Point::decode(theirs.curve, &encoded).expect("a point");
            assert_eq!(point.curve(), theirs.curve);
            assert_eq!(point.uncompressed(), encoded);
            assert_eq!(point.compressed(), encoded.to_compressed());
            assert_eq!(point.to_sec1_uncompressed().as_ref(), sec1);
            let short: Sec1 = point.to_sec1_compressed();
            assert_eq!(short.as_ref().len(), 1 + theirs.length());
            let again = EncodedPoint::from_sec1(short.as_ref()).expect("split");
            assert_eq!(again, point.compressed());
            assert_eq!(Point::decode(theirs.curve, &again), Ok(point));
        }
    }
    let error = |bytes: &[u8]| EncodedPoint::from_sec1(bytes).err();
    assert_eq!(error(&[]), Some(PointError::Length));
    assert_eq!(error(&[0]), Some(PointError::Infinity));
    assert_eq!(error(&[4; 4]), Some(PointError::Length));
    for first in (0..=255).filter(|first| ![2, 3, 4].contains(first)) {
        assert_eq!(error(&[first; 65]), Some(PointError::Form));
    }
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
    let mut verdicts = std::vec![Verdict::Refused(Refusal::Equation); jobs.len()];
    verify_many(&jobs, &mut verdicts);
    for (job, verdict) in jobs.iter().zip(verdicts) {
        assert_eq!(verdict, Verdict::from(verify(job)));
    }
}
