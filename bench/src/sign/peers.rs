//! OpenSSL, aws-lc-rs and RustCrypto, with keys that are parsed already.

use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
};
use ecdsa::signature::hazmat::PrehashSigner as _;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use openssl::pkey::Private;
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyStore as _, PrivateKey, SoftwareStore, Uses};

use super::{inputs, private_key};
use crate::race::Contestant;

/// Everyone who knows the curve.
pub(super) fn sign(curve: Curve) -> Vec<Contestant> {
    let mut peers = vec![openssl(curve)];
    peers.extend(aws_lc(curve));
    peers.push(rustcrypto(curve));
    peers
}

/// The key's public point: 04, x, y.
pub(super) fn public_key(curve: Curve) -> Vec<u8> {
    let mut store = SoftwareStore::<1>::new();
    let key = PrivateKey::new(curve, &private_key(curve)).expect("the length of the order");
    let key = store.import(&key, Uses::SIGN).expect("a key");
    let public = store.public_key(key).expect("a key");
    public.to_sec1_uncompressed().as_ref().to_vec()
}

pub(super) fn group(curve: Curve) -> EcGroup {
    let name = match curve {
        Curve::P256 => Nid::X9_62_PRIME256V1,
        Curve::P384 => Nid::SECP384R1,
        Curve::BrainpoolP256r1 => Nid::BRAINPOOL_P256R1,
        Curve::BrainpoolP384r1 => Nid::BRAINPOOL_P384R1,
    };
    EcGroup::from_curve_name(name).expect("OpenSSL knows the curve")
}

/// The key as OpenSSL has it.
pub(super) fn openssl_key(curve: Curve) -> EcKey<Private> {
    let (group, mut context) = (group(curve), BigNumContext::new().expect("memory"));
    let scalar = BigNum::from_slice(&private_key(curve)).expect("memory");
    let public = EcPoint::from_bytes(&group, &public_key(curve), &mut context);
    let public = public.expect("a point of the curve");
    EcKey::from_private_components(&group, &scalar, &public).expect("a key")
}

fn openssl(curve: Curve) -> Contestant {
    let key = openssl_key(curve);
    let length = curve.field_bytes() as i32;
    Contestant::new("OpenSSL", inputs(curve), move |input| {
        let signature = EcdsaSig::sign(&input.digest, &key).expect("signs");
        [signature.r(), signature.s()].map(|part| part.to_vec_padded(length).expect("memory"))
    })
}

/// None where AWS-LC does not know the curve.
fn aws_lc(curve: Curve) -> Option<Contestant> {
    let (algorithm, hash) = match curve {
        Curve::P256 => (&ECDSA_P256_SHA256_FIXED_SIGNING, &digest::SHA256),
        Curve::P384 => (&ECDSA_P384_SHA384_FIXED_SIGNING, &digest::SHA384),
        Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1 => return None,
    };
    let (private, public) = (private_key(curve), public_key(curve));
    let key = EcdsaKeyPair::from_private_key_and_public_key(algorithm, &private, &public);
    let key = key.expect("a key");
    let digests: Vec<Digest> = inputs(curve)
        .iter()
        .map(|input| Digest::import_less_safe(&input.digest, hash).expect("its length"))
        .collect();
    Some(Contestant::new("aws-lc-rs", digests, move |digest| {
        key.sign_digest(digest).expect("signs")
    }))
}

fn rustcrypto(curve: Curve) -> Contestant {
    macro_rules! signer {
        ($curve:ty) => {{
            let key = ecdsa::SigningKey::<$curve>::from_slice(&private_key(curve));
            let key = key.expect("a key");
            Contestant::new("RustCrypto", inputs(curve), move |input| {
                let signature: ecdsa::Signature<$curve> =
                    key.sign_prehash(&input.digest).expect("signs");
                signature
            })
        }};
    }
    match curve {
        Curve::P256 => signer!(p256::NistP256),
        Curve::P384 => signer!(p384::NistP384),
        Curve::BrainpoolP256r1 => signer!(bp256::BrainpoolP256r1),
        Curve::BrainpoolP384r1 => signer!(bp384::BrainpoolP384r1),
    }
}
