//! The security orchestrator: says who merges with whom, takes part where it is named, and makes
//! sure that all have the key in the end [GKE §III-B to §III-D].

mod distribute;
mod finish;
mod order;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Ports, Slot};
use waywarden_work::Instant;

use super::distribution::Shares;
use super::event::{Event, Events};
use super::exchange::{Failure, acting_for};
use super::identifier::{Address, Header, Step};
use super::member::{Identity, LACKS_SHARES, freshness_in, freshness_kept};
use super::merges::{Merges, State};
use super::outbox::Outgoing;
use super::party::{Outcome, Party};
use super::plan::{Excluded, Scheme};
use super::settings::{Directory, Orchestration, Profile};
use crate::suite::{PublicKey, Secret, Suite};

use distribute::Distribution;
use finish::Finish;
use order::Signed;

/// How often an exchange is tried before an ECU that does not answer is left out.
pub const ATTEMPTS_MAX: u8 = 3;

/// How many numbers of freshness one write to memory that survives a reset reserves.
const RESERVED: u64 = 1_024;

/// How many reports of members may cause exchanges in a row, and in how many parts of the time to
/// answer one more is allowed: reports are not authenticated, and must not keep the bus busy.
const REPORTS_MAX: u8 = 64;
const REPORTS_PER_ANSWER: u64 = 16;

/// How many reports of one ECU may change what is done before a key is proven: somebody who reports
/// without end in its name must not keep everybody from a key.
const REPORTS_UNSETTLED: u8 = 16;

/// After how many of them everything is done from the beginning when the ECU is taken in again.
const REPORTS_IN_VAIN: u8 = 6;

/// The orchestrator of one group.
///
/// `E` is at least the number of ECUs, `L` at least the number of logical ECUs and one more.
pub struct Orchestrator<S: Suite, D, const E: usize, const L: usize> {
    directory: D,
    party: Party<S, L>,
    slot: Slot,
    events: Events,
    merges: Merges<L>,
    /// Excluded for good, not only until they answer.
    removed: Excluded,
    /// Whether that has changed and is to be kept over a reset.
    removal: bool,
    gives_way: bool,
    signed: Option<Signed>,
    /// Signatures made before the first order, with their freshness, in the order of the merges.
    ahead: [Option<(u64, [u8; 64])>; L],
    channels: [Option<[u8; 16]>; E],
    shares: Shares<E>,
    distribution: Option<Distribution>,
    finish: Finish,
    epoch: u64,
    key: Option<Secret>,
    /// The last number of freshness used, and the last one reserved.
    used: u64,
    reserved: u64,
    reserve: Option<u64>,
    reserving: bool,
    reports: u8,
    reports_since: Instant,
    /// How often each ECU had something formed anew since it last acknowledged a key.
    insists: [u8; E],
    /// How many reports of each ECU were heard since a key was last proven.
    caused: [u8; E],
    started: bool,
    now: Instant,
}

/// Why an orchestrator cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrchestratorError {
    /// The plan has more ECUs than `E`, or more logical ECUs than `L` - 1.
    TooSmall,
    /// A single start message needs the tree without the orchestrator in each logical ECU.
    NoFixedTree,
}

impl core::fmt::Display for OrchestratorError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            OrchestratorError::TooSmall => "the plan has more ECUs than there is room for",
            OrchestratorError::NoFixedTree => {
                "a single start message needs the tree without the orchestrator in each logical ECU"
            }
        })
    }
}

impl core::error::Error for OrchestratorError {}

