//! Orders that a key role is given at certain times.

use std::collections::VecDeque;

use waywarden_work::{Duration, Instant};

/// When which orders are given, on the ECU's own clock.
#[derive(Clone, Debug)]
pub struct Timetable<O> {
    /// In order of time.
    pub orders: VecDeque<(Instant, O)>,
    /// The time of the next renewal, from one to the next, and the order for it.
    pub renewal: Option<(Instant, Duration, O)>,
}

impl<O> Default for Timetable<O> {
    fn default() -> Self {
        Timetable {
            orders: VecDeque::new(),
            renewal: None,
        }
    }
}

impl<O: Copy> Timetable<O> {
    /// Returns the next order that is due; a renewal that was slept through is not made up for.
    pub(super) fn due(&mut self, now: Instant) -> Option<O> {
        if let Some(&(at, order)) = self.orders.front()
            && at <= now
        {
            self.orders.pop_front();
            return Some(order);
        }
        let (at, period, order) = self.renewal.as_mut().filter(|(at, ..)| *at <= now)?;
        let missed = now.since(*at).as_nanos() / period.as_nanos().max(1);
        *at += Duration::from_nanos(period.as_nanos().saturating_mul(missed + 1));
        Some(*order)
    }

    /// Returns when the next order is due.
    pub(super) fn next(&self) -> Option<Instant> {
        let order = self.orders.front().map(|&(at, _)| at);
        let renewal = self.renewal.map(|(at, ..)| at);
        order.into_iter().chain(renewal).min()
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
        let mut timetable = Timetable {
            orders: [(at(10), 'a'), (at(30), 'b')].into(),
            renewal: Some((at(110), Duration::from_millis(100), 'c')),
        };
        assert_eq!(
            (timetable.due(at(9)), timetable.next()),
            (None, Some(at(10)))
        );
        assert_eq!(timetable.due(at(10)), Some('a'));
        assert_eq!(timetable.next(), Some(at(30)));
        assert_eq!(timetable.due(at(450)), Some('b'));
        assert_eq!(timetable.due(at(450)), Some('c'));
        assert_eq!(
            (timetable.due(at(450)), timetable.next()),
            (None, Some(at(510)))
        );
    }
}
