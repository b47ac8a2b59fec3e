//! Random material for an ECU that gets 32 random bytes at each start and no more.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Secret, symmetric};

/// Stands before what is hashed here, so that a seed used elsewhere too gives nothing away.
const LABEL: &[u8] = b"waywarden entropy";

/// Secrets without end from one seed: output i is HMAC-SHA-256(key, label ‖ i ‖ 0), and the key then
/// becomes HMAC-SHA-256(key, label ‖ i ‖ 1).
///
/// So whoever takes an ECU apart learns nothing of the secrets it drew before. `Choice:` \[GKE\]
/// assumes a source of random numbers and names none.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Entropy {
    key: [u8; 32],
    drawn: u64,
}

impl Entropy {
    /// Starts from a seed, which must be random, secret, and another at each start of each ECU.
    #[must_use]
    pub const fn new(seed: [u8; 32]) -> Self {
        Entropy {
            key: seed,
            drawn: 0,
        }
    }

    /// Draws the next secret.
    pub fn draw(&mut self) -> Secret {
        let secret = Secret::from_bytes(self.block(0));
        self.key = self.block(1);
        // At a billion a second this lasts 584 years.
        self.drawn = self.drawn.wrapping_add(1);
        secret
    }

    fn block(&self, purpose: u8) -> [u8; 32] {
        let counter = self.drawn.to_be_bytes();
        *symmetric::hmac(&self.key, &[LABEL, &counter, &[purpose]])
    }
}
