//! The receiver's knowledge, shared by the threads that verify, look up and expand.

use std::sync::{Arc, PoisonError, RwLock};

use waywarden_v2x_security::{CrlRefusal, Verifier};

use super::statistics::Observer;

/// The receiver's knowledge, and how often it was replaced.
pub(super) struct Known {
    state: RwLock<State>,
    observer: Arc<dyn Observer>,
}

struct State {
    verifier: Verifier,
    generation: u64,
}

impl Known {
    pub(super) fn new(verifier: Verifier, observer: Arc<dyn Observer>) -> Self {
        Self {
            state: RwLock::new(State {
                verifier,
                generation: 0,
            }),
            observer,
        }
    }

    /// Runs something with the verifier, and the number of times that it was replaced.
    pub(super) fn read<T>(&self, run: impl FnOnce(&Verifier, u64) -> T) -> T {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        run(&state.verifier, state.generation)
    }

    /// Runs something that changes the verifier: all verification waits for it. Nothing that is not
    /// signed comes here, and no signature is verified here.
    pub(super) fn write<T>(&self, run: impl FnOnce(&mut Verifier, u64) -> T) -> T {
        self.observer.locked();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let generation = state.generation;
        run(&mut state.verifier, generation)
    }

    /// Puts another verifier in place, which takes over what was learned from messages and what
    /// lists revoked. Returns how many revocations only the one before had.
    ///
    /// Lists are merged while others read, for that takes long: nothing else adds to them.
    pub(super) fn replace(&self, mut verifier: Verifier) -> Result<usize, CrlRefusal> {
        let more = self.read(|before, _| verifier.revocations_mut().merge(before.revocations()))?;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut state.verifier, verifier);
        state.verifier.take_over(before);
        state.generation += 1;
        Ok(more)
    }
}
