//! An ECU of the group.

mod delivery;
mod proof;
mod report;
mod start;
mod starvation;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Ports, Retained, Slot};
use waywarden_work::{Duration, Instant};

use super::distribution::{Delivery, Refused, Shares};
use super::event::{GroupRoleEvent, note_port};
use super::exchange::{Exchange, ExchangeFailure, Part};
use super::identifier::{GroupHeader, Step};
use super::party::{MemberIdentity, Outcome, Party};
use super::plan::Scheme;
use super::settings::{GroupDirectory, GroupProfile};
use super::storage::MemberStorage;
use super::suite::GroupSuite;
use super::transcript::{self, ChannelKey};
use waywarden_key_roles::Address;
use waywarden_key_roles::events::EventQueue;
use waywarden_key_suites::Secret;

use proof::Ending;
pub(super) use report::{FELL_BEHIND, LACKS_SHARES};
use start::{Start, is_whole_group};

/// Units of the published profile's time stamp: `Choice:` coarse, for a stamp that does not travel
/// must be guessed.
pub(super) const TIMESTAMP_UNIT: u64 = 10_000_000_000;

/// A member: answers the orchestrator, and holds the group key when all is done. Its
/// [storage](super::MemberStorage) limits the exchanges that it follows at a time.
pub struct Member<'a, S: GroupSuite, D> {
    directory: D,
    party: Party<'a, S>,
    slot: Slot,
    events: EventQueue<GroupRoleEvent>,
    /// The key of the private channel with the orchestrator, `sk_i`.
    channel: Option<ChannelKey>,
    shares: Shares<'a>,
    delivery: Option<Delivery>,
    delivered: Option<Result<Secret, Refused>>,
    /// The last delivery did not fit the shares that this member saw.
    refused: bool,
    ending: Ending,
    start: Option<Start>,
    epoch: u64,
    key: Option<Secret>,
    /// Number of agreements that have begun since the last key.
    keyless: u32,
    retain: Option<u64>,
    /// Time of the next report of a lack; if only silence causes it; and below the number of
    /// reports without an answer.
    report_at: Option<Instant>,
    report_if_silent: bool,
    report_after: Instant,
    reports: u8,
    now: Instant,
}

impl<'a, S: GroupSuite, D: GroupDirectory> Member<'a, S, D> {
    /// Starts a member.
    pub fn new(
        boot: &Boot<'_>,
        identity: MemberIdentity<S>,
        directory: D,
        storage: MemberStorage<'a, S>,
    ) -> Self {
        let (address, slot) = (identity.address, identity.slot);
        let mut party = Party::new(identity, &boot.seed, storage.party);
        party.freshness = boot.retained(slot).map_or(0, freshness_in);
        let settings = directory.settings();
        let ending = Ending::new(settings.transport, boot.now);
        // A member that receives no start-up asks for one, each a little later than the one before.
        let patience = settings.timing.exchange + settings.timing.answer;
        let turn = Duration::from_millis(u64::from(address.0));
        let hardened = settings.profile == GroupProfile::Hardened;
        Member {
            party,
            slot,
            events: EventQueue::new(),
            channel: None,
            shares: Shares::new(storage.shares),
            delivery: None,
            delivered: None,
            refused: false,
            ending,
            start: None,
            epoch: 0,
            key: None,
            keyless: 0,
            retain: None,
            report_at: hardened.then(|| boot.now + patience + turn),
            report_if_silent: true,
            report_after: boot.now,
            reports: 0,
            now: boot.now,
            directory,
        }
    }

    /// Returns the group key and its epoch once it is confirmed. 32 bytes; a scheme that needs 16
    /// takes the first 16.
    pub fn group_key(&self) -> Option<(u64, &Secret)> {
        self.key.as_ref().map(|key| (self.epoch, key))
    }

    /// Returns the key of a logical ECU this one belongs to: a subgroup's own key [GKE §III-B].
    pub fn subgroup_key(&self, logical: Address) -> Option<Secret> {
        let settings = self.directory.settings();
        self.party.secrets.traffic_key(logical, settings)
    }

