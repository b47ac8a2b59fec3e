//! Streams of an ECU of LASAN: what it protects itself, and the keys of the others.

use waywarden_can::node::Port;
use waywarden_lasan::{ProtectedOutcome, StreamId, StreamProtectError};

use super::either;
#[cfg(feature = "post-quantum")]
use super::object::LasanQuantumEcu;
use super::object::{ECU_SLOTS, EcuNode, LasanEcu};
use super::suite::NumberedSuite;
use crate::can::CanFrame;
use crate::memory::{Holder, lease, read, writable, write};
use crate::outcome::{Outcome, OutcomeKind};
use crate::role::{self, Driven};
use crate::status::{Status, answer};

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
    let answered = |sent| match sent {
        Ok(()) => Ok(()),
        Err(StreamProtectError::NoKey | StreamProtectError::NotSender) => Err(Status::NoKey),
        Err(StreamProtectError::TooLong) => Err(Status::Length),
        Err(_) => Err(Status::Argument),
    };
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe {
        role::order(ecu, |role| answered(role.send(Port(0), &frame?)))
    })
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
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { received(ecu, stream, outcome) })
}

/// Does so for either kind of ECU.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn received<S, H>(ecu: *mut H, stream: *mut u32, outcome: *mut Outcome) -> Status
where
    S: NumberedSuite + 'static,
    H: Holder<Value = Driven<EcuNode<S>, ECU_SLOTS>>,
{
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
    // SAFETY: by the caller.
    either!(ecu: LasanQuantumEcu => unsafe { stream_key(ecu, StreamId(stream), generation, key) })
}

/// Does so for either kind of ECU.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn stream_key<S, H>(
    ecu: *mut H,
    stream: StreamId,
    generation: *mut u32,
    key: *mut u8,
) -> Status
where
    S: NumberedSuite + 'static,
    H: Holder<Value = Driven<EcuNode<S>, ECU_SLOTS>>,
{
    answer(|| {
        writable(generation)?;
        writable(key)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(ecu) }?;
        let found = lease.value().node.stream_key(stream);
        let (of, secret) = found.ok_or(Status::NoKey)?;
        // SAFETY: by the caller; of the key 32 bytes.
        unsafe {
            write(generation, of)?;
            write(key.cast::<[u8; 32]>(), *secret.as_bytes())
        }
    })
}
