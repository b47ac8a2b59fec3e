//! The part that members and the orchestrator have in common: taking part in exchanges.

mod fixed;
mod outcome;
mod part;

use waywarden_can::Frame;
use waywarden_can::node::{Output, Port, Ports, Slot, Ticket, Token};
use waywarden_work::{Duration, Instant};

use super::exchange::{Advance, Exchange, Part, Surroundings};
use super::identifier::{GroupHeader, Step};
use super::outbox::{Answered, Outbox};
use super::plan::{Excluded, GroupPlan};
use super::secrets::Secrets;
use super::settings::{GroupDirectory, GroupSettings};
use super::storage::{ExchangePlace, PartyStorage};
use super::suite::GroupSuite;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_roles::worker::Worker;
use waywarden_key_suites::{Entropy, Secret};

use outcome::is_reported;
pub(super) use outcome::{Outcome, is_fresh};

/// The part of the configuration in which one ECU differs from the others.
pub struct MemberIdentity<S: GroupSuite> {
    /// Its address.
    pub address: Address,
    /// The ports on which the group's buses are.
    pub ports: Ports,
    /// The cryptography, which the whole group has in common.
    pub suite: S,
    /// Its signing key; the public half is in all directories.
    pub signing_key: S::SigningKey,
    /// The slot that keeps the freshness over a reset; an orchestrator keeps the removed ECUs in
    /// the slot after it.
    pub slot: Slot,
}

/// The one of an ECU.
pub(super) struct Party<'a, S: GroupSuite> {
    pub(super) me: Address,
    pub(super) ports: Ports,
    pub(super) suite: S,
    pub(super) signing_key: S::SigningKey,
    pub(super) entropy: Entropy,
    pub(super) excluded: Excluded,
    pub(super) secrets: Secrets<'a>,
    /// The highest freshness of an orchestration whose signature was right.
    pub(super) freshness: u64,
    /// The signed freshness under which the group's secret came about: the epoch of its key, which
    /// so only the orchestrator chooses.
    pub(super) root_freshness: u64,
    pub(super) worker: Worker,
    pub(super) outbox: Outbox<'a>,
    /// An exchange had to be given up, or was not opened, because there were too many.
    pub(super) fell_behind: bool,
    exchanges: Storage<'a, ExchangePlace<S>>,
}

impl<'a, S: GroupSuite> Party<'a, S> {
    pub(super) fn new(
        identity: MemberIdentity<S>,
        seed: &[u8; 32],
        storage: PartyStorage<'a, S>,
    ) -> Self {
        let PartyStorage {
            secrets,
            mut exchanges,
            waiting,
        } = storage;
        exchanges.clear();
        Party {
            me: identity.address,
            ports: identity.ports,
            suite: identity.suite,
            signing_key: identity.signing_key,
            entropy: Entropy::new(*seed),
            excluded: Excluded::default(),
            secrets: Secrets::new(secrets),
            freshness: 0,
            root_freshness: 0,
            worker: Worker::new(is_reported),
            outbox: Outbox::new(waiting),
            fell_behind: false,
            exchanges,
        }
    }

    /// Returns true if nothing is computed and no work waits to be reported.
    pub(super) fn is_at_rest(&mut self) -> bool {
        self.worker.is_at_rest()
    }

    pub(super) fn is_free(&self) -> bool {
        self.exchanges.iter().all(Option::is_none)
    }

    /// Work is done.
    pub(super) fn done(&mut self, ticket: Ticket) {
        self.worker.done(ticket);
    }

    /// A frame was sent or taken back; returns the payload if that ends it.
    pub(super) fn answered(
        &mut self,
        now: Instant,
        frame: (Port, Token, bool),
        settings: &GroupSettings,
    ) -> Option<Answered> {
        let answered = self.outbox.answered(now, frame, (self.ports, settings));
        self.note_sent(answered)
    }

    /// Returns the payload under way if no port is waited for any more.
    pub(super) fn time_out_payload(
        &mut self,
        now: Instant,
        settings: &GroupSettings,
    ) -> Option<Answered> {
        let answered = self.outbox.time_out(now, (self.ports, settings));
        self.note_sent(answered)
    }

    fn note_sent(&mut self, answered: Option<Answered>) -> Option<Answered> {
        let Answered { outgoing, sent } = answered.as_ref()?;
        let exchanges = self.exchanges.iter_mut().flatten();
        for exchange in exchanges.filter(|at| *sent && at.header == outgoing.header) {
            exchange.sent(outgoing.step);
        }
        answered
    }

