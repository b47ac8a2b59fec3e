//! A store that is bounded in bytes and drops what has not been used for longest.

use alloc::collections::BTreeMap;

/// Values by name, each with its size.
pub(super) struct Recent<K, V> {
    entries: BTreeMap<K, Entry<V>>,
    /// Names by the time of their last use.
    by_age: BTreeMap<u64, K>,
    /// Counts uses.
    now: u64,
    /// Bytes that the entries may take, and do.
    limit: usize,
    used: usize,
    evicted: u64,
}

struct Entry<V> {
    value: V,
    bytes: usize,
    last_use: u64,
}

impl<K: Ord + Clone, V> Recent<K, V> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            entries: BTreeMap::new(),
            by_age: BTreeMap::new(),
            now: 0,
            limit,
            used: 0,
            evicted: 0,
        }
    }

    pub(super) fn used(&self) -> usize {
        self.used
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &K> {
        self.entries.keys()
    }

    /// The value, which was not used by this.
    pub(super) fn peek(&self, name: &K) -> Option<&V> {
        self.entries.get(name).map(|entry| &entry.value)
    }

    /// Counts as a use, if it is there.
    pub(super) fn touch(&mut self, name: &K) {
        if let Some(entry) = self.entries.get_mut(name) {
            self.now += 1;
            self.by_age.remove(&entry.last_use);
            entry.last_use = self.now;
            self.by_age.insert(self.now, name.clone());
        }
    }

    /// Returns true if something of this size can ever be held.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        bytes <= self.limit
    }

    /// Keeps a value in the place of one of the same name; drops the oldest for its room. What is
    /// too large for the whole store is not kept.
    pub(super) fn insert(&mut self, name: K, value: V, bytes: usize) {
        self.remove(&name);
        if !self.fits(bytes) {
            return;
        }
        while self.used + bytes > self.limit {
            let Some((_, oldest)) = self.by_age.first_key_value() else {
                break;
            };
            let oldest = oldest.clone();
            self.remove(&oldest);
            self.evicted += 1;
        }
        self.now += 1;
        self.used += bytes;
        self.by_age.insert(self.now, name.clone());
        let last_use = self.now;
        let entry = Entry {
            value,
            bytes,
            last_use,
        };
        self.entries.insert(name, entry);
    }

    pub(super) fn remove(&mut self, name: &K) {
        if let Some(entry) = self.entries.remove(name) {
            self.by_age.remove(&entry.last_use);
            self.used -= entry.bytes;
        }
    }
}
