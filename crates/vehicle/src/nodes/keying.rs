//! The key roles of a simulated ECU: told when to begin, renew, remove and readmit, and heard when
//! something happens to them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_can_sim::notes::Note;
use waywarden_ecu_keys::group::{Address, Directory, Event, Member, Orchestrator};
use waywarden_ecu_keys::suite::{PublicKey, Suite};
use waywarden_work::{Duration, Instant};

/// The kind of the remark about a group key.
pub const KEYS: &str = "keys";

/// How a remark begins that says that a key is in use.
const IN_USE: &str = "the group key of epoch ";

/// Whether a remark says that an ECU has a group key in use.
pub(crate) fn is_key_in_use(note: &Note) -> bool {
    note.kind == KEYS && note.text.starts_with(IN_USE)
}

/// What remarks about group keys say, and what each is in one word.
const WORDS: [(&str, &str); 9] = [
    ("a new key is begun", "begun"),
    (" is known", "formed"),
    (" is in use", "agreed"),
    (" failed: ", "failed"),
    (" was missed", "missed"),
    ("going on without ", "unresponsive"),
    (" is removed", "removed"),
    (" takes part again", "included"),
    (" have not acknowledged ", "unacknowledged"),
];

/// Returns in one word what a remark of the kind [`KEYS`] says.
pub(crate) fn word(note: &Note) -> &'static str {
    let said = |(phrase, _): &&(&str, &str)| note.text.contains(phrase);
    WORDS.iter().find(said).map_or("other", |(_, word)| word)
}

/// What an orchestrator is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Have a key agreed on.
    Renew {
        /// Whether its frames lose arbitration to application traffic.
        gives_way: bool,
    },
    /// Remove a member.
    Remove(Address),
    /// Take it back.
    Readmit(Address),
}

/// A key role, whatever its suite and scheme.
pub trait Keyed: Node {
    /// Takes the oldest event.
    fn event(&mut self) -> Option<Event>;
    /// Takes an order; only an orchestrator does anything.
    fn take(&mut self, order: Order);
}

impl<S, D, const E: usize, const X: usize> Keyed for Member<S, D, E, X>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    fn event(&mut self) -> Option<Event> {
        Member::event(self)
    }

    fn take(&mut self, _order: Order) {}
}

impl<S, D, const E: usize, const L: usize, const X: usize> Keyed for Orchestrator<S, D, E, L, X>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    fn event(&mut self) -> Option<Event> {
        Orchestrator::event(self)
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Renew { gives_way } => self.renew(gives_way),
            Order::Remove(ecu) => self.remove(ecu),
            Order::Readmit(ecu) => self.readmit(ecu),
        }
    }
}

/// When which orders are given, on the ECU's own clock.
#[derive(Clone, Debug, Default)]
pub struct Timetable {
    /// In order of time.
    pub orders: VecDeque<(Instant, Order)>,
    /// The time of the next renewal, and from one to the next.
    pub renewal: Option<(Instant, Duration)>,
}

impl Timetable {
    /// Returns the next order that is due; a renewal that was slept through is not made up for.
    fn due(&mut self, now: Instant) -> Option<Order> {
        if let Some(&(at, order)) = self.orders.front()
            && at <= now
        {
            self.orders.pop_front();
            return Some(order);
        }
        let (at, period) = self.renewal.as_mut().filter(|(at, _)| *at <= now)?;
        let missed = now.since(*at).as_nanos() / period.as_nanos().max(1);
        *at += Duration::from_nanos(period.as_nanos().saturating_mul(missed + 1));
        Some(Order::Renew { gives_way: true })
    }

    fn next(&self) -> Option<Instant> {
        let order = self.orders.front().map(|&(at, _)| at);
        let renewal = self.renewal.map(|(at, _)| at);
        order.into_iter().chain(renewal).min()
    }
}

/// A key role that follows a timetable.
pub struct Renewing {
    role: Box<dyn Keyed>,
    timetable: Timetable,
    /// An agreement was begun, and nobody has been told yet.
    begun: bool,
}

/// What an ECU tells of its role in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The orchestrator has begun an agreement of everybody.
    Begun,
    /// Something happened to the role.
    Told(Event),
}

impl Renewing {
    /// Lets a role follow a timetable.
    #[must_use]
    pub fn new(role: Box<dyn Keyed>, timetable: Timetable) -> Self {
        Renewing {
            role,
            timetable,
            begun: false,
        }
    }

    /// Takes the oldest news.
    pub fn news(&mut self) -> Option<News> {
        match std::mem::take(&mut self.begun) {
            true => Some(News::Begun),
            false => self.role.event().map(News::Told),
        }
    }
}

