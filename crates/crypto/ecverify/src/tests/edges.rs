//! Jobs made to hurt: ends of ranges, wrapped abscissas, keys at infinity, equal and opposite
//! points in the sums, encodings that are none.

mod keys;
mod signatures;

use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::Random;

use super::outside::{Outside, OwnedJob, OwnedKey, OwnedPoint};
use crate::{Job, Point, SignatureRefusal, Verdict, verify, verify_many};

fn small(value: u64) -> BigUint {
    BigUint::from(value)
}

/// Also asks `verify_many`, with another job beside it.
fn ask(job: &Job<'_>) -> Result<(), SignatureRefusal> {
    let mut verdicts = [Verdict::Refused(SignatureRefusal::Equation); 2];
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

/// Returns a job of [`wrapping`] with r itself taken for an abscissa, which is not R's.
pub(super) fn not_wrapped(theirs: &Outside, mut owned: OwnedJob) -> OwnedJob {
    let x = match &owned.r {
        OwnedPoint::Compressed(x, _) | OwnedPoint::XOnly(x) => x,
        OwnedPoint::Uncompressed(point) => &point[..theirs.length()],
    };
    let r = theirs.bytes(&(BigUint::from_bytes_be(x) % &theirs.order));
    owned.r = OwnedPoint::Compressed(r, false);
    owned
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
