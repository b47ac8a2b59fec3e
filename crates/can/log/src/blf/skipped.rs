//! Counts the objects that are left out, by type.

/// Limit on types that are counted by themselves; a file of Vector's own has fewer.
pub const TYPES_MAX: usize = 32;

/// Counts of skipped objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Skipped {
    count: u64,
    /// Types and their counts, in the order of the types; at most [`TYPES_MAX`].
    types: Vec<(u32, u64)>,
}

impl Skipped {
    pub(super) fn add(&mut self, kind: u32) {
        self.count += 1;
        match self.types.binary_search_by_key(&kind, |&(known, _)| known) {
            Ok(at) => self.types[at].1 += 1,
            Err(at) if self.types.len() < TYPES_MAX => self.types.insert(at, (kind, 1)),
            Err(_) => {}
        }
    }

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn types(&self) -> &[(u32, u64)] {
        &self.types
    }
}

/// Returns the name of a type of objects, as far as they are common on CAN and beside it.
#[must_use]
pub const fn type_name(kind: u32) -> Option<&'static str> {
    Some(match kind {
        1 => "CAN_MESSAGE",
        2 => "CAN_ERROR",
        3 => "CAN_OVERLOAD",
        4 => "CAN_STATISTIC",
        5 => "APP_TRIGGER",
        11 => "LIN_MESSAGE",
        65 => "APP_TEXT",
        71 => "ETHERNET_FRAME",
        72 => "SYS_VARIABLE",
        73 => "CAN_ERROR_EXT",
        86 => "CAN_MESSAGE2",
        96 => "GLOBAL_MARKER",
        100 => "CAN_FD_MESSAGE",
        101 => "CAN_FD_MESSAGE_64",
        104 => "CAN_FD_ERROR_64",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_counted_in_order_and_bounded() {
        let mut skipped = Skipped::default();
        for kind in (0..1_000).rev().chain([999, 2]) {
            skipped.add(kind);
        }
        assert_eq!(skipped.count(), 1_002);
        assert_eq!(skipped.types().len(), TYPES_MAX);
        assert!(skipped.types().is_sorted());
        assert_eq!(skipped.types().last(), Some(&(999, 2)));
    }
}
