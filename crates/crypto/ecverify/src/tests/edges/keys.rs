//! Keys at infinity and encodings of keys and points.

use num_bigint::BigUint;
use waywarden_testkit::Random;

use super::{ask, key_at_infinity, small};
use crate::tests::outside;
use crate::{EncodedPoint, JobKey, Point, PointError, Sec1, SignatureRefusal};

#[test]
fn a_key_at_infinity_signs_nothing() {
    let mut random = Random::of_test("infinity");
    for theirs in outside::all() {
        for _ in 0..20 {
            let owned = key_at_infinity(&theirs, &mut random);
            assert_eq!(
                ask(&owned.job()),
                Err(SignatureRefusal::KeyAtInfinity),
                "{owned:?}"
            );
        }
    }
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
            job.key = JobKey::Explicit(bad);
            assert_eq!(ask(&job), Err(SignatureRefusal::Key(error)));
            let fine = pair(x, y);
            for (reconstruction, ca) in [(bad, fine), (fine, bad)] {
                job.key = JobKey::Implicit {
                    e: &[7; 32],
                    reconstruction,
                    ca,
                };
                let expected = if reconstruction == bad {
                    SignatureRefusal::Reconstruction(error)
                } else {
                    SignatureRefusal::Ca(error)
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
            assert_eq!(ask(&job), Err(SignatureRefusal::DigestLength));
            let point = Point::decode(theirs.curve, &EncodedPoint::CompressedY0(&[])).err();
            assert_eq!(point, Some(PointError::Length));
            job = good;
            job.key = JobKey::Implicit {
                e: &bytes,
                reconstruction: EncodedPoint::Fill,
                ca: EncodedPoint::Fill,
            };
            assert_eq!(ask(&job), Err(SignatureRefusal::HashLength));
        }
        for length in (0..100).filter(|&length| length != theirs.length()) {
            let bytes = std::vec![1; length];
            let mut job = good;
            job.signature.s = &bytes;
            assert_eq!(ask(&job), Err(SignatureRefusal::SignatureLength));
            for r in [
                EncodedPoint::XOnly(&bytes),
                EncodedPoint::CompressedY0(&bytes),
            ] {
                job = good;
                job.signature.r = r;
                assert_eq!(ask(&job), Err(SignatureRefusal::SignatureLength));
            }
        }
        let mut job = good;
        job.signature.r = EncodedPoint::Fill;
        assert_eq!(ask(&job), Err(SignatureRefusal::SignatureForm));
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
