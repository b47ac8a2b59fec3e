//! Properties that must always hold, and the state that their checks need.

/// Number of keys that are remembered.
const REMEMBERED: usize = 64;

/// The keys that the orchestrator has proven, by epoch.
pub(super) struct Proven {
    keys: [Option<(u64, [u8; 32])>; REMEMBERED],
    count: usize,
}

impl Proven {
    pub(super) const fn new() -> Self {
        Proven {
            keys: [None; REMEMBERED],
            count: 0,
        }
    }

    pub(super) fn note(&mut self, epoch: u64, key: &[u8; 32]) {
        if self.keys[self.count.wrapping_sub(1) % REMEMBERED] != Some((epoch, *key)) {
            self.keys[self.count % REMEMBERED] = Some((epoch, *key));
            self.count += 1;
        }
    }

    /// Only the orchestrator holds a key here, so no other role can have proven one.
    pub(super) fn check(&self, epoch: u64, key: &[u8; 32]) {
        let found = self.keys.iter().flatten().find(|(at, _)| *at == epoch);
        match found {
            Some((_, proven)) => assert!(proven == key, "two keys for epoch {epoch}"),
            None => assert!(self.count > REMEMBERED, "epoch {epoch} was never proven"),
        }
    }
}
