//! Two algorithms of \[ECQV-CITS §III-B\] as they are printed: neither gives what it is for.

use p256::elliptic_curve::Field as _;
use p256::elliptic_curve::PrimeField as _;
use p256::elliptic_curve::point::AffineCoordinates as _;
use p256::{ProjectivePoint, Scalar};
use waywarden_ecverify::{Curve, EncodedPoint, Point, SignatureRefusal, rebuild};
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{KeyStore, Signature, SoftwareStore};

use crate::support::{all_uses, exported, import, scalar, verified};

fn public(private: &Scalar) -> Point {
    let point = (ProjectivePoint::GENERATOR * private).to_affine();
    let encoded = EncodedPoint::Uncompressed {
        x: &point.x(),
        y: &point.y(),
    };
    Point::decode(Curve::P256, &encoded).unwrap()
}

/// Algorithm 3 multiplies the generator by a key sk_U that no line forms, and never reads r. Of
/// what the requester has, neither its own key, nor r, nor their sum is the certificate's key; only
/// x k + r is.
#[test]
fn algorithm_3_never_forms_the_private_key() {
    let mut random = Random::of_test("algorithm_3_never_forms_the_private_key");
    for _ in 0..cases(20) {
        let mut store = SoftwareStore::<4>::new();
        let mut make = || {
            store
                .generate(Curve::P256, all_uses(), &random.array())
                .unwrap()
        };
        let (own, issuer, ephemeral) = (make(), make(), make());
        let x: [u8; 32] = random.array();
        let k = scalar(&exported(&store, own));
        let part = scalar(&exported(&store, ephemeral));
        let value = public(&(k + part));
        let ca = store.public_key(issuer).unwrap();
        let extracted = rebuild(Curve::P256, &x, &value.uncompressed(), &ca.uncompressed());
        let extracted = extracted.unwrap();
        let r = store.contribute(issuer, ephemeral, &x).unwrap();
        let contribution = scalar(&r);
        for candidate in [k, contribution, k + contribution] {
            assert_ne!(public(&candidate), extracted);
        }
        assert_eq!(public(&(scalar(&x) * k + contribution)), extracted);
        let key = store.reconstruct(own, &x, &r, all_uses()).unwrap();
        assert_eq!(store.public_key(key), Ok(extracted));
    }
}

/// Algorithm 4 leaves r out of s, and repeats while r and s are *not* 0: every pass but one in
/// 2^256 asks for another. What a pass gives does not verify; with r in s it does.
#[test]
fn algorithm_4_gives_no_signature() {
    let mut random = Random::of_test("algorithm_4_gives_no_signature");
    let private = scalar(&random.array::<32>());
    let mut store = SoftwareStore::<1>::new();
    let key = import(&mut store, Curve::P256, &private.to_repr());
    let key = store.public_key(key).unwrap();
    for _ in 0..cases(20) {
        let (digest, k): ([u8; 32], [u8; 32]) = (random.array(), random.array());
        let (z, k) = (scalar(&digest), scalar(&k));
        let r = scalar((ProjectivePoint::GENERATOR * k).to_affine().x().as_slice());
        let inverse = k.invert().unwrap();
        let printed = inverse * (z * private);
        let right = inverse * (z + r * private);
        assert!(
            !bool::from(r.is_zero()) && !bool::from(printed.is_zero()),
            "it would end"
        );
        let verdicts = [printed, right].map(|s| {
            let signature = Signature::new(Curve::P256, &r.to_repr(), &s.to_repr(), None);
            verified(&key, &digest, &signature.unwrap())
        });
        assert_eq!(verdicts, [Err(SignatureRefusal::Equation), Ok(())]);
    }
}
