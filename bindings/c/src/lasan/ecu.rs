//! An ECU of LASAN.

use waywarden_lasan::{EcuArrays, LasanEcu as Role, NetworkTime, StreamId, SubjectRole};

use super::known::{identity, known};
#[cfg(feature = "post-quantum")]
use super::object::LasanQuantumEcu;
use super::object::{ECU_SLOTS, EcuMemory, EcuNode, LasanEcu};
use super::suite::NumberedSuite;
use super::{LasanEvent, LasanOptions, either};
use crate::can::CanFrame;
use crate::memory::{Housing, clear, house};
use crate::role::curve::Curve;
use crate::role::{self, Driven, RoleStart, Start};
use crate::status::{Status, answer};

/// Initialises an ECU with a suite of the kind `S`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(super) unsafe fn init<S, H, const M: usize, const K: usize>(
    ecu: *mut H,
    options: *const LasanOptions,
    start: *const RoleStart,
) -> Result<(), Status>
where
    S: NumberedSuite + 'static,
    H: Housing<Value = Driven<EcuNode<S>, ECU_SLOTS>, Memory = EcuMemory<M, K>>,
{
    // SAFETY: by the caller.
    let start = unsafe { Start::<ECU_SLOTS>::new(start) }?;
    // SAFETY: by the caller.
    let (suite, known) = unsafe { known::<S, 0>(options, start.address) }?;
    let identity = identity(suite, &start, &known, SubjectRole::Ecu)?;
    let arrays = EcuArrays::new();
    // SAFETY: by the caller.
    unsafe {
        house(ecu, EcuMemory { known, arrays }, |memory| {
            let storage = memory.arrays.storage();
            let known = &memory.known;
            start.drive(Role::new(&start.boot(), suite, identity, known, storage))
        })
    }
}

/// Initialises an ECU. It retains one value, in slot 0.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT (also an address that is there twice, or is that of no
/// ECU), _IDENTIFIER (the bits that are not fixed do not suffice), _KEY (the public key of this
/// address is not that of the secret).
///
/// Time: two key generations. Needs about three times as much stack as the object has bytes.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_init(
    ecu: *mut LasanEcu,
    options: *const LasanOptions,
    start: *const RoleStart,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { init::<Curve, _, _, _>(ecu, options, start) })
}

/// Asks for the key of a stream that this ECU sends, as soon as that is possible, and for the next
/// key before it comes to its end.
///
/// Refused with WAYWARDEN_STATUS_SPACE if there is no room for another stream.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_request(ecu: *mut LasanEcu, stream: u32) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe {
        role::order(ecu, |role| match role.request(StreamId(stream)) {
            true => Ok(()),
            false => Err(Status::Space),
        })
    })
}

/// Says what time it is by a clock of this ECU: `time` in milliseconds of the network's time. An
/// ECU without a clock need not call it.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_tell_time(ecu: *mut LasanEcu, time: u64) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe {
        role::order(ecu, |role| {
            role.tell_time(NetworkTime(time));
            Ok(())
        })
    })
}

/// Writes true if this ECU and the security module have authenticated each other.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_is_authenticated(
    ecu: *mut LasanEcu,
    is_authenticated: *mut bool,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe {
        role::ask(ecu, is_authenticated, |role| role.is_authenticated())
    })
}

/// Gives an ECU a frame of the bus, of any kind; frames of others are ignored. Most frames take
/// microseconds; one that ends a step of the protocol takes the time of that, and up to 16 KiB of
/// stack: at most an agreement, a signature and a verification.
/// `now` is this ECU's monotonic clock, in nanoseconds; a time before the last one counts as the
/// last one.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
/// nothing leaves until the value is stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_receive(
    ecu: *mut LasanEcu,
    now: u64,
    frame: *const CanFrame,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { role::receive(ecu, now, frame) })
}

/// Writes the next frame to send, and true into `is_due`; false if none is due. To be called after
/// each other call, at the deadline, and again after `..._sent`. There is no next frame before
/// `..._sent` has said what became of the last one.
///
/// Refused with WAYWARDEN_STATUS_RETENTION: no frame leaves.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_outgoing(
    ecu: *mut LasanEcu,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { role::outgoing(ecu, now, frame, is_due) })
}

/// Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
/// false if it was taken back.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_sent(
    ecu: *mut LasanEcu,
    now: u64,
    is_sent: bool,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { role::sent(ecu, now, is_sent) })
}

/// Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
/// WAYWARDEN_NEVER if nothing waits. Later is allowed.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_deadline(
    ecu: *mut LasanEcu,
    deadline: *mut u64,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { role::deadline(ecu, deadline) })
}

/// Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
/// with false that it could not be stored, and is to be asked for again.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_retained(
    ecu: *mut LasanEcu,
    slot: u8,
    is_stored: bool,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { role::retained(ecu, slot, is_stored) })
}

/// Writes the oldest event and forgets it; WAYWARDEN_LASAN_EVENT_KIND_NONE if there is none.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_event(
    ecu: *mut LasanEcu,
    event: *mut LasanEvent,
) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe {
        role::ask(ecu, event, |role| LasanEvent::from(role.event()))
    })
}

/// Wipes an ECU with its keys.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_clear(ecu: *mut LasanEcu) -> Status {
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => answer(|| unsafe { clear(ecu) }))
}
