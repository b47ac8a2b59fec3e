//! Records that are judged together: their signatures at once, ahead of their turns.

use waywarden_ecverify::SignatureVerifier;
use waywarden_v2x_security::{Lookahead, SignatureCheck, Verifier, verify_in_rounds};

use super::judge::{Draft, Judge, Judgement};
use super::summary::Tally;
use waywarden_v2x_input::record::InputRecord;

/// Records, with what is found out of them ahead.
pub(super) struct Batch<'r> {
    judge: &'r Judge,
    drafts: Vec<Draft<'r>>,
    /// Of each message, in the same order.
    ahead: Vec<Lookahead<'r, 'r>>,
    /// Signatures of refused messages whose signers' keys are known otherwise, by the number of the
    /// message.
    checks: Vec<(usize, SignatureCheck<'r>)>,
    passed_over: usize,
}

impl<'r> Batch<'r> {
    /// Reads records.
    pub(super) fn read(records: &'r [InputRecord], judge: &'r Judge) -> Self {
        let drafts: Vec<_> = records.iter().filter_map(|one| judge.read(one)).collect();
        Self {
            judge,
            passed_over: records.len() - drafts.len(),
            drafts,
            ahead: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// Prepares the messages.
    pub(super) fn look_ahead(&mut self, verifier: &Verifier) {
        self.ahead.reserve_exact(self.drafts.len());
        for message in self.drafts.iter().filter_map(Draft::message) {
            let received = message.received.clone();
            let explains = !self.judge.knows_signer(message);
            self.ahead.push(verifier.look_ahead(received, explains));
        }
    }

    /// Returns true if a message is refused so far, possibly for want of a certificate.
    pub(super) fn has_refused(&self) -> bool {
        self.ahead.iter().any(Lookahead::is_refused)
    }

    /// Prepares again what can be verified now. Returns whether there is something to verify.
    pub(super) fn look_ahead_again(&mut self, verifier: &Verifier) -> bool {
        verifier.look_ahead_again(&mut self.ahead)
    }

    /// Verifies the signatures that are known.
    pub(super) fn verify(&mut self, signatures: &mut SignatureVerifier) {
        verify_in_rounds(&mut self.ahead, |jobs, verdicts| {
            signatures.verify_many(jobs, verdicts);
        });
    }

    /// Verifies the signatures of refused messages under keys that are known otherwise.
    pub(super) fn verify_by_known_keys(&mut self, signatures: &mut SignatureVerifier) {
        let messages = self.drafts.iter().filter_map(Draft::message);
        for (at, (message, ahead)) in messages.zip(&self.ahead).enumerate() {
            if ahead.is_refused()
                && let Some(Ok(check)) = self.judge.check(message)
            {
                self.checks.push((at, check));
            }
        }
        let (places, mut checks): (Vec<usize>, Vec<_>) = self.checks.drain(..).unzip();
        verify_in_rounds(&mut checks, |jobs, verdicts| {
            signatures.verify_many(jobs, verdicts);
        });
        self.checks.extend(places.into_iter().zip(checks));
    }

    /// Judges the records, one after the other.
    pub(super) fn judge(self, verifier: &mut Verifier) -> (Vec<Judgement>, Tally) {
        let mut tally = Tally::default();
        tally.passed_over = self.passed_over;
        let mut ahead = self.ahead.into_iter().enumerate();
        let mut checks = self.checks.into_iter().peekable();
        let judge = |draft: Draft<'r>| {
            let (number, ahead) = match draft.message() {
                Some(_) => ahead.next().map_or((0, None), |(at, one)| (at, Some(one))),
                None => (0, None),
            };
            let check = match ahead {
                Some(_) => checks.next_if(|(of, _)| *of == number),
                None => None,
            };
            let is_signed = check.and_then(|(_, check)| check.is_valid());
            tally.undated += usize::from(draft.is_undated);
            draft.judge(self.judge, verifier, ahead, is_signed)
        };
        let judgements: Vec<Judgement> = self.drafts.into_iter().map(judge).collect();
        for judgement in &judgements {
            tally.count(judgement);
        }
        (judgements, tally)
    }
}
