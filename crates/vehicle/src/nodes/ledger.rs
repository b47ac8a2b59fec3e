//! What senders really sent and receivers took for it: the truth of a run, which no ECU of it
//! knows.
//!
//! A message is genuine if its sender sent this payload, and later than what the receiver took from
//! it before. So whatever else a receiver takes was forged, changed on its way, or sent again by
//! another node: no protocol is asked. Where a sender sends the same payload again and again, a
//! message that was sent again counts as genuine while as many of the sender's own were lost.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use waywarden_can_auth::event::Payload;
use waywarden_can_sim::clock::Time;
use waywarden_work::Duration;

/// How many messages of a stream are remembered: what a receiver takes later than that counts as
/// not sent.
pub const REMEMBERED: usize = 256;

/// What was sent and taken, by stream of the vehicle.
#[derive(Debug, Default)]
pub struct Ledger {
    streams: RefCell<Vec<Line>>,
    /// By stream and ECU: how many protected frames were handed to the role that checks them.
    handed: RefCell<BTreeMap<(usize, usize), u64>>,
    /// The time of the run.
    now: Cell<Time>,
}

#[derive(Debug)]
struct Line {
    /// A message as old as that is not the newest any more.
    period: u64,
    /// The last ones sent; none for what an intruder sent from the sender's own ECU.
    sent: VecDeque<Option<Sent>>,
    /// How many were sent before those.
    forgotten: u64,
    /// By receiver.
    taken: BTreeMap<usize, Taken>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    payload: Payload,
    /// What caused it at the sender.
    cause: Option<u64>,
    at: Time,
}

/// What a receiver has taken.
#[derive(Debug, Default)]
struct Taken {
    /// The numbers of messages that are still remembered.
    numbers: BTreeSet<u64>,
    /// The newest, and what it said.
    newest: Option<(u64, Payload)>,
}

/// A message that a sender sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Genuine {
    /// Which of the stream's, from 0.
    pub number: u64,
    /// What caused it at the sender, if its software tells.
    pub cause: Option<u64>,
}

impl Ledger {
    /// Begins a ledger of streams with these periods.
    #[must_use]
    pub fn new(periods: impl Iterator<Item = Duration>) -> Self {
        let line = |period: Duration| Line {
            period: period.as_nanos().saturating_mul(1_000),
            sent: VecDeque::new(),
            forgotten: 0,
            taken: BTreeMap::new(),
        };
        Ledger {
            streams: RefCell::new(periods.map(line).collect()),
            handed: RefCell::default(),
            now: Cell::new(Time::ZERO),
        }
    }

    /// Says what time it is.
    pub(crate) fn set_time(&self, now: Time) {
        self.now.set(now);
    }

    /// Notes that a message of a stream went out.
    pub fn sent(&self, stream: usize, payload: &[u8], cause: Option<u64>) {
        let sent = Sent {
            payload: Payload::new(payload),
            cause,
            at: self.now.get(),
        };
        self.add(stream, Some(sent));
    }

    /// Notes that a message of a stream went out from its sender's ECU which an intruder made up.
    pub fn forged(&self, stream: usize) {
        self.add(stream, None);
    }

    /// Notes that a protected frame of a stream was handed to the role of an ECU that checks it.
    pub fn hand(&self, stream: usize, ecu: usize) {
        *self.handed.borrow_mut().entry((stream, ecu)).or_default() += 1;
    }

    /// Returns how many protected frames of a stream were handed to the role of an ECU.
    #[must_use]
    pub fn handed(&self, stream: usize, ecu: usize) -> u64 {
        let handed = self.handed.borrow();
        handed.get(&(stream, ecu)).copied().unwrap_or_default()
    }

    /// Whether an attacker made up the last message of a stream that left its sender's ECU.
    #[must_use]
    pub fn is_last_forged(&self, stream: usize) -> bool {
        let streams = self.streams.borrow();
        let last = streams.get(stream).and_then(|line| line.sent.back());
        last.is_some_and(Option::is_none)
    }

    fn add(&self, stream: usize, sent: Option<Sent>) {
        if let Some(line) = self.streams.borrow_mut().get_mut(stream) {
            if line.sent.len() == REMEMBERED {
                line.sent.pop_front();
                line.forgotten += 1;
            }
            line.sent.push_back(sent);
        }
    }

