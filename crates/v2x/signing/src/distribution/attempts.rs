//! Certificates whose verification has begun, so that none is verified twice.

use alloc::collections::{BTreeSet, VecDeque};

use waywarden_v2x_security::hash::Digest;

/// Most certificates that are remembered: at 10 forged ones a second those of half a minute. An
/// attacker who sends fresh ones to push out others gains nothing: each costs one verification
/// either way.
pub(super) const ATTEMPTS_MAX: usize = 256;

/// Hashes of certificates that are being verified or turned out to be wrong, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempts {
    all: BTreeSet<Digest>,
    order: VecDeque<Digest>,
}

impl Attempts {
    /// Takes note that verification begins. Returns false if it began before.
    pub(super) fn begin(&mut self, certificate: Digest) -> bool {
        if !self.all.insert(certificate) {
            return false;
        }
        self.order.push_back(certificate);
        if self.order.len() > ATTEMPTS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.all.remove(&oldest);
        }
        true
    }

    /// Forgets a certificate, which may be verified again.
    pub(super) fn forget(&mut self, certificate: &Digest) {
        if self.all.remove(certificate) {
            self.order.retain(|other| other != certificate);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        debug_assert_eq!(self.all.len(), self.order.len());
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_v2x_security::hash::{HashFunction, hash};

    #[test]
    fn attempts_are_bounded_and_the_oldest_one_is_forgotten() {
        let digest = |number: usize| hash(HashFunction::Sha256, &number.to_be_bytes());
        let mut attempts = Attempts::default();
        for number in 0..2 * ATTEMPTS_MAX {
            assert!(attempts.begin(digest(number)));
            assert!(!attempts.begin(digest(number)), "{number} began before");
            assert!(attempts.len() <= ATTEMPTS_MAX);
        }
        assert!(!attempts.begin(digest(ATTEMPTS_MAX)), "still remembered");
        attempts.forget(&digest(ATTEMPTS_MAX));
        assert_eq!(attempts.len(), ATTEMPTS_MAX - 1);
        assert!(attempts.begin(digest(ATTEMPTS_MAX)), "forgotten by request");
        assert!(attempts.begin(digest(0)), "the oldest one was forgotten");
    }
}
