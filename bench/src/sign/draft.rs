//! The algorithms of the draft that \[WAVE-SEC Table 2\] measured: ECDSA on P-224 with SHA-1 beside
//! P-256 with SHA-256, over a message of 200 bytes. The final standard has neither P-224 nor SHA-1,
//! and no message of ours can carry them: these are bare primitives.

use ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};
use openssl::ec::{EcGroup, EcKey};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use waywarden_ecverify::{Curve, Job, JobKey, verify};
use waywarden_v2x_keys::{KeyStore as _, NonceForm, PrivateKey, SoftwareStore, Uses};

use super::peers::openssl_key;
use super::{Input, inputs, private_key};
use crate::race::{Case, Contestant};

/// The message to hash.
const MESSAGE: [u8; 200] = [0x2A; 200];

/// The step after hashing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Sign,
    Verify,
}

fn ours(step: Step) -> Contestant {
    let mut store = SoftwareStore::<1>::new();
    let key = PrivateKey::new(Curve::P256, &private_key(Curve::P256)).expect("its length");
    let key = store.import(&key, Uses::SIGN).expect("a key");
    let public = store.public_key(key).expect("a key");
    let inputs = inputs(Curve::P256);
    let form = NonceForm::XOnly;
    let digest = || -> [u8; 32] { Sha256::digest(std::hint::black_box(MESSAGE)).into() };
    let signed = store.sign(key, &digest(), inputs[0].hedged(), form);
    let signed = signed.expect("signs");
    Contestant::new("waywarden", inputs, move |input: &Input| match step {
        Step::Sign => {
            let signature = store.sign(key, &digest(), input.hedged(), form);
            assert!(signature.is_ok());
        }
        Step::Verify => {
            let job = Job {
                curve: Curve::P256,
                digest: &digest(),
                signature: signed.encoded(),
                key: JobKey::Explicit(public.uncompressed()),
                sender: None,
            };
            assert_eq!(verify(&job), Ok(()));
        }
    })
}

macro_rules! rustcrypto {
    ($name:literal, $curve:ty, $hash:ty, $step:expr) => {{
        let scalar = &private_key(Curve::P256)
            [..std::mem::size_of::<ecdsa::elliptic_curve::FieldBytes<$curve>>()];
        let key = ecdsa::SigningKey::<$curve>::from_slice(scalar).expect("a key");
        let public = *key.verifying_key();
        let digest = || <$hash>::digest(std::hint::black_box(MESSAGE));
        let signed: ecdsa::Signature<$curve> = key.sign_prehash(&digest()).expect("signs");
        Contestant::new($name, vec![()], move |&(): &()| match $step {
            Step::Sign => {
                let signature: ecdsa::Signature<$curve> =
                    key.sign_prehash(&digest()).expect("signs");
                std::hint::black_box(signature);
            }
            Step::Verify => assert!(public.verify_prehash(&digest(), &signed).is_ok()),
        })
    }};
}

fn openssl(
    name: &'static str,
    key: EcKey<openssl::pkey::Private>,
    hash: impl Fn(&[u8]) -> Vec<u8> + 'static,
    step: Step,
) -> Contestant {
    let digest = move || hash(&std::hint::black_box(MESSAGE));
    let signed = EcdsaSig::sign(&digest(), &key).expect("signs");
    Contestant::new(name, vec![()], move |&(): &()| match step {
        Step::Sign => assert!(EcdsaSig::sign(&digest(), &key).is_ok()),
        Step::Verify => assert!(matches!(signed.verify(&digest(), &key), Ok(true))),
    })
}

fn openssl_p224() -> EcKey<openssl::pkey::Private> {
    let group = EcGroup::from_curve_name(Nid::SECP224R1).expect("OpenSSL knows the curve");
    EcKey::generate(&group).expect("a key")
}

fn case(name: &'static str, what: &'static str, step: Step) -> Case {
    let sha1 = |bytes: &[u8]| openssl::sha::sha1(bytes).to_vec();
    let sha256 = |bytes: &[u8]| openssl::sha::sha256(bytes).to_vec();
    Case {
        name,
        what,
        ours: ours(step),
        peers: vec![
            openssl("OpenSSL P-256", openssl_key(Curve::P256), sha256, step),
            openssl("OpenSSL P-224 SHA-1", openssl_p224(), sha1, step),
            rustcrypto!("RustCrypto P-256", p256::NistP256, Sha256, step),
            rustcrypto!("RustCrypto P-224 SHA-1", p224::NistP224, Sha1, step),
        ],
    }
}

/// Signing and verifying.
pub(super) fn cases() -> Vec<Case> {
    vec![
        case(
            "draft-sign",
            "200 bytes hashed with SHA-256 and signed on P-256, hedged nonce",
            Step::Sign,
        ),
        case(
            "draft-verify",
            "200 bytes hashed with SHA-256 and verified on P-256",
            Step::Verify,
        ),
    ]
}
