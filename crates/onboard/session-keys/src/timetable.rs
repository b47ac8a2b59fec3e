//! Orders that a key role is given at planned times. A renewal waits until what was begun is over,
//! for a role that restarts begins from nothing.

use waywarden_work::{Duration, Instant};

/// Planned orders with their times, on the ECU's own clock. `T` stores the orders.
#[derive(Clone, Debug)]
pub struct Timetable<T, O> {
    /// In order of time.
    orders: T,
    /// Number of orders that were given.
    given: usize,
    /// The time of the next renewal, from one to the next, and the order for it.
    renewal: Option<(Instant, Duration, O)>,
    /// Time from which a renewal may begin; none as long as what was begun has no end.
    ready: Option<Instant>,
}

impl<T: Default, O> Default for Timetable<T, O> {
    fn default() -> Self {
        Timetable {
            orders: T::default(),
            given: 0,
            renewal: None,
            ready: Some(Instant::ZERO),
        }
    }
}

impl<T: AsMut<[(Instant, O)]>, O> Timetable<T, O> {
    /// Plans orders, and from a time on renewals with so much time from one to the next. Orders of
    /// one time are given in the order in which they stand.
    #[must_use]
    pub fn new(mut orders: T, renewal: Option<(Instant, Duration, O)>) -> Self {
        let sorted = orders.as_mut();
        // Stable, without an allocator; orders are few, and mostly in order.
        for end in 1..sorted.len() {
            let mut at = end;
            while at > 0 && sorted[at - 1].0 > sorted[at].0 {
                sorted.swap(at - 1, at);
                at -= 1;
            }
        }
        Timetable {
            orders,
            given: 0,
            renewal,
            ready: Some(Instant::ZERO),
        }
    }
}

impl<T, O> Timetable<T, O> {
    /// Holds renewals back: something was begun that they must not break off.
    pub const fn hold(&mut self) {
        self.ready = None;
    }

    /// Allows renewals from a time at which what was begun is over, as far as one can tell.
    pub const fn release(&mut self, at: Instant) {
        self.ready = Some(at);
    }
}

impl<T: AsRef<[(Instant, O)]>, O: Copy> Timetable<T, O> {
    /// Returns the next order that is due; a renewal that was slept through is not made up for.
    pub fn due(&mut self, now: Instant) -> Option<O> {
        if let Some(&(at, order)) = self.orders.as_ref().get(self.given)
            && at <= now
        {
            self.given += 1;
            return Some(order);
        }
        let ready = self.ready.is_some_and(|ready| ready <= now);
        let mut renewal = self.renewal.as_mut().filter(|(at, ..)| ready && *at <= now);
        let (at, period, order) = renewal.as_mut()?;
        let missed = now.since(*at).as_nanos() / period.as_nanos().max(1);
        *at += Duration::from_nanos(period.as_nanos().saturating_mul(missed + 1));
        Some(*order)
    }

    /// Returns when the next order is due.
    pub fn next(&self) -> Option<Instant> {
        let order = self.orders.as_ref().get(self.given).map(|&(at, _)| at);
        let renewal = self.renewal.zip(self.ready);
        let renewal = renewal.map(|((at, ..), ready)| at.max(ready));
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
        let orders = [(at(30), 'b'), (at(10), 'a')];
        let renewal = Some((at(110), Duration::from_millis(100), 'c'));
        let mut timetable = Timetable::new(orders, renewal);
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

    #[test]
    fn a_renewal_waits_for_what_is_under_way_and_an_order_does_not() {
        let renewal = Some((at(10), Duration::from_millis(10), 'c'));
        let mut timetable = Timetable::new([(at(25), 'a')], renewal);
        timetable.hold();
        assert_eq!(
            (timetable.due(at(20)), timetable.next()),
            (None, Some(at(25)))
        );
        assert_eq!((timetable.due(at(25)), timetable.next()), (Some('a'), None));
        timetable.release(at(47));
        assert_eq!(
            (timetable.due(at(46)), timetable.next()),
            (None, Some(at(47)))
        );
        assert_eq!(
            (timetable.due(at(47)), timetable.next()),
            (Some('c'), Some(at(50)))
        );
    }
}
