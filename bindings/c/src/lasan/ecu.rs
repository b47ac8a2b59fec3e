//! An ECU of LASAN.

use waywarden_can::node::Port;
use waywarden_lasan::{
    EcuArrays, LasanEcu as Role, NetworkTime, ProtectedOutcome, StreamId, StreamProtectError,
    SubjectRole,
};

use super::{
    LasanEvent, LasanOptions, MESSAGE, NetworkKnown, PUBLIC_KEY, Suite, WAYWARDEN_LASAN_STREAMS,
    identity, known,
};
use crate::can::CanFrame;
use crate::memory::{clear, house, houses, lease, read, writable, write};
use crate::outcome::{Outcome, OutcomeKind};
use crate::role::{self, Driven, RoleStart, Start};
use crate::status::{Status, answer};

/// Number of values that an ECU retains.
const SLOTS: usize = 1;

/// An ECU of a network: authenticates itself to the security module, and gets the keys of its
/// streams. 8,192 bytes. It may not be moved once it is initialised.
#[repr(C)]
pub struct LasanEcu {
    /// Not to be touched.
    pub opaque: [u64; 1024],
}

houses!(LasanEcu, b"LasE", Driven<EcuNode, SLOTS>, Memory);

/// Only the security module asks for permissions.
type EcuKnown = NetworkKnown<0>;
type EcuNode = Role<'static, Suite, &'static EcuKnown>;

pub(crate) struct Memory {
    known: EcuKnown,
    arrays: EcuArrays<MESSAGE, PUBLIC_KEY, WAYWARDEN_LASAN_STREAMS>,
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
    answer(|| {
        // SAFETY: by the caller.
        let ((suite, known), start) = unsafe { (known(options)?, Start::<SLOTS>::new(start)?) };
        let identity = identity(suite, &start, &known, SubjectRole::Ecu)?;
        let arrays = EcuArrays::new();
        // SAFETY: by the caller.
        unsafe {
            house(ecu, Memory { known, arrays }, |memory| {
                let storage = memory.arrays.storage();
                let known = &memory.known;
                start.drive(Role::new(&start.boot(), suite, identity, known, storage))
            })
        }
    })
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
    let request = |role: &mut EcuNode| match role.request(StreamId(stream)) {
        true => Ok(()),
        false => Err(Status::Space),
    };
    // SAFETY: by the caller.
    unsafe { role::order(ecu, request) }
}

/// Says what time it is by a clock of this ECU: `time` in milliseconds of the network's time. An
/// ECU without a clock need not call it.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_tell_time(ecu: *mut LasanEcu, time: u64) -> Status {
    let tell = |role: &mut EcuNode| {
        role.tell_time(NetworkTime(time));
        Ok(())
    };
    // SAFETY: by the caller.
    unsafe { role::order(ecu, tell) }
}

/// Takes a CAN FD frame of a stream in clear: `..._outgoing` has it next, encrypted (AES-256-GCM)
/// and with a code. The stream is named by the frame's identifier.
///
/// Refused with WAYWARDEN_STATUS_NO_KEY (also if another ECU sends the stream), _LENGTH (no frame
/// has room for the protection), _ARGUMENT while an earlier frame of the stream
/// waits, _FRAME, _IDENTIFIER.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_send(
    ecu: *mut LasanEcu,
    frame: *const CanFrame,
) -> Status {
    // SAFETY: by the caller.
    let frame = unsafe { read(frame) }.and_then(|frame| frame.frame());
    let send = |role: &mut EcuNode| match role.send(Port(0), &frame?) {
        Ok(()) => Ok(()),
        Err(StreamProtectError::NoKey | StreamProtectError::NotSender) => Err(Status::NoKey),
        Err(StreamProtectError::TooLong) => Err(Status::Length),
        Err(_) => Err(Status::Argument),
    };
    // SAFETY: by the caller.
    unsafe { role::order(ecu, send) }
}

/// Writes what came of the oldest protected frame, and its stream; WAYWARDEN_OUTCOME_KIND_NONE if
/// there is none. To be called after each `..._receive` and `..._outgoing` until there is none:
/// nothing further is opened before. A payload may have been filled with zeros up to a length that
/// a frame can have.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_received(
    ecu: *mut LasanEcu,
    stream: *mut u32,
    outcome: *mut Outcome,
) -> Status {
    answer(|| {
        writable(stream)?;
        writable(outcome)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(ecu) }?;
        let driven = lease.value();
        let received = driven.node.received();
        if received.is_some() {
            // The next one is opened now.
            driven.ordered();
        }
        let (of, heard) = outcome_of(received.as_ref());
        // SAFETY: by the caller.
        unsafe {
            write(stream, of)?;
            write(outcome, heard)
        }
    })
}

fn outcome_of(received: Option<&ProtectedOutcome>) -> (u32, Outcome) {
    let refused = |kind, StreamId(of): &StreamId| {
        let outcome = Outcome {
            kind,
            ..Outcome::NOTHING
        };
        (*of, outcome)
    };
    match received {
        None => (0, Outcome::NOTHING),
        Some(ProtectedOutcome::Authentic {
            stream: StreamId(of),
            payload,
            length,
        }) => {
            let outcome = Outcome {
                kind: OutcomeKind::Authentic,
                // At most 64.
                length: *length as u8,
                payload: *payload,
            };
            (*of, outcome)
        }
        Some(ProtectedOutcome::WrongTag(of)) => refused(OutcomeKind::WrongCode, of),
        Some(ProtectedOutcome::Replay(of)) => refused(OutcomeKind::Replay, of),
        Some(ProtectedOutcome::UnknownKey(of)) => refused(OutcomeKind::OutOfStep, of),
        Some(_) => (0, Outcome::NOTHING),
    }
}

/// Writes the key of a stream, 32 bytes into `key`, and its generation, for another message
/// authentication: `waywarden_derive_key` makes the key of a SecOC end of it.
///
/// Refused with WAYWARDEN_STATUS_NO_KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_stream_key(
    ecu: *mut LasanEcu,
    stream: u32,
    generation: *mut u32,
    key: *mut u8,
) -> Status {
    answer(|| {
        writable(generation)?;
        writable(key)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(ecu) }?;
        let found = lease.value().node.stream_key(StreamId(stream));
        let (of, secret) = found.ok_or(Status::NoKey)?;
        // SAFETY: by the caller; of the key 32 bytes.
        unsafe {
            write(generation, of)?;
            write(key.cast::<[u8; 32]>(), *secret.as_bytes())
        }
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
    answer(|| {
        // SAFETY: by the caller.
        let is = unsafe { lease(ecu) }?.value().node.is_authenticated();
        // SAFETY: by the caller.
        unsafe { write(is_authenticated, is) }
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
    unsafe { role::receive(ecu, now, frame) }
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
    unsafe { role::outgoing(ecu, now, frame, is_due) }
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
    unsafe { role::sent(ecu, now, is_sent) }
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
    unsafe { role::deadline(ecu, deadline) }
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
    unsafe { role::retained(ecu, slot, is_stored) }
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
    answer(|| {
        writable(event)?;
        // SAFETY: by the caller.
        let next = unsafe { lease(ecu) }?.value().node.event();
        // SAFETY: by the caller.
        unsafe { write(event, LasanEvent::from(next)) }
    })
}

/// Wipes an ECU with its keys.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_ecu_clear(ecu: *mut LasanEcu) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(ecu) })
}
