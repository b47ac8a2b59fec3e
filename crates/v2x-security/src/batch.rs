//! Messages that came together: their signatures at once.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_ecverify::Job;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::context::ReceptionContext;
use crate::prepared::{Prepared, verified};
use crate::result::{Reason, Refusal};
use crate::store::Verified;
use crate::verifier::{Accepted, Verifier};

/// A message that came, and what was known around it.
#[derive(Clone, Debug)]
pub struct Received<'m, 'c> {
    /// Its bytes.
    pub message: &'m [u8],
    /// When and where it came.
    pub context: ReceptionContext<'c>,
}

type Preparation<'m> = Result<Prepared<'m>, Refusal>;

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
        received: &[Received<'m, '_>],
    ) -> Vec<Result<Accepted<'m>, Refusal>> {
        let mut ahead = self.prepare_many(received, None);
        self.verify_signatures_of(&mut ahead);
        self.verify_dependents(received, &mut ahead);
        let changes = self.store().changes();
        let parts = ahead.into_iter().zip(received);
        parts
            .map(|(ahead, one)| self.take(ahead, one, changes))
            .collect()
    }

    fn prepare_many<'m>(
        &self,
        received: &[Received<'m, '_>],
        provisional: Option<&BTreeMap<HashedId8, Arc<Verified>>>,
    ) -> Vec<Preparation<'m>> {
        let prepare =
            |one: &Received<'m, '_>| self.prepare_with(one.message, &one.context, provisional);
        received.iter().map(prepare).collect()
    }

    /// Verifies the signatures of prepared messages in rounds: in each round the next one of every
    /// message, so that no chain is followed below a wrong signature.
    fn verify_signatures_of(&mut self, ahead: &mut [Preparation<'_>]) {
        loop {
            let next = ahead.iter().enumerate();
            let next = next.filter_map(|(at, one)| Some((at, one.as_ref().ok()?.job()?)));
            let (places, jobs): (Vec<usize>, Vec<Job<'_>>) = next.unzip();
            if jobs.is_empty() {
                return;
            }
            let verdicts = self.verdicts(&jobs);
            drop(jobs);
            for (at, verdict) in places.into_iter().zip(verdicts) {
                if let Ok(prepared) = &mut ahead[at] {
                    // The refusal is kept there, until it is the message's turn.
                    let _ = prepared.record(verdict);
                }
            }
        }
    }

    /// Messages whose chain ends at a certificate that another of them brings are prepared with it.
    fn verify_dependents<'m>(
        &mut self,
        received: &[Received<'m, '_>],
        ahead: &mut [Preparation<'m>],
    ) {
        let brought = brought(ahead);
        let depends = |one: &Preparation<'_>| match one {
            Err(refusal) => {
                matches!(refusal.reason, Reason::Missing(id) if brought.contains_key(&id))
            }
            Ok(_) => false,
        };
        let places: Vec<usize> = (0..ahead.len()).filter(|&at| depends(&ahead[at])).collect();
        if places.is_empty() {
            return;
        }
        let dependents: Vec<Received<'m, '_>> =
            places.iter().map(|&at| received[at].clone()).collect();
        let mut prepared = self.prepare_many(&dependents, Some(&brought));
        self.verify_signatures_of(&mut prepared);
        for (at, one) in places.into_iter().zip(prepared) {
            // A refusal counts only when it is the message's turn: now it is not known yet.
            if one.is_ok() {
                ahead[at] = one;
            }
        }
    }

    /// Whether a chain is a signer's certificate alone, and that is known.
    fn knows_signer_of(&self, prepared: &Prepared<'_>) -> bool {
        let top = &prepared.chain.top;
        let known = self.store().find(top.id());
        let is_known = known.is_some_and(|known| known.digest() == top.digest());
        prepared.chain.links.is_empty() && is_known
    }

    /// Verifies one message, with what was found out ahead while `changes` stood at this number.
    fn take<'m>(
        &mut self,
        ahead: Preparation<'m>,
        one: &Received<'m, '_>,
        changes: u64,
    ) -> Result<Accepted<'m>, Refusal> {
        match ahead {
            Ok(prepared) if self.knows_signer_of(&prepared) => self.finish(prepared),
            // The same is known as when it was refused.
            Err(refusal) if self.store().changes() == changes => Err(refusal),
            earlier => {
                let mut prepared = self.prepare(one.message, &one.context)?;
                if let Ok(earlier) = earlier {
                    prepared.adopt(&earlier);
                }
                self.finish(prepared)
            }
        }
    }
}

/// Returns the certificates that messages bring, if all their signatures have verified. Nothing is
/// accepted for that: each message is still judged by itself.
fn brought(ahead: &[Preparation<'_>]) -> BTreeMap<HashedId8, Arc<Verified>> {
    let mut brought = BTreeMap::new();
    let valid = ahead.iter().flatten();
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
