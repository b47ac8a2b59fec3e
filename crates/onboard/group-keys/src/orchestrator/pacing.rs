//! Pacing of orders: they follow one another at once, unless a member falls behind.
//!
//! A member that computes more slowly than the active ones cannot receive while it has three
//! exchanges to compute, and would miss the same in a repetition. So each time that a member
//! reports that it fell behind, the pauses between orders grow, until it can follow.

use waywarden_work::{Duration, Instant};

/// The first pause is this part of the time for an exchange, each further one twice the last.
const FIRST_PART: u64 = 32;

pub(super) struct Pacing {
    /// The pause between two orders.
    pause: Duration,
    until: Instant,
    /// The epoch in which a member fell behind last.
    behind_in: Option<u64>,
}

impl Pacing {
    pub(super) const fn new(now: Instant) -> Self {
        Pacing {
            pause: Duration::ZERO,
            until: now,
            behind_in: None,
        }
    }

    /// A member fell behind on the way to the key of this epoch. No member has signed that, so it
    /// counts once for each key, and a pause is never longer than the time for an exchange, in
    /// which every board is through with one.
    pub(super) fn fell_behind(&mut self, epoch: u64, exchange: Duration) {
        if self.behind_in != Some(epoch) {
            let first = exchange.as_nanos() / FIRST_PART;
            let next = self.pause.as_nanos().saturating_mul(2).max(first);
            self.pause = Duration::from_nanos(next.min(exchange.as_nanos()));
            self.behind_in = Some(epoch);
        }
    }

    /// Shortens the pause by an eighth, after all members have acknowledged a key.
    pub(super) fn all_followed(&mut self, exchange: Duration) {
        let next = self.pause.as_nanos() / 8 * 7;
        let least = exchange.as_nanos() / FIRST_PART / 2;
        self.pause = Duration::from_nanos(if next < least { 0 } else { next });
    }

    /// Starts the pause after an order that was sent.
    pub(super) fn ordered(&mut self, now: Instant) {
        self.until = now + self.pause;
    }

    /// Returns true if there are pauses at all.
    pub(super) fn is_slow(&self) -> bool {
        self.pause.as_nanos() > 0
    }

    /// Returns until when the next order has to wait; none if it has not.
    pub(super) fn holds(&self, now: Instant) -> Option<Instant> {
        Some(self.until).filter(|&until| until > now)
    }
}
