//! A root, an authority and a station: what the station signs is verified, what is encrypted to it
//! is read, and what the chain does not cover is not issued.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, Uses};
use waywarden_v2x_pki::{Contents, IssueError};
use waywarden_v2x_security::{ReceptionContext, ResultCode};
use waywarden_v2x_signing::{
    DecryptionKeys, PayloadToSign, Recipient, Seed, SignError, SignerForm, SigningOptions,
    UnsignedMessage, decrypt, encrypt, sign, sign_unchecked,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Duration, HeaderInfo, Psid};

use crate::support::{NOW, START, World, deterministic, has_implicit};

fn header() -> HeaderInfo<'static> {
    HeaderInfo {
        generation_time: Some(NOW),
        ..HeaderInfo::new(Psid(36))
    }
}

#[test]
fn what_a_station_signs_is_verified() {
    let mut random = Random::of_test("what_a_station_signs_is_verified");
    for curve in Curve::ALL {
        let mut world = World::new(curve, &mut random, &[Psid(36)]);
        for implicit in [false, true] {
            if implicit && !has_implicit(curve) {
                continue;
            }
            let contents =
                Contents::new(START, Duration::Hours(24)).permitting(Psid(36), &[1, 0, 0]);
            let station = world.credential(&contents, implicit);
            let mut verifier = world.receiver();
            let World { store, seeds, .. } = &mut world;
            for form in [NonceForm::XOnly, NonceForm::Point] {
                for signer in [
                    SignerForm::Certificate,
                    SignerForm::Chain,
                    SignerForm::Digest,
                ] {
                    if signer == SignerForm::Chain {
                        // The profile of CAMs has one certificate.
                        continue;
                    }
                    let nonce = seeds.next();
                    let payload = random.bytes(40);
                    let message = UnsignedMessage {
                        payload: PayloadToSign::Data(&payload),
                        header: header(),
                    };
                    let options = SigningOptions {
                        signer,
                        form,
                        nonce: Nonce::Hedged { entropy: &nonce },
                    };
                    let signed = sign(store, &station, &message, &options).unwrap();
                    let context = ReceptionContext::at(NOW);
                    let accepted = verifier.verify(&signed, &context);
                    assert!(
                        accepted.is_ok(),
                        "{curve:?} {implicit} {form:?}: {:?}",
                        accepted.err()
                    );
                }
            }
            let message = UnsignedMessage {
                payload: PayloadToSign::Data(b"x"),
                header: HeaderInfo {
                    psid: Psid(32),
                    ..header()
                },
            };
            let options = deterministic(SignerForm::Digest);
            let refused = sign(store, &station, &message, &options);
            assert_eq!(refused, Err(SignError::NotPermitted(Psid(32))));
            // What the sender does not check the receiver does.
            let unchecked = sign_unchecked(store, &station, &message, &options).unwrap();
            let refused = verifier.verify(&unchecked, &ReceptionContext::at(NOW));
            let code = refused.err().map(|refusal| refusal.code);
            assert_eq!(code, Some(ResultCode::ConsistencyUnauthorizedPsid));
        }
    }
}

#[test]
fn an_authority_issues_nothing_beyond_its_own_permissions() {
    let mut random = Random::of_test("an_authority_issues_nothing_beyond_its_own_permissions");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let World {
        store,
        seeds,
        authority,
        ..
    } = &mut world;
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let public = store.public_key(key).unwrap();
    let cases = [
        (
            Contents::new(START, Duration::Hours(24)).permitting(Psid(37), &[1, 0, 0]),
            ResultCode::ChainInconsistentChainPermissions,
            "appPermissions",
        ),
        (
            Contents::new(START, Duration::Years(4)).permitting(Psid(36), &[1, 0, 0]),
            ResultCode::ChainInconsistentExpiryTimes,
            "validityPeriod",
        ),
    ];
    for (contents, code, field) in cases {
        match authority.issue(store, &contents, &public, seeds) {
            Err(IssueError::Refused(refusal)) => {
                assert_eq!((refusal.code, refusal.field), (code, field));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_encrypted_to_an_authority_is_read_by_it() {
    let mut random = Random::of_test("what_is_encrypted_to_an_authority_is_read_by_it");
    for curve in [Curve::P256, Curve::BrainpoolP256r1] {
        let mut world = World::new(curve, &mut random, &[Psid(36)]);
        let World {
            store, seeds, root, ..
        } = &mut world;
        let signing = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
        let decrypting = store.generate(curve, Uses::AGREE, &seeds.next()).unwrap();
        let contents = Contents::new(START, Duration::Years(3))
            .named("enrolment authority")
            .issuing_all()
            .encrypted_to(store.public_key(decrypting).unwrap());
        let public = store.public_key(signing).unwrap();
        let certificate = root.issue(store, &contents, &public, seeds).unwrap();
        let recipient = Recipient::certificate(&parse(&certificate).unwrap()).unwrap();
        let seed = Seed::new(*seeds.next());
        let encrypted =
            encrypt(store, std::slice::from_ref(&recipient), b"request", &seed).unwrap();
        let keys = DecryptionKeys::new().with_private_key(recipient, decrypting);
        assert_eq!(&decrypt(store, &keys, &encrypted).unwrap()[..], b"request");
        let mut changed = encrypted.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(decrypt(store, &keys, &changed).is_err());
    }
}
