//! Randomness from the caller, spread over what one call needs.

use hkdf::Hkdf;
use sha2::Sha256;
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
}
