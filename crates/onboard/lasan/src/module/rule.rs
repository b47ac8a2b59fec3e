//! The keys that an ECU may have: the one that is enrolled; or every one that a certificate gives
//! it, but for those of parts that were replaced.

use core::fmt;

/// The first bytes of the digest of an enrolled key: as many as fit into a slot with the rest.
const PIN_LENGTH: usize = 24;

/// The first bytes of the digest of a key that a certificate gave; zeros for none. They shut keys
/// out and let none in: to come past them takes another key that the authority certifies.
type Mark = [u8; 8];

/// Number of replaced parts of an address that are remembered: as many marks as fit into a slot.
const MARKS_MAX: usize = PIN_LENGTH / 8;

/// An error of replacing a part by one whose key is not known; with its digest only the first cause
/// can apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplaceError {
    /// No ECU of this address was ever enrolled.
    NotEnrolled,
    /// The security module has never authenticated the old part, so it does not know which
    /// certificate to refuse.
    NeverSeen,
    /// The key of the old part is enrolled, so that of the new one has to be.
    Pinned,
    /// As many parts of this address were replaced as are remembered: 3.
    TooMany,
}

/// The rule for the keys that an ECU may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The one with this digest.
    Pinned([u8; PIN_LENGTH]),
    /// Every one that is certified for its name and is not barred. Marks are of keys that the
    /// address has had, the oldest first; bit `i` of `barred` says that mark `i` was replaced.
    Certified {
        marks: [Mark; MARKS_MAX],
        barred: u8,
    },
}

const NONE: Mark = [0; 8];

impl Rule {
    /// Every key that a certificate gives.
    pub(super) const CERTIFIED: Rule = Rule::Certified {
        marks: [NONE; MARKS_MAX],
        barred: 0,
    };

    /// The key with this digest alone.
    pub(super) fn pinned(digest: &[u8; 32]) -> Self {
        let mut pin = [0; PIN_LENGTH];
        pin.copy_from_slice(&digest[..PIN_LENGTH]);
        Rule::Pinned(pin)
    }

    /// Returns true if an ECU may have a key.
    pub(super) fn permits(&self, digest: &[u8; 32]) -> bool {
        match self {
            Rule::Pinned(pin) => *pin == digest[..PIN_LENGTH],
            Rule::Certified { marks, barred } => {
                let known = marks.iter().position(|mark| *mark == digest[..8]);
                known.is_none_or(|at| barred & 1 << at == 0)
            }
        }
    }

    /// Notes a key that a certificate has given and that has been proved to be the ECU's; true if
    /// it was not known. If there is no room, the oldest that was not replaced is forgotten.
    pub(super) fn note(&mut self, digest: &[u8; 32]) -> bool {
        let Rule::Certified { marks, barred } = self else {
            return false;
        };
        let mut mark = NONE;
        mark.copy_from_slice(&digest[..8]);
        if marks.contains(&mark) {
            return false;
        }
        let free = marks.iter().position(|mark| *mark == NONE);
        let oldest = (0..MARKS_MAX).find(|at| *barred & 1 << at == 0);
        let Some(at) = free.or(oldest) else {
            return false;
        };
        // Those that come after it are older than the new one.
        let last = free.unwrap_or(MARKS_MAX - 1);
        for place in at..last {
            marks[place] = marks[place + 1];
            let bit = *barred >> (place + 1) & 1;
            *barred = *barred & !(1 << place) | bit << place;
        }
        marks[last] = mark;
        *barred &= !(1 << last);
        true
    }

    /// Returns the rule when all parts that the address has had are replaced by one of which
    /// nothing is known but that it has a certificate.
    pub(super) fn replaced(&self) -> Result<Rule, ReplaceError> {
        let Rule::Certified { marks, barred } = *self else {
            return Err(ReplaceError::Pinned);
        };
        let known = (0..MARKS_MAX).filter(|&at| marks[at] != NONE);
        let all = known.fold(0, |all, at| all | 1 << at);
        if all != barred {
            return Ok(Rule::Certified { marks, barred: all });
        }
        match marks.contains(&NONE) {
            true => Err(ReplaceError::NeverSeen),
            false => Err(ReplaceError::TooMany),
        }
    }

