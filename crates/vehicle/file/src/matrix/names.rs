//! Names of a matrix as a vehicle file can have them.

use std::collections::{HashMap, HashSet};

use crate::NAME_MAX;

/// Gives every name in a matrix one that a vehicle file can have.
pub(super) struct Renamed {
    taken: HashSet<String>,
    /// The next number that is tried behind a name: many messages may have one name.
    next: HashMap<String, usize>,
}

impl Renamed {
    pub(super) fn new() -> Self {
        Renamed {
            taken: HashSet::new(),
            next: HashMap::new(),
        }
    }

    /// Returns a name that is valid and not taken yet, as near to the given one as possible.
    pub(super) fn rename(&mut self, name: &str) -> String {
        let valid = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
        let mut base: String = name.chars().filter(valid).take(NAME_MAX - 8).collect();
        if base.is_empty() || base == "default" {
            base.push('_');
        }
        if self.taken.insert(base.clone()) {
            return base;
        }
        let number = self.next.entry(base.clone()).or_insert(2);
        loop {
            let candidate = format!("{base}-{number}");
            *number += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
