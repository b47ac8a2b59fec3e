//! Three algorithms of \[ECQV-CITS §III-B\] as they are printed: none does what it is for.

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

/// Algorithm 4 draws k from the strings of n - 1 bits: the upper bit of 256 is never set. Of the
/// nonces here every second one has it.
#[test]
fn algorithm_4_never_draws_the_upper_half_of_the_nonces() {
    const DRAWS: u32 = 256;
    let mut random = Random::of_test("algorithm_4_never_draws_the_upper_half_of_the_nonces");
    let mut upper = 0;
    for _ in 0..DRAWS {
        let mut printed: [u8; 32] = random.array();
        printed[0] &= 0x7f;
        assert!(scalar(&printed).to_repr()[0] < 0x80);
        let ours = scalar(&random.array::<32>()).to_repr();
        upper += u32::from(ours[0] >= 0x80);
    }
    assert!((DRAWS / 4..DRAWS * 3 / 4).contains(&upper), "{upper}");
}

/// Algorithm 6 as printed, with an inverse of 0 that is 0 and an infinity whose coordinate is 0, as
/// libraries of field arithmetic have them.
fn algorithm_6(public: &ProjectivePoint, z: Scalar, [r, s]: [Scalar; 2]) -> bool {
    let w = s.invert().unwrap_or(Scalar::ZERO);
    let sum = ProjectivePoint::GENERATOR * (z * w) + *public * (r * w);
    scalar(sum.to_affine().x().as_slice()) == r
}

/// Without the checks of r, s and infinity the signature (0, 0) is valid for every message and key.
/// The verifier here refuses it, with either of both at 0, and at the order.
#[test]
fn algorithm_6_accepts_a_signature_of_zeros() {
    let mut random = Random::of_test("algorithm_6_accepts_a_signature_of_zeros");
    let zeros = [Scalar::ZERO; 2];
    let order = (Scalar::ZERO - Scalar::ONE).to_repr();
    let mut order: [u8; 32] = order.into();
    order[31] += 1;
    for _ in 0..cases(20) {
        let private = scalar(&random.array::<32>());
        let point = ProjectivePoint::GENERATOR * private;
        let digest: [u8; 32] = random.array();
        let (z, k) = (scalar(&digest), scalar(&random.array::<32>()));
        assert!(algorithm_6(&point, z, zeros));
        let r = scalar((ProjectivePoint::GENERATOR * k).to_affine().x().as_slice());
        let s = k.invert().unwrap() * (z + r * private);
        assert!(algorithm_6(&point, z, [r, s]));
        let key = public(&private);
        let (zero, r, s): ([u8; 32], [u8; 32], [u8; 32]) =
            ([0; 32], r.to_repr().into(), s.to_repr().into());
        for (r, s) in [(zero, zero), (r, zero), (zero, s), (order, s), (r, order)] {
            let signature = Signature::new(Curve::P256, &r, &s, None);
            let is_refused = signature.is_none_or(|one| verified(&key, &digest, &one).is_err());
            assert!(is_refused, "{r:02x?} {s:02x?}");
        }
        let signature = Signature::new(Curve::P256, &r, &s, None);
        assert_eq!(verified(&key, &digest, &signature.unwrap()), Ok(()));
    }
}
