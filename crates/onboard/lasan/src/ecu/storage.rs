//! The memory of an ECU: how many places for what, in arrays or on the heap.

use waywarden_key_roles::Storage;

use super::request::Want;
#[cfg(feature = "alloc")]
use crate::length::Sizes;
use crate::stream::Held;
#[cfg(feature = "alloc")]
use crate::suites::message_storage as message;

/// Number of long messages that an ECU holds: two of the security module's and one of its own.
const ECU_MESSAGES: usize = 3;

/// The memory of a [`LasanEcu`](super::LasanEcu), made by [`EcuArrays::storage`] or
/// `EcuStorage::boxed`. A role that is given it begins with every place empty.
pub struct EcuStorage<'a> {
    pub(super) inbound: [Storage<'a, u8>; 2],
    pub(super) outgoing: Storage<'a, u8>,
    pub(super) module_key: Storage<'a, u8>,
    pub(super) held: Storage<'a, Option<Held>>,
    pub(super) wanted: Storage<'a, Option<Want>>,
}

/// The memory of an ECU in arrays, for where there is no allocator: `M` is the suite's
/// [`MESSAGE_MAX`](crate::AuthenticationSuite::MESSAGE_MAX), `K` the length of its public keys, or
/// more, `W` how many streams the ECU sends and receives.
pub struct EcuArrays<const M: usize, const K: usize, const W: usize> {
    messages: [[u8; M]; ECU_MESSAGES],
    module_key: [u8; K],
    held: [Option<Held>; W],
    wanted: [Option<Want>; W],
}

impl<const M: usize, const K: usize, const W: usize> EcuArrays<M, K, W> {
    /// Returns empty arrays.
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
