//! The security orchestrator: says who merges with whom, takes part where it is named, and makes
//! sure that all have the key in the end [GKE §III-B to §III-D].

mod command;
mod distribute;
mod error;
mod finish;
mod membership;
mod order;
mod pacing;
mod renewal;
mod report;
mod retry;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot, Token};
use waywarden_work::Instant;

use super::distribution::Shares;
use super::event::{GroupRoleEvent, note_port};
use super::identifier::{GroupHeader, Step};
use super::member::{freshness_in, freshness_kept};
use super::merges::{Merges, State};
use super::outbox::Answered;
use super::party::{MemberIdentity, Outcome, Party};
use super::plan::{Excluded, Scheme};
use super::record::{EcuRecord, SignedAhead};
use super::settings::{GroupDirectory, Orchestration};
use super::storage::OrchestratorStorage;
use super::suite::GroupSuite;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_roles::events::EventQueue;
use waywarden_key_suites::Secret;

pub use command::OrchestratorCommand;
use distribute::Distribution;
pub use error::OrchestratorError;
use finish::Finish;
use order::Signed;
use pacing::Pacing;
use report::Reports;
pub use retry::ATTEMPTS_MAX;

/// Count of freshness numbers that one write to retained memory reserves.
const RESERVED: u64 = 1_024;

/// The orchestrator of one group. Its [storage](super::OrchestratorStorage) limits the number of
/// its ECUs.
pub struct Orchestrator<'a, S: GroupSuite, D> {
    directory: D,
    party: Party<'a, S>,
    slot: Slot,
    events: EventQueue<GroupRoleEvent>,
    merges: Merges<'a>,
    /// Excluded for good, not only until they answer.
    removed: Excluded,
    /// True if `removed` has changed and has to be kept over a reset.
    removal: bool,
    gives_way: bool,
    signed: Option<Signed>,
    /// Signatures made before the first order, with their freshness, in the order of the merges.
    ahead: Storage<'a, SignedAhead>,
    /// In the order of their addresses.
    ecus: Storage<'a, EcuRecord>,
    shares: Shares<'a>,
    distribution: Option<Distribution>,
    finish: Finish,
    /// Time of the first proof of the key in use.
    proven_at: Instant,
    /// A renewal that waits for acknowledgements, and whether it gives way.
    renewal: Option<bool>,
    epoch: u64,
    key: Option<Secret>,
    /// The last number of freshness used, and the last one reserved.
    used: u64,
    reserved: u64,
    reserve: Option<u64>,
    reserving: bool,
    reports: Reports,
    pacing: Pacing,
    started: bool,
    now: Instant,
}

impl<'a, S: GroupSuite, D: GroupDirectory> Orchestrator<'a, S, D> {
    /// Makes an orchestrator that waits for [`Orchestrator::renew`].
    ///
    /// # Errors
    /// [`OrchestratorError`] by cause.
    pub fn new(
        boot: &Boot<'_>,
        identity: MemberIdentity<S>,
        directory: D,
        storage: OrchestratorStorage<'a, S>,
    ) -> Result<Self, OrchestratorError> {
        let settings = directory.settings();
        let plan = &settings.plan;
        let OrchestratorStorage {
            party,
            shares,
            merges,
            mut ahead,
            mut ecus,
        } = storage;
        let logical = party.secrets.len().min(merges.len()).min(ahead.len());
        let room = ecus.len().min(shares.len());
        let merges = Merges::new(plan, merges).ok_or(OrchestratorError::TooSmall)?;
        if plan.ecu_count() > room || plan.merges().count() >= logical {
            return Err(OrchestratorError::TooSmall);
        }
        let fixed = settings.orchestration == Orchestration::Once;
        if fixed && plan.scheme() != Scheme::TreeWithoutOrchestrator {
            return Err(OrchestratorError::NoFixedTree);
        }
        let slot = identity.slot;
        let used = boot.retained(slot).map_or(0, freshness_in);
        let removed = boot.retained(removals(slot)).copied();
        let removed = removed.map_or(Excluded::default(), Excluded::from_bytes);
        ahead.clear();
        ecus.iter_mut().for_each(|ecu| *ecu = EcuRecord::new());
        let mut party = Party::new(identity, &boot.seed, party);
        party.excluded = removed;
        Ok(Orchestrator {
            party,
            slot,
            events: EventQueue::new(),
            merges,
            removed,
            removal: false,
            gives_way: false,
            signed: None,
            ahead,
            ecus,
            shares: Shares::new(shares),
            distribution: None,
            finish: Finish::Unsent,
            proven_at: boot.now,
            renewal: None,
            epoch: 0,
            key: None,
            used,
            reserved: used,
            reserve: None,
            reserving: false,
            reports: Reports::new(boot.now),
            pacing: Pacing::new(boot.now),
            started: false,
            now: boot.now,
            directory,
        })
    }

    /// Has a new group key agreed on by all, from the leaves up; the first time this starts the
    /// group. It breaks off what is under way, where
    /// [`renew_when_acknowledged`](Self::renew_when_acknowledged) waits. With `gives_way` frames
    /// lose arbitration to most application traffic.
    pub fn renew(&mut self, gives_way: bool) {
        self.started = true;
        self.gives_way = gives_way;
        self.restart();
    }

    /// Has everything done from the beginning.
    fn restart(&mut self) {
        for merge in self.merges.iter_mut() {
            merge.state = State::Waiting;
            merge.attempts = 0;
        }
        self.ahead.clear();
        self.unfinish();
    }

    /// Marks the proven key as outdated: a distribution and a proof have to follow.
    fn unfinish(&mut self) {
        (self.distribution, self.finish) = (None, Finish::Unsent);
        // In the symmetric scheme, the group's: it has to be distributed again.
        self.party.secrets.forget(Address::NONE);
    }

