//! Primitives of the libraries for a whole message or certificate on P-256: SHA-256, a signature
//! with one private key, and its verification. Encoding and checks of permissions are ours alone,
//! so a ratio of 1 means that they cost nothing beside the cryptography.

use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, ParsedPublicKey,
    UnparsedPublicKey,
};
use ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};
use openssl::ecdsa::EcdsaSig;
use sha2::{Digest as _, Sha256};
use waywarden_ecverify::Curve;

use super::peers::{openssl_key, public_key};
use super::private_key;
use crate::race::Contestant;

/// A library with a key pair.
pub(super) struct Primitives {
    name: &'static str,
    sha256: fn(&[u8]) -> [u8; 32],
    sign: Sign,
}

/// Signs a digest; verifies the signature if asked to.
type Sign = Box<dyn Fn(&[u8; 32], bool)>;

impl Primitives {
    /// Hashes `length` bytes, then that digest beside another one, and signs: a message
    /// \[1609.2 §5.3.1\] or, with `verified`, a certificate that its issuer checks.
    pub(super) fn signs(self, length: usize, verified: bool) -> Contestant {
        let contents = vec![0x2A; length];
        let Self { name, sha256, sign } = self;
        Contestant::new(name, vec![[0x51_u8; 32]], move |signer| {
            let both = [sha256(&contents), *signer].concat();
            sign(&sha256(&both), verified);
        })
    }
}

/// Every library.
pub(super) fn all() -> [Primitives; 3] {
    [openssl(), aws_lc(), rustcrypto()]
}

fn openssl() -> Primitives {
    let key = openssl_key(Curve::P256);
    Primitives {
        name: "OpenSSL",
        sha256: openssl::sha::sha256,
        sign: Box::new(move |digest, verified| {
            let signature = EcdsaSig::sign(digest, &key).expect("signs");
            assert!(!verified || signature.verify(digest, &key).expect("memory"));
        }),
    }
}

fn aws_lc() -> Primitives {
    let (private, public) = (private_key(Curve::P256), public_key(Curve::P256));
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let key = EcdsaKeyPair::from_private_key_and_public_key(algorithm, &private, &public);
    let key = key.expect("a key");
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &public);
    let public: ParsedPublicKey = public.parse().expect("a point");
    Primitives {
        name: "aws-lc-rs",
        sha256: |bytes| {
            let digest = digest::digest(&digest::SHA256, bytes);
            digest.as_ref().try_into().expect("32 bytes")
        },
        sign: Box::new(move |digest, verified| {
            let digest = Digest::import_less_safe(digest, &digest::SHA256).expect("its length");
            let signature = key.sign_digest(&digest).expect("signs");
            assert!(
                !verified
                    || public
                        .verify_digest_sig(&digest, signature.as_ref())
                        .is_ok()
            );
        }),
    }
}

fn rustcrypto() -> Primitives {
    let key = ecdsa::SigningKey::<p256::NistP256>::from_slice(&private_key(Curve::P256));
    let key = key.expect("a key");
    let public = *key.verifying_key();
    Primitives {
        name: "RustCrypto",
        sha256: |bytes| Sha256::digest(bytes).into(),
        sign: Box::new(move |digest, verified| {
            let signature: ecdsa::Signature<p256::NistP256> =
                key.sign_prehash(digest).expect("signs");
            assert!(!verified || public.verify_prehash(digest, &signature).is_ok());
        }),
    }
}
