//! The peers: aws-lc-rs (C and assembly), RustCrypto p256, dalek.

use aws_lc_rs::{agreement, rand, signature};
use ed25519_dalek::{Signer as _, Verifier as _};
use p256::ecdsa;
use p256::elliptic_curve::sec1::ToSec1Point as _;

use super::{BATCH, MESSAGE, POOL, message, secret};
use crate::race::Contestant;

/// A message and whatever a peer needs beside it.
type Signed<K, S> = (K, [u8; MESSAGE], S);

fn pool<T>(make: impl Fn(usize) -> T) -> Vec<T> {
    (0..POOL).map(make).collect()
}

fn p256_key(index: usize) -> ecdsa::SigningKey {
    ecdsa::SigningKey::from_slice(&secret(index)).expect("below the order")
}

fn aws_p256(index: usize) -> signature::EcdsaKeyPair {
    let public = p256_key(index).verifying_key().to_sec1_point(false);
    let algorithm = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
    signature::EcdsaKeyPair::from_private_key_and_public_key(
        algorithm,
        &secret(index),
        public.as_bytes(),
    )
    .expect("a key pair")
}

fn aws_ed25519(index: usize) -> signature::Ed25519KeyPair {
    signature::Ed25519KeyPair::from_seed_unchecked(&secret(index)).expect("any seed is a key")
}

type AwsSigned = Signed<signature::ParsedPublicKey, Vec<u8>>;

fn aws_verify(one: &AwsSigned) {
    let (key, message, signature) = one;
    assert!(key.verify_sig(message, signature).is_ok());
}

/// Verification with a parsed key.
pub(super) fn verify() -> Vec<Contestant> {
    use signature::KeyPair as _;
    let parse = |algorithm: &'static dyn signature::VerificationAlgorithm, public: &[u8]| {
        signature::UnparsedPublicKey::new(algorithm, public)
            .parse()
            .expect("an own key parses")
    };
    let aws_p256 = pool(|i| {
        let (pair, message) = (aws_p256(i), message(i));
        let key = parse(
            &signature::ECDSA_P256_SHA256_FIXED,
            pair.public_key().as_ref(),
        );
        let signature = pair
            .sign(&rand::SystemRandom::new(), &message)
            .expect("signs");
        (key, message, signature.as_ref().to_vec())
    });
    let aws_ed25519 = pool(|i| {
        let (pair, message) = (aws_ed25519(i), message(i));
        let key = parse(&signature::ED25519, pair.public_key().as_ref());
        (key, message, pair.sign(&message).as_ref().to_vec())
    });
    let p256 = pool(|i| {
        let (key, message) = (p256_key(i), message(i));
        let signature: ecdsa::Signature = key.sign(&message);
        (*key.verifying_key(), message, signature)
    });
    vec![
        Contestant::new("aws-lc-rs P-256", aws_p256, aws_verify),
        Contestant::new("aws-lc-rs Ed25519", aws_ed25519, aws_verify),
        Contestant::new("RustCrypto P-256", p256, |(key, message, signature)| {
            assert!(key.verify(message, signature).is_ok());
        }),
        Contestant::new(
            "dalek Ed25519",
            dalek_signed(),
            |(key, message, signature)| {
                assert!(key.verify(message, signature).is_ok());
            },
        ),
    ]
}

type DalekSigned = Signed<ed25519_dalek::VerifyingKey, ed25519_dalek::Signature>;

fn dalek_signed() -> Vec<DalekSigned> {
    pool(|i| {
        let (key, message) = (
            ed25519_dalek::SigningKey::from_bytes(&secret(i)),
            message(i),
        );
        (key.verifying_key(), message, key.sign(&message))
    })
}

/// Batches, from the one peer that has them, and single verification by the others' fastest.
pub(super) fn verify_batch() -> Vec<Contestant> {
    let all = dalek_signed();
    let batches = all
        .chunks_exact(BATCH)
        .map(|batch| {
            let keys: Vec<_> = batch.iter().map(|one| one.0).collect();
            let messages: Vec<_> = batch.iter().map(|one| one.1).collect();
            let signatures: Vec<_> = batch.iter().map(|one| one.2).collect();
            (keys, messages, signatures)
        })
        .collect();
    let batch = Contestant::with_items(
        "dalek Ed25519 batch",
        BATCH as u32,
        batches,
        |(keys, messages, signatures)| {
            let messages: Vec<&[u8]> = messages.iter().map(<[u8; MESSAGE]>::as_slice).collect();
            assert!(ed25519_dalek::verify_batch(&messages, signatures, keys).is_ok());
        },
    );
    let mut peers = vec![batch];
    peers.extend(
        verify()
            .into_iter()
            .filter(|one| one.name.starts_with("aws-lc-rs")),
    );
    peers
}

