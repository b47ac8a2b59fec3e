//! One token in one process: what it does, and what it says when it does not.

use waywarden_ecverify::{Curve, Job, JobKey, verify};
use waywarden_testkit::{Random, SoftHsm, cases};
use waywarden_v2x_keys::{KeyError, KeyStore, Nonce, NonceForm, SoftwareStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_token::{KeyUri, Pkcs11Token, TokenError, TokenSelector};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid, Time32};

const PIN: &str = "user-1234";
const CURVES: [Curve; 4] = [
    Curve::P256,
    Curve::P384,
    Curve::BrainpoolP256r1,
    Curve::BrainpoolP384r1,
];

fn selector(label: &str) -> TokenSelector {
    TokenSelector {
        label: Some(label.to_owned()),
        serial: None,
    }
}

fn open(hsm: &SoftHsm, label: &str) -> Result<Pkcs11Token, TokenError> {
    Pkcs11Token::open(hsm.module(), &selector(label), PIN.as_bytes())
}

fn signs(token: &mut Pkcs11Token, key: waywarden_v2x_keys::KeyHandle, digest: &[u8]) {
    let signature = token.sign(key, digest, Nonce::Own, NonceForm::XOnly);
    let signature = signature.unwrap();
    let public = token.public_key(key).unwrap();
    let job = Job {
        curve: public.curve(),
        key: JobKey::Explicit(public.uncompressed()),
        digest,
        signature: signature.encoded(),
        sender: None,
    };
    assert!(verify(&job).is_ok(), "{:?}", public.curve());
}

#[test]
fn keys_of_each_curve_sign_and_survive_the_process() {
    SoftHsm::run(
        "token::keys_of_each_curve_sign_and_survive_the_process",
        |hsm| {
            let mut random = Random::of_test("keys_of_each_curve_sign_and_survive_the_process");
            hsm.initialize("first", PIN);
            hsm.initialize("second", PIN);
            let mut token = open(hsm, "second").unwrap();
            let mut made = Vec::new();
            for curve in CURVES {
                assert!(token.capabilities(curve).sign, "{curve:?}");
                let key = token
                    .generate_labelled(curve, Uses::SIGN, "root ; 100%")
                    .unwrap();
                let digest = random.bytes(48);
                signs(&mut token, key, &digest[..32]);
                signs(&mut token, key, &digest);
                made.push((token.uri(key).unwrap(), token.public_key(key).unwrap()));
            }
            token.keep();
            // One that is not kept is deleted, so that a failed command leaves none.
            let lost = token.generate(Curve::P256, Uses::SIGN, &[0; 32]).unwrap();
            let lost = token.uri(lost).unwrap();
            drop(token);
            let uri = KeyUri::parse(&made[0].0.to_string()).unwrap();
            let selected = TokenSelector::of(&uri);
            let mut token = Pkcs11Token::open(hsm.module(), &selected, PIN.as_bytes()).unwrap();
            assert_eq!((token.label(), token.serial()), ("second", &*uri.serial));
            for (uri, public) in &made {
                let key = token.find(&uri.id).unwrap();
                assert_eq!(token.uri(key).as_ref(), Ok(uri));
                assert_eq!(token.public_key(key).unwrap().x(), public.x());
                for _ in 0..cases(4).min(64) {
                    let digest = random.bytes(32);
                    signs(&mut token, key, &digest);
                }
            }
            let error = token.find(&lost.id).unwrap_err();
            assert!(matches!(error, TokenError::NoSuchKey { .. }), "{error}");
            assert!(token.find(&[]).is_err());
        },
    );
}

#[test]
fn secrets_are_those_of_the_software_store() {
    SoftHsm::run("token::secrets_are_those_of_the_software_store", |hsm| {
        hsm.initialize("only", PIN);
        let any = TokenSelector::default();
        let mut token = Pkcs11Token::open(hsm.module(), &any, PIN.as_bytes()).unwrap();
        let mut software = SoftwareStore::<8>::new();
        for curve in CURVES {
            assert!(token.capabilities(curve).agree);
            let own = token.generate(curve, Uses::AGREE, &[0; 32]).unwrap();
            let other = software.generate(curve, Uses::AGREE, &[7; 32]).unwrap();
            let publics = (token.public_key(own), software.public_key(other));
            let (own_public, other_public) = (publics.0.unwrap(), publics.1.unwrap());
            let one = token.agree(own, &other_public).unwrap();
            let two = software.agree(other, &own_public).unwrap();
            assert_eq!(one.as_bytes(), two.as_bytes(), "{curve:?}");
            let signed = token.sign(own, &[1; 32], Nonce::Own, NonceForm::XOnly);
            let operation = "signing";
            assert_eq!(signed.err(), Some(KeyError::NotForThisUse { operation }));
        }
        let p256 = token.generate(Curve::P256, Uses::AGREE, &[0; 32]).unwrap();
        let other = software
            .generate(Curve::P384, Uses::AGREE, &[8; 32])
            .unwrap();
        let public = software.public_key(other).unwrap();
        assert_eq!(token.agree(p256, &public).err(), Some(KeyError::OtherCurve));
    });
}

