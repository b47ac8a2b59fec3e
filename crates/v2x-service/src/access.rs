//! Who may have private keys used, and for what.

use std::collections::BTreeSet;

use waywarden_v2x_wire::ieee1609dot2::Psid;

/// What a client may ask for beside what everybody may: to verify, to encrypt, and to learn what is
/// known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// The applications that it may have messages signed for.
    pub sign: BTreeSet<Psid>,
    /// Whether it may have messages decrypted.
    pub decrypt: bool,
}

impl Grant {
    /// Returns a grant of what this one and another one permit.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            sign: self.sign.union(&other.sign).copied().collect(),
            decrypt: self.decrypt || other.decrypt,
        }
    }
}
