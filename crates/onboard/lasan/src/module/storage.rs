//! The memory of a security module: how many places for what, in arrays or on the heap.

use waywarden_key_roles::Storage;

use super::access::Line;
use super::handshake::Handshake;
use super::roster::Registrant;
#[cfg(feature = "alloc")]
use crate::length::Sizes;
use crate::suites::LasanSuite;
#[cfg(feature = "alloc")]
use crate::suites::message_storage as message;

/// Number of long messages of a handshake: the ECU's credential, its registration, the answer.
const HANDSHAKE_MESSAGES: usize = 3;

/// The memory of a [`SecurityModule`](super::SecurityModule), made by [`ModuleArrays::storage`] or
/// `ModuleStorage::boxed`. A role that is given it begins with every place empty.
pub struct ModuleStorage<'a, S: LasanSuite> {
    pub(super) registrants: Storage<'a, Option<Registrant>>,
    pub(super) handshakes: Storage<'a, Handshake<'a, S>>,
    pub(super) lines: Storage<'a, Line>,
    pub(super) startup: Storage<'a, u8>,
}

/// The long messages of a security module in arrays: `M` is the suite's
/// [`MESSAGE_MAX`](crate::AuthenticationSuite::MESSAGE_MAX), `H` how many ECUs are authenticated at
/// a time.
pub struct ModuleMessages<const M: usize, const H: usize> {
    startup: [u8; M],
    handshakes: [[[u8; M]; HANDSHAKE_MESSAGES]; H],
}

impl<const M: usize, const H: usize> ModuleMessages<M, H> {
    /// Returns empty arrays.
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
/// and `G` permissions, `H` ECUs authenticated at a time; as published, where no ECU is invited,
/// `H` has to be as many as begin at once.
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

/// The capacity of a security module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleCapacity {
    /// Number of ECUs, at most [`PARTIES_MAX`](crate::PARTIES_MAX).
    pub ecus: usize,
    /// ECUs that are authenticated at a time, at most [`PARTIES_MAX`](crate::PARTIES_MAX); as
    /// published, where no ECU is invited, as many as begin at once.
    pub handshakes: usize,
    /// Number of permissions.
    pub permissions: usize,
}

#[cfg(feature = "alloc")]
impl<S: LasanSuite> ModuleStorage<'_, S> {
    /// Memory on the heap for messages of these sizes.
    #[must_use]
    pub fn boxed(sizes: Sizes, capacity: ModuleCapacity) -> Self {
        let handshake = || Handshake::new([message(sizes), message(sizes), message(sizes)]);
        ModuleStorage {
            registrants: Storage::boxed(capacity.ecus, || None),
            handshakes: Storage::boxed(capacity.handshakes, handshake),
            lines: Storage::boxed(capacity.permissions, Line::new),
            startup: message(sizes),
        }
    }
}
