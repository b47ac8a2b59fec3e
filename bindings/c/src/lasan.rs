//! LASAN: ECUs authenticate themselves to a security module, which grants them keys of streams.

pub mod credential;
pub mod ecu;
mod event;
mod known;
pub mod module;
pub mod object;
#[cfg(feature = "post-quantum")]
pub mod quantum;
pub mod stream;
mod suite;

use waywarden_work::Duration;

use crate::can::{WAYWARDEN_EXTENDED, WAYWARDEN_FD};
use crate::memory::write;
use crate::role::WAYWARDEN_SUITE_FOURQ;
use crate::status::{Status, answer};

pub use event::{LasanEvent, LasanEventKind, LasanReason};

/// Does the same with an object of either kind: `$object` points to one of a curve, or to one of
/// `$quantum` that was handed out as such.
macro_rules! either {
    ($object:ident: $quantum:ident => $does:expr) => {{
        #[cfg(feature = "post-quantum")]
        // SAFETY: by the caller; the mark says which it is.
        if unsafe { $crate::memory::is($object.cast::<$quantum>()) } {
            let $object = $object.cast::<$quantum>();
            return $does;
        }
        $does
    }};
}

use either;

/// Number of permissions that a security module has room for.
pub const WAYWARDEN_LASAN_PERMISSIONS: usize = 32;
/// Number of streams that an ECU can send and receive.
pub const WAYWARDEN_LASAN_STREAMS: usize = 16;

/// ML-KEM-768 and ML-DSA-44: category 2 of NIST against quantum computers; keys of 1,312 bytes.
pub const WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_44: u8 = 2;
/// ML-KEM-768 and ML-DSA-65: category 3; keys of 1,952 bytes.
pub const WAYWARDEN_SUITE_ML_KEM_768_ML_DSA_65: u8 = 3;
/// X25519 with ML-KEM-768, and ML-DSA-65: the agreement holds as long as one of the two does.
pub const WAYWARDEN_SUITE_X25519_ML_KEM_768_ML_DSA_65: u8 = 4;

/// The parties know each other's public keys.
pub const WAYWARDEN_LASAN_KEYS: u8 = 0;
/// They know digests of them: each sends its key when it authenticates itself.
pub const WAYWARDEN_LASAN_DIGESTS: u8 = 1;
/// They know who issues certificates: each sends its own.
pub const WAYWARDEN_LASAN_CERTIFICATES: u8 = 2;

/// Length of the longest public key of a curve: a compressed point of P-256.
const KEY_LENGTH: usize = 33;

/// An ECU or the security module, as the others know it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LasanParty {
    /// Its address, 1 to 127.
    pub address: u8,
    /// Its name: six bytes, of which nothing is asked.
    pub name: [u8; 6],
    /// Its public key, of `waywarden_lasan_public_key`: 32 bytes of FourQ and a zero, or 33 bytes
    /// of P-256. With WAYWARDEN_LASAN_DIGESTS 32 bytes of `waywarden_lasan_digest` and a zero. Not
    /// looked at with certificates, and where the options have `keys`.
    pub key: [u8; 33],
}

/// A permission to send a stream.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LasanPermission {
    /// The stream: a number of the network's, its CAN identifier for one.
    pub stream: u32,
    /// Address of the only ECU that may send it.
    pub sender: u8,
    /// Bit n of the first is address n of a receiver, of the second address 64 + n.
    pub receivers: [u64; 2],
    /// First time at which it holds, in milliseconds of the network's time.
    pub from: u64,
    /// Its end, that time excluded; UINT64_MAX for none.
    pub until: u64,
}

/// A network: the facts on which all its parties agree.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LasanOptions {
    /// All parties, the security module among them. Read during the call of `..._init` that is
    /// given the options.
    pub parties: *const LasanParty,
    /// Number of them, 2 to WAYWARDEN_ROLE_ECUS + 1.
    pub party_count: usize,
    /// The permissions; only the security module needs them. Read during the call, too.
    pub permissions: *const LasanPermission,
    /// Number of them, 0 to WAYWARDEN_LASAN_PERMISSIONS.
    pub permission_count: usize,
    /// Address of the security module.
    pub security_module: u8,
    /// WAYWARDEN_SUITE_FOURQ or WAYWARDEN_SUITE_P256; for objects of `waywarden_lasan_quantum_...`
    /// one of the others.
    pub suite: u8,
    /// WAYWARDEN_FD for CAN FD frames, WAYWARDEN_EXTENDED for identifiers of 29 bits. On classic
    /// CAN a stream's key is for SecOC or another message authentication.
    pub flags: u8,
    /// The way in which keys are known: WAYWARDEN_LASAN_KEYS, _DIGESTS or _CERTIFICATES.
    pub credentials: u8,
    /// Name of who issues certificates.
    pub authority: [u8; 6],
    /// Its public key, as long as those of the suite; null without certificates. Must stay until
    /// the object is cleared, as the next two must.
    pub authority_key: *const u8,
    /// The certificate that this party presents, of `waywarden_lasan_issue`; with digests its
    /// public key; null where keys are known.
    pub credential: *const u8,
    /// Length of the credential.
    pub credential_length: usize,
    /// Public keys of the parties in their order, one behind the other, where keys are known and
    /// longer than 33 bytes; null where `parties` has them.
    pub keys: *const u8,
    /// Bits that all identifiers of the protocol have, where `identifier_mask` has ones; the other
    /// bits are the protocol's.
    pub identifier_base: u32,
    /// The bits that are fixed.
    pub identifier_mask: u32,
    /// The network's time, in milliseconds, at which the security module's clock is 0.
    pub time_at_zero: u64,
    /// Time from an invitation to the ECU's confirmation, in nanoseconds: twice what the slowest
    /// ECU and its frames need.
    pub authentication: u64,
    /// Time from a short message to its answer or repetition, in nanoseconds.
    pub answer: u64,
    /// Longest pause between repetitions, in nanoseconds.
    pub patience: u64,
    /// Lifetime of a stream's key, in nanoseconds: in half of it no stream may have more than
    /// 32,768 frames.
    pub stream_key: u64,
}

/// Fills in the options of a network: FourQ, CAN FD and identifiers of 29 bits without fixed ones,
/// keys that are known, no permissions, 400 ms for an authentication, 50 ms for an answer, pauses
/// of at most 800 ms, and a new key of each stream every minute. `parties` must live until
/// `..._init` is called with the options.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_options_init(
    options: *mut LasanOptions,
    security_module: u8,
    parties: *const LasanParty,
    party_count: usize,
) -> Status {
    answer(|| {
        let made = LasanOptions {
            parties,
            party_count,
            permissions: core::ptr::null(),
            permission_count: 0,
            security_module,
            suite: WAYWARDEN_SUITE_FOURQ,
            flags: WAYWARDEN_FD | WAYWARDEN_EXTENDED,
            credentials: WAYWARDEN_LASAN_KEYS,
            authority: [0; 6],
            authority_key: core::ptr::null(),
            credential: core::ptr::null(),
            credential_length: 0,
            keys: core::ptr::null(),
            identifier_base: 0,
            identifier_mask: 0,
            time_at_zero: 0,
            authentication: Duration::from_millis(400).as_nanos(),
            answer: Duration::from_millis(50).as_nanos(),
            patience: Duration::from_millis(800).as_nanos(),
            stream_key: Duration::from_millis(60_000).as_nanos(),
        };
        // SAFETY: by the caller.
        unsafe { write(options, made) }
    })
}
