//! Objects for suites that resist quantum computers: the same roles, with room for their messages.

use waywarden_lasan::{AuthenticationSuite, HybridMlDsa65, MlKem768MlDsa44, MlKem768MlDsa65};

use super::LasanOptions;
use super::ecu::{self, EcuNode, LasanEcu};
use super::module::{self, LasanModule, ModuleNode};
use super::suite::{KEY_MAX, Quantum};
use crate::memory::{houses, writable, write};
use crate::role::{Driven, RoleStart};
use crate::status::{Status, answer};

/// An ECU of a network with WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44, _65 or
/// WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65. 31,744 bytes. It may not be moved once it is
/// initialised.
#[repr(C)]
pub struct LasanQuantumEcu {
    /// Not to be touched.
    pub opaque: [u64; 3968],
}

/// The security module of such a network. 106,496 bytes. It may not be moved once it is initialised.
#[repr(C)]
pub struct LasanQuantumModule {
    /// Not to be touched.
    pub opaque: [u64; 13312],
}

/// Room for the longest message of any of the suites.
const MESSAGE: usize = {
    let (mut longest, mut at) = (0, 0);
    let all = [
        MlKem768MlDsa44::MESSAGE_MAX,
        MlKem768MlDsa65::MESSAGE_MAX,
        HybridMlDsa65::MESSAGE_MAX,
    ];
    while at < all.len() {
        if all[at] > longest {
            longest = all[at];
        }
        at += 1;
    }
    longest
};

houses!(
    LasanQuantumEcu,
    b"LasQ",
    Driven<EcuNode<Quantum>, { ecu::SLOTS }>,
    ecu::Memory<MESSAGE, KEY_MAX>
);
houses!(
    LasanQuantumModule,
    b"LasR",
    Driven<ModuleNode<Quantum>, { module::SLOTS }>,
    module::Memory<Quantum, MESSAGE>
);

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
