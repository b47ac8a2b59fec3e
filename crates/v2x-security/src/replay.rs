//! Which messages came before. Bounded: under a flood the oldest ones go, and what is as old as
//! they were is then refused, so that no flood makes room for a replay.

use alloc::collections::BTreeSet;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::hash::Digest;

/// So many bytes of a digest tell messages apart.
const KEY_BYTES: usize = 16;

/// Messages that were accepted, by when they were made.
#[derive(Clone, Debug)]
pub struct ReplayCache {
    seen: BTreeSet<(u64, [u8; KEY_BYTES])>,
    capacity: usize,
    /// Whether a message that was made at this time or earlier came before is not known any more.
    floor: Option<u64>,
}

impl ReplayCache {
    /// Remembers so many messages at the most.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            seen: BTreeSet::new(),
            capacity: capacity.max(1),
            floor: None,
        }
    }

    /// Returns how many messages it remembers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether it remembers none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Returns how much memory it can come to use, in bytes: a set of trees has nodes of eleven
    /// entries of which half may be empty.
    #[must_use]
    pub fn memory_max(&self) -> usize {
        self.capacity * size_of::<(u64, [u8; KEY_BYTES])>() * 2
    }

    fn key(made: Time64, digest: &Digest) -> (u64, [u8; KEY_BYTES]) {
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&digest.as_bytes()[..KEY_BYTES]);
        (made.0, key)
    }

    /// Whether a message came before, or may have.
    #[must_use]
    pub fn has(&self, made: Time64, digest: &Digest) -> bool {
        self.floor.is_some_and(|floor| made.0 <= floor)
            || self.seen.contains(&Self::key(made, digest))
    }

    /// Remembers a message; `false` if it came before, or may have.
    pub(crate) fn insert(&mut self, made: Time64, digest: &Digest) -> bool {
        if self.has(made, digest) {
            return false;
        }
        self.seen.insert(Self::key(made, digest));
        if self.seen.len() > self.capacity
            && let Some((oldest, _)) = self.seen.pop_first()
        {
            self.floor = Some(oldest);
        }
        true
    }

    /// Forgets messages that were made before this time: they are too old to come again.
    pub(crate) fn forget_before(&mut self, time: Time64) {
        while let Some(first) = self.seen.first()
            && first.0 < time.0
        {
            self.seen.pop_first();
        }
        // What was made before is not known any more.
        if let Some(before) = time.0.checked_sub(1) {
            self.floor = self.floor.max(Some(before));
        }
    }
}
