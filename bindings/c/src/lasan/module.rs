//! The security module of LASAN.

use core::mem::MaybeUninit;

use waywarden_lasan::{Address, ModuleArrays, ModuleMessages, Name, SecurityModule, SubjectRole};

use super::known::{identity, known};
#[cfg(feature = "post-quantum")]
use super::object::LasanQuantumModule;
use super::object::{LasanModule, MODULE_SLOTS, ModuleMemory, ModuleNode};
use super::suite::NumberedSuite;
use super::{LasanEvent, LasanOptions, either};
use crate::can::CanFrame;
use crate::memory::{Housing, clear, house, read};
use crate::role::curve::Curve;
use crate::role::{self, Driven, RoleStart, Start};
use crate::status::{Status, answer};

/// Initialises a security module with a suite of the kind `S`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(super) unsafe fn init<S, H, const M: usize>(
    module: *mut H,
    options: *const LasanOptions,
    start: *const RoleStart,
) -> Result<(), Status>
where
    S: NumberedSuite + 'static,
    H: Housing<Value = Driven<ModuleNode<S>, MODULE_SLOTS>, Memory = ModuleMemory<S, M>>,
{
    // SAFETY: by the caller.
    let start = unsafe { Start::<MODULE_SLOTS>::new(start) }?;
    // SAFETY: by the caller.
    let (suite, known) = unsafe { known::<S, _>(options, start.address) }?;
    let identity = identity(suite, &start, &known, SubjectRole::SecurityModule)?;
    let empty = ModuleMemory {
        known,
        messages: ModuleMessages::new(),
        arrays: MaybeUninit::uninit(),
    };
    // SAFETY: by the caller.
    unsafe {
        house(module, empty, |memory| {
            let arrays = memory.arrays.write(ModuleArrays::new(&mut memory.messages));
            let storage = arrays.storage();
            let known = &memory.known;
            let role = SecurityModule::new(&start.boot(), suite, identity, known, storage);
            start.drive(role.map_err(|_| Status::Argument)?)
        })
    }
}

/// Initialises a security module, which waits for `waywarden_lasan_module_start`. It retains values
/// in slots 0 to WAYWARDEN_ROLE_ECUS. It authenticates up to four ECUs at a time.
///
/// Refused as `waywarden_lasan_ecu_init`, and with WAYWARDEN_STATUS_ARGUMENT for a permission that
/// names an address of no ECU, or no receiver.
///
/// Time: two key generations. Needs about three times as much stack as the object has bytes.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_init(
    module: *mut LasanModule,
    options: *const LasanOptions,
    start: *const RoleStart,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { init::<Curve, _, _>(module, options, start) })
}

/// Begins a new epoch: all ECUs are authenticated again. Sessions and keys of streams go on until
/// they are replaced.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_start(module: *mut LasanModule) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe {
        role::order(module, |role| {
            role.start();
            Ok(())
        })
    })
}

/// Takes an ECU out of the network: it is not authenticated any more, and streams that it sent or
/// received get a new key. Retained.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_retire(
    module: *mut LasanModule,
    address: u8,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe {
        role::order(module, |role| {
            role.retire(Address(address));
            Ok(())
        })
    })
}

/// Takes an ECU that was retired back, under its name of six bytes. Retained.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for an address that was never enrolled.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_enrol(
    module: *mut LasanModule,
    address: u8,
    name: *const u8,
) -> Status {
    // SAFETY: 6 bytes by the caller.
    let name = unsafe { read(name.cast::<[u8; 6]>()) };
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe {
        role::order(module, |role| match role.enrol(Address(address), Name(name?), None) {
            true => Ok(()),
            false => Err(Status::Argument),
        })
    })
}

/// Writes true if an ECU is authenticated.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_is_authenticated(
    module: *mut LasanModule,
    address: u8,
    is_authenticated: *mut bool,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe {
        role::ask(module, is_authenticated, |role| role.is_authenticated(Address(address)))
    })
}

/// Gives a security module a frame of the bus, of any kind; frames of others are ignored. Most
/// frames take microseconds; one that ends a step of the protocol takes the time of that, and up to
/// 16 KiB of stack: at most an agreement, a signature and a verification. `now` is this ECU's
/// monotonic clock, in nanoseconds; a time before the last one counts as the last one.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
/// nothing leaves until the value is stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_receive(
    module: *mut LasanModule,
    now: u64,
    frame: *const CanFrame,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe { role::receive(module, now, frame) })
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
pub unsafe extern "C" fn waywarden_lasan_module_outgoing(
    module: *mut LasanModule,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe { role::outgoing(module, now, frame, is_due) })
}

/// Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
/// false if it was taken back.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_sent(
    module: *mut LasanModule,
    now: u64,
    is_sent: bool,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe { role::sent(module, now, is_sent) })
}

/// Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
/// WAYWARDEN_NEVER if nothing waits. Later is allowed.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_deadline(
    module: *mut LasanModule,
    deadline: *mut u64,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe { role::deadline(module, deadline) })
}

/// Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
/// with false that it could not be stored, and is to be asked for again.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_retained(
    module: *mut LasanModule,
    slot: u8,
    is_stored: bool,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe { role::retained(module, slot, is_stored) })
}

/// Writes the oldest event and forgets it; WAYWARDEN_LASAN_EVENT_KIND_NONE if there is none.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_event(
    module: *mut LasanModule,
    event: *mut LasanEvent,
) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => unsafe {
        role::ask(module, event, |role| LasanEvent::from(role.event()))
    })
}

/// Wipes a security module with its keys.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_module_clear(module: *mut LasanModule) -> Status {
    // SAFETY: by the caller.
    either!(module: LasanQuantumModule => answer(|| unsafe { clear(module) }))
}
