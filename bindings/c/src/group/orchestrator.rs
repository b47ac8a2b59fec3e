//! The orchestrator of a group.

use waywarden_group_keys::{Address, GroupDirectory, Orchestrator, OrchestratorArrays};

use super::{GroupEvent, GroupKnown, GroupOptions, LOGICAL, identity, known, write_key};
use crate::can::CanFrame;
use crate::memory::{clear, house, houses, lease, writable};
use crate::role::curve::Curve;
use crate::role::{self, Driven, RoleStart, Start, WAYWARDEN_ROLE_ECUS};
use crate::status::{Status, answer};

/// Number of values that an orchestrator retains: its freshness, and the ECUs that are removed.
const SLOTS: usize = 2;

/// The orchestrator of a group: says who agrees with whom, and makes sure that all have the key.
/// 12,800 bytes. It may not be moved once it is initialised.
#[repr(C)]
pub struct GroupOrchestrator {
    /// Not to be touched.
    pub opaque: [u64; 1600],
}

houses!(GroupOrchestrator, b"GrpO", Driven<OrchestratorNode, SLOTS>, Memory);

type OrchestratorNode = Orchestrator<'static, Curve, &'static GroupKnown>;

pub(crate) struct Memory {
    known: GroupKnown,
    arrays: OrchestratorArrays<Curve, WAYWARDEN_ROLE_ECUS, LOGICAL>,
}

/// Initialises an orchestrator, which waits for `waywarden_group_orchestrator_renew`. It retains
/// values in slots 0 and 1.
///
/// Refused as `waywarden_group_member_init`.
///
/// Time: one key generation. Needs about three times as much stack as the object has bytes.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_init(
    orchestrator: *mut GroupOrchestrator,
    options: *const GroupOptions,
    start: *const RoleStart,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let ((suite, known), start) = unsafe { (known(options)?, Start::<SLOTS>::new(start)?) };
        if known.settings().plan.orchestrator() != Address(start.address) {
            return Err(Status::Argument);
        }
        let identity = identity(suite, &start, &known)?;
        let arrays = OrchestratorArrays::new();
        // SAFETY: by the caller.
        unsafe {
            house(orchestrator, Memory { known, arrays }, |memory| {
                let storage = memory.arrays.storage();
                let role = Orchestrator::new(&start.boot(), identity, &memory.known, storage);
                start.drive(role.map_err(|_| Status::Argument)?)
            })
        }
    })
}

/// Has a new group key agreed on; the first time this starts the group. It breaks off what is under
/// way. With `gives_way` its frames lose arbitration to most others.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_renew(
    orchestrator: *mut GroupOrchestrator,
    gives_way: bool,
) -> Status {
    let renew = |role: &mut OrchestratorNode| {
        role.renew(gives_way);
        Ok(())
    };
    // SAFETY: by the caller.
    unsafe { role::order(orchestrator, renew) }
}

/// Has a new group key agreed on as soon as all ECUs have acknowledged the one before, or their
/// time for that is over.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_renew_when_acknowledged(
    orchestrator: *mut GroupOrchestrator,
    gives_way: bool,
) -> Status {
    let renew = |role: &mut OrchestratorNode| {
        role.renew_when_acknowledged(gives_way);
        Ok(())
    };
    // SAFETY: by the caller.
    unsafe { role::order(orchestrator, renew) }
}

/// Removes an ECU from the group: all keys that it knew are renewed without it. Retained in slot 1.
/// Nothing happens for an address that is not a member's.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_remove(
    orchestrator: *mut GroupOrchestrator,
    address: u8,
) -> Status {
    let remove = |role: &mut OrchestratorNode| {
        role.remove(Address(address));
        Ok(())
    };
    // SAFETY: by the caller.
    unsafe { role::order(orchestrator, remove) }
}

/// Takes a removed ECU back: the keys on its way up are renewed with it. Nothing happens for one
/// that is not removed.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_readmit(
    orchestrator: *mut GroupOrchestrator,
    address: u8,
) -> Status {
    let readmit = |role: &mut OrchestratorNode| {
        role.readmit(Address(address));
        Ok(())
    };
    // SAFETY: by the caller.
    unsafe { role::order(orchestrator, readmit) }
}

/// Gives an orchestrator a frame of the bus, of any kind; frames of others are ignored. Most frames
/// take microseconds; one that ends a step of the protocol takes the time of that, and up to 16 KiB
/// of stack: at most an agreement, two signatures and four verifications. `now` is this ECU's
/// monotonic clock, in nanoseconds; a time before the last one counts as the last one.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
/// nothing leaves until the value is stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_receive(
    orchestrator: *mut GroupOrchestrator,
    now: u64,
    frame: *const CanFrame,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::receive(orchestrator, now, frame) }
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
pub unsafe extern "C" fn waywarden_group_orchestrator_outgoing(
    orchestrator: *mut GroupOrchestrator,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::outgoing(orchestrator, now, frame, is_due) }
}

/// Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
/// false if it was taken back.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_sent(
    orchestrator: *mut GroupOrchestrator,
    now: u64,
    is_sent: bool,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::sent(orchestrator, now, is_sent) }
}

/// Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
/// WAYWARDEN_NEVER if nothing waits. Later is allowed.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_deadline(
    orchestrator: *mut GroupOrchestrator,
    deadline: *mut u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::deadline(orchestrator, deadline) }
}

/// Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
/// with false that it could not be stored, and is to be asked for again.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_retained(
    orchestrator: *mut GroupOrchestrator,
    slot: u8,
    is_stored: bool,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::retained(orchestrator, slot, is_stored) }
}

/// Writes the oldest event and forgets it; WAYWARDEN_GROUP_EVENT_KIND_NONE if there is none.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_event(
    orchestrator: *mut GroupOrchestrator,
    event: *mut GroupEvent,
) -> Status {
    let next = |role: &mut OrchestratorNode| GroupEvent::from(role.event());
    // SAFETY: by the caller.
    unsafe { role::ask(orchestrator, event, next) }
}

/// Writes the group key, 32 bytes into `key`, and its epoch, once it is confirmed.
/// `waywarden_derive_key` makes the key of a SecOC end of it.
///
/// Refused with WAYWARDEN_STATUS_NO_KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_key(
    orchestrator: *mut GroupOrchestrator,
    epoch: *mut u64,
    key: *mut u8,
) -> Status {
    answer(|| {
        writable(epoch)?;
        writable(key)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(orchestrator) }?;
        // SAFETY: by the caller.
        unsafe { write_key(lease.value().node.group_key(), epoch, key) }
    })
}

/// Wipes an orchestrator with its keys.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_orchestrator_clear(
    orchestrator: *mut GroupOrchestrator,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(orchestrator) })
}
