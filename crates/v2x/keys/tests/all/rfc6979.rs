//! The nonces of RFC 6979: its own vectors, and with additional data, for which it has none,
//! against its text written down once more.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256, Sha384};
use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, bytes_of, cases, hex_of};
use waywarden_v2x_keys::{KeyError, KeyStore, Nonce, NonceForm, PrivateKey, SoftwareStore, Uses};

use crate::support::{exported, import, store_with_key, verified};

/// Private key, message, r and s \[RFC 6979 A.2.5\], with SHA-256.
const P256: [(&str, &str, &str); 2] = [
    (
        "sample",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    ),
    (
        "test",
        "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
        "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
    ),
];
const P256_KEY: &str = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";

/// The same with SHA-384 \[RFC 6979 A.2.6\].
const P384: [(&str, &str, &str); 2] = [
    (
        "sample",
        "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c\
         81a648152e44acf96e36dd1e80fabe46",
        "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94f\
         a329c145786e679e7b82c71a38628ac8",
    ),
    (
        "test",
        "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb\
         0542a7f0812998da8f1dd3ca3cf023db",
        "ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e0\
         6a739f040649a667bf3b828246baa5a5",
    ),
];
const P384_KEY: &str = "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8\
                        96d5724e4c70a825f872c9ea60d2edf5";

#[test]
fn deterministic_nonces_meet_rfc_6979() {
    let hash_256: fn(&str) -> Vec<u8> = |message| Sha256::digest(message).to_vec();
    let hash_384: fn(&str) -> Vec<u8> = |message| Sha384::digest(message).to_vec();
    let sets = [
        (Curve::P256, P256_KEY, P256, hash_256),
        (Curve::P384, P384_KEY, P384, hash_384),
    ];
    for (curve, private, vectors, hash) in sets {
        let mut store = SoftwareStore::<1>::new();
        let key = import(&mut store, curve, &bytes_of(private));
        for (message, r, s) in vectors {
            let digest = hash(message);
            for form in [NonceForm::XOnly, NonceForm::Point] {
                let signature = store.sign(key, &digest, Nonce::Deterministic, form);
                let signature = signature.unwrap();
                assert_eq!(hex_of(signature.r()), r);
                assert_eq!(hex_of(signature.s()), s);
            }
        }
    }
}

/// HMAC-SHA-256 of several parts.
fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The first nonce of RFC 6979 §3.2 with additional data (§3.6), for a digest that is below n.
fn nonce(private: &[u8], digest: &[u8], additional: &[u8]) -> [u8; 32] {
    let mut v = [1; 32];
    let mut k = [0; 32];
    for step in [0, 1] {
        k = hmac(&k, &[&v, &[step], private, digest, additional]);
        v = hmac(&k, &[&v]);
    }
    hmac(&k, &[&v])
}

#[test]
fn hedged_nonces_are_those_of_rfc_6979_with_additional_data() {
    let mut random = Random::of_test("hedged_nonces_are_those_of_rfc_6979");
    for _ in 0..cases(40) {
        let (mut store, key) = store_with_key(Curve::P256, random.u64() as u8);
        // Below n, as the first nonce of a generator of this curve is but once in 2^32 times.
        let mut digest: [u8; 32] = random.array();
        digest[0] = 0x7F;
        let entropy = random.array();
        let k = nonce(&exported(&store, key), &digest, &entropy);
        let signature = store.sign(
            key,
            &digest,
            Nonce::Hedged { entropy: &entropy },
            NonceForm::Point,
        );
        let k = PrivateKey::new(Curve::P256, &k).unwrap();
        let k = store.import(&k, Uses::SIGN).unwrap();
        let nonce_point = store.public_key(k).unwrap();
        assert_eq!(hex_of(signature.unwrap().r()), hex_of(nonce_point.x()));
    }
}

/// A store that was restored, and an entropy that repeats: the same digest has the same nonce, so
/// the same signature; another digest has another nonce.
#[test]
fn a_restored_store_gives_no_nonce_to_a_second_digest() {
    let mut random = Random::of_test("a_restored_store_gives_no_nonce_to_a_second_digest");
    for curve in Curve::ALL {
        let entropy: [u8; 32] = random.array();
        let digests: Vec<Vec<u8>> = (0..cases(8))
            .map(|_| random.bytes(curve.field_bytes()))
            .collect();
        let signed = |digest: &[u8], nonce: Nonce<'_>| {
            let (mut store, key) = store_with_key(curve, 5);
            let signature = store.sign(key, digest, nonce, NonceForm::Point).unwrap();
            assert_eq!(
                verified(&store.public_key(key).unwrap(), digest, &signature),
                Ok(())
            );
            signature
        };
        let mut points = std::collections::HashSet::new();
        for digest in &digests {
            for nonce in [Nonce::Deterministic, Nonce::Hedged { entropy: &entropy }] {
                let first = signed(digest, nonce);
                assert_eq!(
                    signed(digest, nonce),
                    first,
                    "the state is the same, so the signature"
                );
                assert!(
                    points.insert(first.r().to_vec()),
                    "{curve:?}: a nonce twice"
                );
            }
            // Fresh entropy gives a fresh nonce for the same digest.
            let fresh: [u8; 32] = random.array();
            let other = signed(digest, Nonce::Hedged { entropy: &fresh });
            assert!(
                points.insert(other.r().to_vec()),
                "{curve:?}: a nonce twice"
            );
        }
    }
}

#[test]
fn digests_of_other_lengths_are_refused() {
    for curve in Curve::ALL {
        let (mut store, key) = store_with_key(curve, 1);
        let public = store.public_key(key).unwrap();
        for length in [0, 1, 20, 28, 31, 33, 47, 49, 64] {
            let refused = store.sign(
                key,
                &[7; 64][..length],
                Nonce::Deterministic,
                NonceForm::XOnly,
            );
            assert_eq!(refused, Err(KeyError::DigestLength), "{length}");
        }
        // Both hash functions go with each curve: of a longer digest the leftmost bits count.
        for length in [32, 48] {
            let digest = &[0xE7; 48][..length];
            let signature = store.sign(key, digest, Nonce::Deterministic, NonceForm::Point);
            assert_eq!(verified(&public, digest, &signature.unwrap()), Ok(()));
        }
    }
}
