//! Records that are judged together: their signatures at once, ahead of their turns, and at their
//! turns one after the other.

use waywarden_ecverify::{Job, Verdict as SignatureVerdict};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_payload::{PayloadCheck, check_accepted};
use waywarden_v2x_security::profile::CRL_PSID;
use waywarden_v2x_security::{
    Accepted, Lookahead, Reason, Refusal, Refused, ResultCode, SignatureCheck, SignatureJobs,
    Verifier,
};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use crate::judge::{Draft, Message, Subject, payload};
use crate::receiver::Receiver;
use crate::reception::Reception;
use crate::verdict::{PayloadReport, Verdict};

/// Records, with what is found out of them ahead.
pub(crate) struct Batch<'r> {
    /// `None` for a frame of other traffic.
    drafts: Vec<Option<Draft<'r>>>,
    /// Of each message, in the same order.
    ahead: Vec<Lookahead<'r, 'r>>,
    /// Of each message: the verdict on the last of its signatures that was verified.
    signed: Vec<Option<bool>>,
    /// Of each message: whether it is signed with a key that is known otherwise.
    signed_by_known: Vec<Option<bool>>,
    /// Of each message: number of changes of what is known at which it was looked ahead.
    looked: Vec<u64>,
    reception: Reception,
}

/// A message whose signatures are verified: the verdict on the last one is noted, by which the
/// caller learns of a refused message whether its signatures are valid.
struct Watched<'a, 'r> {
    ahead: &'a mut Lookahead<'r, 'r>,
    signed: &'a mut Option<bool>,
}

impl SignatureJobs for Watched<'_, '_> {
    fn job(&self) -> Option<Job<'_>> {
        self.ahead.job()
    }

    fn record(&mut self, verdict: SignatureVerdict) {
        // A chain ends at its first wrong signature, and a signature at its first valid form.
        *self.signed = Some(verdict == SignatureVerdict::Valid);
        self.ahead.record(verdict);
    }
}

/// The facts about an accepted message that its verdict has.
struct Acceptance {
    payload: Option<Vec<u8>>,
    check: Option<PayloadCheck>,
    /// Says what verification does not check of the application's messages.
    unchecked: Option<String>,
}

impl<'r> Batch<'r> {
    /// Reads records, prepares the messages and verifies their signatures, ahead of their turn.
    pub(crate) fn ahead(
        receiver: &'r Receiver,
        records: &'r [InputRecord],
        reception: &Reception,
    ) -> Self {
        let read = |one| Draft::read(one, receiver.rules(), reception);
        let mut own = Self {
            drafts: records.iter().map(read).collect(),
            ahead: Vec::new(),
            signed: Vec::new(),
            signed_by_known: Vec::new(),
            looked: Vec::new(),
            reception: *reception,
        };
        own.look_ahead(receiver);
        own.verify(receiver);
        // Not to wait for the thread that commits where nothing can come of it.
        own.look_again(receiver);
        own.verify_by_known_keys(receiver);
        own
    }

