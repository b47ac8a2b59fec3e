//! The seam between the two halves of a Cortex-M33: the calls of the secure half, their values and
//! their refusals.
//!
//! A call takes four words in registers; what is longer lies in memory of the normal half, which
//! the secure half checks and copies before it looks at it.
#![no_std]
#![deny(clippy::undocumented_unsafe_blocks)]

/// Maximum length of a payload, in bytes: that of a CAN FD frame.
pub const PAYLOAD_MAX: usize = 64;

/// Number of bytes of a tag.
pub const TAG_LENGTH: usize = 16;

/// The stream that the normal half may protect, by the name of its key.
pub const OWN_STREAM: u32 = 1;

/// The stream of another ECU, that the normal half may check.
pub const OTHER_STREAM: u32 = 2;

/// The counter and the tag of a message.
///
/// The tag is AES-CMAC over the number of the stream in two bytes, the counter in eight, both big
/// endian, and the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Seal {
    /// The counter, little endian; no two messages of a stream have the same.
    pub counter: [u8; 8],
    /// The tag.
    pub tag: [u8; TAG_LENGTH],
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// Done, or authentic.
    Done = 0,
    /// There is no such stream, or the caller may not use it for that.
    Stream = 1,
    /// The length is none of a payload.
    Length = 2,
    /// The memory is not the caller's.
    Memory = 3,
    /// The tag is wrong.
    Tag = 4,
    /// The counter was there before, or one above it.
    Replay = 5,
    /// The counter has no further value.
    Exhausted = 6,
    /// The call came from an interrupt of a call.
    Busy = 7,
}

unsafe extern "C" {
    /// Protects a message: takes the next counter of a stream, and writes it with the tag.
    ///
    /// # Safety
    /// `payload` is readable for `length` bytes, and `seal` may be written. The secure half checks
    /// that both are memory of the normal half, and nothing else about them.
    pub unsafe fn waywarden_protect(
        stream: u32,
        payload: *const u8,
        length: u32,
        seal: *mut Seal,
    ) -> u32;

    /// Checks a message: its counter is above those of earlier ones, and its tag is right.
    ///
    /// # Safety
    /// `payload` is readable for `length` bytes, and `seal` as well.
    pub unsafe fn waywarden_check(
        stream: u32,
        payload: *const u8,
        length: u32,
        seal: *const Seal,
    ) -> u32;
}

/// Protects a message of a stream.
///
/// # Errors
/// The word of a [`Status`] that is not [`Status::Done`].
pub fn protect(stream: u32, payload: &[u8]) -> Result<Seal, u32> {
    let mut seal = Seal::default();
    // SAFETY: both are borrowed, the payload for its length.
    let status =
        unsafe { waywarden_protect(stream, payload.as_ptr(), payload.len() as u32, &mut seal) };
    match status {
        0 => Ok(seal),
        refused => Err(refused),
    }
}

/// Checks a message of a stream.
///
/// # Errors
/// The word of a [`Status`] that is not [`Status::Done`].
pub fn check(stream: u32, payload: &[u8], seal: &Seal) -> Result<(), u32> {
    // SAFETY: both are borrowed, the payload for its length.
    match unsafe { waywarden_check(stream, payload.as_ptr(), payload.len() as u32, seal) } {
        0 => Ok(()),
        refused => Err(refused),
    }
}
