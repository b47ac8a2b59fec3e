//! The device of an attacker: its frames name it, and it is gone when its window ends.

use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_vehicle_trace::sent_by;
use waywarden_work::Instant;

/// Lets a node send in the name of an attacker until a time, and takes back then what still waits
/// in its controllers. A frame on the wire goes on to its end.
pub struct AttackerNode {
    inner: Box<dyn Node + Send>,
    /// The attacker, by its place in the vehicle file.
    attacker: usize,
    until: Instant,
    /// Frames that the controllers hold, bounded by their queues.
    waiting: Vec<(Port, Token)>,
}

impl AttackerNode {
    /// Ends the actions of an attacker's node at `until` on its own clock.
    #[must_use]
    pub fn new(inner: Box<dyn Node + Send>, attacker: usize, until: Instant) -> Self {
        AttackerNode {
            inner,
            attacker,
            until,
            waiting: Vec::new(),
        }
    }
}

impl Node for AttackerNode {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Sent { port, token } | Input::Withdrawn { port, token } = input {
            self.waiting.retain(|&one| one != (port, token));
        }
        self.inner.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if now >= self.until {
            return match self.waiting.pop() {
                Some((port, token)) => Output::Withdraw { port, token },
                None => Output::Idle(None),
            };
        }
        match self.inner.poll(now, room) {
            Output::Transmit { port, token, frame } => {
                self.waiting.push((port, token));
                let frame = sent_by(self.attacker, frame);
                Output::Transmit { port, token, frame }
            }
            Output::Idle(next_deadline) if !self.waiting.is_empty() => Output::Idle(Some(
                next_deadline.map_or(self.until, |next_deadline| next_deadline.min(self.until)),
            )),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use waywarden_can::{Frame, Id};
    use waywarden_ecu::Matching;
    use waywarden_work::Duration;

    use super::*;
    use crate::nodes::{ReplaySelection, Replayer};

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn nothing_is_sent_and_nothing_waits_after_the_end() {
        let frame = Frame::classic(Id::standard(1).unwrap(), &[1]).unwrap();
        let replayer = Replayer::new(
            ReplaySelection::Matching(vec![Matching::All]),
            Duration::from_millis(10),
            1,
            at(30),
            0,
        );
        let mut node = AttackerNode::new(Box::new(replayer), 0, at(30));
        let heard = Input::Frame {
            port: Port(0),
            frame: &frame,
        };
        for ms in [0, 15, 25] {
            node.handle(at(ms), heard);
            assert!(matches!(node.poll(at(ms), Ports::NONE), Output::Idle(_)));
        }
        let Output::Transmit { token, port, .. } = node.poll(at(10), Ports::ALL) else {
            panic!("the first frame is due");
        };
        node.handle(at(12), Input::Sent { port, token });
        let Output::Transmit { token, .. } = node.poll(at(25), Ports::ALL) else {
            panic!("the second frame is due");
        };
        // It waits in the controller: the node wakes in time to take it back.
        assert_eq!(node.poll(at(25), Ports::ALL), Output::Idle(Some(at(30))));
        assert_eq!(
            node.poll(at(30), Ports::ALL),
            Output::Withdraw { port, token }
        );
        // The third one would be due at 35 ms.
        assert_eq!(node.poll(at(35), Ports::ALL), Output::Idle(None));
    }
}