    /// Reports the next metered operation, or hands over the next frame.
    pub(super) fn poll(
        &mut self,
        now: Instant,
        settings: &GroupSettings,
        room: Ports,
    ) -> Option<Output> {
        let work = self.worker.poll();
        work.or_else(|| self.outbox.poll(now, (self.ports, settings), room))
    }

    /// Opens an exchange that is still to be ordered. One for the same result that was not ordered
    /// either makes room; if there is none, the oldest unordered one does, or none does.
    pub(super) fn open(&mut self, exchange: Exchange<S>) {
        let stale = |place: &Option<Exchange<S>>| {
            place
                .as_ref()
                .is_some_and(|at| !at.is_ordered() && at.header.result == exchange.header.result)
        };
        let free = self
            .exchanges
            .iter()
            .position(stale)
            .or_else(|| self.exchanges.iter().position(Option::is_none));
        self.fell_behind |= free.is_none();
        let unordered = self.exchanges.iter().enumerate();
        let oldest = unordered
            .filter_map(|(at, place)| Some((at, place.as_ref()?)))
            .filter(|(_, at)| !at.is_ordered())
            .min_by_key(|(_, at)| at.active_at)
            .map(|(at, _)| at);
        if let Some(place) = free.or(oldest) {
            self.exchanges[place] = Some(exchange);
        }
    }

    /// Hands a frame to the exchanges it may belong to.
    pub(super) fn take(&mut self, now: Instant, step: Step, header: &GroupHeader, frame: &Frame) {
        for exchange in self.exchanges.iter_mut().flatten() {
            if exchange.header == *header && exchange.take(step, frame.data()).is_some() {
                exchange.active_at = now;
            }
        }
    }

    /// Returns true if an exchange under this header waits for its orchestration.
    pub(super) fn awaits_order(&self, header: &GroupHeader) -> bool {
        let mut unordered = self
            .exchanges
            .iter()
            .flatten()
            .filter(|at| !at.is_ordered());
        unordered.any(|at| at.header == *header)
    }

    /// Takes steps until the bus or the processor is waited for; returns the next outcome.
    pub(super) fn advance<D: GroupDirectory>(
        &mut self,
        directory: &D,
        now: Instant,
    ) -> Option<Outcome> {
        for at in 0..self.exchanges.len() {
            while self.is_at_rest() {
                match self.step(at, directory, now) {
                    Stepped::Again => {}
                    Stepped::Waits => break,
                    Stepped::Ended(outcome) => return Some(outcome),
                }
            }
            if !self.is_at_rest() {
                return None;
            }
        }
        None
    }

    fn step<D: GroupDirectory>(&mut self, at: usize, directory: &D, now: Instant) -> Stepped {
        let settings = directory.settings();
        let Some(mut exchange) = self.exchanges[at].take() else {
            return Stepped::Waits;
        };
        let secret = self.secret_for(&exchange, settings);
        if secret.is_none() && self.awaits_secret(&exchange, settings) {
            self.exchanges[at] = Some(exchange);
            return Stepped::Waits;
        }
        let mut around = Surroundings {
            suite: &self.suite,
            directory,
            signing_key: &self.signing_key,
            excluded: &self.excluded,
            secret,
            meter: &mut self.worker.meter,
        };
        let advance = exchange.advance(&mut around);
        if !matches!(advance, Advance::Wait) {
            exchange.active_at = now;
        }
        let header = exchange.header;
        let stepped = match advance {
            Advance::Wait => Stepped::Waits,
            Advance::Working => Stepped::Again,
            Advance::Send(step, payload) => {
                self.outbox.push(step, header, payload);
                Stepped::Again
            }
            Advance::Ordered => {
                self.order(&exchange, settings);
                let part = exchange.part;
                self.exchanges[at] = Some(exchange);
                return Stepped::Ended(Outcome::Ordered(header, part));
            }
            Advance::Formed(keys) => {
                self.secrets.keep(header.result, keys.secret.duplicate());
                if header.result == settings.plan.root() {
                    self.root_freshness = exchange.freshness;
                }
                return Stepped::Ended(Outcome::Formed {
                    header,
                    channel: keys.channel,
                    shares: exchange.both_shares(),
                    fixed: exchange.is_patient(),
                });
            }
            Advance::Witnessed => {
                let shares = exchange.both_shares();
                return Stepped::Ended(Outcome::Witnessed { header, shares });
            }
            Advance::Failed(failure) => {
                return Stepped::Ended(Outcome::Failed(header, failure));
            }
        };
        self.exchanges[at] = Some(exchange);
        stepped
    }