impl<S, D, const E: usize, const L: usize> Orchestrator<S, D, E, L>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    /// Makes an orchestrator that waits for [`Orchestrator::renew`].
    ///
    /// # Errors
    /// [`OrchestratorError`] by cause.
    pub fn new(
        boot: &Boot<'_>,
        identity: Identity<S>,
        directory: D,
    ) -> Result<Self, OrchestratorError> {
        let settings = directory.settings();
        let plan = &settings.plan;
        let merges = Merges::new(plan).ok_or(OrchestratorError::TooSmall)?;
        if plan.ecu_count() > E || plan.merges().count() >= L {
            return Err(OrchestratorError::TooSmall);
        }
        let fixed = settings.orchestration == Orchestration::Once;
        if fixed && plan.scheme() != Scheme::TreeWithoutOrchestrator {
            return Err(OrchestratorError::NoFixedTree);
        }
        let Identity {
            address,
            ports,
            signing_key,
            slot,
        } = identity;
        let used = boot.retained(slot).map_or(0, freshness_in);
        let removed = boot.retained(removals(slot)).copied();
        let removed = removed.map_or(Excluded::default(), Excluded::from_bytes);
        let mut party = Party::new(address, ports, signing_key, &boot.seed);
        party.excluded = removed;
        Ok(Orchestrator {
            party,
            slot,
            events: Events::new(),
            merges,
            removed,
            removal: false,
            gives_way: false,
            signed: None,
            ahead: [None; L],
            channels: [None; E],
            shares: Shares::new(),
            distribution: None,
            finish: Finish::Unsent,
            epoch: 0,
            key: None,
            used,
            reserved: used,
            reserve: None,
            reserving: false,
            reports: 0,
            reports_since: boot.now,
            insists: [0; E],
            caused: [0; E],
            started: false,
            now: boot.now,
            directory,
        })
    }

    /// Has a new group key agreed on by everybody, from the leaves up; the first time this starts
    /// the group. With `gives_way` the frames lose arbitration to most application traffic.
    pub fn renew(&mut self, gives_way: bool) {
        self.started = true;
        self.gives_way = gives_way;
        self.restart();
    }

    /// Removes an ECU from the group: all keys that it knew are renewed without it
    /// [GKE §III-D]. Nothing happens for an address that is not in the plan.
    pub fn remove(&mut self, ecu: Address) {
        if self.directory.settings().plan.ecus().any(|at| at == ecu) {
            self.removed.set(ecu, true);
            self.removal = true;
            self.events.push(Event::Removed(ecu));
            self.exclude(ecu);
        }
    }

    /// Takes a removed ECU back: the keys on its way up are renewed with it [GKE §III-D].
    pub fn readmit(&mut self, ecu: Address) {
        if self.removed.contains(ecu) {
            self.removed.set(ecu, false);
            self.removal = true;
            self.include(ecu);
        }
    }

    /// Takes in the ECUs of another network, which had been removed or left out so far: with a plan
    /// of [several networks](super::Plan::of_networks) they form their own keys, and one exchange
    /// at the top merges both [GKE §III-B].
    pub fn admit(&mut self, network: &[Address]) {
        network.iter().for_each(|&ecu| self.readmit(ecu));
    }

    /// Returns the group key and its epoch once it has been proven to the members.
    pub fn group_key(&self) -> Option<(u64, &Secret)> {
        self.key.as_ref().map(|key| (self.epoch, key))
    }

    /// Returns the key of the private channel with an ECU, `sk_i` [GKE §III-C1].
    pub fn channel_key(&self, ecu: Address) -> Option<&[u8; 16]> {
        let mut ecus = self.directory.settings().plan.ecus();
        let index = ecus.position(|at| at == ecu)?;
        self.channels.get(index)?.as_ref()
    }

    /// Takes the oldest event.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// Returns how many events were lost because nobody took them.
    pub fn events_lost(&self) -> u32 {
        self.events.lost()
    }

    fn exclude(&mut self, ecu: Address) {
        let plan = &self.directory.settings().plan;
        self.party.excluded.set(ecu, true);
        self.party.close_from(plan.parent(ecu), plan);
        self.merges.restart_from(plan, plan.parent(ecu));
        self.unfinish();
    }

    fn include(&mut self, ecu: Address) {
        let plan = &self.directory.settings().plan;
        self.party.excluded.set(ecu, false);
        self.party.close_from(plan.parent(ecu), plan);
        self.merges.restart_from(plan, plan.parent(ecu));
        // It may have started anew, and only their own orders say who else is excluded.
        let excluded = self.party.excluded;
        for other in plan.ecus().filter(|&at| excluded.contains(at)) {
            self.party.close_from(plan.parent(other), plan);
            self.merges.restart_from(plan, plan.parent(other));
        }
        self.events.push(Event::Included(ecu));
        self.unfinish();
    }

    /// Has everything done from the beginning.
    fn restart(&mut self) {
        for merge in self.merges.iter_mut() {
            merge.state = State::Waiting;
            merge.attempts = 0;
        }
        self.ahead = [None; L];
        self.unfinish();
    }

    /// What was proven no longer is the newest: a distribution and a proof have to follow.
    fn unfinish(&mut self) {
        (self.distribution, self.finish) = (None, Finish::Unsent);
        // In the symmetric scheme, the group's: it has to be distributed anew.
        self.party.secrets.forget(Address::NONE);
    }

    fn take_frame(&mut self, now: Instant, frame: &Frame) {
        let settings = self.directory.settings();
        let Some((step, header)) = settings.transport.read(frame) else {
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
            && self.directory.settings().profile == Profile::AsPublished
            && self.directory.settings().plan.root() != Address::NONE
        {
            self.confirm();
        }
    }

    /// A member lacks a secret. Nobody has signed that, so it may only cost a bounded number of
    /// exchanges.
    fn take_report(&mut self, now: Instant, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        let (plan, ecu, lacks) = (&settings.plan, header.first, header.result);
        let known = plan.ecus().any(|at| at == ecu) && !self.removed.contains(ecu);
        if settings.profile == Profile::AsPublished || !self.started || !known {
            return;
        }
        let refill = settings.timing.answer.as_nanos() / REPORTS_PER_ANSWER;
        let since = now.since(self.reports_since).as_nanos();
        let refilled = since
            .checked_div(refill)
            .unwrap_or(0)
            .min(u64::from(REPORTS_MAX));
        if refilled > 0 {
            self.reports = self.reports.saturating_sub(refilled as u8);
            self.reports_since = now;
        }
        let index = plan.ecus().position(|at| at == ecu);
        let settled = matches!(self.finish, Finish::Proven { .. });
        let caused = index.and_then(|index| self.caused.get_mut(index));
        let patient = caused
            .as_deref()
            .is_some_and(|&times| times < REPORTS_UNSETTLED);
        if self.reports >= REPORTS_MAX || !(settled || patient) {
            return;
        }
        let times = caused.map_or(0, |times| {
            *times = times.saturating_add(1);
            *times
        });
        if self.party.excluded.contains(ecu) {
            self.reports += 1;
            self.include(ecu);
            if times >= REPORTS_IN_VAIN {
                // It may have missed who takes part elsewhere: every leaf's order says so again.
                self.restart();
            }
        } else if plan.root() == Address::NONE && lacks == Address::NONE {
            // What is being exchanged, distributed or proven may be just what the member lacks.
            if !self.merges.all_formed() || !settled {
                return;
            }
            self.reports += 1;
            if frame.data() == [LACKS_SHARES] {
                self.merges.renew_all();
            }
            self.unfinish();
        } else if plan.is_below(ecu, lacks) && plan.children(lacks).is_some() {
            self.reports += 1;
            let formed = self.merges.all_formed();
            let insists = index.and_then(|index| self.insists.get_mut(index));
            let insists = insists.filter(|_| formed);
            // Whoever lacks the same after it was formed again has something else wrong: a secret
            // further down is stale, or it missed who takes part.
            let renewed = match insists.as_deref() {
                Some(0) | None => self.merges.renew_from(plan, lacks),
                Some(1) => self.merges.renew_from(plan, plan.parent(ecu)),
                Some(_) => self.merges.renew_all(),
            };
            if renewed {
                if let Some(times) = insists {
                    *times = times.saturating_add(1);
                }
                self.unfinish();
            }
        }
    }

    fn settle(&mut self, outcome: &Outcome) {
        let plan = &self.directory.settings().plan;
        match *outcome {
            Outcome::Formed {
                header,
                channel,
                shares,
                fixed,
            } => {
                if let Some((ecu, _)) = plan.children(header.result)
                    && let Some(index) = plan.ecus().position(|at| at == ecu)
                    && plan.scheme() != Scheme::TreeWithoutOrchestrator
                {
                    self.channels[index] = Some(channel);
                }
                self.shares.note(plan, header.result, shares);
                self.events.push(Event::Formed(header.result));
                if fixed {
                    let settings = self.directory.settings();
                    self.party.open_above(header.result, settings, self.now);
                }
                self.formed(header.result);
            }
            Outcome::Failed(header, failure) => self.fail(header.result, failure),
            Outcome::Ordered(..) | Outcome::Witnessed { .. } => {}
        }
    }

    /// An exchange came to nothing: it is tried again, and after some attempts without whoever did
    /// not answer.
    fn fail(&mut self, result: Address, failure: Failure) {
        let settings = self.directory.settings();
        let Some(merge) = self.merges.find_mut(result) else {
            return;
        };
        if !matches!(merge.state, State::Running(_)) {
            return;
        }
        self.events.push(Event::Failed { result, failure });
        self.party.close(result);
        self.party.close_fixed();
        merge.state = State::Waiting;
        merge.attempts += 1;
        if merge.attempts < ATTEMPTS_MAX {
            return;
        }
        merge.attempts = 0;
        let merge = *merge;
        let acting = |named| acting_for(settings, named, &self.party.excluded);
        let others = [(0, merge.header.first), (1, merge.header.second)]
            .into_iter()
            .filter(|&(_, named)| named != Address::NONE)
            .map(|(side, named)| (merge.progress(side, settings.transport), acting(named)))
            .filter(|&(_, ecu)| ecu != settings.plan.orchestrator());
        // Whoever has said least keeps the others waiting.
        if let Some((_, ecu)) = others.min_by_key(|&(progress, _)| progress) {
            self.events.push(Event::Unresponsive(ecu));
            self.exclude(ecu);
        }
    }

    fn time_out(&mut self, now: Instant) {
        let patience = self.patience();
        let late = |state| matches!(state, State::Running(since) if since + patience <= now);
        let next = |merges: &Merges<L>| {
            let mut late = merges.iter().filter(|merge| late(merge.state));
            late.next().map(|merge| merge.header.result)
        };
        while let Some(result) = next(&self.merges) {
            self.fail(result, Failure::Timeout);
        }
    }

    /// Gives up exchanges of its own that are no longer what it ordered.
    fn drop_stale(&mut self) {
        let merges = &self.merges;
        self.party.keep_only(|header| {
            merges.find(header.result).is_some_and(|merge| {
                let under_way = matches!(merge.state, State::Ordering | State::Running(_));
                under_way && merge.header == *header
            })
        });
    }

    fn patience(&self) -> waywarden_work::Duration {
        let settings = self.directory.settings();
        let levels = match settings.orchestration {
            // All run at once, the highest as long as all levels take.
            Orchestration::Once => 8,
            _ => 1,
        };
        let nanos = settings.timing.exchange.as_nanos().saturating_mul(levels);
        waywarden_work::Duration::from_nanos(nanos)
    }

    fn next_deadline(&self) -> Option<Instant> {
        let patience = self.patience();
        let running = self.merges.iter().filter_map(|merge| match merge.state {
            State::Running(since) => Some(since + patience),
            _ => None,
        });
        // While anything else is to be done, the next input brings the proof its turn.
        let quiet = self.party.outbox.is_empty() && self.merges.all_formed();
        running.chain(self.finish.due().filter(|_| quiet)).min()
    }

    /// Does what comes next: computes, orders, distributes, proves.
    fn proceed(&mut self, now: Instant) {
        while self.party.is_at_rest() {
            if let Some(outcome) = self.party.advance(&self.directory) {
                self.settle(&outcome);
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

    fn answered(&mut self, now: Instant, whole: Outgoing) {
        match whole.step {
            Step::Orchestration => self.ordered(now, whole.header),
            Step::Start => self.all_ordered(now),
            _ => {}
        }
    }
}

impl<S, D, const E: usize, const L: usize> Node for Orchestrator<S, D, E, L>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        match input {
            Input::Frame { frame, .. } => self.take_frame(now, frame),
            Input::Sent { token, .. } => {
                let settings = self.directory.settings();
                if let Some(whole) = self.party.answered(token, true, settings) {
                    self.answered(now, whole);
                }
            }
            Input::Withdrawn { token, .. } => {
                let settings = self.directory.settings();
                let _ = self.party.answered(token, false, settings);
                self.give_up_orders();
            }
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
        self.time_out(now);
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
        match self.party.poll(settings, room) {
            Some(output) => output,
            None => Output::Idle(self.next_deadline()),
        }
    }
}

/// Where it is kept who is removed: in the slot after that of the freshness.
const fn removals(slot: Slot) -> Slot {
    Slot(slot.0.wrapping_add(1))
}
