//! Random material for an ECU that gets 32 random bytes at each start and no more.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Secret, symmetric};

/// Domain separation of the hash, so that a seed used elsewhere too gives nothing away.
const LABEL: &[u8] = b"waywarden entropy";

/// Secrets without end from one seed: output i is HMAC-SHA-256(key, label ‖ i ‖ 0), and the key
/// then becomes HMAC-SHA-256(key, label ‖ i ‖ 1).
///
/// So an attacker who takes an ECU apart learns nothing of the secrets it drew before. `Choice:`
/// \[GKE\] assumes a source of random numbers and names none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::hex;

    #[test]
    fn secrets_meet_known_answers() {
        // By a few lines of Python, from the formula.
        let mut entropy = Entropy::new(core::array::from_fn(|i| i as u8));
        for expected in [
            "28c4157a778ba28518d33053a0f7731c043b40beb08c69cad58d0307d3c7e18a",
            "5c313d762de06e076a273c6acbc75ff08f90c0444c968bfab38544aafc058fdc",
            "f0a37856ffc5782662d5763ea01e7e968328e918b1bc69701aa0bfe913ea8e28",
        ] {
            assert_eq!(*entropy.draw().as_bytes(), hex(expected));
        }
    }

    #[test]
    fn the_past_cannot_be_drawn_again() {
        let mut entropy = Entropy::new([9; 32]);
        let first = entropy.draw();
        // All that is left inside, from the beginning.
        let mut captured = Entropy::new(entropy.key);
        for _ in 0..100 {
            assert!(captured.draw() != first);
        }
    }
}
