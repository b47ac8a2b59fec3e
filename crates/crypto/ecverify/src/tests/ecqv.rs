//! ECQV: SEC 4's form by CAMP's vectors, IEEE 1609.2's by an issuer built here.

use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use sha2::{Digest, Sha256};
use waywarden_testkit::{Random, bytes_of, cases, corpus_text};

use super::outside::{self, OwnedKey, OwnedPoint};
use crate::{Curve, EncodedPoint, Point, PointError, RebuildError, rebuild, rebuild_sec4};

/// The values of a CAMP file with this name, one for each vector.
fn values(text: &str, name: &str) -> Vec<Vec<u8>> {
    let prefix = std::format!("{name} = 0x");
    text.lines()
        .filter_map(|line| line.strip_prefix(&prefix))
        .map(|digits| bytes_of(&digits.trim().to_lowercase()))
        .collect()
}

#[test]
fn camp_vectors_are_sec4() {
    let Some(text) = corpus_text("v2x/camp/implicit.txt") else {
        return;
    };
    let of = |name| values(&text, name);
    let certificates = of("CertU");
    assert!(!certificates.is_empty());
    for (i, certificate) in certificates.iter().enumerate() {
        let hash = Sha256::digest(certificate);
        let reconstruction = EncodedPoint::Uncompressed {
            x: &of("PUx")[i],
            y: &of("PUy")[i],
        };
        let ca = EncodedPoint::Uncompressed {
            x: &of("QCAx")[i],
            y: &of("QCAy")[i],
        };
        let key = rebuild_sec4(Curve::P256, &hash, &reconstruction, &ca).expect("a key");
        assert_eq!((key.x(), key.y()), (&of("QUx")[i][..], &of("QUy")[i][..]));
        let other = rebuild(Curve::P256, &hash, &reconstruction, &ca).expect("a key");
        assert_ne!(key, other, "IEEE 1609.2 takes another e");
    }
    println!("{} vectors", certificates.len());
}

/// The issuer computes r = e k + d_CA, the holder d = e k_U + r, all others e (k + k_U) G + Q_CA.
#[test]
fn a_whole_issue_in_the_form_of_1609_2() {
    let mut random = Random::of_test("issue");
    for theirs in outside::all() {
        for i in 0..cases(40) {
            let order = &theirs.order;
            let ca = theirs.pair(theirs.scalar(&mut random));
            let holder = theirs.pair(theirs.scalar(&mut random));
            let k = theirs.scalar(&mut random);
            let point = (theirs.combine)(
                &theirs.bytes(&BigUint::from(1_u8)),
                &theirs.point(&k),
                &holder.public,
            )
            .expect("a point");
            let certificate = Sha256::digest([&random.bytes(90), &point[..]].concat());
            let mut hash = Sha256::digest([certificate, Sha256::digest(&ca.public)].concat());
            if i == 0 {
                // Above every order: the whole hash, reduced.
                hash.fill(0xff);
            }
            let e = BigUint::from_bytes_be(&hash);
            let r = (&e * k + &ca.secret) % order;
            let secret = (&e * &holder.secret + r) % order;
            let rebuilt = rebuild(
                theirs.curve,
                &hash,
                &OwnedPoint::of(&point, random.index(2)).encoded(),
                &OwnedPoint::of(&ca.public, random.index(2)).encoded(),
            )
            .expect("a key");
            assert_eq!([rebuilt.x(), rebuilt.y()].concat(), theirs.point(&secret));
        }
    }
}

#[test]
fn the_longer_hash_counts_whole() {
    let mut random = Random::of_test("long hash");
    for theirs in outside::all() {
        let (point, ca) = (
            theirs.point(&theirs.scalar(&mut random)),
            theirs.point(&theirs.scalar(&mut random)),
        );
        let (encoded, issuer) = (OwnedPoint::of(&point, 0), OwnedPoint::of(&ca, 0));
        for length in [32, 48] {
            let hash = random.bytes(length);
            let e = BigUint::from_bytes_be(&hash) % &theirs.order;
            let expected = (theirs.combine)(&theirs.bytes(&e), &point, &ca).expect("a key");
            let key = rebuild(theirs.curve, &hash, &encoded.encoded(), &issuer.encoded());
            let key = key.expect("a key");
            assert_eq!([key.x(), key.y()].concat(), expected);

            // SEC 4: floor(log2 n) bits at most.
            let bits = 8 * theirs.length() as u64 - 1;
            let excess = (8 * length as u64).saturating_sub(bits);
            let e = BigUint::from_bytes_be(&hash) >> excess;
            let expected = (theirs.combine)(&theirs.bytes(&e), &point, &ca).expect("a key");
            let key = rebuild_sec4(theirs.curve, &hash, &encoded.encoded(), &issuer.encoded());
            let key = key.expect("a key");
            assert_eq!([key.x(), key.y()].concat(), expected);
        }
        // e = 0 modulo n is no reason to refuse: the key is the issuer's.
        let hash = theirs.bytes(&theirs.order);
        let key = rebuild(theirs.curve, &hash, &encoded.encoded(), &issuer.encoded());
        assert_eq!(
            key,
            Point::decode(theirs.curve, &issuer.encoded()).map_err(RebuildError::Ca)
        );
    }
}

#[test]
fn refusals() {
    let mut random = Random::of_test("rebuild");
    for theirs in outside::all() {
        let ca = theirs.point(&theirs.scalar(&mut random));
        let ca = OwnedPoint::of(&ca, 0);
        let ask = |hash: &[u8], point: EncodedPoint<'_>, ca: EncodedPoint<'_>| {
            let whole = rebuild(theirs.curve, hash, &point, &ca);
            assert_eq!(
                whole.is_ok(),
                rebuild_sec4(theirs.curve, hash, &point, &ca).is_ok()
            );
            whole.err()
        };
        let (good, hash) = (ca.encoded(), random.bytes(32));
        assert_eq!(ask(&hash, good, good), None);
        for length in [0, 31, 33, 47, 49, 64] {
            let hash = std::vec![1; length];
            assert_eq!(ask(&hash, good, good), Some(RebuildError::HashLength));
        }
        let only = theirs.bytes(&BigUint::from(1_u8));
        for (bad, error) in [
            (EncodedPoint::Fill, PointError::Fill),
            (EncodedPoint::XOnly(&only), PointError::XOnly),
            (EncodedPoint::CompressedY0(&[]), PointError::Length),
        ] {
            let reconstruction = Some(RebuildError::Reconstruction(error));
            assert_eq!(ask(&hash, bad, good), reconstruction);
            assert_eq!(ask(&hash, good, bad), Some(RebuildError::Ca(error)));
        }
    }
}

#[test]
fn infinity_is_refused() {
    let mut random = Random::of_test("infinity");
    for theirs in outside::all() {
        let job = super::edges::key_at_infinity(&theirs, &mut random);
        let OwnedKey::Implicit(e, reconstruction, ca) = &job.key else {
            unreachable!()
        };
        let key = rebuild(theirs.curve, e, &reconstruction.encoded(), &ca.encoded());
        assert_eq!(key, Err(RebuildError::Infinity));
    }
}
