//! What senders really sent and receivers took for it.
//!
//! A message is genuine if its sender sent this payload, and later than what the receiver took from
//! it before. So whatever else a receiver takes was forged, changed on its way, or sent again by
//! another node: no protocol is asked. Where a sender sends the same payload again and again, a
//! message that was sent again counts as genuine while as many of the sender's own were lost.

use std::collections::VecDeque;

use waywarden_can_auth::event::Payload;
use waywarden_can_sim::clock::Time;
use waywarden_work::Duration;

/// How many messages of a stream are remembered: what a receiver takes later than that counts as
/// not sent.
pub const REMEMBERED: usize = 256;

/// What was sent and taken, by stream of the vehicle.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    streams: Vec<SentMessages>,
}

#[derive(Debug)]
struct SentMessages {
    /// A message as old as that is not the newest any more.
    period: u64,
    /// The last ones sent; none for what an attacker sent from the sender's own ECU.
    sent: VecDeque<Option<Sent>>,
    /// How many were sent before those.
    forgotten: u64,
    /// By receiver, of which there are few.
    taken: Vec<(usize, TakenMessages)>,
}

/// A message that a sender's software sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) payload: Payload,
    /// What caused it at the sender.
    pub(super) cause: Option<u64>,
    /// When it was released.
    pub(super) released: Time,
    /// When it left the sender.
    pub(super) at: Time,
}

/// What a receiver has taken.
#[derive(Debug, Default)]
struct TakenMessages {
    /// Of the last messages, by their numbers modulo [`REMEMBERED`]: the number that was taken.
    numbers: Vec<u64>,
    /// The newest, and what it said.
    newest: Option<(u64, Payload)>,
}

/// What stands for no number in [`TakenMessages`].
const NONE: u64 = u64::MAX;

/// A message that a sender sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Genuine {
    /// Which of the stream's, from 0.
    pub number: u64,
    /// What caused it at the sender, if its software tells.
    pub cause: Option<u64>,
    /// When it was released at the sender.
    pub released: Time,
}

impl Ledger {
    /// Begins a ledger of streams with these periods.
    pub(super) fn new(periods: impl Iterator<Item = Duration>) -> Self {
        let stream = |period: Duration| SentMessages {
            period: period.as_nanos().saturating_mul(1_000),
            sent: VecDeque::new(),
            forgotten: 0,
            taken: Vec::new(),
        };
        Ledger {
            streams: periods.map(stream).collect(),
        }
    }

    /// Adds a message that left its sender, or one that an attacker there made up; returns its
    /// number.
    pub(super) fn sent(&mut self, stream: usize, sent: Option<Sent>) -> Option<u64> {
        let own = self.streams.get_mut(stream)?;
        if own.sent.len() == REMEMBERED {
            own.sent.pop_front();
            own.forgotten += 1;
        }
        own.sent.push_back(sent);
        Some(own.forgotten + own.sent.len() as u64 - 1)
    }

    /// Whether a message of this number says this and may be on its way.
    pub(super) fn is_under_way(
        &self,
        (stream, number): (usize, u64),
        payload: &[u8],
        now: Time,
    ) -> bool {
        let Some(own) = self.streams.get(stream) else {
            return false;
        };
        let sent = own.get(number);
        sent.is_some_and(|sent| sent.payload.as_bytes() == payload && own.is_recent(sent, now))
    }

    /// Notes that a receiver took a message, which came by a frame with the message of this number
    /// if that is known; returns which one it was, if it was sent.
    pub(super) fn taken(
        &mut self,
        (stream, receiver): (usize, usize),
        payload: &[u8],
        carried: Option<u64>,
        now: Time,
    ) -> Option<Genuine> {
        let own = self.streams.get_mut(stream)?;
        let at = match own.taken.iter().position(|(one, _)| *one == receiver) {
            Some(at) => at,
            None => {
                own.taken.push((receiver, TakenMessages::default()));
                own.taken.len() - 1
            }
        };
        let (number, sent) = own.find(at, payload, carried, now)?;
        own.taken[at].1.take(number, sent.payload);
        Some(Genuine {
            number,
            cause: sent.cause,
            released: sent.released,
        })
    }
}

impl SentMessages {
    fn get(&self, number: u64) -> Option<&Sent> {
        let place = usize::try_from(number.checked_sub(self.forgotten)?).ok()?;
        self.sent.get(place)?.as_ref()
    }

    /// Finds the message that a receiver took.
    fn find(
        &self,
        receiver: usize,
        payload: &[u8],
        carried: Option<u64>,
        now: Time,
    ) -> Option<(u64, Sent)> {
        let taken = &self.taken[receiver].1;
        let is_it = |number: u64, sent: &Sent| {
            sent.payload.as_bytes() == payload && taken.admits(number, payload)
        };
        let carried = carried.and_then(|number| Some((number, *self.get(number)?)));
        if let Some(own) = carried.filter(|(number, sent)| is_it(*number, sent)) {
            return Some(own);
        }
        // Sent again by another node, or in a frame that an attacker made of several.
        let candidates = || {
            let numbered = (self.forgotten..).zip(self.sent.iter());
            let own = numbered.filter_map(|(number, sent)| Some((number, (*sent)?)));
            own.filter(|(number, sent)| is_it(*number, sent))
        };
        // Of several with one payload it is the one on its way; older ones were lost.
        let on_its_way = candidates().find(|(_, sent)| self.is_recent(sent, now));
        on_its_way.or_else(|| candidates().last())
    }

