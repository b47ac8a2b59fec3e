//! The memory of the roles: how many places for what, in arrays or on the heap.

use super::ecu::Want;
#[cfg(feature = "alloc")]
use super::length::Sizes;
use super::module::{Handshake, Line, Registrant};
use super::stream::Held;
use super::suites::LasanSuite;
#[cfg(feature = "alloc")]
use super::suites::message_max;
use crate::storage::Storage;

/// How many long messages an ECU holds: two of the security module's and one of its own.
const ECU_MESSAGES: usize = 3;

/// How many long messages a handshake holds: what the ECU presents, its registration, the answer.
pub const HANDSHAKE_MESSAGES: usize = 3;

/// The memory of an [`Ecu`](super::Ecu), made by [`EcuArrays::storage`] or `EcuStorage::boxed`. A
/// role that is given it begins with every place empty.
pub struct EcuStorage<'a> {
    pub(super) inbound: [Storage<'a, u8>; 2],
    pub(super) outgoing: Storage<'a, u8>,
    pub(super) module_key: Storage<'a, u8>,
    pub(super) held: Storage<'a, Option<Held>>,
    pub(super) wanted: Storage<'a, Option<Want>>,
}

/// The memory of a [`SecurityModule`](super::SecurityModule), made by [`ModuleArrays::storage`] or
/// `ModuleStorage::boxed`. A role that is given it begins with every place empty.
pub struct ModuleStorage<'a, S: LasanSuite> {
    pub(super) registrants: Storage<'a, Option<Registrant>>,
    pub(super) handshakes: Storage<'a, Handshake<'a, S>>,
    pub(super) lines: Storage<'a, Line>,
    pub(super) startup: Storage<'a, u8>,
}

/// The memory of an ECU in arrays, for where there is no allocator: `M` is the suite's
/// [`MESSAGE_MAX`](super::Suite::MESSAGE_MAX), `K` the length of its public keys, `W` how many
/// streams the ECU sends and receives.
pub struct EcuArrays<const M: usize, const K: usize, const W: usize> {
    messages: [[u8; M]; ECU_MESSAGES],
    module_key: [u8; K],
    held: [Option<Held>; W],
    wanted: [Option<Want>; W],
}

impl<const M: usize, const K: usize, const W: usize> EcuArrays<M, K, W> {
    /// Empty arrays.
    #[must_use]
    pub const fn new() -> Self {
        EcuArrays {
            messages: [[0; M]; ECU_MESSAGES],
            module_key: [0; K],
            held: [const { None }; W],
            wanted: [const { None }; W],
        }
    }

    /// Lends them to an ECU.
    pub fn storage(&mut self) -> EcuStorage<'_> {
        let [first, second, outgoing] = &mut self.messages;
        EcuStorage {
            inbound: [Storage::borrowed(first), Storage::borrowed(second)],
            outgoing: Storage::borrowed(outgoing),
            module_key: Storage::borrowed(&mut self.module_key),
            held: Storage::borrowed(&mut self.held),
            wanted: Storage::borrowed(&mut self.wanted),
        }
    }
}

impl<const M: usize, const K: usize, const W: usize> Default for EcuArrays<M, K, W> {
    fn default() -> Self {
        Self::new()
    }
}

/// The long messages of a security module in arrays: `M` is the suite's
/// [`MESSAGE_MAX`](super::Suite::MESSAGE_MAX), `H` how many ECUs are authenticated at a time.
pub struct ModuleMessages<const M: usize, const H: usize> {
    startup: [u8; M],
    handshakes: [[[u8; M]; HANDSHAKE_MESSAGES]; H],
}

impl<const M: usize, const H: usize> ModuleMessages<M, H> {
    /// Empty arrays.
    #[must_use]
    pub const fn new() -> Self {
        ModuleMessages {
            startup: [0; M],
            handshakes: [[[0; M]; HANDSHAKE_MESSAGES]; H],
        }
    }
}

impl<const M: usize, const H: usize> Default for ModuleMessages<M, H> {
    fn default() -> Self {
        Self::new()
    }
}

/// The memory of a security module in arrays, for where there is no allocator: for up to `E` ECUs
/// and `G` permissions, `H` ECUs authenticated at a time; as published, where no ECU is invited, `H`
/// has to be as many as begin at once.
pub struct ModuleArrays<'a, S: LasanSuite, const E: usize, const H: usize, const G: usize> {
    registrants: [Option<Registrant>; E],
    handshakes: [Handshake<'a, S>; H],
    lines: [Line; G],
    startup: &'a mut [u8],
}

impl<'a, S: LasanSuite, const E: usize, const H: usize, const G: usize>
    ModuleArrays<'a, S, E, H, G>
{
    /// Empty arrays, beside those of the messages.
    #[must_use]
    pub fn new<const M: usize>(messages: &'a mut ModuleMessages<M, H>) -> Self {
        let handshakes = messages.handshakes.each_mut();
        let handshakes = handshakes.map(|[credential, register, outgoing]| {
            let places = [credential, register, outgoing];
            Handshake::new(places.map(|place| Storage::borrowed(place)))
        });
        ModuleArrays {
            registrants: [const { None }; E],
            handshakes,
            lines: [const { Line::new() }; G],
            startup: &mut messages.startup,
        }
    }

    /// Lends them to a security module, for as long as they exist.
    pub fn storage(&'a mut self) -> ModuleStorage<'a, S> {
        ModuleStorage {
            registrants: Storage::borrowed(&mut self.registrants),
            handshakes: Storage::borrowed(&mut self.handshakes),
            lines: Storage::borrowed(&mut self.lines),
            startup: Storage::borrowed(self.startup),
        }
    }
}

#[cfg(feature = "alloc")]
fn message<'a>(sizes: Sizes) -> Storage<'a, u8> {
    Storage::boxed(message_max(sizes), || 0)
}

#[cfg(feature = "alloc")]
impl EcuStorage<'_> {
    /// Memory on the heap for messages of these sizes and so many streams.
    #[must_use]
    pub fn boxed(sizes: Sizes, streams: usize) -> Self {
        EcuStorage {
            inbound: [message(sizes), message(sizes)],
            outgoing: message(sizes),
            module_key: Storage::boxed(sizes.public_key, || 0),
            held: Storage::boxed(streams, || None),
            wanted: Storage::boxed(streams, || None),
        }
    }
}

/// For how many of what a security module has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// ECUs, at most [`PARTIES_MAX`](super::PARTIES_MAX).
    pub ecus: usize,
    /// ECUs that are authenticated at a time, at most [`PARTIES_MAX`](super::PARTIES_MAX); as
    /// published, where no ECU is invited, as many as begin at once.
    pub handshakes: usize,
    /// Permissions.
    pub permissions: usize,
}

#[cfg(feature = "alloc")]
impl<S: LasanSuite> ModuleStorage<'_, S> {
    /// Memory on the heap for messages of these sizes.
    #[must_use]
    pub fn boxed(sizes: Sizes, capacity: Capacity) -> Self {
        let handshake = || Handshake::new([message(sizes), message(sizes), message(sizes)]);
        ModuleStorage {
            registrants: Storage::boxed(capacity.ecus, || None),
            handshakes: Storage::boxed(capacity.handshakes, handshake),
            lines: Storage::boxed(capacity.permissions, Line::new),
            startup: message(sizes),
        }
    }
}
