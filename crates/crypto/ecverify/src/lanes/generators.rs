//! The generators' tables in the form of the lanes: 128 KiB for each curve.

use super::terms::Row;
use crate::curves::{BrainpoolP256r1, P256, Weierstrass};
use crate::multiply::Shape;

/// A curve whose generator has a table in the form of the lanes.
pub(crate) trait LaneTabulated: Weierstrass<4> {
    /// Shape [`GENERATOR`].
    const ROWS: &'static [Row];
}

/// Shape of the generators' tables: digits of eight bits in sixteen pieces, so that a multiple
/// alone takes eight doublings.
pub(crate) const GENERATOR: Shape = Shape {
    window: 9,
    pieces: 16,
};

/// Rows of a table.
const ROWS: usize = GENERATOR.pieces * GENERATOR.multiples();

/// Rows that no line of the cache is split by.
#[repr(align(64))]
struct Aligned([Row; ROWS]);

/// Lays down the table of a curve; the files are written and checked by the tests.
macro_rules! tabulate {
    ($curve:ident, $file:literal) => {
        impl LaneTabulated for $curve {
            const ROWS: &'static [Row] = {
                static BYTES: &[u8; 64 * ROWS] = include_bytes!($file);
                static TABLE: Aligned = Aligned(read(BYTES));
                &TABLE.0
            };
        }
    };
}
tabulate!(P256, "../tables/lanes_p256.bin");
tabulate!(BrainpoolP256r1, "../tables/lanes_brainpool_p256r1.bin");

/// Reads little-endian words.
const fn read(bytes: &[u8; 64 * ROWS]) -> [Row; ROWS] {
    let (words, _) = bytes.as_slice().as_chunks::<8>();
    let (mut rows, mut i) = ([[0; 8]; ROWS], 0);
    while i < 8 * ROWS {
        rows[i / 8][i % 8] = u64::from_le_bytes(words[i]);
        i += 1;
    }
    rows
}
