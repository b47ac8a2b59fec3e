//! Payloads that come from outside of the simulation, such as what sensors measure.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::EcuProgram;

/// Payloads of streams, set from outside while a simulation is under way. Clones share them.
///
/// An instance of a stream has what was set when its payload is read; bytes that were never set
/// are zero.
#[derive(Clone, Debug, Default)]
pub struct SuppliedPayloads(Arc<Mutex<BTreeMap<usize, [u8; 64]>>>);

impl SuppliedPayloads {
    /// Changes the payload of a stream, by its place in the vehicle file.
    pub fn change(&self, stream: usize, change: impl FnOnce(&mut [u8; 64])) {
        change(self.lock().entry(stream).or_insert([0; 64]));
    }

    /// Returns the payload of a stream; none if it was never set.
    #[must_use]
    pub fn payload(&self, stream: usize) -> Option<[u8; 64]> {
        self.lock().get(&stream).copied()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, [u8; 64]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EcuProgram for SuppliedPayloads {
    fn payload(&self, stream: usize) -> Option<[u8; 64]> {
        SuppliedPayloads::payload(self, stream)
    }
}
