//! An ECU of the group.

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Ports, Retained, Slot};
use waywarden_work::{Duration, Instant};

use super::distribution::{Delivery, Refused, Shares};
use super::event::{Event, Events};
use super::exchange::{Exchange, Failure, Part};
use super::identifier::{Address, Header, Step};
use super::inbox::Inbox;
use super::outbox::Outgoing;
use super::party::{Outcome, Party, is_fresh};
use super::plan::{DEPTH_MAX, Scheme};
use super::settings::{Directory, Profile, Settings};
use super::transcript;
use crate::suite::{PublicKey, Secret, Suite};

/// The secrets of a member: one for each level, and the group's.
const SECRETS: usize = DEPTH_MAX + 1;

/// How often a member reports the same lack before it waits eight times as long between two
/// reports; it never gives up.
const REPORTS_IN_A_ROW: u8 = 8;

/// What a report says: the secret of the logical ECU it names is missing; or, in the symmetric
/// scheme, shares of other ECUs are, so that everything has to be exchanged again.
pub(super) const LACKS_SECRET: u8 = 0;
pub(super) const LACKS_SHARES: u8 = 1;

/// Units of the published profile's time stamp: `Choice:` coarse, for a stamp that does not travel
/// must be guessed.
pub(super) const TIMESTAMP_UNIT: u64 = 10_000_000_000;

/// What makes one ECU different from the others.
pub struct Identity<S: Suite> {
    /// Its address.
    pub address: Address,
    /// The ports on which the group's buses are.
    pub ports: Ports,
    /// Its signing key; the public half is in everybody's directory.
    pub signing_key: S::SigningKey,
    /// Where it keeps the freshness over a reset; an orchestrator keeps who is removed in the slot
    /// after it.
    pub slot: Slot,
}

/// The orchestrator's proof that it holds the key of an epoch, as it came in.
#[derive(Clone, Copy)]
struct Proof {
    header: Header,
    epoch: u64,
    tag: [u8; 16],
}

/// A member: answers the orchestrator, and holds the group key when all is done.
///
/// `E` is the number of ECUs of a network with symmetric distribution, and 0 for the tree schemes:
/// only the former needs to remember everybody's shares.
pub struct Member<S: Suite, D, const E: usize = 0> {
    directory: D,
    party: Party<S, SECRETS>,
    slot: Slot,
    events: Events,
    /// The key of the private channel with the orchestrator, `sk_i`.
    channel: Option<[u8; 16]>,
    shares: Shares<E>,
    delivery: Option<Delivery>,
    delivered: Option<Result<Secret, Refused>>,
    /// The last delivery did not fit the shares that this member saw.
    refused: bool,
    finish: Inbox,
    finish_at: Instant,
    /// A proof that came before the secret that it is about.
    early: Option<Proof>,
    start: Option<(u64, Inbox)>,
    epoch: u64,
    key: Option<Secret>,
    retain: Option<u64>,
    /// When to report that something is missing, and how often that was done in vain.
    report_at: Option<Instant>,
    report_after: Instant,
    reports: u8,
    now: Instant,
}