/// Signing with a key pair that is ready.
pub(super) fn sign() -> Vec<Contestant> {
    let random = rand::SystemRandom::new();
    vec![
        Contestant::new(
            "aws-lc-rs P-256",
            pool(|i| (aws_p256(i), message(i))),
            move |(key, message)| key.sign(&random, message).expect("signs"),
        ),
        Contestant::new(
            "aws-lc-rs Ed25519",
            pool(|i| (aws_ed25519(i), message(i))),
            |(key, message)| key.sign(message),
        ),
        Contestant::new(
            "RustCrypto P-256",
            pool(|i| (p256_key(i), message(i))),
            |(key, message)| -> ecdsa::Signature { key.sign(message) },
        ),
        Contestant::new(
            "dalek Ed25519",
            pool(|i| {
                (
                    ed25519_dalek::SigningKey::from_bytes(&secret(i)),
                    message(i),
                )
            }),
            |(key, message)| key.sign(message),
        ),
    ]
}

fn aws_agree(
    algorithm: &'static agreement::Algorithm,
    own: &agreement::PrivateKey,
    share: &[u8],
) -> [u8; 32] {
    let share = agreement::UnparsedPublicKey::new(algorithm, share);
    agreement::agree(own, share, (), |secret| secret.try_into().map_err(|_| ()))
        .expect("an honest share")
}

/// From the peer's share as bytes to the secret.
pub(super) fn extract() -> Vec<Contestant> {
    let aws_x25519 = pool(|i| {
        let share = x25519_dalek::PublicKey::from(&x25519_secret(i + POOL)).to_bytes();
        let own = agreement::PrivateKey::from_private_key(&agreement::X25519, &secret(i));
        (own.expect("any secret is a key"), share)
    });
    let aws_p256 = pool(|i| {
        let own = agreement::PrivateKey::from_private_key(&agreement::ECDH_P256, &secret(i));
        (own.expect("below the order"), p256_share(i + POOL))
    });
    let p256 = pool(|i| {
        let own = p256::SecretKey::from_slice(&secret(i)).expect("below the order");
        (own, p256_share(i + POOL))
    });
    let dalek = pool(|i| {
        let share = x25519_dalek::PublicKey::from(&x25519_secret(i + POOL)).to_bytes();
        (x25519_secret(i), share)
    });
    vec![
        Contestant::new("aws-lc-rs X25519", aws_x25519, |(own, share)| {
            aws_agree(&agreement::X25519, own, share)
        }),
        Contestant::new("aws-lc-rs P-256", aws_p256, |(own, share)| {
            aws_agree(&agreement::ECDH_P256, own, share)
        }),
        Contestant::new("RustCrypto P-256", p256, |(own, share)| {
            let share = p256::PublicKey::from_sec1_bytes(share).expect("an honest share");
            p256::ecdh::diffie_hellman(own.to_nonzero_scalar(), share.as_affine())
        }),
        Contestant::new("dalek X25519", dalek, |(own, share)| {
            own.diffie_hellman(&x25519_dalek::PublicKey::from(*share))
        }),
    ]
}

fn x25519_secret(index: usize) -> x25519_dalek::StaticSecret {
    x25519_dalek::StaticSecret::from(secret(index))
}

/// The compressed share of secret number `index`.
fn p256_share(index: usize) -> Vec<u8> {
    let secret = p256::SecretKey::from_slice(&secret(index)).expect("below the order");
    secret.public_key().to_sec1_point(true).as_bytes().to_vec()
}

fn aws_share(algorithm: &'static agreement::Algorithm, secret: &[u8; 32]) -> agreement::PublicKey {
    let own = agreement::PrivateKey::from_private_key(algorithm, secret).expect("a key");
    own.compute_public_key().expect("a share")
}

/// From secret bytes to the share as bytes.
pub(super) fn share() -> Vec<Contestant> {
    vec![
        Contestant::new("aws-lc-rs X25519", pool(secret), |bytes| {
            aws_share(&agreement::X25519, bytes)
        }),
        Contestant::new("aws-lc-rs P-256", pool(secret), |bytes| {
            aws_share(&agreement::ECDH_P256, bytes)
        }),
        Contestant::new("RustCrypto P-256", pool(secret), |bytes| {
            let secret = p256::SecretKey::from_slice(bytes).expect("below the order");
            secret.public_key().to_sec1_point(true)
        }),
        Contestant::new("dalek X25519", pool(secret), |bytes| {
            x25519_dalek::PublicKey::from(&x25519_dalek::StaticSecret::from(*bytes)).to_bytes()
        }),
    ]
}
