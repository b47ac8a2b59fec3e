//! A map of few entries that is looked into at every event of a run: a sorted list, whose look-ups
//! stay in one or two lines of a cache.

/// Values by key, in order of the keys.
#[derive(Clone, Debug)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns a value.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        let at = self.0.binary_search_by(|(own, _)| own.cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// Returns a value, made new if there is none.
    pub(super) fn or_insert_with(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        let at = match self.0.binary_search_by(|(own, _)| own.cmp(&key)) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, new()));
                at
            }
        };
        &mut self.0[at].1
    }

    /// Returns all entries in order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::SortedMap;

    #[test]
    fn entries_are_found_and_kept_in_order() {
        let mut map = SortedMap::default();
        for key in [5, 1, 3, 1, 5] {
            *map.or_insert_with(key, || 0) += 1;
        }
        let all: Vec<_> = map.iter().map(|(key, count)| (*key, *count)).collect();
        assert_eq!(all, [(1, 2), (3, 1), (5, 2)]);
        assert_eq!((map.get(&3), map.get(&4), map.len()), (Some(&1), None, 3));
    }
}
