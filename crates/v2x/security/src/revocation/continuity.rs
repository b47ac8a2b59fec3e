//! Gaps between the lists of a series, as their numbers tell them.
//!
//! `crlSerial` of lists by hash grows by one from list to list, and so does `indexWithinI` of lists
//! by linkage values within a period `iRev` \[1609.2 §7.3\]. A delta list has only what was revoked
//! since the list before, so that a receiver that lacks a list may not know of a revocation.
//!
//! `Choice:` a gap is reported and refuses nothing. A counter that falls back is no gap: a PKI that
//! was restored counts a second time. From one period to the next, lists by linkage values do not
//! tell how many there were before: only gaps within a period are found.

use alloc::collections::BTreeSet;

use waywarden_v2x_wire::ieee1609dot2::{IValue, Time32};

use super::series::SeriesName;

/// The most delta lists by hash after the latest full one whose numbers are remembered, in each
/// series; of more, the earliest count as missing.
pub const NUMBERS_MAX: usize = 1_024;

/// The two kinds of revocation lists of IEEE 1609.2. One says nothing about the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrlKind {
    /// Lists of certificates, each by its hash.
    Hash,
    /// Lists of holders by linkage values.
    Linkage,
}

/// Completeness of the lists of a series and kind that were applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuity {
    /// A full list was applied, and no later list is missing as far as numbers tell.
    Complete,
    /// Delta lists were applied, and no full one: what was revoked before them is not known.
    NoFullList,
    /// Lists after the latest full one are missing.
    Missing {
        /// The number of the first one.
        first: ListNumber,
        /// The count of missing lists, as far as numbers tell.
        lists: u32,
    },
}

/// The number of a list in its series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListNumber {
    /// Of a list by hash: `crlSerial`.
    Serial(u32),
    /// Of a list by linkage values: `iRev` and `indexWithinI`.
    Index(IValue, u8),
}

/// A series of which lists are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncompleteSeries {
    /// The CRACA and the series.
    pub name: SeriesName,
    /// The kind of lists.
    pub kind: CrlKind,
    /// Lists that are missing.
    pub continuity: Continuity,
}

/// Missing lists, while numbers are visited in ascending order.
#[derive(Default)]
struct Gaps {
    first: Option<ListNumber>,
    lists: u32,
}

impl Gaps {
    /// Notes that `missing` lists are missing, of which `first` is the number of the first.
    fn add(&mut self, first: ListNumber, missing: u32) {
        if missing > 0 {
            self.first.get_or_insert(first);
            self.lists = self.lists.saturating_add(missing);
        }
    }

    fn continuity(self) -> Continuity {
        match self.first {
            None => Continuity::Complete,
            Some(first) => Continuity::Missing {
                first,
                lists: self.lists,
            },
        }
    }
}

