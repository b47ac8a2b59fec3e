//! Any bytes, no panic, and the laws that must hold on what is accepted.

use crate::{
    Curve, EncodedPoint, EncodedSignature, Job, JobKey, Point, SenderId, SignatureRefusal, Verdict,
};
use crate::{rebuild, verify, verify_many};

/// Takes at most `count` bytes off the front.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count.min(bytes.len()));
    *bytes = rest;
    taken
}

/// Takes a point in any form off the front.
fn take_point<'a>(bytes: &mut &'a [u8], length: usize) -> EncodedPoint<'a> {
    match take(bytes, 1).first().map_or(0, |first| first % 5) {
        0 => EncodedPoint::XOnly(take(bytes, length)),
        1 => EncodedPoint::Fill,
        2 => EncodedPoint::CompressedY0(take(bytes, length)),
        3 => EncodedPoint::CompressedY1(take(bytes, length)),
        _ => EncodedPoint::Uncompressed {
            x: take(bytes, length),
            y: take(bytes, length),
        },
    }
}

/// Decodes SEC 1's octet string on every curve, and checks that what is accepted encodes to it.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub(super) fn decode(bytes: &[u8]) {
    let Ok(encoded) = EncodedPoint::from_sec1(bytes) else {
        return;
    };
    for curve in Curve::ALL {
        if let Ok(point) = Point::decode(curve, &encoded) {
            let whole = point.to_sec1_uncompressed();
            let short = point.to_sec1_compressed();
            assert!(whole.as_ref() == bytes || short.as_ref() == bytes);
            assert_eq!(Point::decode(curve, &point.compressed()), Ok(point));
        }
    }
}

/// Reads a job out of the bytes, verifies it alone and beside a copy, and an implicit key also by
/// rebuilding it; checks that all agree.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub(super) fn verify_any(mut bytes: &[u8]) {
    let first = take(&mut bytes, 1).first().copied().unwrap_or_default();
    let curve = Curve::ALL[usize::from(first % 4)];
    let length = curve.field_bytes();
    let hash = if first & 4 == 0 { 32 } else { 48 };
    let digest = take(&mut bytes, hash);
    let signature = EncodedSignature {
        r: take_point(&mut bytes, length),
        s: take(&mut bytes, length),
    };
    let key = if first & 8 == 0 {
        JobKey::Explicit(take_point(&mut bytes, length))
    } else {
        JobKey::Implicit {
            e: take(&mut bytes, hash),
            reconstruction: take_point(&mut bytes, length),
            ca: take_point(&mut bytes, length),
        }
    };
    let mut job = Job {
        curve,
        digest,
        signature,
        key,
        sender: None,
    };
    let verdict = Verdict::from(verify(&job));
    let mut verdicts = [Verdict::Refused(SignatureRefusal::Equation); 2];
    verify_many(&[job, job], &mut verdicts);
    assert_eq!(verdicts, [verdict; 2]);
    if let JobKey::Implicit {
        e,
        reconstruction,
        ca,
    } = key
        && let Ok(point) = rebuild(curve, e, &reconstruction, &ca)
    {
        job.key = JobKey::Explicit(point.uncompressed());
        job.sender = Some(SenderId(u64::from(first)));
        assert_eq!(Verdict::from(verify(&job)), verdict);
    }
}
