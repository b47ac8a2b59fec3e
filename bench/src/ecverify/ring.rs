//! ring: keys are bytes to it and it hashes itself, which costs little for 32 bytes.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, UnparsedPublicKey, VerificationAlgorithm,
};
use waywarden_ecverify::Curve;

use super::POOL;
use super::material;
use crate::race::Contestant;

/// One signature; none where ring does not know the curve.
pub(super) fn verify(curve: Curve) -> Option<Contestant> {
    let algorithm: &'static dyn VerificationAlgorithm = match curve {
        Curve::P256 => &ECDSA_P256_SHA256_FIXED,
        Curve::P384 => &ECDSA_P384_SHA384_FIXED,
        Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1 => return None,
    };
    let parsed = material::signed(curve, POOL)
        .into_iter()
        .map(|signed| {
            let signature = [signed.r, signed.s].concat();
            let key = UnparsedPublicKey::new(algorithm, signed.public);
            (key, signed.message, signature)
        })
        .collect();
    Some(Contestant::new(
        "ring",
        parsed,
        |(key, message, signature)| assert!(key.verify(message, signature).is_ok()),
    ))
}
