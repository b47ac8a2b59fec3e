//! Remarks of a node about itself, for the trace: a handle that the node and the engine share.
//!
//! A node's contract has no place for remarks, and on a microcontroller no reader would see them.
//! In the simulator, the code that builds a node can give it a clone of its ECU's [`Remarks`]. The
//! user of the simulator decides the type of a remark, which the engine passes on to the sink and
//! never looks at.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use crate::trace::{NoRemark, Remark};

/// A place for remarks. Clones are the same place.
///
/// The engine takes the remarks after each input, so there are never more than a node makes of one
/// input.
#[derive(Debug)]
pub struct Remarks<R = NoRemark>(Arc<Place<R>>);

#[derive(Debug)]
struct Place<R> {
    /// True if there may be any: the engine asks after each input, and mostly there is none.
    /// A hint: what it stands for is behind the lock.
    is_used: AtomicBool,
    waiting: Mutex<Waiting<R>>,
}

#[derive(Debug)]
struct Waiting<R> {
    /// Remarks on the next output of the node.
    ahead: Vec<R>,
    /// Remarks on events of the node.
    after: Vec<R>,
}

impl<R> Place<R> {
    /// A list is complete after each change, whatever panicked elsewhere.
    fn waiting(&self) -> MutexGuard<'_, Waiting<R>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Remarks<R> {
    /// Adds a remark; it is in the trace after everything that the node asks for in answer to the
    /// input that is being handled.
    pub fn push(&self, remark: R) {
        self.0.is_used.store(true, Relaxed);
        self.0.waiting().after.push(remark);
    }

    /// Adds a remark about the frame that the node is about to return from `poll`; it is in the
    /// trace right before that request.
    pub fn push_ahead(&self, remark: R) {
        self.0.is_used.store(true, Relaxed);
        self.0.waiting().ahead.push(remark);
    }

    /// Hands over the remarks about the next request.
    pub(crate) fn drain_ahead(&self, mut each: impl FnMut(&R)) {
        if self.0.is_used.load(Relaxed) {
            self.drain(|waiting| &mut waiting.ahead, &mut each);
        }
    }

    /// Hands over all remarks.
    pub(crate) fn drain_all(&self, mut each: impl FnMut(&R)) {
        if self.0.is_used.load(Relaxed) {
            self.0.is_used.store(false, Relaxed);
            self.drain(|waiting| &mut waiting.ahead, &mut each);
            self.drain(|waiting| &mut waiting.after, &mut each);
        }
    }

    fn drain(&self, which: fn(&mut Waiting<R>) -> &mut Vec<R>, each: &mut impl FnMut(&R)) {
        let mut taken = std::mem::take(which(&mut self.0.waiting()));
        taken.iter().for_each(each);
        taken.clear();
        // The room stays for the next ones; a sink has added none.
        *which(&mut self.0.waiting()) = taken;
    }
}

impl<R> Clone for Remarks<R> {
    fn clone(&self) -> Self {
        Remarks(self.0.clone())
    }
}

impl<R> Default for Remarks<R> {
    fn default() -> Self {
        Remarks(Arc::new(Place {
            is_used: AtomicBool::new(false),
            waiting: Mutex::new(Waiting {
                ahead: Vec::new(),
                after: Vec::new(),
            }),
        }))
    }
}
