//! Bytes that the library makes.

use std::ptr;

use zeroize::Zeroize as _;

use crate::error::Failure;
use crate::handle::checked;

/// Bytes of the library, which `waywarden_buffer_free` frees. A zero byte follows them that does
/// not count, so that text is a C string.
#[repr(C)]
pub struct Buffer {
    /// The first byte; null if it was freed.
    pub data: *mut u8,
    /// Number of bytes.
    pub length: usize,
}

/// Hands bytes over.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn hand_over(to: *mut Buffer, mut bytes: Vec<u8>) -> Result<(), Failure> {
    checked(to)?;
    let length = bytes.len();
    bytes.reserve_exact(1);
    bytes.push(0);
    let data = Box::into_raw(bytes.into_boxed_slice()).cast();
    // SAFETY: not null, by the caller a buffer.
    unsafe { to.write(Buffer { data, length }) };
    Ok(())
}

/// Wipes and frees the bytes of a buffer; null, and a buffer without bytes, are allowed.
///
/// # Safety
/// See [the rules on pointers](crate). The buffer is as the library filled it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_buffer_free(buffer: *mut Buffer) {
    // SAFETY: by the caller.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else {
        return;
    };
    if !buffer.data.is_null() {
        let all = ptr::slice_from_raw_parts_mut(buffer.data, buffer.length + 1);
        // SAFETY: made by `hand_over`, and not freed before.
        let mut bytes = unsafe { Box::from_raw(all) };
        bytes.zeroize();
    }
    buffer.data = ptr::null_mut();
    buffer.length = 0;
}