    fn messages(&self) -> impl Iterator<Item = &Message<'r>> {
        self.drafts.iter().flatten().filter_map(Draft::message)
    }

    fn look_ahead(&mut self, receiver: &Receiver) {
        // The lock is given back after each: a batch of strangers' messages delays no other thread.
        let looks = self.messages().map(|message| {
            let explains = !receiver.rules().knows_signer(message);
            receiver.known.read(|verifier| {
                let ahead = verifier.look_ahead(message.received.clone(), explains);
                (ahead, verifier.store().changes())
            })
        });
        let (ahead, looked): (Vec<_>, Vec<_>) = looks.unzip();
        (self.ahead, self.looked) = (ahead, looked);
        self.signed = vec![None; self.ahead.len()];
        self.signed_by_known = vec![None; self.ahead.len()];
    }

    /// Verifies the signatures that are known.
    fn verify(&mut self, receiver: &Receiver) {
        let all = self.ahead.iter_mut().zip(&mut self.signed);
        let mut all: Vec<_> = all
            .map(|(ahead, signed)| Watched { ahead, signed })
            .collect();
        receiver.verify_signatures(&mut all);
    }

    /// Prepares again what another message brings the certificate of, or has brought.
    pub(crate) fn look_again(&mut self, receiver: &Receiver) {
        let has_refused = self.ahead.iter().any(Lookahead::is_refused);
        if has_refused
            && receiver
                .known
                .read(|verifier| verifier.look_ahead_again(&mut self.ahead))
        {
            self.verify(receiver);
        }
    }

    /// Verifies the signatures of refused messages under keys that are known otherwise.
    fn verify_by_known_keys(&mut self, receiver: &'r Receiver) {
        if receiver.rules().keys.is_empty() {
            return;
        }
        let checks = self.messages().zip(&self.ahead).enumerate();
        let checks = checks.filter_map(|(at, (message, ahead))| {
            let check = receiver.rules().check(message)?;
            ahead.is_refused().then_some((at, check.ok()?))
        });
        let (places, mut checks): (Vec<usize>, Vec<SignatureCheck<'_>>) = checks.unzip();
        receiver.verify_signatures(&mut checks);
        let verdicts: Vec<Option<bool>> = checks.iter().map(SignatureCheck::is_valid).collect();
        for (at, verdict) in places.into_iter().zip(verdicts) {
            self.signed_by_known[at] = verdict;
        }
    }

    /// Judges the records at their turn, one after the other.
    pub(crate) fn finish(mut self, receiver: &Receiver) -> Vec<Option<Verdict>> {
        self.look_again(receiver);
        let reception = self.reception;
        let ahead = self.ahead.into_iter().zip(self.looked);
        let mut ahead = ahead.zip(self.signed.into_iter().zip(self.signed_by_known));
        let mut judge = |draft: Draft<'r>| {
            let mut verdict = draft.verdict;
            match draft.subject {
                Subject::Nothing => {}
                Subject::Certificate(bytes, certificate) => {
                    receiver.certificate(&mut verdict, (bytes, &certificate), &reception);
                }
                Subject::Message(message) => {
                    if let Some(((ahead, looked), (signed, by_known))) = ahead.next() {
                        let turn = Turn {
                            receiver,
                            message: &message,
                            looked,
                        };
                        turn.judge(&mut verdict, (ahead, signed), by_known);
                    }
                }
            }
            verdict
        };
        let drafts = self.drafts.into_iter();
        drafts.map(|draft| draft.map(&mut judge)).collect()
    }
}

/// A message at its turn.
struct Turn<'t, 'r> {
    receiver: &'t Receiver,
    message: &'t Message<'r>,
    /// Number of changes of what is known at which it was looked ahead.
    looked: u64,
}

/// Most looks ahead at a message: again if what is known of its chain has changed since in a way
/// that leaves it with other signatures.
const TURNS_MAX: usize = 8;

/// The outcome of a message after that many times.
const UNSETTLED: Refusal = Refusal {
    code: ResultCode::CryptoVerificationFailure,
    certificate: None,
    field: "signer",
    reason: Reason::Words("what is known of the signer changes too often; send it again"),
};

