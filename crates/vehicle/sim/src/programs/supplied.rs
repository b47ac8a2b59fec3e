//! Payloads that come from outside of the simulation, such as what sensors measure.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::EcuProgram;

/// Payloads of streams, set from outside while a simulation is under way. Clones share them.
///
/// An instance of a stream has what was set when its payload is read; bytes that were never set
/// are zero.
#[derive(Clone, Debug, Default)]
pub struct SuppliedPayloads(Arc<Mutex<Supplied>>);

#[derive(Debug, Default)]
struct Supplied {
    payloads: BTreeMap<usize, [u8; 64]>,
    cause: Option<u64>,
}

impl SuppliedPayloads {
    /// Changes the payload of a stream, by its place in the vehicle file.
    pub fn change(&self, stream: usize, change: impl FnOnce(&mut [u8; 64])) {
        change(self.lock().payloads.entry(stream).or_insert([0; 64]));
    }

    /// Sets the cause of payloads from now on, which the truth of their messages has.
    pub fn set_cause(&self, cause: u64) {
        self.lock().cause = Some(cause);
    }

    /// Returns the payload of a stream; none if it was never set.
    #[must_use]
    pub fn payload(&self, stream: usize) -> Option<[u8; 64]> {
        self.lock().payloads.get(&stream).copied()
    }

    fn lock(&self) -> MutexGuard<'_, Supplied> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EcuProgram for SuppliedPayloads {
    fn payload(&self, stream: usize) -> Option<[u8; 64]> {
        SuppliedPayloads::payload(self, stream)
    }
    fn cause(&self) -> Option<u64> {
        self.lock().cause
    }
}
