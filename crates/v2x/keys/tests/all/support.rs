//! Shared functions of the tests.

use p256::elliptic_curve::ops::Reduce;
use p256::{FieldBytes, Scalar};
use waywarden_ecverify::{Curve, EncodedPoint, Job, JobKey, Point, SignatureRefusal, verify};
use waywarden_v2x_keys::{KeyHandle, KeyStore, PrivateKey, Signature, SoftwareStore, Uses};

/// All uses: tests of arithmetic do not ask for one.
pub(crate) fn all_uses() -> Uses {
    Uses::SIGN | Uses::AGREE | Uses::RECONSTRUCT | Uses::ISSUE_IMPLICIT | Uses::EXPAND
}

/// Takes a private key of any curve into a store.
pub(crate) fn import<const KEYS: usize, const NONCES: usize>(
    store: &mut SoftwareStore<KEYS, NONCES>,
    curve: Curve,
    scalar: &[u8],
) -> KeyHandle {
    let key = PrivateKey::new(curve, scalar).expect("the length of the order");
    store.import(&key, all_uses()).expect("a scalar in 1..n")
}

/// Returns a key's private value.
pub(crate) fn exported<const KEYS: usize, const NONCES: usize>(
    store: &SoftwareStore<KEYS, NONCES>,
    key: KeyHandle,
) -> Vec<u8> {
    store.export(key).expect("a key").as_bytes().to_vec()
}

/// Returns the point of two coordinates.
pub(crate) fn point(curve: Curve, x: &[u8], y: &[u8]) -> Point {
    Point::decode(curve, &EncodedPoint::Uncompressed { x, y }).expect("a point of the curve")
}

/// Returns 32 bytes as a scalar of P-256.
pub(crate) fn scalar(bytes: &[u8]) -> Scalar {
    let bytes = FieldBytes::try_from(bytes).expect("32 bytes");
    <Scalar as Reduce<FieldBytes>>::reduce(&bytes)
}

/// Verifies a signature.
pub(crate) fn verified(
    public: &Point,
    digest: &[u8],
    signature: &Signature,
) -> Result<(), SignatureRefusal> {
    verify(&Job {
        curve: public.curve(),
        digest,
        signature: signature.encoded(),
        key: JobKey::Explicit(public.uncompressed()),
        sender: None,
    })
}

/// Makes a store with one key for all uses.
pub(crate) fn store_with_key(curve: Curve, seed: u8) -> (SoftwareStore<4>, KeyHandle) {
    let mut store = SoftwareStore::new();
    let key = store.generate(curve, all_uses(), &[seed; 32]).unwrap();
    (store, key)
}
