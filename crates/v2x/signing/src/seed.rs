//! Randomness from the caller, spread over what one call needs.

use hkdf::Hkdf;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// 32 bytes of a random generator, for one call. They are wiped when they are dropped.
pub struct Seed(Zeroizing<[u8; 32]>);

impl Seed {
    /// Takes the bytes. They are used for nothing else.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Returns bytes for one purpose: HKDF-SHA-256 of the seed. Different purposes and numbers give
    /// independent bytes.
    #[must_use]
    pub fn derive<const N: usize>(&self, purpose: &str, number: u32) -> Zeroizing<[u8; N]> {
        // HKDF-SHA-256 gives up to 255 blocks of 32 bytes.
        const { assert!(N <= 64) };
        let derivation = Hkdf::<Sha256>::new(Some(b"waywarden-v2x-signing"), &*self.0);
        let mut derived = Zeroizing::new([0; N]);
        let info: [&[u8]; 2] = [purpose.as_bytes(), &number.to_be_bytes()];
        let done = derivation.expand_multi_info(&info, &mut *derived);
        done.expect("64 bytes are fewer than 8,160");
        derived
    }

    /// Returns a seed that depends on data, too. A seed that comes back, after a reset or in a copy
    /// of a device, then gives other bytes for other data.
    #[must_use]
    pub fn bound_to(&self, data: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in data {
            // With its length, so that no two lists of parts are hashed alike.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash = Zeroizing::new(<[u8; 32]>::from(hash.finalize()));
        let derivation = Hkdf::<Sha256>::new(Some(b"waywarden-v2x-signing bound"), &*self.0);
        let mut bound = Zeroizing::new([0; 32]);
        let done = derivation.expand(&*hash, &mut *bound);
        done.expect("32 bytes are fewer than 8,160");
        Self(bound)
    }
}
