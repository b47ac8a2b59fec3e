//! The key roles of a simulated ECU: told when to begin, renew, remove and readmit, and heard when
//! something happens to them.

use std::collections::VecDeque;
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_can_sim::notes::Note;
use waywarden_ecu::Guard;
use waywarden_ecu_keys::group::{Address, Directory, Event, Member, Orchestrator};
use waywarden_ecu_keys::suite::{PublicKey, Secret, Suite};
use waywarden_work::{Duration, Instant};

use super::group_keys::{GroupKeyId, KeysInUse};
use super::tidings::{KeyRole, News};
use super::timetable::Timetable;

/// The kind of the remark about a group key.
pub const KEYS: &str = "keys";

/// How a remark begins that says that a key is in use.
const IN_USE: &str = "the group key of epoch ";

/// Whether a remark says that an ECU has a group key in use.
pub(crate) fn is_key_in_use(note: &Note) -> bool {
    note.kind == KEYS && note.text.starts_with(IN_USE)
}

/// What remarks about group keys say, and what each is in one word.
const WORDS: [(&str, &str); 10] = [
    ("a new key is begun", "begun"),
    (" is known", "formed"),
    (" is in use", "agreed"),
    (" failed: ", "failed"),
    (" was missed", "missed"),
    (" agreements in a row", "starved"),
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
    /// Have the first key agreed on.
    Start {
        /// Whether its frames lose arbitration to application traffic.
        gives_way: bool,
    },
    /// Have another one agreed on when all have acknowledged the last.
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
    /// Returns the group key with its epoch, or in its place the key of a logical ECU.
    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)>;
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

    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)> {
        in_use(self.group_key(), logical, |of| self.subgroup_key(of))
    }
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
            Order::Start { gives_way } => self.renew(gives_way),
            Order::Renew { gives_way } => self.renew_when_acknowledged(gives_way),
            Order::Remove(ecu) => self.remove(ecu),
            Order::Readmit(ecu) => self.readmit(ecu),
        }
    }

    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)> {
        in_use(self.group_key(), logical, |of| self.subgroup_key(of))
    }
}

/// Returns a group key, or in its place that of a logical ECU.
fn in_use(
    group_key: Option<(u64, &Secret)>,
    logical: Option<Address>,
    subgroup_key: impl FnOnce(Address) -> Option<Secret>,
) -> Option<(u64, Secret)> {
    let (epoch, key) = group_key?;
    match logical {
        Some(logical) => Some((epoch, subgroup_key(logical)?)),
        None => Some((epoch, key.duplicate())),
    }
}

/// Which keys of a group its ECU's other roles use, and where they find them.
#[derive(Clone)]
pub struct PublishedKeys {
    /// Where.
    pub in_use: Rc<KeysInUse>,
    /// Which.
    pub wanted: Vec<GroupKeyId>,
}

/// A key role that follows a timetable: a renewal does not break off an agreement of everybody.
pub struct Renewing {
    role: Box<dyn Keyed>,
    timetable: Timetable<Order>,
    /// How long members take to confirm a key that the orchestrator has.
    answer: Duration,
    /// What no caller has fetched yet: at most as much as the role remembers, and a beginning.
    told: VecDeque<News>,
    published: PublishedKeys,
}

impl Renewing {
    /// Lets a role follow a timetable; `answer` is how long members take to confirm a key.
    #[must_use]
    pub fn new(
        role: Box<dyn Keyed>,
        timetable: Timetable<Order>,
        answer: Duration,
        published: PublishedKeys,
    ) -> Self {
        Renewing {
            role,
            timetable,
            answer,
            published,
            told: VecDeque::new(),
        }
    }

    fn take_orders(&mut self, now: Instant) {
        while let Some(order) = self.timetable.due(now) {
            if matches!(order, Order::Start { .. }) {
                self.told.push_back(News::Begun);
            }
            if matches!(order, Order::Start { .. } | Order::Renew { .. }) {
                self.timetable.hold();
            }
            self.role.take(order);
            // A role remembers few events: those of one order are heard before the next.
            self.listen(now);
        }
    }

