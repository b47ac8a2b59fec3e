//! Round trips: one side accepts the output of the other, for signatures, implicit certificates and
//! encrypted keys.

use waywarden_ecverify::{Curve, Job, JobKey, SignatureRefusal, verify};
use waywarden_testkit::Random;
use waywarden_v2x_keys::{
    KeyError, KeyStore, Nonce, NonceForm, PrecomputedNonces, SoftwareStore, Uses, ecies,
};

fn seed(random: &mut Random) -> [u8; 32] {
    random.bytes(32).try_into().expect("32 bytes")
}

/// The digest's bytes for a curve, and whether the signature holds.
fn check(store: &mut SoftwareStore<8, 4>, curve: Curve, nonce: Nonce<'_>, form: NonceForm) {
    let key = store.generate(curve, Uses::SIGN, &[1; 32]).unwrap();
    let digest = [0x2A; 48];
    let digest = &digest[..curve.field_bytes()];
    let signature = store.sign(key, digest, nonce, form).unwrap();
    assert_eq!(signature.form(), form);
    let public = store.public_key(key).unwrap();
    let job = Job {
        curve,
        digest,
        signature: signature.encoded(),
        key: JobKey::Explicit(public.uncompressed()),
        sender: None,
    };
    assert_eq!(verify(&job), Ok(()), "{curve:?} {form:?}");
    let mut other = digest.to_vec();
    other[3] ^= 1;
    let job = Job {
        digest: &other,
        ..job
    };
    assert_eq!(verify(&job), Err(SignatureRefusal::Equation));
    store.retire(key).unwrap();
    let gone = store.sign(key, digest, nonce, form);
    assert_eq!(gone, Err(KeyError::NoSuchKey));
}

#[test]
fn every_curve_nonce_and_form_signs() {
    let mut random = Random::of_test("every_curve_nonce_and_form_signs");
    for curve in Curve::ALL {
        let mut nonces = PrecomputedNonces::new(curve, &seed(&mut random));
        nonces.reserve(0..4).unwrap();
        while nonces.precompute().unwrap() {}
        assert_eq!(nonces.ready(), 4);
        let mut store = SoftwareStore::<8, 4>::new().with_nonces(nonces);
        for form in [NonceForm::XOnly, NonceForm::Point] {
            let entropy = seed(&mut random);
            check(&mut store, curve, Nonce::Hedged { entropy: &entropy }, form);
            check(&mut store, curve, Nonce::Deterministic, form);
            check(&mut store, curve, Nonce::Precomputed, form);
        }
        assert_eq!(store.nonces().unwrap().ready(), 2);
    }
}

#[test]
fn an_encrypted_key_is_read_by_its_recipient_alone() {
    let mut random = Random::of_test("an_encrypted_key_is_read_by_its_recipient_alone");
    for curve in [Curve::P256, Curve::BrainpoolP256r1] {
        let mut store = SoftwareStore::<8>::new();
        let own = store
            .generate(curve, Uses::AGREE, &seed(&mut random))
            .unwrap();
        let other = store
            .generate(curve, Uses::AGREE, &seed(&mut random))
            .unwrap();
        let public = store.public_key(own).unwrap();
        let key = [9; 16];
        let encrypted =
            ecies::encrypt(&mut store, &public, &key, b"place", &seed(&mut random)).unwrap();
        assert_eq!(
            *ecies::decrypt(&mut store, own, &encrypted, b"place").unwrap(),
            key
        );
        let wrong = [
            ecies::decrypt(&mut store, other, &encrypted, b"place").err(),
            ecies::decrypt(&mut store, own, &encrypted, b"another").err(),
        ];
        assert_eq!(wrong, [Some(ecies::EciesError::Tag); 2]);
    }
}
