//! ECIES: a key encrypted to a public key of P-256. An ephemeral key, a secret, two keys from it, a
//! tag. No peer has it whole: their composition is an ephemeral key and the secret by the library,
//! and the derivation and the tag by ours.

use aws_lc_rs::agreement::{self, EphemeralPrivateKey, UnparsedPublicKey};
use aws_lc_rs::rand::SystemRandom;
use openssl::bn::BigNumContext;
use openssl::derive::Deriver;
use openssl::ec::{EcKey, EcPoint};
use openssl::pkey::PKey;
use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_keys::ecies::{encrypt, kdf2, mac1};
use waywarden_v2x_keys::{AwsLcStore, KeyStore, SoftwareStore};

use super::peers::{group, public_key};
use super::{Input, inputs};
use crate::race::{Case, Contestant};

/// The hash of the place that the recipient's key stands in.
const P1: [u8; 32] = [0x51; 32];
/// The key that is encrypted.
const KEY: [u8; 16] = [0x4B; 16];

fn recipient() -> Vec<u8> {
    public_key(Curve::P256)
}

fn ours<S: KeyStore + 'static>(mut store: S) -> Contestant {
    let bytes = recipient();
    let encoded = EncodedPoint::from_sec1(&bytes).expect("a form of a point");
    let point = Point::decode(Curve::P256, &encoded).expect("a point");
    Contestant::new("waywarden", inputs(Curve::P256), move |input: &Input| {
        encrypt(&mut store, &point, &KEY, &P1, &input.entropy).expect("encrypts")
    })
}

/// The second half: two keys, the masked key and its tag.
fn masked(secret: &[u8]) -> ([u8; 16], [u8; 16]) {
    let mut keys = [0; 48];
    kdf2(secret, &P1, &mut keys);
    let c = std::array::from_fn(|index| KEY[index] ^ keys[index]);
    (c, mac1(&keys[16..], &c))
}

fn openssl() -> Contestant {
    let group = group(Curve::P256);
    let mut context = BigNumContext::new().expect("memory");
    let point = EcPoint::from_bytes(&group, &recipient(), &mut context).expect("a point");
    let peer = EcKey::from_public_key(&group, &point).expect("a key");
    let peer = PKey::from_ec_key(peer).expect("a key");
    Contestant::new("OpenSSL", vec![()], move |()| {
        let key = EcKey::generate(&group).expect("a key");
        let form = openssl::ec::PointConversionForm::COMPRESSED;
        let v = key.public_key().to_bytes(&group, form, &mut context);
        let key = PKey::from_ec_key(key).expect("a key");
        let mut deriver = Deriver::new(&key).expect("memory");
        deriver.set_peer(&peer).expect("a key of the curve");
        let secret = deriver.derive_to_vec().expect("agrees");
        (v.expect("a point"), masked(&secret))
    })
}

fn aws_lc() -> Contestant {
    let (random, peer) = (SystemRandom::new(), recipient());
    Contestant::new("aws-lc-rs", vec![()], move |()| {
        let key = EphemeralPrivateKey::generate(&agreement::ECDH_P256, &random).expect("a key");
        let v = key.compute_public_key().expect("a key");
        let peer = UnparsedPublicKey::new(&agreement::ECDH_P256, &peer);
        let agreed = agreement::agree_ephemeral(key, peer, (), |secret| Ok(masked(secret)));
        (v, agreed.expect("agrees"))
    })
}

fn rustcrypto() -> Contestant {
    let peer = p256::PublicKey::from_sec1_bytes(&recipient()).expect("a point");
    Contestant::new("RustCrypto", inputs(Curve::P256), move |input: &Input| {
        let key = p256::SecretKey::from_slice(&input.entropy).expect("below the order");
        let v = key.public_key();
        let scalar = key.to_nonzero_scalar();
        let secret = p256::ecdh::diffie_hellman(scalar, peer.as_affine());
        (v, masked(secret.raw_secret_bytes()))
    })
}

fn case(name: &'static str, what: &'static str, ours: Contestant) -> Case {
    Case {
        name,
        what,
        ours,
        peers: vec![openssl(), aws_lc(), rustcrypto()],
    }
}

/// Both stores.
pub(super) fn cases() -> Vec<Case> {
    vec![
        case(
            "encrypt-aws-lc",
            "a key encrypted to a public key of P-256 (ECIES) by AwsLcStore",
            ours(AwsLcStore::<4>::new()),
        ),
        case(
            "encrypt-software",
            "the same by SoftwareStore",
            ours(SoftwareStore::<4>::new()),
        ),
    ]
}
