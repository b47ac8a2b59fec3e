//! Files of known answers, and bytes that are changed a little.

use std::collections::BTreeMap;

use crate::seeds::first_seed;

/// Returns the blocks of a file of vectors: lines of a name and a value, an empty line between
/// blocks. What stands before the first empty line is about the file.
pub fn blocks(file: &str) -> impl Iterator<Item = BTreeMap<&str, &str>> {
    file.split("\n\n").skip(1).map(|block| {
        let line = |line| {
            let (name, value) = str::split_once(line, ' ').unwrap_or((line, ""));
            (name, value.trim())
        };
        block.lines().map(line).collect()
    })
}

/// Returns the bytes with one bit turned, counted from the lowest of the first byte.
///
/// # Panics
/// If there is no such bit.
#[must_use]
pub fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// Returns one random bit in each of some 400 of so many bytes, evenly spread, or in every byte
/// where there are fewer.
pub fn spread_bits(length: usize, mut random: impl FnMut() -> u8) -> impl Iterator<Item = usize> {
    let bytes = (0..length).step_by(length.div_ceil(400).max(1));
    bytes.map(move |byte| 8 * byte + usize::from(random() % 8))
}

/// Returns 32 bytes for a test's random generator, from a seed that is printed:
/// `WAYWARDEN_SEED` repeats it.
#[must_use]
pub fn seeded_bytes(test: &str) -> [u8; 32] {
    let seed = first_seed(0x5EED);
    println!("{test}: WAYWARDEN_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    for (place, byte) in bytes[8..].iter_mut().zip(test.bytes()) {
        *place = byte;
    }
    bytes
}
