//! Names of tables, and the memory of names that have been seen before.

use alloc::boxed::Box;
use alloc::vec;

use crate::curves::{Curve, Weierstrass};
use crate::encoding::{Coordinates, Ordinate};
use crate::group::Affine;
use crate::job::SenderId;
use crate::multiply::{Form, Shape};
use crate::request::{Request, RequestKey};

/// Names that are remembered as seen once: 32 KiB.
const SEEN: usize = 4096;

/// The key of any curve, with words of zeros above.
type WideKey = RequestKey<6>;
/// x and y.
type Point = [[u64; 6]; 2];

/// The key of which a sender's table has multiples. A key travels compressed or not, and may be
/// rebuilt after it was used as the parts of an implicit certificate: all of these are one key.
pub(super) struct TableKey {
    /// As it came when the table was built.
    sent: WideKey,
    /// Both coordinates.
    point: Point,
}

impl TableKey {
    pub(super) fn new<C: Weierstrass<N>, const N: usize>(
        request: &Request<N>,
        point: &Affine<C, N>,
    ) -> Self {
        Self {
            sent: request.key.widen(),
            point: [&point.x, &point.y].map(|own| widen(&own.to_integer())),
        }
    }

    /// Returns true if this key was meant: for parts of an implicit certificate, if it came as the
    /// same parts.
    pub(super) fn is(&self, key: &WideKey) -> bool {
        let [x, y] = &self.point;
        let is_point = |other: &Coordinates<6>| {
            other.x == *x
                && match &other.y {
                    Ordinate::Odd(odd) => *odd == (y[0] & 1 == 1),
                    Ordinate::Whole(other) => other == y,
                }
        };
        match key {
            RequestKey::Explicit(other) => is_point(other),
            RequestKey::Implicit { .. } => *key == self.sent,
        }
    }
}

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

    /// Returns the shape of its table in this form.
    pub(super) fn shape(&self, form: Form) -> Shape {
        match form {
            _ if !self.is_sender() => Shape::ISSUER,
            Form::Residues => Shape::SPARSE_SENDER,
            Form::Lanes => Shape::SENDER,
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
