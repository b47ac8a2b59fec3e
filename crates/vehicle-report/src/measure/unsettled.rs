//! Messages that came to an ECU that checks them and did not yet find them authentic.
//!
//! What an attacker sends is not among them: only what the sender itself sent. A receiver takes
//! messages in order, so one that came before one that was found authentic was refused.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::clock::Time;

/// How many messages wait at one receiver of a stream at most: the oldest of more were refused.
const WAITING_MAX: usize = 256;

/// By stream and ECU, oldest first: when a message was released, and when it came.
#[derive(Debug, Default)]
pub(super) struct Unsettled(BTreeMap<(usize, usize), VecDeque<(Time, Time)>>);

impl Unsettled {
    /// Notes that a message came; returns how many were refused, as far as that is known by now.
    pub(super) fn hear(&mut self, at: (usize, usize), origin: Time, now: Time) -> u64 {
        let waiting = self.0.entry(at).or_default();
        waiting.push_back((origin, now));
        let is_full = waiting.len() > WAITING_MAX;
        if is_full {
            waiting.pop_front();
        }
        u64::from(is_full)
    }

    /// Notes that the message was found authentic that was released then; returns how many were
    /// refused, as far as that is known by now.
    pub(super) fn take(&mut self, at: (usize, usize), origin: Time) -> u64 {
        let Some(waiting) = self.0.get_mut(&at) else {
            return 0;
        };
        let mut refused = 0;
        while let Some(&(own, _)) = waiting.front()
            && own <= origin
        {
            waiting.pop_front();
            refused += u64::from(own < origin);
        }
        refused
    }

    /// Takes out what is left, with the time when it came.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = ((usize, usize), Time)> + use<> {
        let all = std::mem::take(&mut self.0).into_iter();
        all.flat_map(|(at, waiting)| waiting.into_iter().map(move |(_, heard)| (at, heard)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: (usize, usize) = (2, 3);

    fn ms(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn what_came_before_an_authentic_message_was_refused() {
        let mut unsettled = Unsettled::default();
        for at in [10, 20, 30, 40] {
            assert_eq!(unsettled.hear(AT, ms(at), ms(at + 1)), 0);
        }
        assert_eq!(unsettled.take(AT, ms(10)), 0);
        assert_eq!(unsettled.take((9, 9), ms(30)), 0, "another receiver");
        assert_eq!(unsettled.take(AT, ms(30)), 1);
        let rest: Vec<_> = unsettled.rest().collect();
        assert_eq!(rest, [(AT, ms(41))]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut unsettled = Unsettled::default();
        let heard = (0..1_000).map(|at| unsettled.hear(AT, ms(at), ms(at)));
        assert_eq!(heard.sum::<u64>(), 1_000 - WAITING_MAX as u64);
        assert_eq!(unsettled.rest().count(), WAITING_MAX);
    }
}
