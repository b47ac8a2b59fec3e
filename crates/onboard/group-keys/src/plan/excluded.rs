//! The set of ECUs that do not take part.

use super::ADDRESSES;
use waywarden_key_roles::Address;

/// The physical ECUs that do not take part: removed ones, and ones that do not answer. The
/// orchestrator stands in for them [GKE §III-D].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Excluded([u8; ADDRESSES / 8]);

impl Excluded {
    /// Returns true if an ECU is excluded.
    #[must_use]
    pub const fn contains(&self, address: Address) -> bool {
        self.0[address.0 as usize / 8] >> (address.0 % 8) & 1 != 0
    }

    /// Excludes an ECU, or includes it again.
    pub const fn set(&mut self, address: Address, excluded: bool) {
        let bit = 1 << (address.0 % 8);
        let byte = &mut self.0[address.0 as usize / 8];
        *byte = if excluded { *byte | bit } else { *byte & !bit };
    }

    /// Reads the bytes of [`Excluded::as_bytes`].
    #[must_use]
    pub const fn from_bytes(bytes: [u8; ADDRESSES / 8]) -> Self {
        Excluded(bytes)
    }

    /// Returns one bit for each address: bit a mod 8, of which 0 is the least significant, of byte
    /// a / 8 for address a.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; ADDRESSES / 8] {
        &self.0
    }
}
