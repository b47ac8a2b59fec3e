//! Numbers in a row of bits, most significant first, wherever in a byte they begin.

/// Puts the low `bits` bits of `value`, at most 128, at bit `at`. What was there must be zero.
pub(super) fn put(bytes: &mut [u8], at: usize, value: u128, bits: usize) {
    if bits == 0 {
        return;
    }
    let (start, shift) = (at / 8, at % 8);
    let aligned = value << (128 - bits);
    let whole = (aligned >> shift).to_be_bytes();
    let taken = (shift + bits).div_ceil(8);
    for (byte, own) in bytes[start..start + taken].iter_mut().zip(whole) {
        *byte |= own;
    }
    // Bits that the shift drove out: there are none unless a 17th byte is touched.
    if taken > whole.len() {
        bytes[start + whole.len()] |= (aligned << (128 - shift) >> 120) as u8;
    }
}

/// Returns the number of `bits` bits, at most 64, at bit `at`.
pub(super) fn take(bytes: &[u8], at: usize, bits: usize) -> u64 {
    let (start, shift) = (at / 8, at % 8);
    let taken = (shift + bits).div_ceil(8);
    let all = bytes[start..start + taken]
        .iter()
        .fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    let value = all >> (8 * taken - shift - bits);
    (value & mask(bits)) as u64
}

/// Returns the `bits` bits, at most 128, at bit `at`, moved to the front of 16 bytes.
pub(super) fn take_aligned(bytes: &[u8], at: usize, bits: usize) -> [u8; 16] {
    let mut taken = [0; 16];
    for (index, byte) in taken.iter_mut().enumerate().take(bits.div_ceil(8)) {
        let left = (bits - 8 * index).min(8);
        *byte = (take(bytes, at + 8 * index, left) << (8 - left)) as u8;
    }
    taken
}

/// The number whose low `bits` bits, at most 127, are set.
pub(super) const fn mask(bits: usize) -> u128 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_at_any_bit_is_taken_again_and_nothing_else_is_touched() {
        for at in 0..24 {
            for bits in 1..=128usize {
                let value = 0xF1E2_D3C4_B5A6_9788_7968_5A4B_3C2D_1E0F_u128 >> (128 - bits);
                let mut bytes = [0; 24];
                put(&mut bytes, at, value, bits);
                let aligned = u128::from_be_bytes(take_aligned(&bytes, at, bits));
                assert_eq!(aligned >> (128 - bits), value, "{bits} bits at {at}");
                if bits <= 64 {
                    assert_eq!(u128::from(take(&bytes, at, bits)), value);
                }
                let set = bytes.iter().map(|byte| byte.count_ones()).sum::<u32>();
                assert_eq!(set, value.count_ones(), "{bits} bits at {at}");
            }
        }
    }
}
