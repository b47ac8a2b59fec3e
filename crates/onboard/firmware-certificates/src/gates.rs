//! Gates around an operation, and its result for the host.

use core::hint::black_box;

use waywarden_can::node::{Retained, Slot};
use waywarden_firmware_link::{Answer, Link, Request, VERSION};
use waywarden_v2x_wire::hash::{HashFunction, hash};

/// Maximum length of a result, in bytes: a certificate with r is the longest.
const RESULT_MAX: usize = 320;

/// One run of the operations.
pub(crate) struct Gates<'a, L> {
    link: &'a mut L,
    seed: [u8; 32],
    /// Number of seeds that were taken.
    taken: u8,
    /// Number of results that were given.
    given: u8,
}

impl<'a, L: Link> Gates<'a, L> {
    /// Starts a run.
    ///
    /// # Panics
    /// If the answer to the first request is not that of a boot.
    pub(crate) fn boot(link: &'a mut L) -> Self {
        let seed = match link.exchange(&Request::Boot { version: VERSION }) {
            Answer::Boot { seed, .. } => seed,
            _ => panic!("the answer to the first request is not that of a boot"),
        };
        let (taken, given) = (0, 0);
        Self {
            link,
            seed,
            taken,
            given,
        }
    }

    /// Returns 32 bytes that the run has not used yet.
    pub(crate) fn seed(&mut self) -> [u8; 32] {
        self.taken += 1;
        let mut input = [0; 33];
        input[..32].copy_from_slice(&self.seed);
        input[32] = self.taken;
        sha_256(&input)
    }

    #[inline(never)]
    fn pass(&mut self) {
        self.link.exchange(&Request::Wait { until: None });
    }

    /// Computes something between two gates.
    pub(crate) fn count<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.pass();
        let result = black_box(work());
        self.pass();
        result
    }

    /// Gives the host the hash of a result, in the next slot.
    pub(crate) fn give(&mut self, parts: &[&[u8]]) {
        let mut result = [0; RESULT_MAX];
        let mut length = 0;
        for part in parts {
            result[length..][..part.len()].copy_from_slice(part);
            length += part.len();
        }
        let (slot, value) = (Slot(self.given), sha_256(&result[..length]));
        self.given += 1;
        self.link.exchange(&Request::Store { slot, value });
    }

    /// Ends the run, with one more request to wait.
    pub(crate) fn end(mut self) {
        self.pass();
    }
}

fn sha_256(bytes: &[u8]) -> Retained {
    let digest = hash(HashFunction::Sha256, bytes);
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}