    /// Returns what is kept of it: a digest or marks, and which are barred.
    pub(super) fn bytes(&self) -> ([u8; PIN_LENGTH], u8) {
        match self {
            Rule::Pinned(pin) => (*pin, 0),
            Rule::Certified { marks, barred } => {
                let mut bytes = [0; PIN_LENGTH];
                for (place, mark) in bytes.chunks_exact_mut(8).zip(marks) {
                    place.copy_from_slice(mark);
                }
                (bytes, *barred)
            }
        }
    }

    /// Returns the marks that were kept.
    pub(super) fn from_marks(bytes: &[u8], barred: u8) -> Self {
        let mut marks = [NONE; MARKS_MAX];
        for (mark, kept) in marks.iter_mut().zip(bytes.chunks_exact(8)) {
            mark.copy_from_slice(kept);
        }
        Rule::Certified { marks, barred }
    }
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotEnrolled => "no ECU of this address was enrolled",
            Self::NeverSeen => {
                "the part to be replaced was never seen: the new one's digest is needed"
            }
            Self::Pinned => "the old part's key is enrolled: the new one's digest is needed",
            Self::TooMany => "too many parts were replaced: the new one's digest is needed",
        })
    }
}

impl core::error::Error for ReplaceError {}

#[cfg(test)]
mod tests {
    use super::*;

    const fn digest(of: u8) -> [u8; 32] {
        [of; 32]
    }

    #[test]
    fn the_holder_of_an_address_is_barred_when_it_is_replaced() {
        let mut rule = Rule::CERTIFIED;
        assert_eq!(rule.replaced(), Err(ReplaceError::NeverSeen));
        for part in 1..=3 {
            assert!(rule.permits(&digest(part)) && rule.note(&digest(part)));
            assert!(!rule.note(&digest(part)), "it is known");
            rule = rule.replaced().unwrap();
            for known in 1..=part {
                assert!(!rule.permits(&digest(known)), "{known} after {part}");
            }
            assert!(rule.replaced().is_err());
        }
        // Of a fourth nothing can be kept: its successor has to be named.
        assert!(rule.permits(&digest(4)) && !rule.note(&digest(4)));
        assert_eq!(rule.replaced(), Err(ReplaceError::TooMany));
    }

    #[test]
    fn parts_that_changed_unsaid_are_all_barred() {
        let mut rule = Rule::CERTIFIED;
        assert!(rule.note(&digest(1)));
        rule = rule.replaced().unwrap();
        // Two of the last three fit beside the one that is barred.
        for part in 2..=4 {
            assert!(rule.note(&digest(part)));
        }
        assert!(rule.permits(&digest(3)) && !rule.permits(&digest(1)));
        let rule = rule.replaced().unwrap();
        let allowed = (1..=5).filter(|&part| rule.permits(&digest(part)));
        assert!(allowed.eq([2, 5]), "2 was forgotten, and 5 is new");
    }

    #[test]
    fn a_pin_lets_one_in() {
        let mut rule = Rule::pinned(&digest(7));
        assert!(rule.permits(&digest(7)) && !rule.permits(&digest(8)));
        assert!(!rule.note(&digest(7)));
        assert_eq!(rule.replaced(), Err(ReplaceError::Pinned));
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let mut rule = Rule::CERTIFIED;
        assert!(rule.note(&digest(1)));
        rule = rule.replaced().unwrap();
        assert!(rule.note(&digest(2)));
        let (bytes, barred) = rule.bytes();
        assert_eq!((bytes[0], bytes[8], bytes[16], barred), (1, 2, 0, 1));
        assert_eq!(Rule::from_marks(&bytes, barred), rule);
    }
}
