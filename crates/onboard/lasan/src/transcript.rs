//! The transcript that is signed and that keys are derived from in `hardened` and `compact`: three
//! digests, each over the one before.
//!
//! The first binds the start-up message and its sender, the second the ECU, the security module's
//! nonce and the ECU's part in the agreement, the third the security module's part. Every field has
//! a length that follows from suite, profile and kind, so parts in a row are unambiguous.

#[cfg(test)]
mod tests;

use zeroize::Zeroizing;

use super::length::{NONCE_LENGTH, PROOF_LENGTH};
use super::name::Name;
use super::profile::LasanProfile;
use waywarden_key_roles::Address;
use waywarden_key_suites::symmetric::{TagError, hkdf_sha256, hmac_tag, sha256, verify_hmac_tag};
use waywarden_key_suites::{Meter, Secret};

/// The constant that the security module signs at each start as published \[LASAN, testbed\].
pub(super) const PUBLISHED_STARTUP: [u8; 6] = [0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF];

/// SHA-256 of what two parties have in common so far.
pub(super) type Digest = [u8; 32];

/// A party as a transcript names it.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) address: Address,
    pub(super) name: Name,
    /// The digest of its public key.
    pub(super) key: &'a Digest,
}

/// The digest of a public key, as it is enrolled.
pub(super) fn key_digest(meter: &mut impl Meter, key: &[u8]) -> Digest {
    sha256(meter, &[b"waywarden-lasan-1 key", key])
}

/// The first digest, which the security module signs.
pub(super) fn startup(
    meter: &mut impl Meter,
    suite: u8,
    profile: LasanProfile,
    module: Named<'_>,
    fields: &[u8],
    offer: &[u8],
) -> Digest {
    let profile = match profile {
        #[cfg(feature = "as-published")]
        LasanProfile::AsPublished => 0,
        LasanProfile::Hardened => 1,
        LasanProfile::Compact => 2,
    };
    sha256(
        meter,
        &[
            b"waywarden-lasan-1 startup",
            &[suite, profile, module.address.0],
            &module.name.0,
            module.key,
            fields,
            offer,
        ],
    )
}

/// The second digest, which the ECU signs in `hardened`.
pub(super) fn register(
    meter: &mut impl Meter,
    startup: &Digest,
    ecu: Named<'_>,
    nonce: &[u8; NONCE_LENGTH],
    answer: &[u8],
) -> Digest {
    sha256(
        meter,
        &[
            b"waywarden-lasan-1 register",
            startup,
            &[ecu.address.0],
            &ecu.name.0,
            ecu.key,
            nonce,
            answer,
        ],
    )
}

/// The third digest; `challenge` is what the security module encapsulated to the ECU in `compact`.
pub(super) fn agreed(meter: &mut impl Meter, register: &Digest, challenge: &[u8]) -> Digest {
    sha256(meter, &[b"waywarden-lasan-1 agreed", register, challenge])
}

/// The key and initial vector of one direction of a session.
pub(super) struct Half {
    pub(super) key: Secret,
    pub(super) initial: Zeroizing<[u8; 12]>,
}

/// All keys of a session.
pub(super) struct Keys {
    /// From the security module to the ECU.
    pub(super) module: Half,
    /// From the ECU to the security module.
    pub(super) ecu: Half,
    /// For the proofs of the two, in the same order.
    pub(super) proofs: [Secret; 2],
    /// For a caller that wants a key of this session.
    pub(super) exporter: Secret,
}

/// Derives the keys of a session from the secrets of both agreements; `hardened` has one only.
pub(super) fn keys(
    meter: &mut impl Meter,
    agreed: &Digest,
    secret: &Secret,
    challenge: Option<&Secret>,
) -> Keys {
    let mut material = Zeroizing::new([0; 64]);
    material[..32].copy_from_slice(secret.as_bytes());
    let mut length = 32;
    if let Some(challenge) = challenge {
        material[32..].copy_from_slice(challenge.as_bytes());
        length = 64;
    }
    let mut out = Zeroizing::new([0; 184]);
    let info: [&[u8]; 1] = [b"waywarden-lasan-1 session"];
    hkdf_sha256(meter, agreed, &material[..length], &info, &mut out);
    let secret = |at: usize| {
        let mut bytes = Zeroizing::new([0; 32]);
        bytes.copy_from_slice(&out[at..at + 32]);
        Secret::from_bytes(*bytes)
    };
    let initial = |at: usize| {
        let mut bytes = Zeroizing::new([0; 12]);
        bytes.copy_from_slice(&out[at..at + 12]);
        bytes
    };
    Keys {
        module: Half {
            key: secret(0),
            initial: initial(160),
        },
        ecu: Half {
            key: secret(32),
            initial: initial(172),
        },
        proofs: [secret(64), secret(96)],
        exporter: secret(128),
    }
}

/// Proves that one has the keys.
pub(super) fn proof(meter: &mut impl Meter, key: &Secret, agreed: &Digest) -> [u8; PROOF_LENGTH] {
    hmac_tag(meter, key.as_bytes(), &[agreed])
}

/// Checks the other's proof.
pub(super) fn verify_proof(
    meter: &mut impl Meter,
    key: &Secret,
    agreed: &Digest,
    proof: &[u8],
) -> Result<(), TagError> {
    let proof: &[u8; PROOF_LENGTH] = proof.try_into().map_err(|_| TagError)?;
    verify_hmac_tag(meter, key.as_bytes(), &[agreed], proof)
}
