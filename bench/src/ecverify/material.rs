//! Keys, implicit certificates and signatures in plain bytes, by RustCrypto.

use ecdsa::signature::hazmat::PrehashSigner as _;
use p256::elliptic_curve::PrimeField as _;
use p256::elliptic_curve::ops::Reduce as _;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use sha2::{Digest as _, Sha256, Sha384};
use waywarden_ecverify::Curve;

/// Bytes of a message.
const MESSAGE: usize = 32;

/// A signature and all it takes to verify it.
pub(super) struct Signed {
    /// The signed message; a peer that hashes itself gets it.
    pub(super) message: [u8; MESSAGE],
    /// SHA-256 of the message, SHA-384 on curves of 384 bits.
    pub(super) digest: Vec<u8>,
    /// 04, x, y.
    pub(super) public: Vec<u8>,
    pub(super) r: Vec<u8>,
    pub(super) s: Vec<u8>,
}

/// A signature on P-256 by the key of an implicit certificate.
pub(super) struct Implicit {
    /// The signature; `public` is the key that the certificate stands for.
    pub(super) signed: Signed,
    /// The hash of certificate and issuer.
    pub(super) e: [u8; 32],
    /// The reconstruction value, compressed: 33 bytes.
    pub(super) reconstruction: Vec<u8>,
    /// The authority's key, not compressed: the same for all.
    pub(super) ca: Vec<u8>,
}

/// 32 bytes for `index` that differ in all places.
fn bytes(what: &str, index: usize) -> [u8; 32] {
    Sha256::digest(format!("{what} {index}")).into()
}

/// Signs message number `index` with a RustCrypto key of the curve.
macro_rules! sign {
    ($curve:ty, $signer:expr, $hash:ty, $index:expr) => {{
        let signer: ecdsa::SigningKey<$curve> = $signer;
        let message = bytes("message", $index);
        let digest = <$hash>::digest(message).to_vec();
        let signature: ecdsa::Signature<$curve> = signer.sign_prehash(&digest).expect("signs");
        let (r, s) = signature.split_bytes();
        let public = signer.verifying_key().to_sec1_point(false);
        Signed {
            message,
            digest,
            public: public.as_bytes().to_vec(),
            r: r.to_vec(),
            s: s.to_vec(),
        }
    }};
}

/// A key from 32 bytes, filled up with zeros in front.
macro_rules! signer {
    ($index:expr, $length:literal) => {{
        let mut secret = [0; $length];
        secret[$length - 32..].copy_from_slice(&bytes("secret", $index));
        // The order of a Brainpool curve may be below 32 random bytes, not below half of them.
        secret[$length - 32] &= 0x7f;
        ecdsa::SigningKey::from_slice(&secret).expect("below the order")
    }};
}

/// `count` signatures of as many keys.
pub(super) fn signed(curve: Curve, count: usize) -> Vec<Signed> {
    let signed = |index| match curve {
        Curve::P256 => sign!(p256::NistP256, signer!(index, 32), Sha256, index),
        Curve::P384 => sign!(p384::NistP384, signer!(index, 48), Sha384, index),
        Curve::BrainpoolP256r1 => {
            sign!(bp256::BrainpoolP256r1, signer!(index, 32), Sha256, index)
        }
        Curve::BrainpoolP384r1 => {
            sign!(bp384::BrainpoolP384r1, signer!(index, 48), Sha384, index)
        }
    };
    (0..count).map(signed).collect()
}

/// `count` signatures under as many implicit certificates of one authority.
pub(super) fn implicit(count: usize) -> Vec<Implicit> {
    let reduce = |bytes| p256::Scalar::reduce(&p256::FieldBytes::from(bytes));
    let scalar = |what, index| reduce(bytes(what, index));
    let point = |scalar: p256::Scalar, compressed| {
        let point = (p256::ProjectivePoint::GENERATOR * scalar).to_affine();
        point.to_sec1_point(compressed).as_bytes().to_vec()
    };
    let authority = scalar("authority", 0);
    let implicit = |index| {
        let (own, e) = (scalar("reconstruction", index), bytes("hash", index));
        let secret = (reduce(e) * own + authority).to_repr();
        Implicit {
            signed: sign!(
                p256::NistP256,
                ecdsa::SigningKey::from_bytes(&secret).expect("not zero"),
                Sha256,
                index
            ),
            e,
            reconstruction: point(own, true),
            ca: point(authority, false),
        }
    };
    (0..count).map(implicit).collect()
}