impl<'r> Turn<'_, 'r> {
    fn judge(
        mut self,
        verdict: &mut Verdict,
        ahead: (Lookahead<'r, 'r>, Option<bool>),
        signed_by_known: Option<bool>,
    ) {
        match self.outcome(ahead) {
            Ok(accepted) => {
                verdict.signature_valid = Some(true);
                let failed = accepted.check.as_ref();
                let failed = failed.and_then(PayloadCheck::failure_text);
                verdict.accepted = failed.is_none();
                verdict.verdict = ResultCode::Success.name();
                verdict.payload_check = accepted.check.map(PayloadReport);
                verdict.payload = accepted.payload.filter(|_| failed.is_none());
                verdict.reason = failed.or(accepted.unchecked);
            }
            Err(refused) => {
                let rules = self.receiver.rules();
                let unsigned = verdict.reason.take();
                verdict.refuse(&refused.refusal, &rules.trust);
                verdict.reason = unsigned.or(verdict.reason.take());
                let known = || {
                    let mut checks = [rules.check(self.message)?.ok()?];
                    self.receiver.verify_signatures(&mut checks);
                    checks[0].is_valid()
                };
                verdict.signature_valid =
                    signed_by_known.or_else(known).or(refused.signatures_valid);
            }
        }
    }

    fn explains(&self) -> bool {
        !self.receiver.rules().knows_signer(self.message)
    }

    /// Looks ahead at the message, with what is known now, and verifies its signatures.
    fn look_ahead(&mut self) -> (Lookahead<'r, 'r>, Option<bool>) {
        let (mut ahead, looked) = self.look(self.explains());
        let mut signed = None;
        self.receiver.verify_signatures(&mut [Watched {
            ahead: &mut ahead,
            signed: &mut signed,
        }]);
        self.looked = looked;
        (ahead, signed)
    }

    fn look(&self, explains: bool) -> (Lookahead<'r, 'r>, u64) {
        let received = self.message.received.clone();
        self.receiver.known.read(|verifier| {
            let ahead = verifier.look_ahead(received, explains);
            (ahead, verifier.store().changes())
        })
    }

    /// Judges the message with what is known now. No lock is held while a signature is verified or
    /// a revocation list expanded.
    fn outcome(
        &mut self,
        (mut ahead, mut signed): (Lookahead<'r, 'r>, Option<bool>),
    ) -> Result<Acceptance, Refused> {
        let mut has_expanded = false;
        for _ in 0..TURNS_MAX {
            let refused = |refusal, signatures_valid| Refused {
                refusal,
                signatures_valid,
            };
            match ahead.refusal() {
                Some(refusal) if self.stands(&ahead, refusal, signed) => {
                    return Err(refused(refusal, signed));
                }
                Some(_) => {}
                None => match self.commit(ahead) {
                    Some(Ok(accepted)) => return Ok(self.accepted(&accepted)),
                    Some(Err(refusal)) if has_expanded || !self.expands(refusal) => {
                        // A certificate that a later message brings is missing at this turn, and
                        // without it the signatures cannot be verified.
                        let is_known = refusal.reason.missing().is_none();
                        let are_valid = (self.explains() && is_known).then_some(true);
                        return Err(refused(refusal, are_valid));
                    }
                    // The lists that it asks for are expanded now.
                    Some(Err(_)) => has_expanded = true,
                    None => {}
                },
            }
            (ahead, signed) = self.look_ahead();
        }
        Err(Refused {
            refusal: UNSETTLED,
            signatures_valid: None,
        })
    }

    fn commit(&self, ahead: Lookahead<'r, 'r>) -> Option<Result<Accepted<'r>, Refusal>> {
        self.receiver
            .known
            .write(|verifier| verifier.commit_ahead(ahead))
    }

    /// Returns true if a refusal that was found ahead holds with what is known now.
    fn stands(&self, ahead: &Lookahead<'_, '_>, refusal: Refusal, signed: Option<bool>) -> bool {
        // A wrong signature stays wrong, unless the certificate that it was verified under comes
        // with a later message and is missing at this turn.
        if !ahead.is_refused() {
            return !self.look(false).0.is_refused();
        }
        let changes = |verifier: &Verifier| verifier.store().changes();
        if self.receiver.known.read(changes) == self.looked {
            return true;
        }
        // Cheap, as no signature is verified again.
        let (now, _) = self.look(false);
        let is_same = now.is_refused() && now.refusal() == Some(refusal);
        is_same && (signed.is_some() || refusal.reason.missing().is_some() || !self.explains())
    }

    fn expands(&self, refusal: Refusal) -> bool {
        match refusal.reason {
            Reason::NotExpanded(period) => {
                let receiver = self.receiver;
                receiver.expander.expand(&receiver.known, period)
            }
            _ => false,
        }
    }

    fn accepted(&self, accepted: &Accepted<'_>) -> Acceptance {
        let checks = self.receiver.rules().checks_payloads;
        let psid = accepted.data.tbs_data.header_info.psid;
        self.receiver.known.read(|verifier| Acceptance {
            payload: payload(&accepted.data),
            check: checks.then(|| check_accepted(accepted, verifier.borders())),
            unchecked: unchecked(verifier, psid),
        })
    }
}

/// Says what verification does not check of an application's messages though it does of others.
fn unchecked(verifier: &Verifier, psid: Psid) -> Option<String> {
    let profile = verifier.profiles().of(psid);
    // Lists are in use until the next one; that is checked.
    let is_list = psid == CRL_PSID || profile.list_tolerance.is_some();
    (profile.past.is_none() && !profile.checks_replay && !is_list).then(|| {
        let name = profile.name;
        format!("age and repetition of a {name} not checked: it is repeated until it expires")
    })
}
