//! The store of AWS-LC: what it does is what the store in software does, and the rest it refuses
//! by name.

use std::fmt::{Debug, Display};

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{
    AwsLcStore, Capabilities, KeyError, KeyHandle, KeyStore, Nonce, NonceForm, PrivateKey,
    SoftwareStore, Uses, ecies,
};

use crate::opaque::has_none_of;
use crate::support::{store_with_key, verified};

const CURVES: [Curve; 2] = [Curve::P256, Curve::P384];

type Store = AwsLcStore<4>;

has_none_of!(Store: Debug, Display, Clone);

fn sign(store: &mut Store, key: KeyHandle, digest: &[u8]) -> waywarden_v2x_keys::Signature {
    let signature = store.sign(key, digest, Nonce::Own, NonceForm::XOnly);
    signature.unwrap()
}

#[test]
fn what_aws_lc_signs_verifies() {
    let mut random = Random::of_test("what_aws_lc_signs_verifies");
    for curve in CURVES {
        let mut store = Store::new();
        let key = store.generate(curve, Uses::SIGN, &[1; 32]).unwrap();
        let public = store.public_key(key).unwrap();
        for _ in 0..cases(30) {
            // Both lengths on both curves.
            for length in [32, 48] {
                let digest = random.bytes(length);
                let signature = sign(&mut store, key, &digest);
                assert_eq!(signature.form(), NonceForm::XOnly);
                assert_eq!(verified(&public, &digest, &signature), Ok(()));
                let again = sign(&mut store, key, &digest);
                assert_ne!(again.r(), signature.r(), "each nonce is new");
            }
        }
        for length in [0, 31, 33, 47, 49, 64] {
            let refused = store.sign(key, &[1; 64][..length], Nonce::Own, NonceForm::XOnly);
            assert_eq!(refused, Err(KeyError::DigestLength));
        }
    }
}

#[test]
fn both_stores_take_the_nonce_that_their_capabilities_name() {
    let entropy = [9; 32];
    for curve in CURVES {
        let mut store = Store::new();
        let key = store.generate(curve, Uses::SIGN, &[1; 32]).unwrap();
        let nonce = store.capabilities(curve).nonce(&entropy);
        assert!(matches!(nonce, Nonce::Own));
        assert!(store.sign(key, &[1; 32], nonce, NonceForm::XOnly).is_ok());
        let (mut software, key) = store_with_key(curve, 1);
        let nonce = software.capabilities(curve).nonce(&entropy);
        assert!(matches!(nonce, Nonce::Hedged { entropy: given } if *given == entropy));
        assert!(
            software
                .sign(key, &[1; 32], nonce, NonceForm::XOnly)
                .is_ok()
        );
    }
}

#[test]
fn a_key_from_elsewhere_is_the_same_key() {
    let mut random = Random::of_test("a_key_from_elsewhere_is_the_same_key");
    for curve in CURVES {
        for _ in 0..cases(10) {
            let (mut software, own) = store_with_key(curve, random.u64() as u8);
            let (peers, peer) = store_with_key(curve, random.u64() as u8);
            let peer = peers.public_key(peer).unwrap();
            let private = software.export(own).unwrap();
            let mut store = Store::new();
            let key = store.import(&private, Uses::SIGN | Uses::AGREE).unwrap();
            let public = store.public_key(key).unwrap();
            assert_eq!(software.public_key(own), Ok(public));
            let digest = random.bytes(32);
            assert_eq!(
                verified(&public, &digest, &sign(&mut store, key, &digest)),
                Ok(())
            );
            let secrets = [store.agree(key, &peer), software.agree(own, &peer)];
            let secrets = secrets.map(|secret| secret.unwrap().as_bytes().to_vec());
            assert_eq!(secrets[0], secrets[1]);
        }
        let length = curve.field_bytes();
        for scalar in [vec![0; length], vec![0xFF; length]] {
            let key = PrivateKey::new(curve, &scalar).unwrap();
            let refused = Store::new().import(&key, Uses::AGREE);
            assert_eq!(refused, Err(KeyError::ScalarOutOfRange));
        }
    }
}