    /// Returns the key of the private channel with the orchestrator, `sk_i` [GKE §III-C1]; none in
    /// the tree without the orchestrator in each logical ECU.
    pub fn channel_key(&self) -> Option<&[u8; 16]> {
        self.channel.as_deref()
    }

    /// Takes the oldest event.
    pub fn event(&mut self) -> Option<GroupRoleEvent> {
        self.events.pop()
    }

    /// Returns how many events were lost because the caller did not take them.
    pub fn events_lost(&self) -> u32 {
        self.events.lost()
    }

    fn take_frame(&mut self, now: Instant, frame: &Frame) {
        let settings = self.directory.settings();
        let Some((step, header)) = GroupHeader::read(settings, frame) else {
            return;
        };
        if step.is_progress() && settings.plan.children(header.result).is_some() {
            self.hear_progress();
        }
        match step {
            Step::Freshness => self.take_freshness(now, header, frame),
            Step::Orchestration => self.take_orchestration(now, header, frame),
            Step::MasterSignature | Step::MasterSecret => self.take_delivery(step, header, frame),
            Step::Finish | Step::End => self.take_ending(step, header, frame),
            Step::Start => self.take_start(now, header, frame),
            Step::Acknowledge | Step::Report => {}
            _ => self.party.take(now, step, &header, frame),
        }
    }

    /// The freshness of what comes next. It is an allegation until a signature over it is right.
    fn take_freshness(&mut self, now: Instant, header: GroupHeader, frame: &Frame) {
        let Ok(bytes) = <[u8; 8]>::try_from(frame.data()) else {
            return;
        };
        let freshness = u64::from_be_bytes(bytes);
        let settings = self.directory.settings();
        let fresh = freshness > self.party.freshness;
        if settings.profile != GroupProfile::Hardened || !fresh {
            return;
        }
        if is_whole_group(settings, &header) {
            match settings.plan.scheme() {
                Scheme::SymmetricDistribution => {
                    self.delivery = Some(Delivery::new(settings, freshness));
                }
                _ => self.start = Some(Start::new(settings, freshness)),
            }
            return;
        }
        if let Some(part) = self.party.part_in(&header, settings) {
            self.party
                .open(Exchange::new(settings, header, part, freshness, now));
        }
    }

    fn take_orchestration(&mut self, now: Instant, header: GroupHeader, frame: &Frame) {
        let settings = self.directory.settings();
        if settings.profile.is_as_published() && !self.party.awaits_order(&header) {
            let timestamp = now.as_nanos() / TIMESTAMP_UNIT;
            if let Some(part) = self.party.part_in(&header, settings) {
                self.party
                    .open(Exchange::new(settings, header, part, timestamp, now));
            }
        }
        self.party.take(now, Step::Orchestration, &header, frame);
    }

    fn settle(&mut self, outcome: Outcome) {
        let settings = self.directory.settings();
        let plan = &settings.plan;
        match outcome {
            Outcome::Ordered(header, part) => {
                if plan.scheme() == Scheme::SymmetricDistribution {
                    self.shares.note(plan, header.result, None);
                }
                // The key in use stays in use until a new one is proven.
                self.reports = 0;
                if part != Part::Witness {
                    self.count_order(header.result);
                    self.wait_for_more();
                }
            }
            Outcome::Formed {
                header,
                channel,
                shares,
                fixed,
            } => {
                let leaf = plan.parent(self.party.me) == header.result;
                if leaf && plan.scheme() != Scheme::TreeWithoutOrchestrator {
                    self.channel = Some(channel);
                }
                self.shares.note(plan, header.result, shares);
                self.events.push(GroupRoleEvent::Formed(header.result));
                let root = plan.root();
                if fixed {
                    self.open_above(&header);
                }
                if header.result == root {
                    self.confirm_as_published();
                    self.reconsider();
                }
            }
            Outcome::Witnessed { header, shares } => {
                if shares.is_some() {
                    self.shares.note(plan, header.result, shares);
                }
            }
            Outcome::Failed(header, failure) => {
                let result = header.result;
                self.events.push(GroupRoleEvent::Failed { result, failure });
                match failure {
                    // Anybody can send a wrong order, and a beacon tells whether anything was
                    // missed; but it may also be right for who knows better who takes part.
                    ExchangeFailure::Orchestration => self.report_if_silent = false,
                    _ => self.report_soon(),
                }
            }
        }
    }

