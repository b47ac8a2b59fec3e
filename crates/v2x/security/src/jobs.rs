//! Signatures of many messages, verified together.

use alloc::vec::Vec;

use waywarden_ecverify::{Job, SignatureRefusal, Verdict};

/// A sequence of signatures to verify. The verdict on one signature decides which one is next.
pub trait SignatureJobs {
    /// Returns the next job; `None` when none is left.
    fn job(&self) -> Option<Job<'_>>;

    /// Takes the verdict on the [`job`](Self::job).
    fn record(&mut self, verdict: Verdict);
}

/// Verifies all signatures of all items in rounds: in each round the next one of every item, so
/// that no chain is followed below a wrong signature. `verify` answers each job, in order; which
/// thread or processor does that is the caller's choice.
pub fn verify_in_rounds<J: SignatureJobs>(
    items: &mut [J],
    mut verify: impl FnMut(&[Job<'_>], &mut [Verdict]),
) {
    loop {
        let next = items.iter().enumerate();
        let next = next.filter_map(|(at, item)| Some((at, item.job()?)));
        let (places, jobs): (Vec<usize>, Vec<Job<'_>>) = next.unzip();
        if jobs.is_empty() {
            return;
        }
        let mut verdicts = alloc::vec![Verdict::Refused(UNANSWERED); jobs.len()];
        verify(&jobs, &mut verdicts);
        drop(jobs);
        for (at, verdict) in places.into_iter().zip(verdicts) {
            items[at].record(verdict);
        }
    }
}

/// Refusal recorded for a job that the caller leaves unanswered.
const UNANSWERED: SignatureRefusal = SignatureRefusal::Equation;