#[test]
fn what_takes_a_raw_scalar_is_unsupported_by_name() {
    SoftHsm::run(
        "token::what_takes_a_raw_scalar_is_unsupported_by_name",
        |hsm| {
            hsm.initialize("only", PIN);
            let mut token = open(hsm, "only").unwrap();
            let curve = Curve::P256;
            let unsupported = |operation| KeyError::Unsupported { operation, curve };
            let implicit = unsupported("implicit certificates");
            let seed = [0; 32];
            for uses in [Uses::RECONSTRUCT, Uses::ISSUE_IMPLICIT | Uses::SIGN] {
                assert_eq!(token.generate(curve, uses, &seed).err(), Some(implicit));
            }
            let expansion = unsupported("butterfly expansion");
            assert_eq!(
                token.generate(curve, Uses::EXPAND, &seed).err(),
                Some(expansion)
            );
            let key = token.generate(curve, Uses::SIGN, &seed).unwrap();
            let other = token.generate(curve, Uses::SIGN, &seed).unwrap();
            assert_eq!(
                token.reconstruct(key, &seed, &seed, Uses::SIGN).err(),
                Some(implicit)
            );
            assert_eq!(token.contribute(key, other, &seed).err(), Some(implicit));
            assert_eq!(
                token.expand(key, &[0; 48], Uses::SIGN).err(),
                Some(expansion)
            );
            let entropy = &seed;
            for (nonce, form, operation) in [
                (Nonce::Own, NonceForm::Point, "nonces as points"),
                (Nonce::Hedged { entropy }, NonceForm::XOnly, "hedged nonces"),
                (
                    Nonce::Deterministic,
                    NonceForm::XOnly,
                    "deterministic nonces",
                ),
                (Nonce::Precomputed, NonceForm::XOnly, "precomputed nonces"),
            ] {
                let error = token.sign(key, &[1; 32], nonce, form).err();
                assert_eq!(error, Some(unsupported(operation)));
            }
            let length = token.sign(key, &[1; 31], Nonce::Own, NonceForm::XOnly);
            assert_eq!(length.err(), Some(KeyError::DigestLength));
            // A handle of another store is no key of this one, and a retired key is gone.
            let mut software = SoftwareStore::<2>::new();
            let foreign = software.generate(curve, Uses::SIGN, &seed).unwrap();
            assert!(!token.has(foreign));
            token.retire(other).unwrap();
            for key in [foreign, other] {
                let error = token
                    .sign(key, &[1; 32], Nonce::Own, NonceForm::XOnly)
                    .err();
                assert_eq!(error, Some(KeyError::NoSuchKey));
            }
        },
    );
}

#[test]
fn each_error_says_what_to_do() {
    SoftHsm::run("token::each_error_says_what_to_do", |hsm| {
        let says = |error: TokenError, words: &[&str]| {
            let text = error.to_string();
            println!("{text}");
            for word in words {
                assert!(text.contains(word), "{word}: {text}");
            }
        };
        let none = open(hsm, "first").err().unwrap();
        says(none, &["\"first\" is not present", "initialize one"]);
        hsm.initialize("first", PIN);
        hsm.initialize("second", PIN);
        let any = TokenSelector::default();
        let many = Pkcs11Token::open(hsm.module(), &any, PIN.as_bytes())
            .err()
            .unwrap();
        says(many, &["several", "\"first\"", "\"second\""]);
        let third = open(hsm, "third").err().unwrap();
        says(third, &["\"third\" is not present", "there are"]);
        for pin in ["user-4321", "", "1"] {
            let wrong = Pkcs11Token::open(hsm.module(), &selector("first"), pin.as_bytes());
            says(wrong.err().unwrap(), &["PIN is wrong; it was tried once"]);
        }
        let absent = Pkcs11Token::open("no/such.so".as_ref(), &any, b"1")
            .err()
            .unwrap();
        says(absent, &["no/such.so", "give the module"]);
        let text = std::env::current_exe().unwrap().with_extension("d");
        let path = if text.exists() {
            text
        } else {
            "/etc/passwd".into()
        };
        let no_module = Pkcs11Token::open(&path, &any, b"1").err().unwrap();
        says(no_module, &["not loaded as a PKCS#11 module"]);
        let mut token = open(hsm, "first").unwrap();
        says(token.find(&[1, 2]).unwrap_err(), &["identifier 0102"]);
        let key = token.generate(Curve::P256, Uses::SIGN, &[0; 32]).unwrap();
        hsm.unplug();
        let error = token.sign(key, &[1; 32], Nonce::Own, NonceForm::XOnly);
        let error = error.expect_err("a token that was removed signs nothing");
        println!("{error}");
        let failure = token.take_failure();
        says(failure.unwrap(), &["the token"]);
        hsm.plug_in();
    });
}

/// An authority takes a store that has nonces of its own alone, and says what it lacks.
#[test]
fn an_authority_issues_explicit_certificates_with_a_token() {
    SoftHsm::run(
        "token::an_authority_issues_explicit_certificates_with_a_token",
        |hsm| {
            hsm.initialize("only", PIN);
            let mut token = open(hsm, "only").unwrap();
            for curve in CURVES {
                let mut seeds = Seeds::new([7; 32]);
                let root_key = token.generate(curve, Uses::SIGN, &[0; 32]).unwrap();
                let start = Time32(700_000_000);
                let contents = Contents::new(start, Duration::Years(10)).named("root");
                let contents = contents.issuing_all();
                let root = Authority::root(&mut token, root_key, &contents, &mut seeds).unwrap();
                let station = token.generate(curve, Uses::SIGN, &[0; 32]).unwrap();
                let public = token.public_key(station).unwrap();
                let contents = Contents::new(start, Duration::Hours(24));
                let contents = contents.permitting(Psid(36), &[1, 0, 0]);
                let issued = root.issue(&mut token, &contents, &public, &mut seeds);
                let issued = issued.unwrap_or_else(|error| panic!("{curve:?}: {error}"));
                assert!(root.verifier().verify_certificate(&issued).is_ok());
                let implicit = root.with_implicit_key(root_key);
                let refused = implicit.issue_implicit(&mut token, &contents, &public, &mut seeds);
                let error = refused.err().unwrap().to_string();
                println!("{error}");
                assert!(error.contains("not"), "{error}");
            }
        },
    );
}
