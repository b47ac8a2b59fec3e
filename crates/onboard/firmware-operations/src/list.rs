//! The operations, in the order of the table of their counts.

use sha2::{Sha384, Sha512};
use waywarden_can_auth::mac::{AesCmac, HmacSha256, SipHash, SpongentMac};
use waywarden_ecverify::Curve;
use waywarden_key_suites::{FourQ, MlDsa44, MlKem512, MlKem768, P256};
use waywarden_work::Algorithm as A;
use waywarden_work::Operation;
use waywarden_work::OperationKind as K;

use crate::curves::{
    MESSAGE, extract, key_generate, key_rebuild, share, sign, verify_explicit, verify_implicit,
    verify_signature, x25519_extract, x25519_share,
};
use crate::post_quantum::{decapsulate, encapsulate, kem_key_generate, verify_given};
use crate::symmetric::{decrypt_ctr, encrypt_ctr, hkdf, open_gcm, seal_gcm, sha_2, sha_256, tag};
use crate::{CountedOperation, Run};

const fn row(
    kind: K,
    algorithm: A,
    bytes: usize,
    by: &'static str,
    run: fn(&mut Run<'_>),
) -> CountedOperation {
    CountedOperation {
        operation: Operation::new(kind, algorithm, bytes as u32),
        by,
        run,
    }
}

const BP256: Curve = Curve::BrainpoolP256r1;
const BP384: Curve = Curve::BrainpoolP384r1;

const CODES: &str = "can-auth";
const SUITES: &str = "key-suites";
const V2X: &str = "ecverify";
const IMPLICIT: &str = "ecverify, implicit certificate";

/// Every operation that is counted. Of several rows for one operation the first is that of a board.
#[rustfmt::skip]
pub static OPERATIONS: &[CountedOperation] = &[
    row(K::Tag, A::Aes128Cmac, 16, CODES, tag::<AesCmac, 16>),
    row(K::Tag, A::Aes128Cmac, 64, CODES, tag::<AesCmac, 64>),
    row(K::Tag, A::Aes128Cmac, 256, CODES, tag::<AesCmac, 256>),
    row(K::Tag, A::HmacSha256, 16, CODES, tag::<HmacSha256, 16>),
    row(K::Tag, A::HmacSha256, 64, CODES, tag::<HmacSha256, 64>),
    row(K::Tag, A::HmacSha256, 256, CODES, tag::<HmacSha256, 256>),
    row(K::Tag, A::SipHash, 16, CODES, tag::<SipHash, 16>),
    row(K::Tag, A::SipHash, 64, CODES, tag::<SipHash, 64>),
    row(K::Tag, A::SipHash, 256, CODES, tag::<SipHash, 256>),
    row(K::Tag, A::SpongentMac, 14, CODES, tag::<SpongentMac, 14>),
    row(K::Tag, A::SpongentMac, 64, CODES, tag::<SpongentMac, 64>),
    row(K::Hash, A::Sha256, 16, SUITES, sha_256::<16>),
    row(K::Hash, A::Sha256, 64, SUITES, sha_256::<64>),
    row(K::Hash, A::Sha256, 1024, SUITES, sha_256::<1024>),
    row(K::Hash, A::Sha384, 16, "sha2", sha_2::<Sha384, 16>),
    row(K::Hash, A::Sha384, 1024, "sha2", sha_2::<Sha384, 1024>),
    row(K::Hash, A::Sha512, 16, "sha2", sha_2::<Sha512, 16>),
    row(K::Hash, A::Sha512, 1024, "sha2", sha_2::<Sha512, 1024>),
    row(K::KeyDerive, A::HkdfSha256, 32, SUITES, hkdf::<32>),
    row(K::KeyDerive, A::HkdfSha256, 224, SUITES, hkdf::<224>),
    row(K::Encrypt, A::Aes128Ctr, 64, SUITES, encrypt_ctr::<64>),
    row(K::Encrypt, A::Aes128Ctr, 256, SUITES, encrypt_ctr::<256>),
    row(K::Decrypt, A::Aes128Ctr, 64, SUITES, decrypt_ctr::<64>),
    row(K::Decrypt, A::Aes128Ctr, 256, SUITES, decrypt_ctr::<256>),
    row(K::Encrypt, A::Aes256Gcm, 64, SUITES, seal_gcm::<64>),
    row(K::Encrypt, A::Aes256Gcm, 256, SUITES, seal_gcm::<256>),
    row(K::Decrypt, A::Aes256Gcm, 64, SUITES, open_gcm::<64>),
    row(K::Decrypt, A::Aes256Gcm, 256, SUITES, open_gcm::<256>),
    row(K::KeyGenerate, A::FourQ, 0, SUITES, key_generate::<FourQ>),
    row(K::Share, A::FourQ, 0, SUITES, share::<FourQ>),
    row(K::Extract, A::FourQ, 0, SUITES, extract::<FourQ>),
    row(K::Sign, A::FourQ, MESSAGE, SUITES, sign::<FourQ>),
    row(K::Verify, A::FourQ, MESSAGE, SUITES, verify_signature::<FourQ>),
    row(K::KeyGenerate, A::P256, 0, SUITES, key_generate::<P256>),
    row(K::Share, A::P256, 0, SUITES, share::<P256>),
    row(K::Extract, A::P256, 0, SUITES, extract::<P256>),
    row(K::Sign, A::P256, MESSAGE, SUITES, sign::<P256>),
    row(K::Verify, A::P256, MESSAGE, SUITES, verify_signature::<P256>),
    row(K::Verify, A::P256, MESSAGE, V2X, |run| verify_explicit(run, Curve::P256)),
    row(K::Verify, A::P256, MESSAGE, IMPLICIT, |run| verify_implicit(run, Curve::P256)),
    row(K::KeyRebuild, A::P256, 0, V2X, |run| key_rebuild(run, Curve::P256)),
    row(K::Verify, A::P384, 48, V2X, |run| verify_explicit(run, Curve::P384)),
    row(K::KeyRebuild, A::P384, 0, V2X, |run| key_rebuild(run, Curve::P384)),
    row(K::Verify, A::BrainpoolP256r1, MESSAGE, V2X, |run| verify_explicit(run, BP256)),
    row(K::KeyRebuild, A::BrainpoolP256r1, 0, V2X, |run| key_rebuild(run, BP256)),
    row(K::Verify, A::BrainpoolP384r1, 48, V2X, |run| verify_explicit(run, BP384)),
    row(K::KeyRebuild, A::BrainpoolP384r1, 0, V2X, |run| key_rebuild(run, BP384)),
    row(K::Share, A::X25519, 0, "x25519-dalek", x25519_share),
    row(K::Extract, A::X25519, 0, "x25519-dalek", x25519_extract),
    row(K::KemKeyGenerate, A::MlKem512, 0, SUITES, kem_key_generate::<MlKem512>),
    row(K::Encapsulate, A::MlKem512, 0, SUITES, encapsulate::<MlKem512>),
    row(K::Decapsulate, A::MlKem512, 0, SUITES, decapsulate::<MlKem512>),
    row(K::KemKeyGenerate, A::MlKem768, 0, SUITES, kem_key_generate::<MlKem768>),
    row(K::Encapsulate, A::MlKem768, 0, SUITES, encapsulate::<MlKem768>),
    row(K::Decapsulate, A::MlKem768, 0, SUITES, decapsulate::<MlKem768>),
    row(K::KeyGenerate, A::MlDsa44, 0, SUITES, key_generate::<MlDsa44>),
    row(K::Sign, A::MlDsa44, MESSAGE, SUITES, sign::<MlDsa44>),
    row(K::Verify, A::MlDsa44, MESSAGE, SUITES, verify_given::<MlDsa44>),
];
