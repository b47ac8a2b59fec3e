//! Messages judged: signatures verified with no lock held, outcomes entered one after the other.

use waywarden_ecverify::{Job, SignatureVerifier, Verdict as SignatureVerdict};
use waywarden_v2x_security::{Accepted, Lookahead, Reason, Refusal, ResultCode, verify_in_rounds};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::Verification;
use crate::engine::batches::BatchUnderWay;
use crate::engine::queue::MessageToVerify;

/// The verifier's verdict on a message.
pub(super) type Outcome<'b> = Result<Accepted<'b>, Refusal>;

impl Verification {
    /// Judges messages. Signatures are verified with no lock held, and only messages whose
    /// signatures are valid get the lock that changes what is known.
    pub(super) fn outcomes<'b>(
        &self,
        batch: &'b [MessageToVerify],
        under_way: &BatchUnderWay,
        signatures: &mut SignatureVerifier,
    ) -> Vec<Outcome<'b>> {
        let mut outcomes: Vec<Option<Outcome<'b>>> = batch.iter().map(|_| None).collect();
        let mut left: Vec<usize> = (0..batch.len()).collect();
        let mut has_waited = false;
        for _ in 0..TURNS_MAX {
            let ahead = self.look_ahead(batch, &left, signatures);
            left = self.judge(left, ahead, &mut outcomes);
            if left.is_empty() && !has_waited {
                has_waited = true;
                left = self.known_by_earlier(&outcomes, under_way);
            }
            if left.is_empty() {
                break;
            }
        }
        // Each turn but the first follows a signed message that taught something, or a reload.
        let unsettled = || Err(UNSETTLED);
        let outcomes = outcomes.into_iter();
        outcomes.map(|one| one.unwrap_or_else(unsettled)).collect()
    }

    /// Returns the places of messages whose certificate was missing and came with a message of an
    /// earlier batch. Waits for those only if a certificate is missing: another thread may be about
    /// to learn it, and a client's batch has one verdict however many threads there are.
    fn known_by_earlier(
        &self,
        outcomes: &[Option<Outcome<'_>>],
        under_way: &BatchUnderWay,
    ) -> Vec<usize> {
        let places = outcomes.iter().enumerate();
        let missing = places.filter_map(|(at, outcome)| Some((at, missing(outcome.as_ref())?)));
        let missing: Vec<(usize, HashedId8)> = missing.collect();
        if missing.is_empty() {
            return Vec::new();
        }
        under_way.wait_for_earlier();
        self.known.read(|verifier, _| {
            let known = missing.into_iter();
            let known = known.filter(|(_, id)| verifier.store().find(*id).is_some());
            known.map(|(at, _)| at).collect()
        })
    }

    /// Prepares messages and verifies their signatures.
    fn look_ahead<'b>(
        &self,
        batch: &'b [MessageToVerify],
        places: &[usize],
        signatures: &mut SignatureVerifier,
    ) -> (Vec<Lookahead<'b, 'static>>, u64) {
        let (mut ahead, looked) = self.known.read(|verifier, generation| {
            let look = |at: &usize| verifier.look_ahead(batch[*at].received(), false);
            (places.iter().map(look).collect::<Vec<_>>(), generation)
        });
        self.verify(&mut ahead, signatures);
        if ahead.iter().any(Lookahead::is_refused) && self.look_ahead_again(&mut ahead, looked) {
            self.verify(&mut ahead, signatures);
        }
        (ahead, looked)
    }

    fn look_ahead_again(&self, ahead: &mut [Lookahead<'_, '_>], looked: u64) -> bool {
        self.known
            .read(|verifier, generation| generation == looked && verifier.look_ahead_again(ahead))
    }

    /// Enters the outcomes of messages that were looked ahead. Returns the places of those that
    /// are to be looked ahead again, because what is known of their signers has changed.
    fn judge<'b>(
        &self,
        places: Vec<usize>,
        (ahead, looked): (Vec<Lookahead<'b, 'static>>, u64),
        outcomes: &mut [Option<Outcome<'b>>],
    ) -> Vec<usize> {
        // A look ahead with another verifier says nothing of this one.
        if !self.known.read(|_, generation| generation == looked) {
            return places;
        }
        let (mut valid, mut refused) = (Vec::new(), Vec::new());
        for (at, one) in places.into_iter().zip(ahead) {
            match one.refusal() {
                Some(refusal) => {
                    outcomes[at] = Some(Err(refusal));
                    // Not those whose signature is wrong: that does not depend on what is known.
                    refused.extend(one.is_refused().then_some(at));
                }
                None => valid.push((at, one)),
            }
        }
        let mut left = Vec::new();
        let mut first_change = None;
        if !valid.is_empty() {
            self.known.write(|verifier, generation| {
                for (at, one) in valid {
                    let before = verifier.store().changes();
                    let judged = match generation == looked {
                        true => verifier.commit_ahead(one),
                        false => None,
                    };
                    match judged {
                        Some(outcome) => outcomes[at] = Some(outcome),
                        None => left.push(at),
                    }
                    if verifier.store().changes() != before {
                        first_change.get_or_insert(at);
                    }
                }
            });
        }
        if !refused.is_empty() {
            self.known.read(|verifier, _| {
                // A message that was refused behind one with a certificate may be accepted with it,
                // and so may one that lacks a certificate that another thread has learned
                // meanwhile.
                let is_known = |at: usize| {
                    let missing = missing(outcomes[at].as_ref());
                    missing.is_some_and(|id| verifier.store().find(id).is_some())
                };
                let is_behind = |at: usize| first_change.is_some_and(|first| at > first);
                left.extend(
                    refused
                        .into_iter()
                        .filter(|at| is_behind(*at) || is_known(*at)),
                );
            });
        }
        left.sort_unstable();
        left
    }

    fn verify(&self, ahead: &mut [Lookahead<'_, '_>], signatures: &mut SignatureVerifier) {
        verify_in_rounds(ahead, |jobs, verdicts| {
            self.verify_jobs(signatures, jobs, verdicts);
        });
    }

    pub(super) fn verify_jobs(
        &self,
        signatures: &mut SignatureVerifier,
        jobs: &[Job<'_>],
        verdicts: &mut [SignatureVerdict],
    ) {
        self.shared.observer.signatures(jobs.len());
        signatures.verify_many(jobs, verdicts);
    }
}

/// Returns the certificate for want of which a message was refused.
fn missing(outcome: Option<&Outcome<'_>>) -> Option<HashedId8> {
    match outcome {
        Some(Err(refusal)) => refusal.reason.missing(),
        _ => None,
    }
}

/// Most looks ahead at a message: again if what is known of its chain has changed since in a
/// way that leaves it with other signatures, or if the verifier was replaced.
const TURNS_MAX: usize = 8;

/// The outcome of a message after that many times.
const UNSETTLED: Refusal = Refusal {
    code: ResultCode::CryptoVerificationFailure,
    certificate: None,
    field: "signer",
    reason: Reason::Words("what is known of the signer changes too often; send it again"),
};
