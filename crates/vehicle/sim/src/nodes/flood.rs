//! An attacker that always has a frame waiting.

use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_work::Instant;

use super::Forged;

/// Frames kept in the controller: the next one is ready when one is sent.
const AHEAD: u32 = 2;

/// Keeps its controller supplied with forged frames, from its boot until it stops.
#[derive(Debug)]
pub struct Flood {
    forged: Forged,
    until: Instant,
    under_way: u32,
    token: u32,
}

impl Flood {
    /// Starts at its boot.
    #[must_use]
    pub fn new(forged: Forged, until: Instant) -> Self {
        Flood {
            forged,
            until,
            under_way: 0,
            token: 0,
        }
    }
}

impl Node for Flood {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        if let Input::Sent { .. } | Input::Withdrawn { .. } = input {
            self.under_way = self.under_way.saturating_sub(1);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if now >= self.until || self.under_way >= AHEAD || !room.contains(Port(0)) {
            return Output::Idle(None);
        }
        let Some(frame) = self.forged.make() else {
            return Output::Idle(None);
        };
        self.under_way += 1;
        self.token = self.token.wrapping_add(1);
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame,
        }
    }
}
