//! Unsigned integers of N 64-bit limbs, little-endian: sums, differences, comparisons, bytes.
//!
//! Plain integers; arithmetic modulo a prime is in `residue`. All but the bytes is `const`, since
//! the compiler computes the constants and tables of the curves.

/// `a + b + carry`: the low word, and the carry.
#[inline(always)]
pub(crate) const fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// `a - b - borrow`: the low word, and the borrow.
#[inline(always)]
pub(crate) const fn sub_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// True if the processor multiplies words of 32 bits.
const SHORT_WORDS: bool = cfg!(not(target_pointer_width = "64"));

/// `a b`: the low word and the high word.
#[inline(always)]
pub(crate) const fn mul_wide(a: u64, b: u64) -> (u64, u64) {
    if SHORT_WORDS {
        return multiply_add_in_halves(a, b, 0, 0);
    }
    let product = a as u128 * b as u128;
    (product as u64, (product >> 64) as u64)
}

/// `a b + c + d`: the low word and the high word. (2^64 - 1)^2 + 2 (2^64 - 1) is 2^128 - 1. As one
/// sum of 128 bits this takes a twentieth longer: `d`, the word that is waited for, has to come
/// last.
#[inline(always)]
pub(crate) const fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    if SHORT_WORDS {
        return multiply_add_in_halves(a, b, c, d);
    }
    let (low, high) = mul_wide(a, b);
    let (low, carry) = add_carry(low, c, false);
    let high = high + carry as u64;
    let (low, carry) = add_carry(low, d, false);
    (low, high + carry as u64)
}

/// The same from four products of 32 bits, each of which takes two summands along: what UMAAL of a
/// Cortex-M4 does. Out of `u128` the compiler makes 1.6 times as many instructions there.
#[inline(always)]
pub(crate) const fn multiply_add_in_halves(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    const fn add(a: u32, b: u32, c: u32, d: u32) -> (u32, u32) {
        let sum = a as u64 * b as u64 + c as u64 + d as u64;
        (sum as u32, (sum >> 32) as u32)
    }
    const fn halves(word: u64) -> (u32, u32) {
        (word as u32, (word >> 32) as u32)
    }
    let ((a, a_high), (b, b_high)) = (halves(a), halves(b));
    let ((c, c_high), (d, d_high)) = (halves(c), halves(d));
    let (first, above) = add(a, b, c, d);
    let (middle, above) = add(a_high, b, c_high, above);
    let (second, middle_above) = add(a, b_high, middle, d_high);
    let (third, fourth) = add(a_high, b_high, above, middle_above);
    (
        first as u64 | (second as u64) << 32,
        third as u64 | (fourth as u64) << 32,
    )
}

/// `a + b` and the carry.
#[inline(always)]
pub(crate) const fn add<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], bool) {
    let (mut sum, mut carry, mut i) = ([0; N], false, 0);
    while i < N {
        (sum[i], carry) = add_carry(a[i], b[i], carry);
        i += 1;
    }
    (sum, carry)
}

/// `a - b` and the borrow.
#[inline(always)]
pub(crate) const fn sub<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], bool) {
    let (mut difference, mut borrow, mut i) = ([0; N], false, 0);
    while i < N {
        (difference[i], borrow) = sub_borrow(a[i], b[i], borrow);
        i += 1;
    }
    (difference, borrow)
}

/// Returns true if `a < b`.
#[inline(always)]
pub(crate) const fn less<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    sub(a, b).1
}

/// Returns true if `a == b`.
#[inline(always)]
pub(crate) const fn equal<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let (mut difference, mut i) = (0, 0);
    while i < N {
        difference |= a[i] ^ b[i];
        i += 1;
    }
    difference == 0
}

/// Returns true if `a == 0`.
#[inline(always)]
pub(crate) const fn is_zero<const N: usize>(a: &[u64; N]) -> bool {
    equal(a, &[0; N])
}

/// The integer `value`.
pub(crate) const fn small<const N: usize>(value: u64) -> [u64; N] {
    let mut limbs = [0; N];
    limbs[0] = value;
    limbs
}

/// `a >> count` for count < 64.
pub(crate) const fn shift_right<const N: usize>(a: &[u64; N], count: u32) -> [u64; N] {
    let (mut shifted, mut i) = ([0; N], 0);
    while i < N {
        let above = if i + 1 < N { a[i + 1] as u128 } else { 0 };
        shifted[i] = ((above << 64 | a[i] as u128) >> count) as u64;
        i += 1;
    }
    shifted
}

/// `count` bits (at most 63) of `a` from bit `from` on; bits above the integer are zero.
#[inline(always)]
pub(crate) fn bits<const N: usize>(a: &[u64; N], from: usize, count: u32) -> u64 {
    let (word, shift) = (from / 64, from % 64);
    let low = a.get(word).map_or(0, |limb| limb >> shift);
    let high = a
        .get(word + 1)
        .map_or(0, |&limb| (u128::from(limb) << 64 >> shift) as u64);
    (low | high) & ((1 << count) - 1)
}

/// Reads 16 N hexadecimal digits; for constants, so a wrong digit or length stops the compiler.
pub(crate) const fn from_hex<const N: usize>(text: &str) -> [u64; N] {
    let text = text.as_bytes();
    assert!(text.len() == 16 * N);
    let (mut limbs, mut i) = ([0; N], 0);
    while i < 16 * N {
        let digit = match text[i] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            _ => panic!("a hexadecimal digit"),
        };
        let limb = &mut limbs[N - 1 - i / 16];
        *limb = *limb << 4 | digit as u64;
        i += 1;
    }
    limbs
}

/// The big-endian integer in at most 8 N bytes; none if there are more.
pub(crate) fn from_bytes<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    if bytes.len() > 8 * N {
        return None;
    }
    let mut limbs = [0; N];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = chunk
            .iter()
            .fold(0, |limb, &byte| limb << 8 | u64::from(byte));
    }
    Some(limbs)
}

/// Writes the integer into the first 8 N bytes, big-endian.
///
/// # Panics
/// If there is less room.
pub(crate) fn to_bytes<const N: usize>(limbs: &[u64; N], bytes: &mut [u8]) {
    for (chunk, limb) in bytes[..8 * N].rchunks_exact_mut(8).zip(limbs) {
        chunk.copy_from_slice(&limb.to_be_bytes());
    }
}