#[test]
fn keys_are_encrypted_between_both_stores() {
    let mut store = Store::new();
    let own = store.generate(Curve::P256, Uses::AGREE, &[1; 32]).unwrap();
    let public = store.public_key(own).unwrap();
    let mut software = SoftwareStore::<1>::new();
    let sent = ecies::encrypt(&mut software, &public, &[7; 16], b"place", &[1; 32]).unwrap();
    assert_eq!(
        *ecies::decrypt(&mut store, own, &sent, b"place").unwrap(),
        [7; 16]
    );
    let sent = ecies::encrypt(&mut store, &public, &[8; 16], b"place", &[1; 32]).unwrap();
    assert_eq!(
        *ecies::decrypt(&mut store, own, &sent, b"place").unwrap(),
        [8; 16]
    );
    let refused = ecies::decrypt(&mut store, own, &sent, b"another");
    assert_eq!(refused.err(), Some(ecies::EciesError::Tag));
}

#[test]
fn what_aws_lc_does_not_do_is_unsupported_by_name() {
    fn unsupported<T: Debug>(outcome: Result<T, KeyError>) -> &'static str {
        match outcome {
            Err(KeyError::Unsupported { operation, .. }) => operation,
            other => panic!("{other:?}"),
        }
    }
    let mut store = Store::new();
    for curve in [Curve::BrainpoolP256r1, Curve::BrainpoolP384r1] {
        assert_eq!(store.capabilities(curve), Capabilities::default());
        assert_eq!(
            unsupported(store.generate(curve, Uses::SIGN, &[1; 32])),
            "keys"
        );
        let key = PrivateKey::new(curve, &[1; 48][..curve.field_bytes()]).unwrap();
        assert_eq!(unsupported(store.import(&key, Uses::SIGN)), "keys");
    }
    for curve in CURVES {
        for uses in [
            Uses::RECONSTRUCT,
            Uses::ISSUE_IMPLICIT,
            Uses::EXPAND | Uses::SIGN,
        ] {
            unsupported(store.generate(curve, uses, &[1; 32]));
        }
        let key = store.generate(curve, Uses::SIGN, &[1; 32]).unwrap();
        let mut sign = |nonce, form| unsupported(store.sign(key, &[1; 32], nonce, form));
        let hedged = Nonce::Hedged { entropy: &[1; 32] };
        assert_eq!(sign(hedged, NonceForm::XOnly), "hedged nonces");
        assert_eq!(
            sign(Nonce::Deterministic, NonceForm::XOnly),
            "deterministic nonces"
        );
        assert_eq!(
            sign(Nonce::Precomputed, NonceForm::XOnly),
            "precomputed nonces"
        );
        assert_eq!(sign(Nonce::Own, NonceForm::Point), "nonces as points");
        let implicit = "implicit certificates";
        assert_eq!(unsupported(store.contribute(key, key, &[1; 32])), implicit);
        let rebuilt = store.reconstruct(key, &[1; 32], &[1; 32], Uses::SIGN);
        assert_eq!(unsupported(rebuilt), implicit);
        assert_eq!(
            unsupported(store.expand(key, &[1; 48], Uses::SIGN)),
            "butterfly expansion"
        );
    }
}

#[test]
fn handles_and_uses_are_checked() {
    let mut store = Store::new();
    let mut make = |uses| store.generate(Curve::P256, uses, &[1; 32]).unwrap();
    let (signs, agrees) = (make(Uses::SIGN), make(Uses::AGREE));
    let public = store.public_key(signs).unwrap();
    let not_for = |operation| Some(KeyError::NotForThisUse { operation });
    let refused = store.sign(agrees, &[1; 32], Nonce::Own, NonceForm::XOnly);
    assert_eq!(refused.err(), not_for("signing"));
    assert_eq!(store.agree(signs, &public).err(), not_for("key agreement"));
    let (others, other) = store_with_key(Curve::P384, 1);
    let refused = store.agree(agrees, &others.public_key(other).unwrap());
    assert_eq!(refused.err(), Some(KeyError::OtherCurve));
    store.retire(signs).unwrap();
    for key in [signs, other] {
        assert_eq!(store.public_key(key), Err(KeyError::NoSuchKey));
        let refused = store.sign(key, &[1; 32], Nonce::Own, NonceForm::XOnly);
        assert_eq!(refused, Err(KeyError::NoSuchKey));
    }
    for _ in 0..3 {
        store.generate(Curve::P256, Uses::SIGN, &[1; 32]).unwrap();
    }
    let refused = store.generate(Curve::P256, Uses::SIGN, &[1; 32]);
    assert_eq!(refused, Err(KeyError::Full));
}