    /// In the published profile nothing follows: each member that has the root's secret uses it.
    fn confirm_as_published(&mut self) {
        let settings = self.directory.settings();
        let root = settings.plan.root();
        if settings.profile.is_as_published()
            && let Some(secret) = self.party.secrets.get(root)
        {
            self.key = Some(transcript::traffic_key(settings, root, secret));
            self.epoch += 1;
            self.keyless = 0;
            let epoch = self.epoch;
            self.events.push(GroupRoleEvent::Confirmed { epoch });
        }
    }

    /// Returns the time that an exchange is kept without a frame of it. A sender with several ports
    /// waits `exchange` for the last of them before the next payload leaves: with that time alone a
    /// member would give up at the very moment at which the order follows its announcement.
    fn patience(&self) -> Duration {
        self.directory.settings().timing.exchange.times(2)
    }

    /// Has the epoch of a key that was just taken into use kept over a reset.
    fn keep_epoch(&mut self) -> Option<Output> {
        let epoch = self.retain.take()?;
        Some(Output::Retain {
            slot: self.slot,
            value: freshness_kept(epoch),
        })
    }

    fn time_out(&mut self, now: Instant) {
        let patience = self.patience();
        while let Some((header, part)) = self.party.time_out(now, patience) {
            if part == Part::Witness {
                continue;
            }
            self.settle(Outcome::Failed(header, ExchangeFailure::Timeout));
        }
    }

    fn next_deadline(&mut self) -> Option<Instant> {
        let due = self.party.outbox.due();
        if !self.party.is_at_rest() {
            // The end of the work brings the next turn.
            return due;
        }
        let exchange = self.party.oldest().map(|at| at + self.patience());
        // What is under way may bring what a report would ask for.
        exchange.or(self.report_at).into_iter().chain(due).min()
    }
}

impl<S: GroupSuite, D: GroupDirectory> Node for Member<'_, S, D> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        let settings = self.directory.settings();
        match input {
            Input::Frame { frame, .. } => self.take_frame(now, frame),
            Input::Sent { port, token } => {
                let _ = self.party.answered(now, (port, token, true), settings);
            }
            Input::Withdrawn { port, token } => {
                let _ = self.party.answered(now, (port, token, false), settings);
            }
            Input::Done(ticket) => self.party.done(ticket),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        let settings = self.directory.settings();
        let _ = self.party.time_out_payload(now, settings);
        note_port(&mut self.events, self.party.outbox.change());
        if self.party.is_at_rest() {
            if let Some(opened) = self.delivered.take() {
                self.accept_delivery(opened);
            }
            self.accept_end();
            // The ECU reads the keys of the confirmed epoch before the next order replaces them.
            if let Some(output) = self.keep_epoch() {
                return output;
            }
            self.check_start();
            while let Some(outcome) = self.party.advance(&self.directory, now) {
                self.settle(outcome);
            }
            if self.party.is_at_rest() {
                self.open_delivery();
            }
            if self.party.is_at_rest() {
                self.check_end();
            }
            if self.party.is_at_rest() {
                self.time_out(now);
            }
        }
        self.give_up_early();
        let waits = self.party.is_free() && !self.ending.is_checked();
        if waits && self.report_at.is_some_and(|at| at <= now) {
            self.report(now);
        }
        if let Some(output) = self.keep_epoch() {
            return output;
        }
        let settings = self.directory.settings();
        match self.party.poll(now, settings, room) {
            Some(output) => output,
            None => Output::Idle(self.next_deadline()),
        }
    }
}

/// Reads the freshness that was kept over a reset.
pub(super) fn freshness_in(retained: &Retained) -> u64 {
    retained
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Writes the freshness as it is kept over a reset.
pub(super) fn freshness_kept(freshness: u64) -> Retained {
    let mut value = [0; 32];
    value[..8].copy_from_slice(&freshness.to_be_bytes());
    value
}