/// The latest full list by hash of a series, and the numbers of the delta lists after it.
#[derive(Clone, Debug, Default)]
pub(super) struct HashNumbers {
    full: Option<FullList>,
    /// By time and `crlSerial`; at most [`NUMBERS_MAX`].
    deltas: BTreeSet<(Time32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct FullList {
    /// Its time and `crlSerial`.
    number: (Time32, u32),
    next: Time32,
}

impl HashNumbers {
    /// Notes that a full list was applied.
    pub(super) fn full(&mut self, number: (Time32, u32), next: Time32) {
        let is_earlier = |known: &FullList| (known.number, known.next) > (number, next);
        if !self.full.as_ref().is_some_and(is_earlier) {
            self.full = Some(FullList { number, next });
            self.deltas.retain(|delta| *delta > number);
        }
    }

    /// Notes that a delta list was applied.
    pub(super) fn delta(&mut self, number: (Time32, u32)) {
        if self.full.is_none_or(|full| number > full.number) {
            self.deltas.insert(number);
            if self.deltas.len() > NUMBERS_MAX {
                self.deltas.pop_first();
            }
        }
    }

    /// Notes what another receiver applied.
    pub(super) fn merge(&mut self, other: &Self) {
        if let Some(full) = other.full {
            self.full(full.number, full.next);
        }
        for number in &other.deltas {
            self.delta(*number);
        }
    }

    /// Returns the issue date of the latest full list.
    pub(super) fn full_made(&self) -> Option<Time32> {
        Some(self.full?.number.0)
    }

    /// Returns the due time of the next full list.
    pub(super) fn next_due(&self) -> Option<Time32> {
        Some(self.full?.next)
    }

    /// Linear in the delta lists, of which there are at most [`NUMBERS_MAX`].
    pub(super) fn continuity(&self) -> Continuity {
        let Some(full) = self.full else {
            return Continuity::NoFullList;
        };
        let (_, base) = full.number;
        let later = self.deltas.iter().map(|(_, serial)| *serial);
        let later: BTreeSet<u32> = later.filter(|serial| *serial > base).collect();
        let (mut before, mut gaps) = (base, Gaps::default());
        for serial in later {
            let missing = serial - before - 1;
            gaps.add(ListNumber::Serial(before.saturating_add(1)), missing);
            before = serial;
        }
        gaps.continuity()
    }
}

/// Finds the gaps between lists by linkage values: the number of the latest full list, if there is
/// one, and those of the lists beside it.
pub(super) fn of_linkage(
    full: Option<(u16, u8)>,
    others: impl Iterator<Item = (u16, u8)>,
) -> Continuity {
    let Some(base) = full else {
        return Continuity::NoFullList;
    };
    let later: BTreeSet<(u16, u8)> = others.filter(|number| *number > base).collect();
    let (mut period, mut next) = (base.0, u32::from(base.1) + 1);
    let mut gaps = Gaps::default();
    for (own, index) in later {
        if own != period {
            (period, next) = (own, 0);
        }
        let first = u8::try_from(next).unwrap_or(u8::MAX);
        let missing = u32::from(index).saturating_sub(next);
        gaps.add(ListNumber::Index(IValue(period), first), missing);
        next = u32::from(index) + 1;
    }
    gaps.continuity()
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Time32 = Time32(100);

    fn missing(first: ListNumber, lists: u32) -> Continuity {
        Continuity::Missing { first, lists }
    }

    #[test]
    fn serials_tell_which_lists_are_missing() {
        let mut numbers = HashNumbers::default();
        assert_eq!(numbers.continuity(), Continuity::NoFullList);
        numbers.delta((T, 9));
        assert_eq!(numbers.continuity(), Continuity::NoFullList);
        numbers.full((T, 5), T);
        assert_eq!(numbers.continuity(), missing(ListNumber::Serial(6), 3));
        numbers.delta((Time32(99), 7));
        assert_eq!(numbers.continuity(), missing(ListNumber::Serial(6), 3));
        numbers.delta((Time32(101), 7));
        assert_eq!(numbers.continuity(), missing(ListNumber::Serial(6), 2));
        numbers.delta((T, 6));
        numbers.delta((T, 8));
        assert_eq!(numbers.continuity(), Continuity::Complete);
        // A counter that falls back, and one that goes round.
        numbers.delta((Time32(200), 2));
        assert_eq!(numbers.continuity(), Continuity::Complete);
        numbers.full((Time32(300), u32::MAX), T);
        numbers.delta((Time32(301), 0));
        assert_eq!(numbers.continuity(), Continuity::Complete);
    }

    #[test]
    fn forgotten_numbers_count_as_missing() {
        let mut numbers = HashNumbers::default();
        numbers.full((T, 0), T);
        for serial in 1..=NUMBERS_MAX as u32 {
            numbers.delta((T, serial));
        }
        assert_eq!(numbers.continuity(), Continuity::Complete);
        numbers.delta((T, NUMBERS_MAX as u32 + 1));
        assert_eq!(numbers.continuity(), missing(ListNumber::Serial(1), 1));
    }

    #[test]
    fn indices_tell_which_lists_of_a_period_are_missing() {
        let index = |period, index| ListNumber::Index(IValue(period), index);
        let cases = [
            (None, &[][..], Continuity::NoFullList),
            (Some((7, 1)), &[], Continuity::Complete),
            (
                Some((7, 1)),
                &[(7, 2), (8, 0), (9, 0)],
                Continuity::Complete,
            ),
            (Some((7, 1)), &[(7, 0), (6, 4)], Continuity::Complete),
            (Some((7, 1)), &[(7, 4), (7, 3)], missing(index(7, 2), 1)),
            (Some((7, 1)), &[(8, 2), (9, 1)], missing(index(8, 0), 3)),
            (Some((7, 255)), &[(8, 0)], Continuity::Complete),
        ];
        for (full, others, expected) in cases {
            let found = of_linkage(full, others.iter().copied());
            assert_eq!(found, expected, "{full:?} {others:?}");
        }
    }
}
