//! Names of a matrix as a vehicle file can have them.

use std::collections::HashSet;

use crate::NAME_MAX;

/// Gives every name in a matrix one that a vehicle file can have.
pub(super) struct Renamed {
    taken: HashSet<String>,
}

impl Renamed {
    pub(super) fn new() -> Self {
        Renamed {
            taken: HashSet::new(),
        }
    }

    /// Returns a name that is valid and not taken yet, as near to the given one as possible.
    pub(super) fn rename(&mut self, name: &str) -> String {
        let valid = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
        let mut base: String = name.chars().filter(valid).take(NAME_MAX - 8).collect();
        if base.is_empty() || base == "default" {
            base.push('_');
        }
        let mut candidate = base.clone();
        // As many tries as names: the last one must be free.
        for number in 2..self.taken.len() + 3 {
            if self.taken.insert(candidate.clone()) {
                break;
            }
            candidate = format!("{base}-{number}");
        }
        candidate
    }
}
