//! Objects for suites that resist quantum computers: the same roles, with room for their messages.

use super::object::{LasanEcu, LasanModule, LasanQuantumEcu, LasanQuantumModule};
use super::suite::Quantum;
use super::{LasanOptions, ecu, module};
use crate::memory::{writable, write};
use crate::role::RoleStart;
use crate::status::{Status, answer};

/// Initialises an ECU in the memory of `object`, and writes into `ecu` what all other functions of
/// an ECU take: it points into the object. Otherwise as `waywarden_lasan_ecu_init`.
///
/// Time: a few key generations. This and `waywarden_lasan_ecu_receive`, in which a step of the
/// protocol ends, need up to 448 KiB of stack (x86-64).
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_quantum_ecu_init(
    object: *mut LasanQuantumEcu,
    options: *const LasanOptions,
    start: *const RoleStart,
    ecu: *mut *mut LasanEcu,
) -> Status {
    answer(|| {
        writable(ecu)?;
        // SAFETY: by the caller.
        unsafe {
            ecu::init::<Quantum, _, _, _>(object, options, start)?;
            write(ecu, object.cast())
        }
    })
}

/// Initialises a security module in the memory of `object`, and writes into `module` what all other
/// functions of a security module take: it points into the object. Otherwise as
/// `waywarden_lasan_module_init`; stack as `waywarden_lasan_quantum_ecu_init`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_quantum_module_init(
    object: *mut LasanQuantumModule,
    options: *const LasanOptions,
    start: *const RoleStart,
    module: *mut *mut LasanModule,
) -> Status {
    answer(|| {
        writable(module)?;
        // SAFETY: by the caller.
        unsafe {
            module::init::<Quantum, _, _>(object, options, start)?;
            write(module, object.cast())
        }
    })
}
