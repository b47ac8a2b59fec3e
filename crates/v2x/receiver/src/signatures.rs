//! Signature verifiers with tables of known keys, one for each thread that works at a time.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use waywarden_ecverify::{Job, SignatureVerifier, Verdict};
use waywarden_v2x_security::{SignatureJobs, verify_in_rounds};

/// Most verifiers, whatever the machine.
const SLOTS_MAX: usize = 1_024;

thread_local! {
    /// Number of this thread among those that verified, from 0.
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Number of the next thread that verifies for the first time.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Signature verifiers, of which a thread takes its own if it is free, or any that is.
///
/// No thread waits for one: where more threads verify than there are verifiers, the others do
/// without tables, which takes longer and says the same.
pub(crate) struct SharedSignatures {
    slots: Box<[Mutex<SignatureVerifier>]>,
}

impl SharedSignatures {
    /// Creates `slots` verifiers that share `table_bytes` evenly.
    pub(crate) fn new(slots: usize, table_bytes: usize) -> Self {
        let slots = slots.clamp(1, SLOTS_MAX);
        let each = || Mutex::new(SignatureVerifier::with_table_bytes(table_bytes / slots));
        Self {
            slots: std::iter::repeat_with(each).take(slots).collect(),
        }
    }

    /// Verifies the signatures of all items, round by round.
    pub(crate) fn verify<J: SignatureJobs>(&self, items: &mut [J]) {
        let mut own = self.free();
        verify_in_rounds(items, |jobs: &[Job<'_>], verdicts: &mut [Verdict]| {
            match (&mut own, jobs) {
                // Without the room of a batch.
                (Some(own), [job]) => verdicts[0] = own.verify(job).into(),
                (Some(own), _) => own.verify_many(jobs, verdicts),
                (None, _) => waywarden_ecverify::verify_many(jobs, verdicts),
            }
        });
    }

    /// Returns a verifier that no other thread uses; `None` if there is none.
    fn free(&self) -> Option<MutexGuard<'_, SignatureVerifier>> {
        let count = self.slots.len();
        let own = number() % count;
        let slots = self.slots[own..].iter().chain(&self.slots[..own]);
        slots.map(Mutex::try_lock).find_map(|slot| match slot {
            Ok(verifier) => Some(verifier),
            Err(TryLockError::Poisoned(error)) => Some(PoisonError::into_inner(error)),
            Err(TryLockError::WouldBlock) => None,
        })
    }
}

/// Returns the number of this thread.
fn number() -> usize {
    NUMBER.with(|own| {
        let number = own.get();
        let number = number.unwrap_or_else(|| THREADS.fetch_add(1, Ordering::Relaxed));
        own.set(Some(number));
        number
    })
}
