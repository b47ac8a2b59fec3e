//! RustCrypto: the crates `p256`, `p384`, `bp256` and `bp384`.

use ecdsa::signature::hazmat::PrehashVerifier as _;
use p256::elliptic_curve::ops::{MulVartime as _, Reduce as _};
use p256::elliptic_curve::sec1::FromSec1Point as _;
use waywarden_ecverify::Curve;

use super::POOL;
use super::material;
use crate::race::Contestant;

const NAME: &str = "RustCrypto";

/// Parses the pool for one curve.
macro_rules! contestant {
    ($theirs:ty, $curve:expr) => {{
        let parsed = material::signed($curve, POOL)
            .into_iter()
            .map(|one| {
                let key = ecdsa::VerifyingKey::<$theirs>::from_sec1_bytes(&one.public)
                    .expect("a point of the curve");
                let signature = ecdsa::Signature::<$theirs>::from_slice(&[one.r, one.s].concat())
                    .expect("in range");
                (key, one.digest, signature)
            })
            .collect();
        Contestant::new(NAME, parsed, |(key, digest, signature)| {
            assert!(key.verify_prehash(digest, signature).is_ok());
        })
    }};
}

/// One signature of a parsed key.
pub(super) fn verify(curve: Curve) -> Contestant {
    match curve {
        Curve::P256 => contestant!(p256::NistP256, curve),
        Curve::P384 => contestant!(p384::NistP384, curve),
        Curve::BrainpoolP256r1 => contestant!(bp256::BrainpoolP256r1, curve),
        Curve::BrainpoolP384r1 => contestant!(bp384::BrainpoolP384r1, curve),
    }
}

/// A message under an implicit certificate.
pub(super) fn receive() -> Contestant {
    let all = material::implicit(POOL);
    let ca = p256::AffinePoint::from_sec1_bytes(&all[0].ca).expect("a point of the curve");
    let parsed = all
        .into_iter()
        .map(|one| {
            let bytes = [one.signed.r.clone(), one.signed.s.clone()].concat();
            (
                p256::ecdsa::Signature::from_slice(&bytes).expect("in range"),
                one,
            )
        })
        .collect();
    Contestant::new(NAME, parsed, move |(signature, one)| {
        let reconstruction =
            p256::AffinePoint::from_sec1_bytes(&one.reconstruction).expect("a point of the curve");
        let e = p256::Scalar::reduce(&p256::FieldBytes::from(one.e));
        let sum = p256::ProjectivePoint::from(reconstruction).mul_vartime(&e) + ca;
        let key = p256::ecdsa::VerifyingKey::from_affine(sum.to_affine()).expect("not infinity");
        assert!(key.verify_prehash(&one.signed.digest, signature).is_ok());
    })
}
