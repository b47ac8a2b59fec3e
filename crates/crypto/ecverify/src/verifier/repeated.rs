//! Jobs that stand in a call more than once: a certificate that several messages bring, a message
//! that was sent again.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::job::{Job, SignatureRefusal, Verdict};

/// Has each different job verified once, and gives all its copies the verdict. Copies are found by
/// digest and s in logarithmic time: of several jobs that differ in the rest, by the first only.
pub(super) fn verify_once(
    jobs: &[Job<'_>],
    verdicts: &mut [Verdict],
    verify: impl FnOnce(&[Job<'_>], &mut [Verdict]),
) {
    assert_eq!(jobs.len(), verdicts.len(), "a verdict for each job");
    let mut firsts: BTreeMap<_, usize> = BTreeMap::new();
    let mut different: Vec<Job<'_>> = Vec::with_capacity(jobs.len());
    let mut places = Vec::with_capacity(jobs.len());
    for job in jobs {
        let name = (job.digest, job.signature.s);
        let first = *firsts.entry(name).or_insert(different.len());
        if different.get(first) == Some(job) {
            places.push(first);
        } else {
            places.push(different.len());
            different.push(*job);
        }
    }
    if different.len() == jobs.len() {
        return verify(jobs, verdicts);
    }
    let unanswered = Verdict::Refused(SignatureRefusal::Equation);
    let mut found = vec![unanswered; different.len()];
    verify(&different, &mut found);
    for (verdict, at) in verdicts.iter_mut().zip(places) {
        *verdict = found[at];
    }
}