    /// Returns true if the secret of an exchange's side is still on its way: the exchange below it
    /// is not through yet, or has not begun in a fixed tree.
    fn awaits_secret(&self, exchange: &Exchange<S>, settings: &GroupSettings) -> bool {
        let (Part::Active(side) | Part::Passive(side)) = exchange.part else {
            return false;
        };
        let below = exchange.address(side);
        let begins = exchange.is_about_to_begin(settings);
        begins && (exchange.is_patient() || self.takes_part_in(below))
    }

    /// Returns the secret of the side this ECU belongs to, when it is needed; fresh for a physical
    /// one, so it must be used then.
    fn secret_for(&mut self, exchange: &Exchange<S>, settings: &GroupSettings) -> Option<Secret> {
        let (Part::Active(side) | Part::Passive(side)) = exchange.part else {
            return None;
        };
        if !exchange.is_about_to_begin(settings) {
            return None;
        }
        let named = exchange.address(side);
        if settings.plan.is_physical(named) {
            return Some(self.entropy.draw());
        }
        self.secrets.get(named).map(Secret::duplicate)
    }

    /// An order is genuine: everything that it replaces is forgotten.
    fn order(&mut self, exchange: &Exchange<S>, settings: &GroupSettings) {
        self.excluded = exchange.excluded_by_header(&settings.plan, &self.excluded);
        self.freshness = self.freshness.max(exchange.freshness);
        self.forget_from(exchange.header.result, settings);
        let result = exchange.header.result;
        self.close_where(|other| other.header.result == result && other.is_ordered());
        // What a start has ordered above it was to begin with the secret that is replaced.
        let above = |other: &Exchange<S>| {
            let mut path = settings.plan.path(result);
            path.any(|at| at == other.header.result)
        };
        self.close_where(|other| other.is_patient() && above(other));
    }

    /// Forgets the secrets of a logical ECU and of all above it.
    pub(super) fn forget_from(&mut self, logical: Address, settings: &GroupSettings) {
        let mut at = logical;
        while at != Address::NONE {
            self.secrets.forget(at);
            at = settings.plan.parent(at);
        }
        self.secrets.forget(Address::NONE);
    }

    /// Returns true if an exchange with this result is under way here.
    pub(super) fn takes_part_in(&self, result: Address) -> bool {
        let mut exchanges = self.exchanges.iter().flatten();
        exchanges.any(|at| at.header.result == result)
    }

    /// Gives up the exchanges whose header does not pass.
    pub(super) fn keep_only(&mut self, passes: impl Fn(&GroupHeader) -> bool) {
        self.close_where(|at| !passes(&at.header));
    }

    /// Gives up the exchanges with this result.
    pub(super) fn close(&mut self, result: Address) {
        self.close_where(|at| at.header.result == result);
    }

    fn close_where(&mut self, given_up: impl Fn(&Exchange<S>) -> bool) {
        for place in self.exchanges.iter_mut() {
            if place.as_ref().is_some_and(&given_up) {
                *place = None;
            }
        }
    }

    /// Gives up the exchanges with this result and all above it.
    pub(super) fn close_from(&mut self, result: Address, plan: &GroupPlan) {
        let mut at = result;
        while at != Address::NONE {
            self.close(at);
            at = plan.parent(at);
        }
    }

    /// Drops an exchange that nothing has come for in this time, and that this ECU has not worked
    /// on, and names it. One that waits for the processor may be complete: ask only at rest.
    pub(super) fn time_out(
        &mut self,
        now: Instant,
        patience: Duration,
    ) -> Option<(GroupHeader, Part)> {
        let late = |at: &Exchange<S>| at.active_at + patience <= now;
        let place = self
            .exchanges
            .iter_mut()
            .find(|place| place.as_ref().is_some_and(late))?;
        place
            .take()
            .map(|exchange| (exchange.header, exchange.part))
    }

    /// Returns since when the longest waiting exchange has had no news.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.exchanges.iter().flatten().map(|at| at.active_at).min()
    }
}

enum Stepped {
    Again,
    Waits,
    Ended(Outcome),
}
