//! Random jobs against the outside implementations, and each path against the others.

use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::outside::{self, Outside, OwnedJob, OwnedKey, OwnedPoint};
use crate::{SignatureRefusal, Verdict, rebuild, verify, verify_many};

/// x and y of an encoded point, completed by our decompression.
fn whole(theirs: &Outside, point: &OwnedPoint) -> Option<Vec<u8>> {
    let point = crate::Point::decode(theirs.curve, &point.encoded()).ok()?;
    Some([point.x(), point.y()].concat())
}

/// The key of a job by outside arithmetic; none if there is none.
fn key(theirs: &Outside, job: &OwnedJob) -> Option<Vec<u8>> {
    match &job.key {
        OwnedKey::Explicit(point) => whole(theirs, point),
        OwnedKey::Implicit(e, reconstruction, ca) => {
            let e = BigUint::from_bytes_be(e) % &theirs.order;
            let (point, ca) = (whole(theirs, reconstruction)?, whole(theirs, ca)?);
            (theirs.combine)(&theirs.bytes(&e), &point, &ca)
        }
    }
}

/// Returns the verdict of FIPS 186-5 on a job, by an outside implementation; R's coordinates must
/// be some.
fn verdict(theirs: &Outside, job: &OwnedJob) -> bool {
    if let OwnedPoint::Compressed(point, _) | OwnedPoint::Uncompressed(point) = &job.r
        && point
            .chunks(theirs.length())
            .any(|coordinate| BigUint::from_bytes_be(coordinate) >= theirs.prime)
    {
        return false;
    }
    let r = match &job.r {
        OwnedPoint::XOnly(r) => r.clone(),
        OwnedPoint::Compressed(x, _) => theirs.bytes(&theirs.remainder(x)),
        OwnedPoint::Uncompressed(point) => theirs.bytes(&theirs.remainder(point)),
    };
    key(theirs, job).is_some_and(|key| (theirs.verify)(&key, &job.digest, &r, &job.s))
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    let bit = random.index(8 * bytes.len());
    bytes[bit / 8] ^= 1 << (bit % 8);
}

fn flip_point(point: &mut OwnedPoint, random: &mut Random) {
    match point {
        OwnedPoint::Compressed(_, odd) if random.index(4) == 0 => *odd = !*odd,
        OwnedPoint::XOnly(bytes)
        | OwnedPoint::Compressed(bytes, _)
        | OwnedPoint::Uncompressed(bytes) => flip(bytes, random),
    }
}

/// Flips one bit of one part of a job; of which part.
pub(super) fn damage(job: &mut OwnedJob, random: &mut Random) -> &'static str {
    match random.index(4) {
        0 => {
            // Beyond the order's length a digest does not count.
            let counted = job.digest.len().min(job.curve.field_bytes());
            flip(&mut job.digest[..counted], random);
            "digest"
        }
        1 => {
            flip_point(&mut job.r, random);
            "r"
        }
        2 => {
            flip(&mut job.s, random);
            "s"
        }
        _ => {
            match &mut job.key {
                OwnedKey::Explicit(point) => flip_point(point, random),
                OwnedKey::Implicit(e, reconstruction, ca) => match random.index(3) {
                    0 => flip(e, random),
                    1 => flip_point(reconstruction, random),
                    _ => flip_point(ca, random),
                },
            }
            "key"
        }
    }
}

/// Checks that `verify` and the outside implementation agree; the verdict.
pub(super) fn agree(theirs: &Outside, owned: &OwnedJob) -> Verdict {
    let ours = Verdict::from(verify(&owned.job()));
    // Ours alone knows R beyond r.
    let equation = ours.is_valid() || ours == Verdict::Refused(SignatureRefusal::NoncePoint);
    assert_eq!(equation, verdict(theirs, owned), "{ours:?} {owned:?}");
    ours
}

#[test]
fn random_jobs_one_by_one_and_many_at_once() {
    let mut random = Random::of_test("jobs");
    let curves = outside::all();
    let (mut owned, mut expected) = (Vec::new(), Vec::new());
    let count = cases(200);
    for _ in 0..count {
        for theirs in &curves {
            let valid = theirs.valid(&mut random);
            let mut damaged = valid.clone();
            let part = damage(&mut damaged, &mut random);
            assert_eq!(agree(theirs, &valid), Verdict::Valid, "{valid:?}");
            let verdict = agree(theirs, &damaged);
            assert!(!verdict.is_valid(), "{part} {damaged:?}");
            owned.extend([valid, damaged]);
            expected.extend([Verdict::Valid, verdict]);
        }
    }
    // Every length around the size of a batch, from every start.
    let jobs: Vec<_> = owned.iter().map(OwnedJob::job).collect();
    let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
    verify_many(&jobs, &mut verdicts);
    assert_eq!(verdicts, expected);
    for length in [0, 1, 2, 31, 32, 33, 64, 65, 200] {
        let start = random.index(jobs.len() - length);
        let part = start..start + length;
        verify_many(&jobs[part.clone()], &mut verdicts[..length]);
        assert_eq!(verdicts[..length], expected[part]);
    }
    println!("{} jobs, half of them valid", jobs.len());
}

#[test]
fn implicit_is_rebuild_and_explicit() {
    let mut random = Random::of_test("implicit");
    let mut compared = 0;
    for theirs in outside::all() {
        for _ in 0..cases(100) {
            let mut owned = theirs.valid(&mut random);
            if random.index(2) == 0 {
                damage(&mut owned, &mut random);
            }
            let OwnedKey::Implicit(e, reconstruction, ca) = &owned.key else {
                continue;
            };
            let fused = verify(&owned.job());
            let rebuilt = rebuild(theirs.curve, e, &reconstruction.encoded(), &ca.encoded());
            let Ok(point) = rebuilt else {
                assert!(fused.is_err());
                continue;
            };
            let mut explicit = owned.job();
            explicit.key = crate::JobKey::Explicit(point.uncompressed());
            assert_eq!(verify(&explicit), fused, "{owned:?}");
            let theirs = key(&theirs, &owned).expect("a key");
            assert_eq!([point.x(), point.y()].concat(), theirs);
            compared += 1;
        }
    }
    println!("{compared} implicit jobs compared with their rebuilt keys");
}
