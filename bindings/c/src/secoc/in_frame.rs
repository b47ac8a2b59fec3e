//! Ends of a stream whose freshness and code share the frame with the payload.

use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::secoc::{SecocReceiver as Receiver, SecocSender as Sender};
use waywarden_work::NoMeter;

use super::freshness::{FreshnessState, state};
use super::{SecocStreamOptions, in_frame};
use crate::can::CanFrame;
use crate::end::{self, Kept};
use crate::keys::Key;
use crate::memory::{bytes, clear, holds, lease, put, read, writable, write};
use crate::outcome::Outcome;
use crate::retention::Retention;
use crate::status::{Status, answer};

/// Protects the messages of one stream. 256 bytes, key and retention included.
#[repr(C)]
pub struct SecocSender {
    /// Not to be touched.
    pub opaque: [u64; 32],
}

holds!(SecocSender, b"SecS", Kept<Sender>);

/// Checks the messages of one stream. 256 bytes, key and retention included.
#[repr(C)]
pub struct SecocReceiver {
    /// Not to be touched.
    pub opaque: [u64; 32],
}

holds!(SecocReceiver, b"SecR", Kept<Receiver>);

/// Initialises a sender. `retained` is the last value that the retention had under this key; 0
/// under a key that was never used. Asks for nothing yet.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT, _IDENTIFIER, _PROFILE, _STREAM for options, _KEY for a
/// key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_sender_init(
    sender: *mut SecocSender,
    options: *const SecocStreamOptions,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe {
            let end = Sender::resumed(in_frame(options)?, retained);
            put(sender, Kept::new(end, (key, Usage::Protect), retention)?)
        }
    })
}

/// Protects a payload of `length` bytes, and writes the frame to send. Its freshness is used up,
/// even if it is never sent. Asks the retention first for what must survive a reset.
///
/// `freshness` is of this ECU's follower or master; null for profiles whose streams count for
/// themselves.
///
/// Refused with WAYWARDEN_STATUS_LENGTH, _UNSYNCHRONISED, _UNRETAINED, _EXHAUSTED, _RETENTION,
/// _KEY; then there is no frame.
///
/// Time: one code of the payload, and one key schedule where the key is in the object.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_sender_protect(
    sender: *mut SecocSender,
    payload: *const u8,
    length: usize,
    freshness: *const FreshnessState,
    frame: *mut CanFrame,
) -> Status {
    answer(|| {
        writable(frame)?;
        // SAFETY: by the caller.
        let (payload, freshness) = unsafe { (bytes(payload, length)?, state(freshness)?) };
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(sender) }?;
        let Kept { end, key, keeper } = lease.value();
        keeper.settle(end)?;
        let made = end.protect(payload, &freshness, key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe { write(frame, CanFrame::from(&made)) }
    })
}

/// Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
/// it could not be stored, and is to be asked for again.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a value above the last one that was asked for.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_sender_retained(
    sender: *mut SecocSender,
    value: u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe { end::retained(sender, value) }
}

/// Protects under the 16 bytes of another key from now on. Counters go on.
///
/// Refused with WAYWARDEN_STATUS_KEY where the key is behind a call-back.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_sender_roll_over(
    sender: *mut SecocSender,
    key: *const u8,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { lease(sender)?.value().key.roll_over(key) })
}

/// Wipes a sender with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_sender_clear(sender: *mut SecocSender) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(sender) })
}

/// Initialises a receiver: as a sender. After a reset up to 33 messages are lost, for counters are
/// retained 32 ahead.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_receiver_init(
    receiver: *mut SecocReceiver,
    options: *const SecocStreamOptions,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe {
            let end = Receiver::resumed(in_frame(options)?, retained);
            put(receiver, Kept::new(end, (key, Usage::Check), retention)?)
        }
    })
}

/// Takes any frame of the bus, and writes what it was. Only WAYWARDEN_OUTCOME_KIND_AUTHENTIC has a
/// payload.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER, _RETENTION, _KEY; then nothing was taken.
///
/// Time: at most as many codes as the profile has attempts (twice as many while keys are rolled
/// over), none for frames of others and replays.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_receiver_accept(
    receiver: *mut SecocReceiver,
    frame: *const CanFrame,
    freshness: *const FreshnessState,
    outcome: *mut Outcome,
) -> Status {
    answer(|| {
        writable(outcome)?;
        // SAFETY: by the caller.
        let (frame, freshness) = unsafe { (read(frame)?.frame()?, state(freshness)?) };
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(receiver) }?;
        let Kept { end, key, keeper } = lease.value();
        let heard = match end.knows(&frame) {
            true => {
                keeper.settle(end)?;
                end.accept(&frame, &freshness, key, &mut NoMeter)?
            }
            false => None,
        };
        // SAFETY: by the caller.
        unsafe { write(outcome, Outcome::from(heard)) }
    })
}

/// Takes note that `value` is stored: see `waywarden_secoc_sender_retained`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_receiver_retained(
    receiver: *mut SecocReceiver,
    value: u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe { end::retained(receiver, value) }
}

/// Takes messages under the 16 bytes of another key, and under the one before until a message
/// under the new one came. Counters go on.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_receiver_roll_over(
    receiver: *mut SecocReceiver,
    key: *const u8,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { lease(receiver)?.value().key.roll_over(key) })
}

/// Wipes a receiver with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_receiver_clear(receiver: *mut SecocReceiver) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(receiver) })
}