impl<S, D, const E: usize> Member<S, D, E>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    /// Starts a member.
    pub fn new(boot: &Boot<'_>, identity: Identity<S>, directory: D) -> Self {
        let Identity {
            address,
            ports,
            signing_key,
            slot,
        } = identity;
        let mut party = Party::new(address, ports, signing_key, &boot.seed);
        party.freshness = boot.retained(slot).map_or(0, freshness_in);
        let settings = directory.settings();
        let finish = Inbox::new(settings.transport, Step::Finish);
        // Who hears nothing of a start-up asks for one, everybody a little later than the last.
        let patience = settings.timing.exchange + settings.timing.answer;
        let turn = Duration::from_millis(u64::from(address.0));
        let hardened = settings.profile == Profile::Hardened;
        Member {
            party,
            slot,
            events: Events::new(),
            channel: None,
            shares: Shares::new(),
            delivery: None,
            delivered: None,
            refused: false,
            finish,
            finish_at: boot.now,
            early: None,
            start: None,
            epoch: 0,
            key: None,
            retain: None,
            report_at: hardened.then(|| boot.now + patience + turn),
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
        let secret = self.party.secrets.get(logical)?;
        Some(transcript::traffic_key(
            self.directory.settings(),
            logical,
            secret,
        ))
    }

    /// Returns the key of the private channel with the orchestrator, `sk_i` [GKE §III-C1]; none in
    /// the tree without the orchestrator in each logical ECU.
    pub fn channel_key(&self) -> Option<&[u8; 16]> {
        self.channel.as_ref()
    }

    /// Takes the oldest event.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// Returns how many events were lost because nobody took them.
    pub fn events_lost(&self) -> u32 {
        self.events.lost()
    }

    fn take_frame(&mut self, now: Instant, frame: &Frame) {
        let settings = self.directory.settings();
        let Some((step, header)) = settings.transport.read(frame) else {
            return;
        };
        match step {
            Step::Freshness => self.take_freshness(now, header, frame),
            Step::Orchestration => self.take_orchestration(now, header, frame),
            Step::MasterSignature | Step::MasterSecret => self.take_delivery(step, header, frame),
            Step::Finish => self.take_finish(header, frame),
            Step::Start => self.take_start(now, header, frame),
            Step::Acknowledge | Step::Report => {}
            _ => self.party.take(now, step, &header, frame),
        }
    }

    /// The freshness of what comes next. It is an allegation until a signature over it is right.
    fn take_freshness(&mut self, now: Instant, header: Header, frame: &Frame) {
        let Ok(bytes) = <[u8; 8]>::try_from(frame.data()) else {
            return;
        };
        let freshness = u64::from_be_bytes(bytes);
        let settings = self.directory.settings();
        let fresh = freshness > self.party.freshness;
        if settings.profile != Profile::Hardened || !fresh {
            return;
        }
        if is_whole_group(settings, &header) {
            match settings.plan.scheme() {
                Scheme::SymmetricDistribution => {
                    self.delivery = Some(Delivery::new(settings, freshness));
                }
                _ => self.start = Some((freshness, Inbox::new(settings.transport, Step::Start))),
            }
            return;
        }
        if let Some(part) = self.party.part_in(&header, settings) {
            self.party
                .open(Exchange::new(settings, header, part, freshness, now));
        }
    }

    fn take_orchestration(&mut self, now: Instant, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        if settings.profile == Profile::AsPublished && !self.party.awaits_order(&header) {
            let timestamp = now.as_nanos() / TIMESTAMP_UNIT;
            if let Some(part) = self.party.part_in(&header, settings) {
                self.party
                    .open(Exchange::new(settings, header, part, timestamp, now));
            }
        }
        self.party.take(now, Step::Orchestration, &header, frame);
    }

    fn take_delivery(&mut self, step: Step, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        if header.second != self.party.me || header.first != settings.plan.orchestrator() {
            return;
        }
        if settings.profile == Profile::AsPublished && self.delivery.is_none() {
            self.delivery = Some(Delivery::new(settings, 0));
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.take(step, frame.data());
        }
    }

    fn take_start(&mut self, now: Instant, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        if settings.profile == Profile::AsPublished && self.start.is_none() {
            let timestamp = now.as_nanos() / TIMESTAMP_UNIT;
            self.start = Some((timestamp, Inbox::new(settings.transport, Step::Start)));
        }
        if is_whole_group(self.directory.settings(), &header)
            && let Some((_, inbox)) = &mut self.start
        {
            let _ = inbox.push(frame.data());
        }
    }

    /// The orchestrator proves that it holds the key of an epoch.
    fn take_finish(&mut self, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        // A proof of which a frame was lost must not make every later one begin in its middle.
        let pause = Duration::from_nanos(settings.timing.answer.as_nanos() / 2);
        if self.now.since(self.finish_at) > pause {
            self.finish = Inbox::new(settings.transport, Step::Finish);
        }
        self.finish_at = self.now;
        if self.finish.push(frame.data()).is_none() {
            self.finish = Inbox::new(settings.transport, Step::Finish);
            return;
        }
        let Some(payload) = self.finish.take::<24>() else {
            return;
        };
        self.finish = Inbox::new(settings.transport, Step::Finish);
        let (Some(epoch), Some(&tag)) = (payload.first_chunk(), payload.last_chunk::<16>()) else {
            return;
        };
        let epoch = u64::from_be_bytes(*epoch);
        if epoch < self.epoch || header.first != settings.plan.orchestrator() {
            return;
        }
        let proof = Proof { header, epoch, tag };
        if !self.believe(&proof) {
            self.early = Some(proof);
        }
    }

    /// Takes the key that a proof is about into use; returns whether the proof is right for the
    /// secret that this member has.
    fn believe(&mut self, proof: &Proof) -> bool {
        let settings = self.directory.settings();
        let (orchestrator, root) = (settings.plan.orchestrator(), settings.plan.root());
        let Some(secret) = self.party.secrets.get(root) else {
            return false;
        };
        let key = transcript::traffic_key(settings, root, secret);
        let epoch = proof.epoch;
        // Whoever holds the key can prove it, but not for an epoch of its choice.
        let signed = epoch == self.party.root_freshness;
        if !signed || !transcript::proves(&key, orchestrator, epoch, &proof.tag) {
            return false;
        }
        if epoch > self.epoch {
            (self.epoch, self.retain) = (epoch, Some(epoch));
            self.events.push(Event::Confirmed { epoch });
        }
        if proof.header.second == Address::NONE {
            self.acknowledge(&key, proof.header);
        }
        (self.key, self.report_at, self.reports) = (Some(key), None, 0);
        self.early = None;
        true
    }

    /// The group's secret has come about: what was proven before may be just that.
    fn reconsider(&mut self) {
        if let Some(proof) = self.early {
            let _: bool = self.believe(&proof);
        }
    }

    /// Nothing is under way any more that could bring what was proven: this member missed it,
    /// unless it was older than what it has.
    fn give_up_early(&mut self) {
        let busy = !self.party.is_free() || !self.party.is_at_rest() || self.delivered.is_some();
        if busy {
            return;
        }
        if let Some(proof) = self.early.take()
            && proof.epoch >= self.party.root_freshness
        {
            self.miss(proof.epoch);
        }
    }

    fn acknowledge(&mut self, key: &Secret, header: Header) {
        let tag = transcript::proof::<8>(key, self.party.me, self.epoch);
        let mut payload = [0; 64];
        payload[..8].copy_from_slice(&tag);
        let header = Header {
            first: self.party.me,
            ..header
        };
        self.party.outbox.push(Step::Acknowledge, header, payload);
    }

    /// There is a key that this member does not have.
    fn miss(&mut self, epoch: u64) {
        if self.report_at.is_none() && epoch > self.epoch {
            self.events.push(Event::Missed { epoch });
            self.report_soon();
        }
    }

    /// Has a report sent as soon as the last one is answered or was in vain; everybody a little
    /// later than the last member, so that reports do not pile up.
    fn report_soon(&mut self) {
        if self.directory.settings().profile == Profile::AsPublished {
            return;
        }
        let turn = Duration::from_micros(u64::from(self.party.me.0) * 200);
        let soon = (self.now + turn).max(self.report_after);
        self.report_at = Some(self.report_at.map_or(soon, |at| at.min(soon)));
    }

    /// The orchestrator is at work for this member: a report can wait.
    fn wait_for_more(&mut self) {
        let timing = &self.directory.settings().timing;
        let patience = timing.exchange + timing.answer;
        self.report_at = self.report_at.map(|_| self.now + patience);
    }

    /// Says what is missing: the lowest secret on the way up.
    fn report(&mut self, now: Instant) {
        let settings = self.directory.settings();
        let plan = &settings.plan;
        let mut path = plan.path(self.party.me);
        let missing = path.find(|&at| self.party.secrets.get(at).is_none());
        let header = Header {
            gives_way: false,
            first: self.party.me,
            second: Address::NONE,
            result: missing.unwrap_or(plan.root()),
        };
        let symmetric = plan.scheme() == Scheme::SymmetricDistribution;
        let digest = self.shares.digest(plan, &self.party.excluded);
        let shares_missing = symmetric && missing.is_none() && (self.refused || digest.is_none());
        let mut payload = [0; 64];
        payload[0] = if shares_missing {
            LACKS_SHARES
        } else {
            LACKS_SECRET
        };
        self.party.outbox.push(Step::Report, header, payload);
        self.reports = self.reports.saturating_add(1);
        let patience = match self.reports {
            0..REPORTS_IN_A_ROW => 1,
            _ => 8,
        };
        let pause = settings.timing.answer.as_nanos().saturating_mul(patience);
        self.report_after = now + Duration::from_nanos(pause);
        self.report_at = Some(self.report_after);
    }

    fn settle(&mut self, outcome: &Outcome) {
        let settings = self.directory.settings();
        let plan = &settings.plan;
        match *outcome {
            Outcome::Ordered(header, part) => {
                if plan.scheme() == Scheme::SymmetricDistribution {
                    self.shares.note(plan, header.result, None);
                }
                // The key in use stays in use until a new one is proven.
                self.reports = 0;
                if part != Part::Witness {
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
                self.events.push(Event::Formed(header.result));
                let root = plan.root();
                if fixed {
                    self.open_above(header.result);
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
                self.events.push(Event::Failed { result, failure });
                // Anybody can send a wrong order; a beacon tells whether anything was missed.
                if failure != Failure::Orchestration {
                    self.report_soon();
                }
            }
        }
    }

    /// In the published profile nothing follows: whoever has the root's secret uses it.
    fn confirm_as_published(&mut self) {
        let settings = self.directory.settings();
        let root = settings.plan.root();
        if settings.profile == Profile::AsPublished
            && let Some(secret) = self.party.secrets.get(root)
        {
            self.key = Some(transcript::traffic_key(settings, root, secret));
            self.epoch += 1;
            let epoch = self.epoch;
            self.events.push(Event::Confirmed { epoch });
        }
    }

    /// Opens a delivery that is complete, once the processor is free.
    fn open_delivery(&mut self) {
        let (Some(delivery), Some(channel)) = (&self.delivery, &self.channel) else {
            return;
        };
        let settings = self.directory.settings();
        if !is_fresh(settings.profile, delivery.freshness, self.party.freshness) {
            return;
        }
        let digest = self.shares.digest(&settings.plan, &self.party.excluded);
        let (directory, meter) = (&self.directory, &mut self.party.meter);
        match delivery.open::<S, D>(directory, channel, digest, meter) {
            Err(Refused::Incomplete) => {}
            opened => {
                // A refused one has only alleged its freshness.
                if opened.is_ok() {
                    self.party.freshness = self.party.freshness.max(delivery.freshness);
                }
                (self.delivered, self.delivery) = (Some(opened), None);
            }
        }
    }

    /// The time of opening a delivery has passed.
    fn accept_delivery(&mut self, opened: Result<Secret, Refused>) {
        let root = Address::NONE;
        self.refused = opened.is_err();
        if let Ok(secret) = opened {
            self.party.secrets.keep(root, secret);
            // That of the delivery: it was opened last, and nothing else was since.
            self.party.root_freshness = self.party.freshness;
            self.events.push(Event::Formed(root));
            self.confirm_as_published();
            self.reconsider();
        } else {
            let failure = Failure::Confirmation;
            let result = root;
            self.events.push(Event::Failed { result, failure });
            self.report_soon();
        }
    }

    /// Checks the signature that starts the whole tree.
    fn check_start(&mut self) {
        let Some((freshness, signature)) = self
            .start
            .as_ref()
            .and_then(|(freshness, inbox)| Some((*freshness, inbox.take::<64>()?)))
        else {
            return;
        };
        self.start = None;
        let settings = self.directory.settings();
        // It may have been held back until a later order was obeyed.
        if !is_fresh(settings.profile, freshness, self.party.freshness) {
            return;
        }
        let orchestrator = settings.plan.orchestrator();
        let header = transcript::whole_group(settings);
        let everybody = super::plan::Excluded::default();
        let message =
            transcript::orchestration::<S>(settings, Step::Start, header, freshness, &everybody);
        let Some(key) = self.directory.public_key(orchestrator) else {
            return;
        };
        let meter = &mut self.party.meter;
        if S::verify(meter, key, message.as_bytes(), &signature).is_err() {
            let (result, failure) = (header.result, Failure::Orchestration);
            self.events.push(Event::Failed { result, failure });
            return;
        }
        self.party.begin_fixed_tree(freshness, settings, self.now);
    }

    /// In a fixed tree the next exchange but one is opened as soon as one is through.
    fn open_above(&mut self, formed: Address) {
        let settings = self.directory.settings();
        self.party.open_above(formed, settings, self.now);
    }

    fn time_out(&mut self, now: Instant) {
        let patience = self.directory.settings().timing.exchange;
        while let Some((header, part)) = self.party.time_out(now, patience) {
            if part == Part::Witness {
                continue;
            }
            self.settle(&Outcome::Failed(header, Failure::Timeout));
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let patience = self.directory.settings().timing.exchange;
        let exchange = self.party.oldest().map(|at| at + patience);
        // What is under way may bring what a report would ask for.
        exchange.or(self.report_at)
    }
}

impl<S, D, const E: usize> Node for Member<S, D, E>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        let settings = self.directory.settings();
        match input {
            Input::Frame { frame, .. } => self.take_frame(now, frame),
            Input::Sent { token, .. } => {
                let _: Option<Outgoing> = self.party.answered(token, true, settings);
            }
            Input::Withdrawn { token, .. } => {
                let _: Option<Outgoing> = self.party.answered(token, false, settings);
            }
            Input::Done(ticket) => self.party.done(ticket),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        self.time_out(now);
        if self.party.is_at_rest() {
            if let Some(opened) = self.delivered.take() {
                self.accept_delivery(opened);
            }
            self.check_start();
            while let Some(outcome) = self.party.advance(&self.directory) {
                self.settle(&outcome);
            }
            if self.party.is_at_rest() {
                self.open_delivery();
            }
        }
        self.give_up_early();
        if self.party.is_free() && self.report_at.is_some_and(|at| at <= now) {
            self.report(now);
        }
        if let Some(epoch) = self.retain.take() {
            return Output::Retain {
                slot: self.slot,
                value: freshness_kept(epoch),
            };
        }
        let settings = self.directory.settings();
        match self.party.poll(settings, room) {
            Some(output) => output,
            None => Output::Idle(self.next_deadline()),
        }
    }
}

/// Whether a header speaks to the whole group.
pub(super) fn is_whole_group(settings: &Settings, header: &Header) -> bool {
    let whole = transcript::whole_group(settings);
    (header.first, header.second, header.result) == (whole.first, whole.second, whole.result)
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
