//! The two calls that the normal half has.
//!
//! An interrupt of the normal half may come within a call, and call again: that is refused, as the
//! module is in use.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use waywarden_firmware_gateway::{PAYLOAD_MAX, Seal, Status, TAG_LENGTH};

use crate::memory;
use crate::module::ProtectedModule;

/// The module, and its use.
struct Gate {
    is_busy: AtomicBool,
    module: UnsafeCell<Option<ProtectedModule>>,
}

// SAFETY: the module is reached in `enter` alone, by one call at a time.
unsafe impl Sync for Gate {}

static GATE: Gate = Gate {
    is_busy: AtomicBool::new(false),
    module: UnsafeCell::new(None),
};

/// Bytes of a seal.
const SEAL: usize = 8 + TAG_LENGTH;

/// Does something with the module, unless it is in use.
fn enter<T>(work: impl FnOnce(&mut Option<ProtectedModule>) -> T) -> Result<T, Status> {
    if GATE.is_busy.swap(true, Ordering::Acquire) {
        return Err(Status::Busy);
    }
    // SAFETY: it was not in use, and from here on it is, until the last reference has ended.
    let result = work(unsafe { &mut *GATE.module.get() });
    GATE.is_busy.store(false, Ordering::Release);
    Ok(result)
}

/// Puts the module in its place. Before it there is no call.
pub(crate) fn open(module: ProtectedModule) {
    let _ = enter(|place| *place = Some(module));
}

/// A payload, copied.
struct Payload {
    bytes: [u8; PAYLOAD_MAX],
    length: usize,
}

impl Payload {
    fn read(from: *const u8, length: u32) -> Result<Self, Status> {
        let length = usize::try_from(length).map_err(|_| Status::Length)?;
        let mut bytes = [0; PAYLOAD_MAX];
        let room = bytes.get_mut(..length).filter(|room| !room.is_empty());
        memory::read(from, room.ok_or(Status::Length)?)?;
        Ok(Payload { bytes, length })
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

fn protect(stream: u32, payload: *const u8, length: u32, seal: *mut Seal) -> Result<(), Status> {
    let into: *mut u8 = seal.cast();
    // Before a counter is used up for it.
    memory::writable(into, SEAL)?;
    let payload = Payload::read(payload, length)?;
    let sealed = enter(|module| match module {
        Some(module) => module.protect(stream, payload.bytes()),
        None => Err(Status::Stream),
    })??;
    let mut bytes = [0; SEAL];
    bytes[..8].copy_from_slice(&sealed.counter);
    bytes[8..].copy_from_slice(&sealed.tag);
    memory::write(into, &bytes)
}

fn check(stream: u32, payload: *const u8, length: u32, seal: *const Seal) -> Result<(), Status> {
    let payload = Payload::read(payload, length)?;
    let mut given = Seal::default();
    memory::read(seal.cast(), &mut given.counter)?;
    memory::read(seal.cast::<u8>().wrapping_add(8), &mut given.tag)?;
    enter(|module| match module {
        Some(module) => module.check(stream, payload.bytes(), &given),
        None => Err(Status::Stream),
    })?
}

fn word(result: Result<(), Status>) -> u32 {
    let status = result.err().unwrap_or(Status::Done);
    status as u32
}

/// See `waywarden_firmware_gateway`.
#[unsafe(no_mangle)]
extern "cmse-nonsecure-entry" fn waywarden_protect(
    stream: u32,
    payload: *const u8,
    length: u32,
    seal: *mut Seal,
) -> u32 {
    word(protect(stream, payload, length, seal))
}

/// See `waywarden_firmware_gateway`.
#[unsafe(no_mangle)]
extern "cmse-nonsecure-entry" fn waywarden_check(
    stream: u32,
    payload: *const u8,
    length: u32,
    seal: *const Seal,
) -> u32 {
    word(check(stream, payload, length, seal))
}
