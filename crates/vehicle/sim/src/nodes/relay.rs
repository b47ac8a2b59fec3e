//! An attacker with a wire on two buses.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_work::Instant;

/// Limit on frames that wait; further ones are lost.
const WAITING_MAX: usize = 256;

/// Sends by port 0 what it hears by others.
#[derive(Debug, Default)]
pub struct Relay {
    waiting: VecDeque<Frame>,
    token: u32,
}

impl Node for Relay {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        if let Input::Frame { port, frame } = input
            && port != Port(0)
            && self.waiting.len() < WAITING_MAX
        {
            self.waiting.push_back(*frame);
        }
    }

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        if !room.contains(Port(0)) {
            return Output::Idle(None);
        }
        let Some(frame) = self.waiting.pop_front() else {
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