    fn take_frame(&mut self, now: Instant, frame: &Frame) {
        let settings = self.directory.settings();
        let Some((step, header)) = GroupHeader::read(settings, frame) else {
            return;
        };
        match step {
            Step::Report => self.take_report(now, header, frame),
            Step::Acknowledge => self.take_acknowledgement(header, frame),
            Step::ShareA | Step::ShareB | Step::ConfirmationA | Step::ConfirmationB => {
                self.party.take(now, step, &header, frame);
                if let Some(result) = self.merges.see(step, &header, settings.transport) {
                    self.both_confirmed(result);
                }
            }
            _ => {}
        }
    }

    /// Both confirmations were seen. Where the orchestrator takes part, it checks them itself.
    fn both_confirmed(&mut self, result: Address) {
        if !self.party.takes_part_in(result) {
            self.formed(result);
        }
    }

    fn formed(&mut self, result: Address) {
        if let Some(merge) = self.merges.find_mut(result) {
            merge.state = State::Formed;
            merge.attempts = 0;
        }
        if self.merges.all_formed()
            && self.directory.settings().profile.is_as_published()
            && self.directory.settings().plan.root() != Address::NONE
        {
            self.confirm();
        }
    }

    fn settle(&mut self, outcome: Outcome) {
        let plan = &self.directory.settings().plan;
        match outcome {
            Outcome::Formed {
                header,
                channel,
                shares,
                fixed,
            } => {
                if let Some((ecu, _)) = plan.children(header.result)
                    && let Some(index) = plan.ecus().position(|at| at == ecu)
                    && plan.scheme() != Scheme::TreeWithoutOrchestrator
                    && let Some(record) = self.ecus.get_mut(index)
                {
                    record.channel = Some(channel);
                }
                self.shares.note(plan, header.result, shares);
                self.events.push(GroupRoleEvent::Formed(header.result));
                if fixed {
                    let settings = self.directory.settings();
                    self.party.open_above(&header, settings, self.now);
                }
                self.formed(header.result);
            }
            Outcome::Failed(header, failure) => self.fail(header.result, failure),
            Outcome::Ordered(..) | Outcome::Witnessed { .. } => {}
        }
    }

    /// Does what comes next: computes, orders, distributes, proves.
    fn proceed(&mut self, now: Instant) {
        while self.party.is_at_rest() {
            if let Some(outcome) = self.party.advance(&self.directory, now) {
                self.settle(outcome);
            } else if !self.party.is_at_rest() || !self.conduct(now) {
                return;
            }
        }
    }

    /// Takes one step of the conductor; returns whether there was one to take.
    fn conduct(&mut self, now: Instant) -> bool {
        if !self.started || !self.party.outbox.is_empty() {
            return false;
        }
        if self.signed.is_some() {
            self.send_order(now);
            return true;
        }
        if self.sign_next(now) {
            return true;
        }
        if !self.merges.all_formed() {
            return false;
        }
        if self.directory.settings().plan.scheme() == Scheme::SymmetricDistribution
            && self.distribute()
        {
            return true;
        }
        self.prove(now)
    }

    /// Returns the next number of freshness; none until it has been reserved over a reset.
    fn next_freshness(&mut self) -> Option<u64> {
        if self.used == self.reserved {
            if !self.reserving {
                self.reserve = Some(self.reserved + RESERVED);
                self.reserving = true;
            }
            return None;
        }
        self.used += 1;
        Some(self.used)
    }

    fn answered(&mut self, now: Instant, answered: Option<&Answered>) {
        let Some(Answered { outgoing, sent }) = answered else {
            return;
        };
        match outgoing.step {
            _ if !sent => self.give_up_orders(),
            Step::Orchestration => self.ordered(now, outgoing.header),
            Step::Start => self.all_ordered(now, outgoing.header),
            _ => {}
        }
    }

    fn take_answer(&mut self, now: Instant, frame: (Port, Token, bool)) {
        let settings = self.directory.settings();
        let answered = self.party.answered(now, frame, settings);
        self.answered(now, answered.as_ref());
    }
}

impl<S: GroupSuite, D: GroupDirectory> Node for Orchestrator<'_, S, D> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        match input {
            Input::Frame { frame, .. } => self.take_frame(now, frame),
            Input::Sent { port, token } => self.take_answer(now, (port, token, true)),
            Input::Withdrawn { port, token } => self.take_answer(now, (port, token, false)),
            Input::Done(ticket) => self.party.done(ticket),
            Input::Retained(slot) if slot == self.slot => {
                self.reserved += RESERVED;
                self.reserving = false;
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        let answered = self.party.time_out_payload(now, self.directory.settings());
        self.answered(now, answered.as_ref());
        note_port(&mut self.events, self.party.outbox.change());
        self.time_out(now);
        self.renew_if_due(now);
        self.drop_stale();
        self.proceed(now);
        if let Some(reserve) = self.reserve.take() {
            return Output::Retain {
                slot: self.slot,
                value: freshness_kept(reserve),
            };
        }
        if core::mem::take(&mut self.removal) {
            return Output::Retain {
                slot: removals(self.slot),
                value: *self.removed.as_bytes(),
            };
        }
        let settings = self.directory.settings();
        match self.party.poll(now, settings, room) {
            Some(output) => output,
            None => Output::Idle(self.next_deadline()),
        }
    }
}

/// Returns the slot that keeps the removed ECUs: the one after that of the freshness.
const fn removals(slot: Slot) -> Slot {
    Slot(slot.0.wrapping_add(1))
}
