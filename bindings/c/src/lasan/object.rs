//! The objects of both roles, and what is in them.

use core::mem::MaybeUninit;

use waywarden_lasan::{
    AuthenticationSuite, EcuArrays, FourQSchnorrQ, LasanEcu as Ecu, ModuleArrays, ModuleMessages,
    SecurityModule,
};

use super::known::NetworkKnown;
use super::suite::NumberedSuite;
#[cfg(feature = "post-quantum")]
use super::suite::{KEY_MAX, Quantum};
use super::{KEY_LENGTH, WAYWARDEN_LASAN_PERMISSIONS, WAYWARDEN_LASAN_STREAMS};
use crate::memory::houses;
use crate::role::curve::Curve;
use crate::role::{Driven, WAYWARDEN_ROLE_ECUS};

/// Number of values that an ECU retains.
pub(super) const ECU_SLOTS: usize = 1;

/// An ECU of a network: authenticates itself to the security module, and gets the keys of its
/// streams. 8,192 bytes. It may not be moved once it is initialised.
#[repr(C)]
pub struct LasanEcu {
    /// Not to be touched.
    pub opaque: [u64; 1024],
}

houses!(LasanEcu, b"LasE", Driven<EcuNode<Curve>, ECU_SLOTS>, EcuMemory<MESSAGE, KEY_LENGTH>);

/// Room for the longest message on both curves.
const MESSAGE: usize = longest();

const fn longest() -> usize {
    let of_fourq = FourQSchnorrQ::MESSAGE_MAX;
    #[cfg(feature = "p256")]
    if waywarden_lasan::EcdheEcdsa::MESSAGE_MAX > of_fourq {
        return waywarden_lasan::EcdheEcdsa::MESSAGE_MAX;
    }
    of_fourq
}

/// Only the security module asks for permissions.
type EcuKnown = NetworkKnown<0>;
pub(super) type EcuNode<S> = Ecu<'static, S, &'static EcuKnown>;

/// The memory of an ECU: `M` is the length of the longest message, `K` of the longest key.
pub(crate) struct EcuMemory<const M: usize, const K: usize> {
    pub(super) known: EcuKnown,
    pub(super) arrays: EcuArrays<M, K, WAYWARDEN_LASAN_STREAMS>,
}

/// Number of values that a security module retains: its epoch, and one for each ECU.
pub(super) const MODULE_SLOTS: usize = WAYWARDEN_ROLE_ECUS + 1;
/// Number of ECUs that it authenticates at a time.
pub(super) const HANDSHAKES: usize = 4;

/// The security module of a network: authenticates the ECUs, and gives them the keys of streams.
/// 20,992 bytes. It may not be moved once it is initialised.
#[repr(C)]
pub struct LasanModule {
    /// Not to be touched.
    pub opaque: [u64; 2624],
}

houses!(
    LasanModule,
    b"LasM",
    Driven<ModuleNode<Curve>, MODULE_SLOTS>,
    ModuleMemory<Curve, MESSAGE>
);

type ModuleKnown = NetworkKnown<WAYWARDEN_LASAN_PERMISSIONS>;
pub(super) type ModuleNode<S> = SecurityModule<'static, S, &'static ModuleKnown>;
type Arrays<S> =
    ModuleArrays<'static, S, WAYWARDEN_ROLE_ECUS, HANDSHAKES, WAYWARDEN_LASAN_PERMISSIONS>;

/// The memory of a security module: `M` is the length of the longest message.
pub(crate) struct ModuleMemory<S: NumberedSuite + 'static, const M: usize> {
    pub(super) known: ModuleKnown,
    pub(super) messages: ModuleMessages<M, HANDSHAKES>,
    /// They borrow the messages.
    pub(super) arrays: MaybeUninit<Arrays<S>>,
}

/// An ECU of a network with WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44, _65 or
/// WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65. 31,744 bytes. It may not be moved once it is
/// initialised.
#[cfg(feature = "post-quantum")]
#[repr(C)]
pub struct LasanQuantumEcu {
    /// Not to be touched.
    pub opaque: [u64; 3968],
}

/// The security module of such a network. 106,496 bytes. It may not be moved once it is
/// initialised.
#[cfg(feature = "post-quantum")]
#[repr(C)]
pub struct LasanQuantumModule {
    /// Not to be touched.
    pub opaque: [u64; 13312],
}

/// Room for the longest message of any of the suites.
#[cfg(feature = "post-quantum")]
const QUANTUM_MESSAGE: usize = {
    let (mut longest, mut at) = (0, 0);
    let all = [
        waywarden_lasan::MlKem768MlDsa44::MESSAGE_MAX,
        waywarden_lasan::MlKem768MlDsa65::MESSAGE_MAX,
        waywarden_lasan::HybridMlDsa65::MESSAGE_MAX,
    ];
    while at < all.len() {
        if all[at] > longest {
            longest = all[at];
        }
        at += 1;
    }
    longest
};

#[cfg(feature = "post-quantum")]
houses!(
    LasanQuantumEcu,
    b"LasQ",
    Driven<EcuNode<Quantum>, ECU_SLOTS>,
    EcuMemory<QUANTUM_MESSAGE, KEY_MAX>
);
#[cfg(feature = "post-quantum")]
houses!(
    LasanQuantumModule,
    b"LasR",
    Driven<ModuleNode<Quantum>, MODULE_SLOTS>,
    ModuleMemory<Quantum, QUANTUM_MESSAGE>
);
