//! The state cut into sixteen words of 21 bits, for two rounds.
//!
//! Bit `16 m + 4 r + c` of the state is bit `m` of word `(r, c)`. In the first round a nibble is
//! `c` = 0 to 3 of one `r` and `m`. The round moves that bit to `84 c + 4 m + r`, so in the second
//! round a nibble is `r` = 0 to 3 of one `c` and `m`: it needs the words in another order, and no
//! bit moves within a word. The second round puts the words in a row, `(0, 0)`, `(0, 1)` and so on.

use super::WORDS;

/// The bits of a word.
const LANES: u64 = (1 << 21) - 1;
const LOW: u64 = 0xFFFF_FFFF;

/// Half of the sixteen words: four planes with two words each, from bit 0 and from bit 32 on.
type Planes = [u64; 4];

/// The sixteen words. Before the first round plane `c` holds `r` = 0 and 1 in the first half, 2
/// and 3 in the second; after [`Sliced::transpose`] plane `r` holds `c` in the same way.
pub(super) struct Sliced([Planes; 2]);

impl Sliced {
    /// Transposes 21 rows of 16 bits. The rows from 16 on go through the upper half of the rows
    /// from 0 on.
    #[inline]
    pub(super) fn from_state(state: &[u64; WORDS]) -> Self {
        let mut rows = Sliced([[0; 4], [0; 4]]);
        for (row, word) in state[..4].iter().enumerate() {
            [rows.0[0][row], rows.0[1][row]] = [widen(*word), widen(word >> 32)];
        }
        rows.0[0][0] |= widen(state[4]) << 16;
        rows.0[1][0] |= widen(state[4] >> 32) << 16;
        rows.0[0][1] |= state[5] << 16;
        rows.exchange::<8, 4>();
        rows.transpose();
        rows.exchange::<2, 1>();
        rows
    }

    /// Substitutes each nibble: E D B 0 2 1 4 F 7 A 8 5 9 C 3 6.
    #[inline]
    pub(super) fn substitute(&mut self) {
        self.0 = self.0.map(substitute);
    }

    /// Exchanges the roles of `r` and `c`.
    #[inline]
    pub(super) fn transpose(&mut self) {
        let [[a, b, c, d], [e, f, g, h]] = self.0;
        self.0 = [
            [low(a, b), high(a, b), low(e, f), high(e, f)],
            [low(c, d), high(c, d), low(g, h), high(g, h)],
        ];
    }

    /// Adds the counter of the second round at both ends: bit `j` of it to bit `j` and to bit
    /// `335 - j` of what the first round left.
    #[inline]
    pub(super) fn add_counter(&mut self, counter: u8) {
        let [first, last] = [counter, counter.reverse_bits()].map(u64::from);
        for index in 0..4 {
            self.0[0][index] ^= two_lanes(first >> index);
            self.0[1][index] ^= two_lanes(last >> index) << (32 + 19);
        }
    }

    /// Puts the sixteen words in a row.
    #[inline]
    pub(super) fn to_state(&self) -> [u64; WORDS] {
        let [[a, c, e, g], [b, d, f, h]] = self.0.map(|planes| planes.map(narrow));
        [
            a | b << 42,
            b >> 22 | c << 20 | d << 62,
            d >> 2 | e << 40,
            e >> 24 | f << 18 | g << 60,
            g >> 4 | h << 38,
            h >> 26,
        ]
    }

    /// Two steps of the transposition: planes two apart by `FAR` bits, then neighbours by `NEAR`.
    #[inline]
    fn exchange<const FAR: u32, const NEAR: u32>(&mut self) {
        for [a, b, c, d] in &mut self.0 {
            exchange::<FAR>(a, c);
            exchange::<FAR>(b, d);
            exchange::<NEAR>(a, b);
            exchange::<NEAR>(c, d);
        }
    }
}

/// Exchanges the bits of `low` whose index has bit `DISTANCE` with those of `high` that lack it.
#[inline]
const fn exchange<const DISTANCE: u32>(low: &mut u64, high: &mut u64) {
    let without = u64::MAX / ((1 << DISTANCE) + 1);
    let changed = (*low >> DISTANCE ^ *high) & without;
    *low ^= changed << DISTANCE;
    *high ^= changed;
}

/// The S-box in fourteen operations on its bits, `a` the lowest. A search of all formulas that work
/// in place found none with fewer.
#[inline]
const fn substitute([mut a, mut b, mut c, mut d]: Planes) -> Planes {
    a ^= b | c;
    b = !(b ^ (a | d));
    a ^= b;
    b ^= c;
    d ^= b;
    c ^= b & d;
    b ^= !c & a;
    a ^= d;
    c ^= a;
    [a, d, c, b]
}

/// The lower words of two planes.
const fn low(even: u64, odd: u64) -> u64 {
    even & LOW | odd << 32
}

/// The upper words of two planes.
const fn high(even: u64, odd: u64) -> u64 {
    even >> 32 | odd & !LOW
}

/// The lowest 32 bits as two halves of 16, from bit 0 and from bit 32 on.
const fn widen(word: u64) -> u64 {
    (word & 0xFFFF) | (word & 0xFFFF_0000) << 16
}

/// The 42 bits of the two words of a plane.
const fn narrow(plane: u64) -> u64 {
    plane & LANES | (plane >> 32 & LANES) << 21
}

/// Bits 0 and 4 of half a counter, for two neighbouring lanes.
const fn two_lanes(bits: u64) -> u64 {
    bits & 1 | (bits >> 4 & 1) << 1
}