    /// Says which keys are in use: those of the epoch that was just confirmed.
    fn publish(&self) {
        for &(group, logical) in &self.published.wanted {
            if let Some((epoch, key)) = self.role.key(logical) {
                self.published.in_use.put((group, logical), epoch, key);
            }
        }
    }

    fn listen(&mut self, now: Instant) {
        while let Some(event) = self.role.event() {
            if matches!(event, Event::Confirmed { .. }) {
                self.timetable.release(now + self.answer);
                self.publish();
            }
            self.told.push_back(match event {
                Event::Renewing => News::Begun,
                Event::Confirmed { epoch } => News::InUse {
                    epoch,
                    key: self.role.key(None).map_or(0, |(_, key)| beginning(&key)),
                },
                other => News::Told(other),
            });
        }
    }
}

impl Guard for Renewing {}

impl KeyRole for Renewing {
    fn news(&mut self) -> Option<(News, String)> {
        let news = self.told.pop_front()?;
        let text = text(&news);
        Some((news, text))
    }
}

impl Node for Renewing {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.role.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.take_orders(now);
        let output = self.role.poll(now, room);
        self.listen(now);
        match output {
            Output::Idle(wish) => {
                let next = self.timetable.next();
                Output::Idle(wish.into_iter().chain(next).min())
            }
            output => output,
        }
    }
}

/// Returns what a key begins with.
fn beginning(key: &Secret) -> u64 {
    key.as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Says what happened to a role in a group, for people.
fn text(news: &News) -> String {
    let event = match news {
        News::Begun => return "a new key is begun".to_owned(),
        News::InUse { epoch, .. } => return format!("{IN_USE}{epoch} is in use"),
        News::Told(event) => event,
        other => return format!("{other:?}"),
    };
    match event {
        Event::Formed(Address(0)) => "the group's secret is known".to_owned(),
        Event::Formed(Address(at)) => format!("the secret of logical ECU {at} is known"),
        Event::Failed { result, failure } => {
            format!(
                "the exchange for logical ECU {} failed: {failure:?}",
                result.0
            )
        }
        Event::Missed { epoch } => format!("the key of epoch {epoch} was missed"),
        Event::Starved { renewals } => {
            format!("{renewals} agreements in a row were ordered and gave this ECU no key")
        }
        Event::Unresponsive(Address(at)) => format!("going on without address {at}"),
        Event::PortLags(port) => format!(
            "the bus on port {} is too slow: going on without it",
            port.0
        ),
        Event::PortFollows(port) => format!("the bus on port {} takes frames again", port.0),
        Event::Removed(Address(at)) => format!("address {at} is removed"),
        Event::Included(Address(at)) => format!("address {at} takes part again"),
        Event::Unacknowledged { epoch, members } => {
            format!("{members} have not acknowledged epoch {epoch}")
        }
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_has_its_word() {
        let failure = waywarden_ecu_keys::group::Failure::Timeout;
        let (result, epoch, members) = (Address(7), 1, 2);
        let told = [
            (Event::Formed(Address(0)), "formed"),
            (Event::Formed(Address(9)), "formed"),
            (Event::Failed { result, failure }, "failed"),
            (Event::Missed { epoch }, "missed"),
            (Event::Starved { renewals: 8 }, "starved"),
            (Event::Unresponsive(Address(1)), "unresponsive"),
            (Event::Removed(Address(1)), "removed"),
            (Event::Included(Address(1)), "included"),
            (Event::Unacknowledged { epoch, members }, "unacknowledged"),
        ];
        let told = told.map(|(event, word)| (News::Told(event), word));
        let own = [
            (News::Begun, "begun"),
            (News::InUse { epoch, key: 0 }, "agreed"),
        ];
        for (news, expected) in told.into_iter().chain(own) {
            let (by, text) = ("group".to_owned(), text(&news));
            let kind = KEYS;
            let note = Note { kind, by, text };
            assert_eq!(word(&note), expected, "{news:?}");
            assert_eq!(is_key_in_use(&note), expected == "agreed");
        }
    }
}
