//! Little-endian numbers at a position; bytes behind the end read as zero.

pub(crate) fn u8_at(bytes: &[u8], at: usize) -> u8 {
    array_at::<1>(bytes, at)[0]
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array_at(bytes, at))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

/// Returns `N` bytes from a place on, zero where there are none.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    let there = bytes.get(at..).unwrap_or_default();
    let length = there.len().min(N);
    array[..length].copy_from_slice(&there[..length]);
    array
}