    fn is_recent(&self, sent: &Sent, now: Time) -> bool {
        now.since(sent.at).get() < self.period
    }
}

impl TakenMessages {
    /// Whether a message may be taken now: once, and not behind a newer one that says something
    /// else.
    fn admits(&self, number: u64, payload: &[u8]) -> bool {
        let in_order = self
            .newest
            .is_none_or(|(newest, said)| number > newest || said.as_bytes() == payload);
        in_order && self.numbers.get(place(number)) != Some(&number)
    }

    fn take(&mut self, number: u64, payload: Payload) {
        if self.numbers.is_empty() {
            self.numbers = vec![NONE; REMEMBERED];
        }
        self.numbers[place(number)] = number;
        if self.newest.is_none_or(|(newest, _)| number > newest) {
            self.newest = Some((number, payload));
        }
    }
}

const fn place(number: u64) -> usize {
    (number % REMEMBERED as u64) as usize
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

    fn send(ledger: &mut Ledger, payload: &[u8], cause: Option<u64>, at: Time) -> Option<u64> {
        let payload = Payload::new(payload);
        let released = at;
        ledger.sent(
            0,
            Some(Sent {
                payload,
                cause,
                released,
                at,
            }),
        )
    }

    fn take(ledger: &mut Ledger, receiver: usize, payload: &[u8], now: Time) -> Option<u64> {
        let taken = ledger.taken((0, receiver), payload, None, now);
        taken.map(|one| one.number)
    }

    #[test]
    fn sent_messages_are_genuine_once_and_in_order() {
        let mut ledger = ledger();
        for byte in [10, 11, 12, 13] {
            send(&mut ledger, &[byte], Some(u64::from(byte)), Time::ZERO);
        }
        // The first one lost; then in order, forged, in order, again, too late, in order.
        let seen = [11, 99, 12, 12, 10, 13, 13].map(|byte| take(&mut ledger, 7, &[byte], at(0)));
        assert_eq!(seen, [Some(1), None, Some(2), None, None, Some(3), None]);
        assert_eq!(
            take(&mut ledger, 8, &[10], at(0)),
            Some(0),
            "each receiver for itself"
        );
        let cause = ledger
            .taken((0, 9), &[12], None, at(0))
            .and_then(|one| one.cause);
        assert_eq!(cause, Some(12));
    }

    #[test]
    fn of_equal_payloads_the_one_on_its_way_is_taken() {
        let mut ledger = ledger();
        for sent in 0..4 {
            send(&mut ledger, &[5], None, at(10 * sent));
            // The second and the third are lost.
            if sent == 0 || sent == 3 {
                assert_eq!(take(&mut ledger, 1, &[5], at(10 * sent + 1)), Some(sent));
            }
        }
        // As many as were lost may come again; not one more.
        let again = [0; 3].map(|_| take(&mut ledger, 1, &[5], at(31)));
        assert_eq!(again, [Some(2), Some(1), None]);
        ledger.sent(0, None);
        assert_eq!(
            take(&mut ledger, 1, &[5], at(31)),
            None,
            "an attacker's are not the sender's"
        );
    }

    #[test]
    fn a_frame_that_carries_a_message_decides_among_equal_payloads() {
        let mut ledger = ledger();
        for sent in 0..3 {
            send(&mut ledger, &[5], None, at(sent));
        }
        let mut by = |number| {
            let taken = ledger.taken((0, 1), &[5], Some(number), at(3));
            taken.map(|one| one.number)
        };
        assert_eq!([by(1), by(2)], [Some(1), Some(2)]);
        assert_eq!(by(2), Some(0), "sent again: the one that was lost");
        let other = ledger.taken((0, 1), &[6], Some(2), at(3));
        assert_eq!(other, None, "changed on its way");
    }

    #[test]
    fn memory_is_bounded_and_what_is_forgotten_is_not_genuine() {
        let mut ledger = ledger();
        for at in 0..=REMEMBERED {
            send(&mut ledger, &(at as u64).to_le_bytes(), None, Time::ZERO);
        }
        assert_eq!(take(&mut ledger, 1, &0u64.to_le_bytes(), at(0)), None);
        let last = REMEMBERED as u64;
        assert_eq!(take(&mut ledger, 1, &last.to_le_bytes(), at(0)), Some(last));
        assert!(
            ledger.taken((5, 1), &[1], None, at(0)).is_none(),
            "no such stream"
        );
    }
}
