//! Messages that came together: their signatures at once, ahead of the messages' turns.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_ecverify::{Job, Verdict};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::context::ReceptionContext;
use crate::jobs::{SignatureJobs, verify_in_rounds};
use crate::prepared::{Prepared, verified};
use crate::result::{Reason, Refusal};
use crate::store::Verified;
use crate::verifier::{Accepted, Verifier};

/// A message that came, and what was known around it.
#[derive(Clone, Debug)]
pub struct IncomingMessage<'m, 'c> {
    /// Encoded bytes of the message.
    pub message: &'m [u8],
    /// Time and place of reception, and further knowledge of the receiver.
    pub context: ReceptionContext<'c>,
}

type Preparation<'m> = Result<Prepared<'m>, Refusal>;

/// A message whose signatures can be verified ahead of its turn, without consequences.
///
/// [`Verifier::look_ahead`] makes it, [`verify_in_rounds`] verifies its signatures and
/// [`Verifier::verify_ahead`] verifies the message at its turn. In between the verifier may verify
/// other messages: what it learns from them counts as if this message had come at its turn alone.
#[derive(Debug)]
pub struct Lookahead<'m, 'c> {
    received: IncomingMessage<'m, 'c>,
    prepared: Preparation<'m>,
    /// The signatures of a message that the rules refuse, if the caller asks for them.
    whole: Option<Preparation<'m>>,
    explains: bool,
    /// The number of changes of the store at which it was prepared.
    changes: u64,
}

impl Lookahead<'_, '_> {
    /// Returns true if a rule already refuses the message: its signatures then decide nothing.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.prepared.is_err()
    }

    /// Returns the rule that does not hold, as far as is known, or the signature that is wrong or
    /// not verified; `None` if the message may be accepted at its turn.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        match &self.prepared {
            Ok(prepared) => prepared.check_verified().err(),
            Err(refusal) => Some(*refusal),
        }
    }
}

impl SignatureJobs for Lookahead<'_, '_> {
    fn job(&self) -> Option<Job<'_>> {
        match (&self.prepared, &self.whole) {
            (Ok(prepared), _) | (Err(_), Some(Ok(prepared))) => prepared.job(),
            (Err(_), _) => None,
        }
    }

    fn record(&mut self, verdict: Verdict) {
        if let (Ok(prepared), _) | (Err(_), Some(Ok(prepared))) =
            (&mut self.prepared, &mut self.whole)
        {
            // The refusal is kept there, until it is the message's turn.
            let _ = prepared.record(verdict);
        }
    }
}

/// A message that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The first rule that does not hold.
    pub refusal: Refusal,
    /// Verdict of [`Verifier::verify_signatures`] on the message now, if the look-ahead asked for
    /// it. `None` if the signatures cannot be verified: the message is not signed, or a certificate
    /// of its chain is not known.
    pub signatures_valid: Option<bool>,
}

