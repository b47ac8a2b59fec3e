//! Operations that leak on purpose, each in one way. Both checks must find them.

use std::hint::black_box;

/// p = 2^61 - 1.
const MODULUS: u64 = (1 << 61) - 1;

fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(MODULUS)) as u64
}

fn first_word(secret: &[u8; 32]) -> u64 {
    secret[..8]
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// 3 to the power of the secret by squaring and multiplying: a branch for each bit.
#[inline(never)]
pub(crate) fn branch(secret: &[u8; 32]) -> [u8; 32] {
    let exponent = first_word(secret);
    let mut power = 1;
    for bit in (0..64).rev() {
        power = multiply(power, power);
        if exponent >> bit & 1 == 1 {
            // Opaque, so that the compiler cannot make a selection of it.
            power = black_box(multiply(black_box(power), 3));
        }
    }
    widen(power)
}

/// 3 to the power of the secret by nibbles from a table: an address for each nibble.
#[inline(never)]
pub(crate) fn index(secret: &[u8; 32]) -> [u8; 32] {
    let mut table = [1; 16];
    for i in 1..16 {
        table[i] = multiply(table[i - 1], 3);
    }
    let table = black_box(table);
    let exponent = first_word(secret);
    let mut power = 1;
    for nibble in (0..16).rev() {
        for _ in 0..4 {
            power = multiply(power, power);
        }
        power = multiply(power, table[(exponent >> (4 * nibble) & 15) as usize]);
    }
    widen(power)
}

/// Compares byte by byte and stops at the first that differs.
#[inline(never)]
pub(crate) fn early_exit(secret: &[u8; 32]) -> [u8; 32] {
    let mut equal = 0;
    for (place, byte) in secret.iter().enumerate() {
        if black_box(*byte) != black_box(u8::from(place == 0)) {
            break;
        }
        equal += 1;
    }
    widen(equal)
}

fn widen(word: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&word.to_le_bytes());
    bytes
}
