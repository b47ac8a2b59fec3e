//! Any bytes into everything that reads some, and jobs that are nearly good.

use std::println;
use std::vec::Vec;

use waywarden_testkit::{Random, cases};

use super::fuzz;
use super::outside::{self, OwnedJob, OwnedKey, OwnedPoint};
use crate::{Curve, verify};

fn push(bytes: &mut Vec<u8>, point: &OwnedPoint) {
    match point {
        OwnedPoint::XOnly(x) => bytes.extend([&[0], &x[..]].concat()),
        OwnedPoint::Compressed(x, odd) => bytes.extend([&[2 + u8::from(*odd)], &x[..]].concat()),
        OwnedPoint::Uncompressed(point) => bytes.extend([&[4], &point[..]].concat()),
    }
}

/// A job as [`fuzz::verify_any`] reads it.
fn script(owned: &OwnedJob) -> Vec<u8> {
    let curve = Curve::ALL.iter().position(|curve| *curve == owned.curve);
    let mut first = curve.expect("one of them") as u8;
    first |= if owned.digest.len() == 48 { 4 } else { 0 };
    let mut bytes = std::vec![first];
    bytes.extend(&owned.digest);
    push(&mut bytes, &owned.r);
    bytes.extend(&owned.s);
    match &owned.key {
        OwnedKey::Explicit(key) => push(&mut bytes, key),
        OwnedKey::Implicit(e, reconstruction, ca) => {
            bytes[0] |= 8;
            bytes.extend(e);
            push(&mut bytes, reconstruction);
            push(&mut bytes, ca);
        }
    }
    bytes
}

#[test]
fn any_bytes() {
    let mut random = Random::of_test("any bytes");
    let curves = outside::all();
    for i in 0..cases(400) {
        let length = random.index(400);
        let bytes = random.bytes(length);
        fuzz::verify_any(&bytes);
        let mut sec1 = random.bytes([33, 49, 65, 97][i % 4]);
        sec1[0] = 2 + (i / 4 % 3) as u8;
        fuzz::decode(&sec1);
        fuzz::decode(&bytes);
    }
    for i in 0..cases(200) {
        let mut bytes = script(&curves[i % 4].valid(&mut random));
        fuzz::verify_any(&bytes);
        let length = bytes.len();
        bytes[random.index(length)] = random.u64() as u8;
        bytes.truncate(length - random.index(3));
        fuzz::verify_any(&bytes);
    }
}

/// Every bit of a valid job that counts is needed. Only P-256: the code is the same for all.
#[test]
fn each_bit_counts() {
    let mut random = Random::of_test("each bit");
    let [p256, ..] = outside::all();
    let mut count = 0;
    for _ in 0..3 {
        let mut owned = p256.valid(&mut random);
        owned.digest.truncate(32);
        // The digest has been cut to what was signed of it.
        assert_eq!(verify(&owned.job()), Ok(()));
        let bits = 8 * owned.digest.len();
        for bit in 0..bits {
            let mut damaged = owned.clone();
            damaged.digest[bit / 8] ^= 1 << (bit % 8);
            assert!(verify(&damaged.job()).is_err());
            let mut damaged = owned.clone();
            damaged.s[bit / 8] ^= 1 << (bit % 8);
            assert!(verify(&damaged.job()).is_err());
            let mut damaged = owned.clone();
            match &mut damaged.r {
                OwnedPoint::XOnly(x)
                | OwnedPoint::Compressed(x, _)
                | OwnedPoint::Uncompressed(x) => {
                    let bit = bit % (8 * x.len());
                    x[bit / 8] ^= 1 << (bit % 8);
                }
            }
            assert!(verify(&damaged.job()).is_err());
            count += 3;
        }
        if let OwnedPoint::Compressed(_, odd) = &mut owned.r {
            *odd = !*odd;
            assert!(verify(&owned.job()).is_err());
            count += 1;
        }
    }
    println!("{count} bits, one at a time");
}
