//! Senders that tell the truth, and senders that lie in one way each.

mod hostile;
mod lies;
mod traffic;

use std::vec::Vec;

use self::traffic::{Drive, OBSERVER};
use crate::{Claim, Detector, Findings, MisbehaviourClass, SenderId, Thresholds};

fn detector() -> Detector {
    Detector::new(Thresholds::STANDARD, 64)
}

/// Shows the claims of one sender to a new detector.
fn watch(claims: &[Claim]) -> Vec<Findings> {
    let mut detector = detector();
    let one = |claim| detector.observe(&OBSERVER, SenderId(1), claim);
    claims.iter().map(one).collect()
}

/// Returns the share of suspicious messages.
fn flagged(findings: &[Findings]) -> f64 {
    let count = findings.iter().filter(|one| one.is_suspicious()).count();
    count as f64 / findings.len() as f64
}

/// Returns true if any message has a finding of the class.
fn has(findings: &[Findings], class: MisbehaviourClass) -> bool {
    findings.iter().any(|one| one.of(class).is_some())
}

#[test]
fn honest_drives_are_flagged_in_at_most_one_message_of_a_hundred() {
    let mut messages = 0;
    let mut suspicious = 0;
    for correlated in [false, true] {
        for seed in 0..40 {
            let findings = watch(&Drive::of_seed(seed).claims(600, correlated));
            let count = findings.iter().filter(|one| one.is_suspicious()).count();
            messages += findings.len();
            suspicious += count;
        }
    }
    assert!(suspicious * 100 <= messages, "{suspicious} of {messages}");
}