impl Verifier {
    /// Verifies messages that came together: what [`verify`](Self::verify) says of them one after
    /// the other, faster.
    ///
    /// Their signatures are verified together, ahead and without consequences; a message that names
    /// a certificate that another message brings is among them. Then the messages are taken one
    /// after the other, each with the verdicts that are there, as if it had come alone.
    ///
    /// # Errors
    /// As in [`verify`](Self::verify), each its own.
    pub fn verify_many<'m>(
        &mut self,
        received: &[IncomingMessage<'m, '_>],
    ) -> Vec<Result<Accepted<'m>, Refusal>> {
        if let [one] = received {
            return alloc::vec![self.verify(one.message, &one.context)];
        }
        let all = received.iter().cloned();
        let mut ahead: Vec<_> = all.map(|one| self.look_ahead(one, false)).collect();
        self.verify_jobs_of(&mut ahead);
        if self.look_ahead_again(&mut ahead) {
            self.verify_jobs_of(&mut ahead);
        }
        let verify = |one| self.verify_ahead(one).map_err(|refused| refused.refusal);
        ahead.into_iter().map(verify).collect()
    }

    fn verify_jobs_of(&mut self, ahead: &mut [Lookahead<'_, '_>]) {
        let signatures = self.signatures_mut();
        verify_in_rounds(ahead, |jobs, verdicts| {
            signatures.verify_many(jobs, verdicts);
        });
    }

    /// Prepares a message ahead of its turn. `explains` asks whether the signatures of a message
    /// that is refused for another reason are valid. Nothing is changed.
    #[must_use]
    pub fn look_ahead<'m, 'c>(
        &self,
        received: IncomingMessage<'m, 'c>,
        explains: bool,
    ) -> Lookahead<'m, 'c> {
        let (message, context) = (received.message, &received.context);
        let prepared = self.prepare(message, context);
        let whole = match &prepared {
            // Without its chain there is nothing to verify.
            Err(refusal) if explains && refusal.reason.missing().is_none() => {
                Some(self.state().prepare_signatures(message, context))
            }
            _ => None,
        };
        Lookahead {
            received,
            prepared,
            whole,
            explains,
            changes: self.store().changes(),
        }
    }

    /// Prepares again what waits for a certificate that another message brings, or that has become
    /// known. Returns whether there are signatures to verify now. The signatures of the others have
    /// to be verified before.
    pub fn look_ahead_again(&self, ahead: &mut [Lookahead<'_, '_>]) -> bool {
        let mut brought = None;
        let mut any = false;
        for at in 0..ahead.len() {
            let missing = |refusal: &Refusal| refusal.reason.missing();
            let Some(id) = ahead[at].prepared.as_ref().err().and_then(missing) else {
                continue;
            };
            let brought = brought.get_or_insert_with(|| certificates_of(ahead));
            if !brought.contains_key(&id) && self.store().find(id).is_none() {
                continue;
            }
            // This is its second message: no later one pays for the parts again.
            let key = brought.get(&id).and_then(|one| one.computed());
            brought.extend(key.map(|computed| (id, computed)));
            let received = &ahead[at].received;
            let prepared = self.prepare_with(received.message, &received.context, Some(brought));
            // A refusal counts only when it is the message's turn: now it is not known yet.
            if prepared.is_ok() {
                ahead[at].prepared = prepared;
                any = true;
            }
        }
        any
    }

    /// Returns true if the chain is only the signer's certificate, and the store knows it.
    fn knows_signer_of(&self, prepared: &Prepared<'_>) -> bool {
        let top = &prepared.chain.top;
        let known = self.store().find(top.id());
        let is_known = known.is_some_and(|known| known.digest() == top.digest());
        prepared.chain.links.is_empty() && is_known
    }

    /// Verifies a message at its turn: what [`verify`](Self::verify) says of it now, with the
    /// verdicts on signatures that were verified ahead.
    ///
    /// Profiles, limits, borders and revocations have to be those of when it was looked ahead.
    ///
    /// # Errors
    /// As in [`verify`](Self::verify); with it, whether the signatures are valid, if that was
    /// asked.
    pub fn verify_ahead<'m>(&mut self, ahead: Lookahead<'m, '_>) -> Result<Accepted<'m>, Refused> {
        let is_current = self.store().changes() == ahead.changes;
        let Lookahead {
            received,
            prepared,
            whole,
            explains,
            ..
        } = ahead;
        let refused = |refusal, signatures_valid| Refused {
            refusal,
            signatures_valid,
        };
        let (at_turn, earlier) = self.prepare_at_turn(&received, prepared, is_current);
        match at_turn {
            Ok(mut prepared) => {
                let verified = self.verify_rest(&mut prepared);
                verified.map_err(|refusal| refused(refusal, Some(false)))?;
                let committed = self.commit(prepared);
                committed.map_err(|refusal| refused(refusal, explains.then_some(true)))
            }
            Err(refusal) => {
                // One that is out of date still has verdicts.
                let (whole, earlier) = match is_current {
                    true => (whole, earlier),
                    false => (None, earlier.or(whole.and_then(Result::ok))),
                };
                let are_valid = match explains {
                    true => self.signatures_of_refused(&received, whole, earlier, is_current),
                    false => None,
                };
                Err(refused(refusal, are_valid))
            }
        }
    }

    /// Judges a message at its turn as [`verify_ahead`](Self::verify_ahead) does, and verifies no
    /// signature, so that a caller can hold a lock. `None` if what has been learned since leaves
    /// the message with signatures to verify: look it ahead again.
    pub fn commit_ahead<'m>(
        &mut self,
        ahead: Lookahead<'m, '_>,
    ) -> Option<Result<Accepted<'m>, Refusal>> {
        let is_current = self.store().changes() == ahead.changes;
        let (at_turn, _) = self.prepare_at_turn(&ahead.received, ahead.prepared, is_current);
        match at_turn {
            Ok(prepared) if prepared.job().is_some() => None,
            Ok(prepared) => Some(self.commit(prepared)),
            Err(refusal) => Some(Err(refusal)),
        }
    }

    /// Prepares a message as if it had come alone at its turn, with the verdicts on its signatures
    /// that are there. What was prepared earlier and is of no more use comes back, too.
    fn prepare_at_turn<'m>(
        &self,
        received: &IncomingMessage<'m, '_>,
        earlier: Preparation<'m>,
        is_current: bool,
    ) -> (Preparation<'m>, Option<Prepared<'m>>) {
        match earlier {
            // What else `prepare` checks depends on the message, the chain and the context alone.
            Ok(prepared) if self.knows_signer_of(&prepared) => {
                match self.state().check_known_replay(&prepared) {
                    Ok(()) => (Ok(prepared), None),
                    Err(refusal) => (Err(refusal), Some(prepared)),
                }
            }
            // The same certificates are known as when it was refused.
            Err(refusal) if is_current => (Err(refusal), None),
            earlier => {
                let mut renewed = self.prepare(received.message, &received.context);
                let earlier = earlier.ok();
                if let (Ok(renewed), Some(earlier)) = (&mut renewed, &earlier) {
                    renewed.adopt(earlier);
                }
                (renewed, earlier)
            }
        }
    }

    /// Returns true if the signatures of a refused message are valid; `None` if they cannot be
    /// verified. Takes the answer from `whole`, if it is there and what is known has not changed.
    fn signatures_of_refused<'m>(
        &mut self,
        received: &IncomingMessage<'m, '_>,
        whole: Option<Preparation<'m>>,
        earlier: Option<Prepared<'m>>,
        is_current: bool,
    ) -> Option<bool> {
        let prepared = match (whole, earlier) {
            (Some(whole), _) => whole,
            // A certificate of its chain is missing.
            (None, None) if is_current => return None,
            (None, earlier) => {
                let (message, context) = (received.message, &received.context);
                let mut renewed = self.state().prepare_signatures(message, context);
                if let (Ok(renewed), Some(earlier)) = (&mut renewed, &earlier) {
                    renewed.adopt(earlier);
                }
                renewed
            }
        };
        let verified = prepared.and_then(|mut whole| self.verify_rest(&mut whole));
        signatures_valid(verified)
    }
}

/// Returns the verdict of a verification of signatures alone; `None` if there is none.
fn signatures_valid(verified: Result<(), Refusal>) -> Option<bool> {
    match verified.map_err(|refusal| refusal.reason) {
        Ok(()) => Some(true),
        Err(Reason::Signature(_)) => Some(false),
        Err(_) => None,
    }
}

/// Returns the certificates that messages bring, if all their signatures have verified. Nothing is
/// accepted for that: each message is still judged by itself.
fn certificates_of(ahead: &[Lookahead<'_, '_>]) -> BTreeMap<HashedId8, Arc<Verified>> {
    let mut brought = BTreeMap::new();
    let valid = ahead.iter().filter_map(|one| one.prepared.as_ref().ok());
    for prepared in valid.filter(|one| one.check_verified().is_ok()) {
        let mut issuer = Arc::clone(&prepared.chain.top);
        let keys = prepared.keys.iter().skip(1);
        for (link, key) in prepared.chain.links.iter().rev().zip(keys) {
            match verified(link, key.clone(), issuer) {
                Ok(certificate) => issuer = certificate,
                Err(_) => break,
            }
            brought
                .entry(issuer.id())
                .or_insert_with(|| Arc::clone(&issuer));
        }
    }
    brought
}