    /// Notes that a receiver took a message; returns which one it was, if it was sent.
    pub fn taken(&self, stream: usize, receiver: usize, payload: &[u8]) -> Option<Genuine> {
        let mut streams = self.streams.borrow_mut();
        let line = streams.get_mut(stream)?;
        let Line {
            period,
            sent,
            forgotten,
            taken,
        } = line;
        let taken = taken.entry(receiver).or_default();
        taken.numbers = taken.numbers.split_off(forgotten);
        let candidates = || {
            let numbered = (*forgotten..).zip(sent.iter());
            let own = numbered.filter_map(|(number, sent)| Some((number, sent.as_ref()?)));
            own.filter(|(number, sent)| {
                sent.payload.as_bytes() == payload && taken.admits(*number, payload)
            })
        };
        let now = self.now.get();
        // Of several with one payload it is the one on its way; older ones were lost.
        let on_its_way = candidates().find(|(_, sent)| now.since(sent.at).get() < *period);
        let (number, sent) = on_its_way.or_else(|| candidates().last())?;
        let (payload, cause) = (sent.payload, sent.cause);
        taken.take(number, payload);
        Some(Genuine { number, cause })
    }
}

impl Taken {
    /// Whether a message may be taken now: once, and not behind a newer one that says something
    /// else.
    fn admits(&self, number: u64, payload: &[u8]) -> bool {
        let in_order = self
            .newest
            .is_none_or(|(newest, said)| number > newest || said.as_bytes() == payload);
        in_order && !self.numbers.contains(&number)
    }

    fn take(&mut self, number: u64, payload: Payload) {
        self.numbers.insert(number);
        if self.newest.is_none_or(|(newest, _)| number > newest) {
            self.newest = Some((number, payload));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(10);

    fn ledger() -> Ledger {
        Ledger::new(std::iter::once(PERIOD))
    }

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn numbers(ledger: &Ledger, receiver: usize, payloads: &[u8]) -> Vec<Option<u64>> {
        let taken = payloads
            .iter()
            .map(|byte| ledger.taken(0, receiver, &[*byte]));
        taken.map(|one| one.map(|one| one.number)).collect()
    }

    #[test]
    fn what_was_sent_is_genuine_once_and_in_order() {
        let ledger = ledger();
        for byte in [10, 11, 12, 13] {
            ledger.sent(0, &[byte], Some(u64::from(byte)));
        }
        // The first one lost; then in order, forged, in order, again, too late, in order.
        let seen = numbers(&ledger, 7, &[11, 99, 12, 12, 10, 13, 13]);
        assert_eq!(seen, [Some(1), None, Some(2), None, None, Some(3), None]);
        assert_eq!(numbers(&ledger, 8, &[10]), [Some(0)], "each for itself");
        let cause = ledger.taken(0, 9, &[12]).and_then(|one| one.cause);
        assert_eq!(cause, Some(12));
    }

    #[test]
    fn of_equal_payloads_the_one_on_its_way_is_taken() {
        let ledger = ledger();
        for sent in 0..4 {
            ledger.set_time(at(10 * sent));
            ledger.sent(0, &[5], None);
            // The second and the third are lost.
            if sent == 0 || sent == 3 {
                ledger.set_time(at(10 * sent + 1));
                assert_eq!(numbers(&ledger, 1, &[5]), [Some(sent)]);
            }
        }
        // As many as were lost may come again; not one more.
        assert_eq!(numbers(&ledger, 1, &[5, 5, 5]), [Some(2), Some(1), None]);
        ledger.forged(0);
        assert_eq!(
            numbers(&ledger, 1, &[5]),
            [None],
            "an intruder's are not the sender's"
        );
    }

    #[test]
    fn memory_is_bounded_and_what_is_forgotten_is_not_genuine() {
        let ledger = ledger();
        for at in 0..=REMEMBERED {
            ledger.sent(0, &(at as u64).to_le_bytes(), None);
        }
        assert_eq!(ledger.taken(0, 1, &0u64.to_le_bytes()), None);
        let last = (REMEMBERED as u64).to_le_bytes();
        let taken = ledger.taken(0, 1, &last).map(|one| one.number);
        assert_eq!(taken, Some(REMEMBERED as u64));
        assert_eq!(ledger.taken(5, 1, &last), None, "no such stream");
    }
}
