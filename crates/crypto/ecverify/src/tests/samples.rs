//! Samples are what they say, by outside arithmetic and by the lanes.

use std::vec::Vec;

use super::outside::{self, OwnedJob, OwnedKey, OwnedPoint};
use super::{agreement::agree, vectors};
use crate::curves::{BrainpoolP256r1, P256};
use crate::request::Known;
use crate::{
    Curve, EncodedPoint, Job, JobKey, JobSample, Multiples, SampleCertificate, SignatureRefusal,
    Verdict, verify,
};

fn owned_point(point: &EncodedPoint<'_>) -> OwnedPoint {
    match *point {
        EncodedPoint::CompressedY0(x) => OwnedPoint::Compressed(x.to_vec(), false),
        EncodedPoint::CompressedY1(x) => OwnedPoint::Compressed(x.to_vec(), true),
        EncodedPoint::Uncompressed { x, y } => OwnedPoint::Uncompressed([x, y].concat()),
        EncodedPoint::XOnly(_) | EncodedPoint::Fill => panic!("no sample has {point:?}"),
    }
}

fn owned(job: &Job<'_>) -> OwnedJob {
    OwnedJob {
        curve: job.curve,
        digest: job.digest.to_vec(),
        r: owned_point(&job.signature.r),
        s: job.signature.s.to_vec(),
        key: match &job.key {
            JobKey::Explicit(key) => OwnedKey::Explicit(owned_point(key)),
            JobKey::Implicit {
                e,
                reconstruction,
                ca,
            } => OwnedKey::Implicit(e.to_vec(), owned_point(reconstruction), owned_point(ca)),
        },
    }
}

const ALL: [Multiples; 3] = [Multiples::Ordinary, Multiples::Equal, Multiples::Opposite];

/// Explicit and implicit ones in turn.
fn samples(curve: Curve, multiples: Multiples) -> impl Iterator<Item = JobSample> {
    (0..16).map(move |number| match number % 2 {
        0 => JobSample::explicit(curve, number, multiples),
        _ => JobSample::implicit(
            curve,
            SampleCertificate {
                issuer: number % 3,
                number,
            },
            multiples,
        ),
    })
}

#[test]
fn samples_are_valid_where_the_sum_is_a_point() {
    for theirs in outside::all() {
        for multiples in ALL {
            let expected = match multiples {
                Multiples::Opposite => Err(SignatureRefusal::Equation),
                _ => Ok(()),
            };
            for sample in samples(theirs.curve, multiples) {
                assert_eq!(verify(&sample.job()), expected, "{sample:?}");
                let verdict = agree(&theirs, &owned(&sample.job()));
                assert_eq!(verdict, Verdict::from(expected));
            }
        }
    }
}

/// Samples that are made to be special are special in every lane, and ordinary ones in none.
#[test]
fn lanes_leave_the_special_ones_open() {
    for multiples in ALL {
        let of = |curve| -> Vec<OwnedJob> {
            let samples = samples(curve, multiples);
            samples.map(|sample| owned(&sample.job())).collect()
        };
        let p256 = vectors::requests::<P256>(&of(Curve::P256));
        let brainpool = vectors::requests::<BrainpoolP256r1>(&of(Curve::BrainpoolP256r1));
        // The multiples of an explicit key and of the generator are summed digit by digit, and
        // being equal in the end makes nothing equal on the way; those of an implicit one are
        // added to one another.
        let special = match multiples {
            Multiples::Ordinary => 0,
            Multiples::Equal => 8,
            Multiples::Opposite => 16,
        };
        let nothing = [Known::NOTHING; 16];
        assert_eq!(vectors::agree::<P256>(&p256, &nothing), [special, 0]);
        let open = vectors::agree::<BrainpoolP256r1>(&brainpool, &nothing);
        assert_eq!(open, [special, 0]);
    }
}

/// Each number has a key of its own.
#[test]
fn numbers_tell_samples_apart() {
    let mut keys: Vec<Vec<u8>> = (0..200)
        .map(|number| {
            let sample = JobSample::explicit(Curve::P256, number, Multiples::Ordinary);
            match owned(&sample.job()).key {
                OwnedKey::Explicit(OwnedPoint::Compressed(x, _)) => x,
                key => panic!("{key:?}"),
            }
        })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 200);
}
