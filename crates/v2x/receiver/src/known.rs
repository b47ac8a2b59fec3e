//! The verifier behind its lock.

use std::sync::{PoisonError, RwLock};

use waywarden_v2x_security::Verifier;

/// The verifier, shared by the threads.
pub(crate) struct Knowledge(RwLock<Verifier>);

impl Knowledge {
    pub(crate) fn new(verifier: Verifier) -> Self {
        Self(RwLock::new(verifier))
    }

    /// Runs something with the verifier. No signature is verified here.
    pub(crate) fn read<T>(&self, run: impl FnOnce(&Verifier) -> T) -> T {
        run(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs something that changes the verifier: all verification waits for it. Nothing that is not
    /// signed comes here, and no signature of a message is verified here.
    pub(crate) fn write<T>(&self, run: impl FnOnce(&mut Verifier) -> T) -> T {
        run(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}
