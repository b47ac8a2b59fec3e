//! Names of tables, and the memory of names that have been seen before.

use alloc::boxed::Box;
use alloc::vec;

use crate::curves::Curve;
use crate::encoding::{Coordinates, Ordinate};
use crate::job::SenderId;
use crate::multiply::Shape;
use crate::request::RequestKey;

/// Names that are remembered as seen once: 32 KiB.
const SEEN: usize = 4096;

/// The key of any curve, with words of zeros above.
pub(super) type WideKey = RequestKey<6>;

/// Owner of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    curve: Curve,
    whose: Whose,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    Sender(SenderId),
    /// The issuer's key as it is sent. Boxed, for senders are many.
    Issuer(Box<Coordinates<6>>),
}

impl Name {
    pub(super) fn sender(curve: Curve, sender: SenderId) -> Self {
        Self {
            curve,
            whose: Whose::Sender(sender),
        }
    }

    pub(super) fn issuer<const N: usize>(curve: Curve, key: &Coordinates<N>) -> Self {
        Self {
            curve,
            whose: Whose::Issuer(Box::new(key.widen())),
        }
    }

    /// The names that a sender may have.
    pub(super) fn of_sender(sender: SenderId) -> [Self; 4] {
        Curve::ALL.map(|curve| Self::sender(curve, sender))
    }

    pub(super) fn is_sender(&self) -> bool {
        matches!(self.whose, Whose::Sender(_))
    }

    /// Returns the shape of its table.
    pub(super) fn shape(&self) -> Shape {
        if self.is_sender() {
            Shape::SENDER
        } else {
            Shape::ISSUER
        }
    }

    /// A number for this name. Others have the same: nothing but time rests on it.
    fn mark(&self) -> u64 {
        let word = match &self.whose {
            Whose::Sender(sender) => sender.0,
            Whose::Issuer(key) => !key.x[0],
        };
        // Zero stands for no name.
        (word.rotate_left(8) ^ self.curve as u64) | 1
    }
}

impl<const N: usize> RequestKey<N> {
    pub(super) fn widen(&self) -> WideKey {
        match self {
            Self::Explicit(key) => RequestKey::Explicit(key.widen()),
            Self::Implicit {
                e,
                reconstruction,
                ca,
            } => RequestKey::Implicit {
                e: widen(e),
                reconstruction: reconstruction.widen(),
                ca: ca.widen(),
            },
        }
    }
}

impl<const N: usize> Coordinates<N> {
    fn widen(&self) -> Coordinates<6> {
        let y = match &self.y {
            Ordinate::Odd(odd) => Ordinate::Odd(*odd),
            Ordinate::Whole(y) => Ordinate::Whole(widen(y)),
        };
        Coordinates {
            x: widen(&self.x),
            y,
        }
    }
}

fn widen<const N: usize>(limbs: &[u64; N]) -> [u64; 6] {
    let mut wide = [0; 6];
    wide[..N].copy_from_slice(limbs);
    wide
}

/// Marks of names that were seen, four in a set. A fifth one drops any: the oldest would be the one
/// that is due next, where more than four names come in turn.
pub(super) struct Seen {
    sets: Box<[[u64; 4]]>,
    /// State of the choice of the mark that is dropped next: numbers that only look random will do.
    random: u64,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self {
            sets: vec![[0; 4]; SEEN / 4].into_boxed_slice(),
            random: 1,
        }
    }

    /// Returns true if the name has been seen before, as far as is remembered.
    pub(super) fn again(&mut self, name: &Name) -> bool {
        let mark = name.mark();
        // The upper bits of a product with an odd constant depend on all of the mark.
        let place = mark.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let sets = self.sets.len();
        let set = &mut self.sets[place as usize % sets];
        if set.contains(&mark) {
            return true;
        }
        // D. Knuth's generator MMIX; the upper bits are the good ones.
        self.random = self
            .random
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let any = (self.random >> 62) as usize;
        set[set.iter().position(|mark| *mark == 0).unwrap_or(any)] = mark;
        false
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Half as many senders as there is room for, all of whom come in turn again and again: names
    /// that share a place may not drive each other out for ever. Names are digests: not in a row.
    #[test]
    fn a_name_that_comes_again_is_seen_in_the_end() {
        let mut seen = Seen::new();
        let name = |number: u64| {
            let mixed = (number + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            Name::sender(Curve::P256, SenderId(mixed ^ mixed >> 29))
        };
        let mut strangers: Vec<Name> = (0..SEEN as u64 / 2).map(name).collect();
        let mut rounds = 0;
        while !strangers.is_empty() {
            // A known name is not asked about any more.
            strangers.retain(|name| !seen.again(name));
            rounds += 1;
            assert!(rounds < 10, "{} are never seen again", strangers.len());
        }
        assert!(rounds > 1, "nobody is seen again at first");
    }
}
