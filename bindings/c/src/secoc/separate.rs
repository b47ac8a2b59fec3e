//! Ends of a stream whose freshness and code have a PDU of their own: AUTOSAR's authentic and
//! cryptographic PDU.

use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::secoc::{SeparateReceiver, SeparateSender};
use waywarden_work::{Instant, NoMeter};

use super::freshness::{FreshnessState, state};
use super::{SecocStreamOptions, separate};
use crate::can::CanFrame;
use crate::end::{self, Kept};
use crate::keys::Key;
use crate::memory::{bytes, clear, holds, lease, put, read, writable, write};
use crate::outcome::Outcome;
use crate::retention::Retention;
use crate::status::{Status, answer};

/// Protects the messages of one stream in two frames each. 256 bytes.
#[repr(C)]
pub struct SecocSeparateSender {
    /// Not to be touched.
    pub opaque: [u64; 32],
}

holds!(SecocSeparateSender, b"SepS", Kept<SeparateSender>);

/// Checks the messages of one stream in two frames each. 640 bytes: four payloads wait for
/// their codes.
#[repr(C)]
pub struct SecocSeparateReceiver {
    /// Not to be touched.
    pub opaque: [u64; 80],
}

holds!(SecocSeparateReceiver, b"SepR", Kept<SeparateReceiver>);

/// Initialises a sender: see `waywarden_secoc_sender_init`. Payloads have one length, all of it is
/// authenticated, and frames are filled up with zeros.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_sender_init(
    sender: *mut SecocSeparateSender,
    options: *const SecocStreamOptions,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe {
            let end = SeparateSender::resumed(separate(options)?, retained);
            put(sender, Kept::new(end, (key, Usage::Protect), retention)?)
        }
    })
}

/// Protects a payload: see `waywarden_secoc_sender_protect`. Writes the authentic PDU, which leaves
/// first, and the cryptographic one.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_sender_protect(
    sender: *mut SecocSeparateSender,
    payload: *const u8,
    length: usize,
    freshness: *const FreshnessState,
    authentic: *mut CanFrame,
    cryptographic: *mut CanFrame,
) -> Status {
    answer(|| {
        writable(authentic)?;
        writable(cryptographic)?;
        // SAFETY: by the caller.
        let (payload, freshness) = unsafe { (bytes(payload, length)?, state(freshness)?) };
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(sender) }?;
        let Kept { end, key, keeper } = lease.value();
        keeper.settle(end)?;
        let made = end.protect(payload, &freshness, key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe {
            write(authentic, CanFrame::from(&made.authentic))?;
            write(cryptographic, CanFrame::from(&made.cryptographic))
        }
    })
}

/// Takes note that `value` is stored: see `waywarden_secoc_sender_retained`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_sender_retained(
    sender: *mut SecocSeparateSender,
    value: u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe { end::retained(sender, value) }
}

/// Wipes a sender with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_sender_clear(
    sender: *mut SecocSeparateSender,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(sender) })
}

/// Initialises a receiver: see `waywarden_secoc_receiver_init`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_receiver_init(
    receiver: *mut SecocSeparateReceiver,
    options: *const SecocStreamOptions,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe {
            let end = SeparateReceiver::resumed(separate(options)?, retained);
            put(receiver, Kept::new(end, (key, Usage::Check), retention)?)
        }
    })
}

/// Takes any frame of the bus: see `waywarden_secoc_receiver_accept`. `now` is this ECU's monotonic
/// clock in nanoseconds: a message waits 20 ms for its code.
///
/// Time: at most four times as many codes as the profile has attempts.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_receiver_accept(
    receiver: *mut SecocSeparateReceiver,
    now: u64,
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
        keeper.settle(end)?;
        let now = Instant::from_nanos(now);
        let heard = end.accept(now, &frame, &freshness, key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe { write(outcome, Outcome::from(heard)) }
    })
}

/// Writes the outcome of a message whose code did not come in time; WAYWARDEN_OUTCOME_KIND_NONE if
/// there is none. To be called until there is none.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_receiver_expire(
    receiver: *mut SecocSeparateReceiver,
    now: u64,
    outcome: *mut Outcome,
) -> Status {
    answer(|| {
        writable(outcome)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(receiver) }?;
        let expired = lease.value().end.expire(Instant::from_nanos(now));
        // SAFETY: by the caller.
        unsafe { write(outcome, Outcome::from(expired)) }
    })
}

/// Takes note that `value` is stored: see `waywarden_secoc_sender_retained`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_receiver_retained(
    receiver: *mut SecocSeparateReceiver,
    value: u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe { end::retained(receiver, value) }
}

/// Wipes a receiver with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_separate_receiver_clear(
    receiver: *mut SecocSeparateReceiver,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(receiver) })
}