impl Node for Renewing {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.role.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        while let Some(order) = self.timetable.due(now) {
            self.begun |= matches!(order, Order::Renew { .. });
            self.role.take(order);
        }
        match self.role.poll(now, room) {
            Output::Idle(wish) => {
                let next = self.timetable.next();
                Output::Idle(wish.into_iter().chain(next).min())
            }
            output => output,
        }
    }
}

/// What the ECUs of a run tell of their groups, in the order in which they tell it: each piece goes
/// with a remark of the kind [`KEYS`], by which the measurement knows the time.
#[derive(Debug, Default)]
pub struct Tidings(RefCell<VecDeque<Tiding>>);

/// A piece of news and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiding {
    /// The group, by its place in the vehicle file.
    pub group: usize,
    /// The ECU, by its place in the vehicle file.
    pub ecu: usize,
    /// What happened.
    pub news: News,
}

/// How many tidings wait at the most: as many as there can be remarks.
const TIDINGS_MAX: usize = waywarden_can_sim::notes::NOTES_MAX;

impl Tidings {
    /// Makes a place for the tidings of a run.
    #[must_use]
    pub fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Adds a tiding; false if there is no room.
    pub(crate) fn push(&self, tiding: Tiding) -> bool {
        let mut waiting = self.0.borrow_mut();
        let room = waiting.len() < TIDINGS_MAX;
        if room {
            waiting.push_back(tiding);
        }
        room
    }

    /// Takes the oldest tiding.
    pub(crate) fn pop(&self) -> Option<Tiding> {
        self.0.borrow_mut().pop_front()
    }
}

impl std::fmt::Display for News {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let event = match self {
            News::Begun => return f.write_str("a new key is begun"),
            News::Told(event) => event,
        };
        match event {
            Event::Formed(Address(0)) => f.write_str("the group's secret is known"),
            Event::Formed(Address(at)) => write!(f, "the secret of logical ECU {at} is known"),
            Event::Confirmed { epoch } => write!(f, "{IN_USE}{epoch} is in use"),
            Event::Failed { result, failure } => {
                write!(
                    f,
                    "the exchange for logical ECU {} failed: {failure:?}",
                    result.0
                )
            }
            Event::Missed { epoch } => write!(f, "the key of epoch {epoch} was missed"),
            Event::Unresponsive(Address(at)) => write!(f, "going on without address {at}"),
            Event::Removed(Address(at)) => write!(f, "address {at} is removed"),
            Event::Included(Address(at)) => write!(f, "address {at} takes part again"),
            Event::Unacknowledged { epoch, members } => {
                write!(f, "{members} have not acknowledged epoch {epoch}")
            }
            other => write!(f, "{other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn orders_come_in_time_and_a_renewal_that_was_slept_through_is_not_made_up_for() {
        let start = Order::Renew { gives_way: false };
        let mut timetable = Timetable {
            orders: [(at(10), start), (at(30), Order::Remove(Address(4)))].into(),
            renewal: Some((at(110), Duration::from_millis(100))),
        };
        assert_eq!(
            (timetable.due(at(9)), timetable.next()),
            (None, Some(at(10)))
        );
        assert_eq!(timetable.due(at(10)), Some(start));
        assert_eq!(timetable.next(), Some(at(30)));
        assert_eq!(timetable.due(at(450)), Some(Order::Remove(Address(4))));
        assert_eq!(
            timetable.due(at(450)),
            Some(Order::Renew { gives_way: true })
        );
        assert_eq!(
            (timetable.due(at(450)), timetable.next()),
            (None, Some(at(510)))
        );
    }

    #[test]
    fn every_remark_has_its_word() {
        let failure = waywarden_ecu_keys::group::Failure::Timeout;
        let (result, epoch, members) = (Address(7), 1, 2);
        let told = [
            (Event::Formed(Address(0)), "formed"),
            (Event::Formed(Address(9)), "formed"),
            (Event::Confirmed { epoch }, "agreed"),
            (Event::Failed { result, failure }, "failed"),
            (Event::Missed { epoch }, "missed"),
            (Event::Unresponsive(Address(1)), "unresponsive"),
            (Event::Removed(Address(1)), "removed"),
            (Event::Included(Address(1)), "included"),
            (Event::Unacknowledged { epoch, members }, "unacknowledged"),
        ];
        let told = told.map(|(event, word)| (News::Told(event), word));
        for (news, expected) in told.into_iter().chain([(News::Begun, "begun")]) {
            let (by, text) = ("group".to_owned(), news.to_string());
            let kind = KEYS;
            let note = Note { kind, by, text };
            assert_eq!(word(&note), expected, "{news}");
            assert_eq!(is_key_in_use(&note), expected == "agreed");
        }
    }
}
