//! The end of an agreement at a member: the orchestrator proves the key and signs that proof, the
//! member takes the key into use and acknowledges (`hardened`).
//!
//! Two things are wanted of it. The tag is under the key, so it fits nothing but the secret that
//! this member has; but any other node that has that secret can make one. The signature over the
//! tag is the orchestrator's, which signs only what it has come to itself; so no agreement that it
//! gave up can be ended by those who took part in it. A signature is looked at only for a right
//! tag.

use waywarden_can::Frame;
use waywarden_work::{Duration, Instant};

use super::Member;
use crate::event::GroupRoleEvent;
use crate::exchange::ExchangeFailure;
use crate::identifier::{GroupHeader, Step};
use crate::inbox::Inbox;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use crate::transcript;
use waywarden_key_roles::Address;
use waywarden_key_roles::Transport;
use waywarden_key_suites::Secret;

/// Maximum number of wrong signatures that are checked for one key. More would let a node that
/// sends them keep the processor busy; fewer, keep a member from the key with one frame.
const WRONG_MAX: u8 = 3;

/// The orchestrator's proof that it holds the key of an epoch, as it came in.
#[derive(Clone, Copy)]
struct Proof {
    header: GroupHeader,
    epoch: u64,
    tag: [u8; 16],
}

impl Proof {
    /// Returns true if it asks for an acknowledgement, and so has a signature behind it.
    fn asks(&self) -> bool {
        self.header.second == Address::NONE
    }

    /// Returns true if both prove the same.
    fn says(&self, other: &Proof) -> bool {
        (self.epoch, self.tag) == (other.epoch, other.tag)
    }
}

/// The value of a proof for this member.
enum Worth {
    /// The tag is right for the secret that this member has, and the epoch is that secret's.
    Right(Secret),
    Unknown,
}

/// The received parts of the end of an agreement.
pub(super) struct Ending {
    finish: Inbox,
    end: Inbox,
    heard_at: Instant,
    /// A proof that came before the secret that it is about.
    early: Option<Proof>,
    /// A proof that is right and not yet known to be signed.
    right: Option<Proof>,
    /// The signature that came last.
    signature: Option<[u8; 64]>,
    /// The result of checking the signature over the right proof, until the time of the check has
    /// passed.
    checked: Option<bool>,
    /// The epoch of the last wrong signatures, and their number.
    wrong: (u64, u8),
}

impl Ending {
    pub(super) fn new(transport: Transport, now: Instant) -> Self {
        Ending {
            finish: Inbox::new(transport, Step::Finish),
            end: Inbox::new(transport, Step::End),
            heard_at: now,
            early: None,
            right: None,
            signature: None,
            checked: None,
            wrong: (0, 0),
        }
    }

    /// Returns true if a signature is being checked.
    pub(super) fn is_checked(&self) -> bool {
        self.checked.is_some()
    }

    /// Takes a frame's data; returns the payload's bytes, with zeros behind them, once it is there.
    fn take(&mut self, step: Step, data: &[u8], transport: Transport) -> Option<[u8; 64]> {
        let inbox = match step {
            Step::Finish => &mut self.finish,
            _ => &mut self.end,
        };
        let pushed = inbox.push(data);
        let mut payload = [0; 64];
        let complete = match step {
            Step::Finish => inbox.take::<24>().map(|bytes| {
                payload[..24].copy_from_slice(&bytes);
            }),
            _ => inbox.take::<64>().map(|bytes| payload = bytes),
        };
        if pushed.is_none() || complete.is_some() {
            *inbox = Inbox::new(transport, step);
        }
        complete.map(|()| payload)
    }

    /// A signature is wrong. Returns whether no more of them are checked for this epoch.
    fn refuse(&mut self, epoch: u64) -> bool {
        let before = match self.wrong {
            (of, times) if of == epoch => times,
            _ => 0,
        };
        self.wrong = (epoch, before + 1);
        before + 1 >= WRONG_MAX
    }

    fn is_given_up(&self, epoch: u64) -> bool {
        self.wrong.0 == epoch && self.wrong.1 >= WRONG_MAX
    }
}

