//! What senders really sent and receivers took for it: the truth of a run, which no ECU of it knows.
//!
//! A message is genuine if its sender sent this payload, and later than what the receiver took from
//! it before. So whatever else a receiver takes was forged, changed on its way, or sent again by
//! somebody: no protocol is asked. Where a sender sends the same payload again and again, a message
//! that was sent again counts as genuine while as many of the sender's own were lost.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use waywarden_can_auth::event::Payload;

/// How many messages of a stream are remembered: what a receiver takes later than that counts as
/// not sent.
pub const REMEMBERED: usize = 256;

/// What was sent and taken, by stream of the vehicle.
#[derive(Debug)]
pub struct Ledger {
    streams: RefCell<Vec<Line>>,
}

#[derive(Debug, Default)]
struct Line {
    /// The last ones sent, each with what caused it; none for what somebody else sent from the
    /// sender's own ECU.
    sent: VecDeque<Option<(Payload, Option<u64>)>>,
    /// How many were sent before those.
    forgotten: u64,
    /// By receiver: how many of the sent ones it has taken or can take no more.
    taken: BTreeMap<usize, u64>,
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
    /// Begins a ledger of so many streams.
    #[must_use]
    pub fn new(streams: usize) -> Self {
        let mut lines = Vec::new();
        lines.resize_with(streams, Line::default);
        Ledger {
            streams: RefCell::new(lines),
        }
    }

    /// Notes that a message of a stream went out.
    pub fn sent(&self, stream: usize, payload: &[u8], cause: Option<u64>) {
        self.add(stream, Some((Payload::new(payload), cause)));
    }

    /// Notes that a message of a stream went out from its sender's ECU which somebody else made up.
    pub fn forged(&self, stream: usize) {
        self.add(stream, None);
    }

    fn add(&self, stream: usize, sent: Option<(Payload, Option<u64>)>) {
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
        let taken = line.taken.entry(receiver).or_default();
        let first = taken.saturating_sub(line.forgotten) as usize;
        let new = line.sent.iter().enumerate().skip(first);
        let mut own = new.filter_map(|(at, sent)| Some((at, sent.as_ref()?)));
        let (at, &(_, cause)) = own.find(|(_, (sent, _))| sent.as_bytes() == payload)?;
        let number = line.forgotten + at as u64;
        *taken = number + 1;
        Some(Genuine { number, cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(ledger: &Ledger, receiver: usize, payloads: &[u8]) -> Vec<Option<u64>> {
        let taken = payloads
            .iter()
            .map(|byte| ledger.taken(0, receiver, &[*byte]));
        taken.map(|one| one.map(|one| one.number)).collect()
    }

    #[test]
    fn what_was_sent_is_genuine_once_and_in_order() {
        let ledger = Ledger::new(1);
        for byte in [10, 11, 12, 11] {
            ledger.sent(0, &[byte], Some(u64::from(byte)));
        }
        // Lost, forged, in order, again, late.
        let seen = numbers(&ledger, 7, &[11, 99, 12, 12, 10, 11, 11]);
        assert_eq!(seen, [Some(1), None, Some(2), None, None, Some(3), None]);
        assert_eq!(numbers(&ledger, 8, &[10]), [Some(0)], "each for itself");
        let cause = ledger.taken(0, 9, &[12]).and_then(|one| one.cause);
        assert_eq!(cause, Some(12));
    }

    #[test]
    fn memory_is_bounded_and_what_is_forgotten_is_not_genuine() {
        let ledger = Ledger::new(1);
        for at in 0..=REMEMBERED {
            ledger.sent(0, &(at as u64).to_le_bytes(), None);
        }
        assert_eq!(ledger.taken(0, 1, &0u64.to_le_bytes()), None);
        let last = (REMEMBERED as u64).to_le_bytes();
        assert_eq!(
            ledger.taken(0, 1, &last).map(|one| one.number),
            Some(REMEMBERED as u64)
        );
        assert_eq!(ledger.taken(5, 1, &last), None, "no such stream");
    }
}
