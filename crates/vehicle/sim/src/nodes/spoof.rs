//! An attacker that sends forged frames at a period.

use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_work::{Duration, Instant};

use super::Forged;

/// Sends a forged frame each period, from its boot until it stops.
#[derive(Debug)]
pub struct Spoof {
    forged: Forged,
    period: Duration,
    next: Instant,
    until: Instant,
    token: u32,
}

impl Spoof {
    /// Starts at `now`; a period of zero is taken as one nanosecond.
    #[must_use]
    pub fn new(forged: Forged, period: Duration, now: Instant, until: Instant) -> Self {
        let period = period.max(Duration::from_nanos(1));
        Spoof {
            forged,
            period,
            next: now,
            until,
            token: 0,
        }
    }
}

impl Node for Spoof {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if self.next > now || self.next >= self.until {
            return Output::Idle((self.next < self.until).then_some(self.next));
        }
        // Without room this instance waits for the next `Sent`, which polls again.
        if !room.contains(Port(0)) {
            return Output::Idle(None);
        }
        self.next += self.period;
        if self.next <= now {
            self.next = now + self.period;
        }
        let Some(frame) = self.forged.make() else {
            return Output::Idle(None);
        };
        self.token = self.token.wrapping_add(1);
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame,
        }
    }
}
