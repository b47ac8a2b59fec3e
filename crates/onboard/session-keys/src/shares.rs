//! The seeds and the slots of an ECU's roles at a boot.

use waywarden_can::node::{Boot, Slot};
use waywarden_key_suites::Entropy;

/// Hands out to each role of an ECU a seed and slots of its own, in the order of the roles.
pub struct RoleShares<'a> {
    boot: Boot<'a>,
    seeds: Entropy,
    free: usize,
}

impl<'a> RoleShares<'a> {
    /// Begins a boot.
    #[must_use]
    pub fn new(boot: &Boot<'a>) -> Self {
        RoleShares {
            seeds: Entropy::new(boot.seed),
            boot: *boot,
            free: 0,
        }
    }

    /// Returns the boot of the next role, and the first of its slots, of which it has so many.
    pub fn next(&mut self, slots: usize) -> (Boot<'a>, Slot) {
        let seed = *self.seeds.draw().as_bytes();
        // There are slots for all: their number is checked where the roles are chosen.
        let slot = Slot(self.free as u8);
        self.free += slots;
        (Boot { seed, ..self.boot }, slot)
    }
}
