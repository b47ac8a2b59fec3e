//! Points whose multiples are at hand: the generators', in read-only memory, and those that a
//! caller keeps.
//!
//! A table holds odd multiples of a point, and of some of its powers of two, so that a multiple
//! takes few doublings (a comb; D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve
//! Cryptography", §3.3.2). Tables are words, not points, so that one store holds those of all
//! curves.

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384, Weierstrass};
use crate::group::Affine;
use crate::residue::Residue;

/// Shape of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Width of the digits: odd multiples 1, 3, ..., 2^(window - 1) - 1 are kept; at most 8.
    pub(crate) window: u32,
    /// Powers 2^(s i) of the point that have multiples, s = 64 N / pieces.
    pub(crate) pieces: usize,
}

impl Shape {
    /// Shape of the files of the generators.
    pub(crate) const STORED: Self = Self {
        window: 7,
        pieces: 8,
    };
    /// Shape of the generators' tables: one piece where memory is short.
    pub(crate) const GENERATOR: Self = Self {
        window: 7,
        pieces: if cfg!(target_pointer_width = "64") {
            8
        } else {
            1
        },
    };

    /// Shape for a key that signs often: a quarter of the doublings. 4 KiB for 256 bits.
    #[cfg(any(test, feature = "alloc", target_arch = "x86_64"))]
    pub(crate) const SENDER: Self = Self {
        window: 6,
        pieces: 4,
    };
    /// The same where digits may be zero: an eighth of the doublings, as the generator's table
    /// leaves, for a sixth more additions. Odd digits would be a quarter more.
    #[cfg(any(test, feature = "alloc"))]
    pub(crate) const SPARSE_SENDER: Self = Self {
        window: 5,
        pieces: 8,
    };
    /// Shape for a key beside one that needs all doublings anyway: the fewest additions. 4 KiB.
    #[cfg(any(test, feature = "alloc", target_arch = "x86_64"))]
    pub(crate) const ISSUER: Self = Self {
        window: 8,
        pieces: 1,
    };

    pub(crate) const fn multiples(self) -> usize {
        1 << (self.window - 2)
    }

    /// Doublings between two pieces.
    pub(crate) const fn spacing<const N: usize>(self) -> usize {
        64 * N / self.pieces
    }

    /// Words of a table.
    pub(crate) const fn words<const N: usize>(self) -> usize {
        self.pieces * self.multiples() * 2 * N
    }
}

/// Stored form of the coordinates of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The form of residues.
    Residues,
    /// The form of vectors, times 16: Montgomery's form with 2^260 for 2^256.
    #[cfg_attr(not(any(test, target_arch = "x86_64")), allow(dead_code))]
    Lanes,
}

/// A table: entry j of piece i is (2 j + 1) 2^(s i) times the point, on the curve's model.
#[derive(Clone, Copy)]
pub(crate) struct FixedBase<'a> {
    /// x and y of each entry in the field's stored form, entry after entry, piece after piece.
    pub(crate) words: &'a [u64],
    pub(crate) shape: Shape,
    pub(crate) form: Form,
}

impl<'a> FixedBase<'a> {
    #[inline(always)]
    pub(crate) fn entry<C: Weierstrass<N>, const N: usize>(
        self,
        piece: usize,
        index: usize,
    ) -> Affine<C::Model, N> {
        let start = (piece * self.shape.multiples() + index) * 2 * N;
        let words = &self.words[start..start + 2 * N];
        let mut entry = Affine {
            x: Residue::ZERO,
            y: Residue::ZERO,
        };
        entry.x.copy_stored(&words[..N]);
        entry.y.copy_stored(&words[N..]);
        match self.form {
            Form::Residues => entry,
            Form::Lanes => Affine {
                x: entry.x.sixteenth(),
                y: entry.y.sixteenth(),
            },
        }
    }
}

/// A curve whose generator has its multiples in read-only memory.
pub(crate) trait Tabulated<const N: usize>: Weierstrass<N> {
    const GENERATOR_TABLE: FixedBase<'static>;
}

/// Lays down the table of a curve: 16 KiB for 256 bits, 24 KiB for 384; the first eighth of it
/// where memory is short. The files are little-endian words; a test computes them again, since the
/// compiler would take a minute.
macro_rules! tabulate {
    ($curve:ident, $limbs:literal, $file:literal) => {
        impl Tabulated<$limbs> for $curve {
            const GENERATOR_TABLE: FixedBase<'static> = {
                const WORDS: usize = Shape::GENERATOR.words::<$limbs>();
                const BYTES: usize = 8 * Shape::STORED.words::<$limbs>();
                static BYTES_STORED: &[u8; BYTES] = include_bytes!($file);
                static TABLE: [u64; WORDS] = read_words(BYTES_STORED);
                FixedBase {
                    words: &TABLE,
                    shape: Shape::GENERATOR,
                    form: Form::Residues,
                }
            };
        }
    };
}
tabulate!(P256, 4, "../tables/p256.bin");
tabulate!(P384, 6, "../tables/p384.bin");
tabulate!(BrainpoolP256r1, 4, "../tables/brainpool_p256r1.bin");
tabulate!(BrainpoolP384r1, 6, "../tables/brainpool_p384r1.bin");

/// The first words of little-endian bytes.
const fn read_words<const WORDS: usize>(bytes: &[u8]) -> [u64; WORDS] {
    let (mut words, mut i) = ([0; WORDS], 8 * WORDS);
    while i > 0 {
        i -= 1;
        words[i / 8] = words[i / 8] << 8 | bytes[i] as u64;
    }
    words
}
