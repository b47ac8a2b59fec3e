//! The permutation SPONGENT-π of SPONGENT-224/224/112: 336 bits, 170 rounds
//! [SPONGENT §2.1].
//!
//! Constant time: no branch and no index depends on the state. The state stands in six words of
//! sixteen nibbles, the last of them filled to a quarter. A round adds its counter at both ends,
//! substitutes every nibble by a formula over the bits, and moves bit `j` to `84 j mod 335`: bit
//! `i` of nibble `k` goes to `84 i + k`, so the new state is the four bit planes of the old in a
//! row.

use zeroize::ZeroizeOnDrop;

const ROUNDS: usize = 170;
/// Bits of a plane, one for each nibble.
const NIBBLES: u32 = 84;
const WORDS: usize = 6;
/// Every fourth bit.
const SPREAD: u64 = 0x1111_1111_1111_1111;
/// The nibbles that the last word has.
const LAST: u64 = 0xFFFF;

/// The 336 bits of the sponge; bit 0 is the lowest of the first word. Wiped on drop.
#[derive(Clone, ZeroizeOnDrop)]
pub(super) struct State([u64; WORDS]);

impl State {
    pub(super) const fn zero() -> Self {
        State([0; WORDS])
    }

    /// Adds `bits` to the lowest 64 bits.
    pub(super) const fn add(&mut self, bits: u64) {
        self.0[0] ^= bits;
    }

    /// The lowest 16 bits.
    pub(super) const fn low(&self) -> [u8; 2] {
        (self.0[0] as u16).to_le_bytes()
    }

    /// Applies the permutation.
    pub(super) fn permute(&mut self) {
        for counter in COUNTERS {
            self.0[0] ^= u64::from(counter);
            self.0[WORDS - 1] ^= u64::from(counter.reverse_bits()) << 8;
            self.round();
        }
    }

    fn round(&mut self) {
        let mut planes = [0u128; 4];
        for (index, word) in self.0.iter().enumerate() {
            let sliced = transpose(substitute(*word));
            for (plane, bits) in planes.iter_mut().zip([0, 16, 32, 48]) {
                *plane |= u128::from(sliced >> bits & 0xFFFF) << (16 * index);
            }
        }
        self.0 = join(planes);
    }
}

/// The counters of all rounds: a shift register of 8 bits with the taps 8, 4, 3 and 2.
const COUNTERS: [u8; ROUNDS] = {
    let mut counters = [0; ROUNDS];
    let mut value = 0x52u8;
    let mut round = 0;
    while round < ROUNDS {
        counters[round] = value;
        let fed = (value >> 7) ^ (value >> 3) ^ (value >> 2) ^ (value >> 1);
        value = (value << 1) | (fed & 1);
        round += 1;
    }
    counters
};

/// Substitutes each nibble: E D B 0 2 1 4 F 7 A 8 5 9 C 3 6, as polynomials over its bits.
const fn substitute(word: u64) -> u64 {
    let (a, b) = (word & SPREAD, word >> 1 & SPREAD);
    let (c, d) = (word >> 2 & SPREAD, word >> 3 & SPREAD);
    let (bc, ad, bd) = (b & c, a & d, b & d);
    let bcd = bc & d;
    let y0 = a ^ b ^ bc ^ d;
    let y1 = SPREAD ^ a ^ bc ^ ad ^ bd ^ (c & d) ^ bcd;
    let y2 = SPREAD ^ b ^ c ^ ad ^ bcd;
    let y3 = SPREAD ^ (a & b) ^ c ^ d ^ ad ^ bd ^ (a & bd) ^ (c & ad);
    y0 | y1 << 1 | y2 << 2 | y3 << 3
}

/// Gathers bit `i` of the sixteen nibbles in the sixteen bits from `16 i` on.
const fn transpose(word: u64) -> u64 {
    let word = swap(swap(word, 0, 2), 2, 4);
    swap(swap(word, 1, 3), 3, 5)
}

/// Exchanges bits whose indices differ in just their bits `low` and `high`.
const fn swap(word: u64, low: u32, high: u32) -> u64 {
    let mut mask = 0u64;
    let mut index = 0;
    while index < 64 {
        if index >> low & 1 == 1 && index >> high & 1 == 0 {
            mask |= 1 << index;
        }
        index += 1;
    }
    let distance = (1 << high) - (1 << low);
    let changed = (word >> distance ^ word) & mask;
    word ^ changed ^ changed << distance
}

/// Puts four planes of 84 bits in a row.
const fn join(planes: [u128; 4]) -> [u64; WORDS] {
    const MASK: u128 = (1 << NIBBLES) - 1;
    let [a, b, c, d] = [
        planes[0] & MASK,
        planes[1] & MASK,
        planes[2] & MASK,
        planes[3] & MASK,
    ];
    // Plane by plane: 84 bits, 168, 252, 336.
    let low = a | b << NIBBLES;
    let middle = b >> 44 | c << 40 | d << 124;
    let high = d >> 4;
    [
        low as u64,
        (low >> 64) as u64,
        middle as u64,
        (middle >> 64) as u64,
        high as u64,
        (high >> 64) as u64 & LAST,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The permutation bit by bit, as the paper states it.
    fn plain(words: [u64; WORDS]) -> [u64; WORDS] {
        const S: [u8; 16] = [14, 13, 11, 0, 2, 1, 4, 15, 7, 10, 8, 5, 9, 12, 3, 6];
        let mut bits = [false; 336];
        for (j, bit) in bits.iter_mut().enumerate() {
            *bit = words[j / 64] >> (j % 64) & 1 == 1;
        }
        for counter in COUNTERS {
            for i in 0..8 {
                bits[i] ^= counter >> i & 1 == 1;
                bits[335 - i] ^= counter >> i & 1 == 1;
            }
            let mut moved = [false; 336];
            for nibble in 0..84 {
                let value = (0..4).fold(0, |v, i| v | usize::from(bits[4 * nibble + i]) << i);
                for i in 0..4 {
                    let j = 4 * nibble + i;
                    let to = if j == 335 { 335 } else { 84 * j % 335 };
                    moved[to] = S[value] >> i & 1 == 1;
                }
            }
            bits = moved;
        }
        let mut out = [0; WORDS];
        for (j, &bit) in bits.iter().enumerate() {
            out[j / 64] |= u64::from(bit) << (j % 64);
        }
        out
    }

    #[test]
    fn rounds_do_what_the_paper_states() {
        let mut words = [1, 2, 3, 0xFFFF_0000_FFFF_0000, 5, 0x8001];
        for _ in 0..3 {
            let mut state = State(words);
            state.permute();
            words = plain(words);
            assert_eq!(state.0, words);
        }
    }

    #[test]
    fn counters_end_as_the_paper_states() {
        assert_eq!(COUNTERS[..3], [0x52, 0xA5, 0x4A]);
        let mut seen = std::collections::BTreeSet::new();
        assert!(COUNTERS.iter().all(|counter| seen.insert(counter)));
    }
}
