//! The permutation SPONGENT-π of SPONGENT-224/224/112: 336 bits, 170 rounds
//! [SPONGENT §2.1].
//!
//! A round adds its counter at both ends of the state, substitutes every nibble, and moves bit `j`
//! to `84 j mod 335`: bit `i` of nibble `k` goes to `84 i + k`. Two rounds are computed together,
//! with one rearrangement of the bits for both; see [`sliced`]. Constant time: no branch and no
//! index depends on the state.

mod sliced;

use zeroize::ZeroizeOnDrop;

use self::sliced::Sliced;

const ROUNDS: usize = 170;
const WORDS: usize = 6;

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
        for &[first, second] in COUNTERS.as_chunks().0 {
            self.0[0] ^= u64::from(first);
            self.0[WORDS - 1] ^= u64::from(first.reverse_bits()) << 8;
            let mut bits = Sliced::from_state(&self.0);
            bits.substitute();
            bits.transpose();
            bits.add_counter(second);
            bits.substitute();
            self.0 = bits.to_state();
        }
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
