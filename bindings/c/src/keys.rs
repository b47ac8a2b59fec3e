//! Keys of an end: in its memory, or behind a call-back.

#[cfg(any(feature = "secoc", feature = "paired"))]
mod end;

use core::ffi::c_void;

use waywarden_can_auth::mac::{AesCmac, KEY_LENGTH, Mac, MacKey};
use waywarden_work::NoMeter;
use zeroize::Zeroize;

use crate::memory::{bytes, read, writable};
use crate::status::{Status, answer};

#[cfg(any(feature = "secoc", feature = "paired"))]
pub(crate) use end::{EndKey, KEY};

/// AES-128-CMAC (RFC 4493).
pub const WAYWARDEN_AES_CMAC: u8 = 0;
/// HMAC-SHA-256, its first 128 bits.
pub const WAYWARDEN_HMAC_SHA256: u8 = 1;
/// SipHash-2-4 with 128 bits.
pub const WAYWARDEN_SIPHASH: u8 = 2;
/// SpongentMac.
pub const WAYWARDEN_SPONGENT: u8 = 3;

/// Computes the code of a message: 16 bytes into `code`, its first bit first. Returns 0 if it did.
/// A hardware security module, or a job of a crypto service manager, may be behind it.
pub type CodeFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        message: *const u8,
        length: usize,
        code: *mut u8,
    ) -> i32,
>;

/// Compares the first `bits` bits of the code of a message with those of `code`, in constant time.
/// Returns 0 if they are equal, 1 if they are not, another number if it failed. For keys that may
/// check and not compute.
pub type CheckFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        message: *const u8,
        length: usize,
        code: *const u8,
        bits: usize,
    ) -> i32,
>;

/// The key of an end: `bytes`, or one or both of `compute` and `check`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Key {
    /// The 16 bytes of the key, copied and wiped by `..._clear`; null where the key is elsewhere.
    pub bytes: *const u8,
    /// WAYWARDEN_AES_CMAC and others; not looked at where the key is elsewhere.
    pub algorithm: u8,
    /// Computes codes where the key is elsewhere: needed by a sender; a receiver uses it where
    /// there is no `check`.
    pub compute: CodeFunction,
    /// Checks codes where the key is elsewhere.
    pub check: CheckFunction,
    /// Handed to both as it is. Must live as long as the object.
    pub context: *mut c_void,
}

/// Copies the bytes of a key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn key_of(from: *const u8) -> Result<MacKey, Status> {
    // SAFETY: by the caller.
    let mut own = unsafe { read(from.cast::<[u8; KEY_LENGTH]>()) }?;
    let key = MacKey::from_bytes(own);
    own.zeroize();
    Ok(key)
}

/// Computes the AES-128-CMAC of `length` bytes of `message` under the 16 bytes of `key`: 16 bytes
/// into `code`. In constant time. For programs that have their own protocol.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_aes_cmac(
    key: *const u8,
    message: *const u8,
    length: usize,
    code: *mut u8,
) -> Status {
    answer(|| {
        writable(code)?;
        // SAFETY: by the caller.
        let (key, message) = unsafe { (key_of(key)?, bytes(message, length)?) };
        let tag = AesCmac::new(&key).tag(&[message], &mut NoMeter);
        // SAFETY: 16 bytes by the caller.
        unsafe { crate::memory::write(code.cast(), *tag.whole()) }
    })
}