impl<S: GroupSuite, D: GroupDirectory> Member<'_, S, D> {
    /// The orchestrator proves that it holds the key of an epoch, or has signed such a proof.
    pub(super) fn take_ending(&mut self, step: Step, header: GroupHeader, frame: &Frame) {
        let settings = self.directory.settings();
        if header.first != settings.plan.orchestrator() {
            return;
        }
        let (transport, answer) = (settings.transport, settings.timing.answer);
        // What a frame was lost of must not make everything later begin in its middle.
        let pause = Duration::from_nanos(answer.as_nanos() / 2);
        if self.now.since(self.ending.heard_at) > pause {
            self.ending.finish = Inbox::new(transport, Step::Finish);
            self.ending.end = Inbox::new(transport, Step::End);
        }
        self.ending.heard_at = self.now;
        let Some(payload) = self.ending.take(step, frame.data(), transport) else {
            return;
        };
        if step == Step::End {
            if self.ending.early.is_some() || self.ending.right.is_some() {
                self.ending.signature = Some(payload);
            }
            return;
        }
        let (Some(&epoch), Some((&tag, _))) = (
            payload.first_chunk(),
            payload[8..].split_first_chunk::<16>(),
        ) else {
            return;
        };
        let epoch = u64::from_be_bytes(epoch);
        if epoch >= self.epoch {
            // The signature follows the proof that it is over.
            self.ending.end = Inbox::new(transport, Step::End);
            let proof = Proof { header, epoch, tag };
            let ending = &mut self.ending;
            if ending.right.is_none() && !ending.early.is_some_and(|at| at.says(&proof)) {
                ending.signature = None;
            }
            self.weigh(proof);
        }
    }

    /// Finds out what a proof is worth, and keeps it for later if that can change.
    fn weigh(&mut self, proof: Proof) {
        match self.worth(&proof) {
            Worth::Unknown => self.ending.early = Some(proof),
            Worth::Right(key) if proof.epoch == self.epoch => {
                self.ending.early = None;
                self.settle_on(&key, &proof);
            }
            Worth::Right(_) => {
                let kept = [self.ending.early.take(), self.ending.right];
                let known = kept.into_iter().flatten().find(|at| at.says(&proof));
                if known.is_none() {
                    self.ending.signature = None;
                }
                // One that wants to be acknowledged is, whatever came after it.
                self.ending.right = known.filter(Proof::asks).or(Some(proof));
                if !proof.asks() && !self.ending.is_checked() {
                    // Nothing more is said of this key: what was signed of it was missed.
                    self.miss(proof.epoch);
                }
            }
        }
    }

    fn worth(&self, proof: &Proof) -> Worth {
        let settings = self.directory.settings();
        let (orchestrator, root) = (settings.plan.orchestrator(), settings.plan.root());
        let Some(secret) = self.party.secrets.get(root) else {
            return Worth::Unknown;
        };
        let key = transcript::traffic_key(settings, root, secret);
        // Any node that holds the key can make a tag, but not for an epoch of its choice.
        let signed = proof.epoch == self.party.root_freshness;
        match signed && transcript::proves(&key, orchestrator, proof.epoch, &proof.tag) {
            true => Worth::Right(key),
            false => Worth::Unknown,
        }
    }

    /// Checks the signature over the proof, once the tag is right and the processor is free.
    pub(super) fn check_end(&mut self) {
        let Some(proof) = self.ending.right else {
            return;
        };
        if self.ending.is_given_up(proof.epoch) {
            self.ending.signature = None;
        }
        // A new order may have replaced the secret since.
        if !matches!(self.worth(&proof), Worth::Right(_)) {
            self.ending.right = None;
            return;
        }
        let Some(signature) = self.ending.signature.take() else {
            return;
        };
        let settings = self.directory.settings();
        let orchestrator = settings.plan.orchestrator();
        let Some(key) = self.directory.public_key(orchestrator) else {
            return;
        };
        let message = transcript::end(
            self.party.suite.identifier(),
            settings,
            proof.epoch,
            &proof.tag,
        );
        let meter = &mut self.party.worker.meter;
        let verified = self
            .party
            .suite
            .verify(meter, key, message.as_bytes(), &signature);
        self.ending.checked = Some(verified.is_ok());
    }

    /// The time of checking the signature has passed.
    pub(super) fn accept_end(&mut self) {
        let (Some(verified), Some(proof)) = (self.ending.checked.take(), self.ending.right) else {
            return;
        };
        if verified {
            self.ending.right = None;
            // Nothing is obeyed while the processor is busy, so the secret is still the same.
            if let Worth::Right(key) = self.worth(&proof) {
                self.settle_on(&key, &proof);
            }
            return;
        }
        let result = self.directory.settings().plan.root();
        let failure = ExchangeFailure::Orchestration;
        self.events.push(GroupRoleEvent::Failed { result, failure });
        if self.ending.refuse(proof.epoch) {
            self.ending.right = None;
            self.report_soon();
        }
    }

    /// Takes a key that is proven and signed into use, and acknowledges it.
    fn settle_on(&mut self, key: &Secret, proof: &Proof) {
        let epoch = proof.epoch;
        if epoch > self.epoch {
            (self.epoch, self.retain) = (epoch, Some(epoch));
            self.events.push(GroupRoleEvent::Confirmed { epoch });
        }
        if proof.asks() {
            self.acknowledge(key, proof.header);
        }
        (self.key, self.report_at, self.reports) = (Some(key.duplicate()), None, 0);
        self.party.fell_behind = false;
        self.keyless = 0;
    }

    /// The group's secret has come about: what was proven before may be just that.
    pub(super) fn reconsider(&mut self) {
        if let Some(proof) = self.ending.early {
            self.weigh(proof);
        }
    }

    /// Nothing is under way any more that could bring what was proven: this member missed it,
    /// unless it was older than what it has.
    pub(super) fn give_up_early(&mut self) {
        let busy = !self.party.is_free() || !self.party.is_at_rest() || self.delivered.is_some();
        if busy {
            return;
        }
        if let Some(proof) = self.ending.early.take()
            && proof.epoch >= self.party.root_freshness
        {
            self.miss(proof.epoch);
        }
    }

    fn acknowledge(&mut self, key: &Secret, header: GroupHeader) {
        let tag = transcript::proof::<8>(key, self.party.me, self.epoch);
        let mut payload = [0; 64];
        payload[..8].copy_from_slice(&tag);
        let header = GroupHeader {
            first: self.party.me,
            ..header
        };
        self.party.outbox.push(Step::Acknowledge, header, payload);
    }
}
