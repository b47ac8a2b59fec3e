//! 32 bytes that no other party may know.

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// 32 secret bytes: a seed, a shared secret, a key. Wiped on drop; no `Debug`, no `Clone`;
/// compared in constant time.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Takes the bytes. The caller's own copy of them is the caller's to wipe.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Secret(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Makes a second copy, for a place that outlives this one.
    #[must_use]
    pub const fn duplicate(&self) -> Self {
        Secret(self.0)
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Secret {}
