//! How far a message is on its way out: frame by frame, on every port that it is for.

use waywarden_can::node::{Port, Ports, Token};

/// The frames of one message after the other. Tokens are numbers counted up; each frame that was
/// handed over is answered once.
#[derive(Debug, Default)]
pub(crate) struct Transmission {
    /// The next frame, and on which of the ports.
    frame: usize,
    port: u8,
    /// How many frames are handed over and not answered.
    unanswered: u32,
    /// A frame was taken back: the rest is not sent.
    broken: bool,
    tokens: u32,
    /// Those below belong to messages that are done with.
    first_token: u32,
}

/// A frame to be handed over.
pub(crate) struct Next {
    /// Which of the message's.
    pub(crate) frame: usize,
    pub(crate) port: Port,
    pub(crate) token: Token,
}

impl Transmission {
    /// Returns the next frame of a message of `frames`, if its port has room.
    pub(crate) fn next(&mut self, frames: usize, ports: Ports, room: Ports) -> Option<Next> {
        if self.broken {
            return None;
        }
        while !ports.contains(Port(self.port)) {
            self.port += 1;
            if self.port >= Ports::MAX {
                // A message for no port at all is through when its frames are counted.
                (self.port, self.frame) = (0, self.frame + 1);
            }
            if self.frame >= frames {
                return None;
            }
        }
        let port = Port(self.port);
        if self.frame >= frames || !room.contains(port) {
            return None;
        }
        let (frame, token) = (self.frame, Token(self.tokens));
        self.tokens = self.tokens.wrapping_add(1);
        self.unanswered += 1;
        self.port += 1;
        if (self.port..Ports::MAX).all(|at| !ports.contains(Port(at))) {
            (self.port, self.frame) = (0, self.frame + 1);
        }
        Some(Next { frame, port, token })
    }

    /// Which frame is next.
    pub(crate) const fn frame(&self) -> usize {
        self.frame
    }

    /// Whether all frames that were handed over are answered.
    pub(crate) const fn is_clear(&self) -> bool {
        self.unanswered == 0
    }

    /// A frame was sent or taken back. Returns whether the message was sent whole once all of it is
    /// answered; the next one can then begin.
    pub(crate) fn answered(&mut self, token: Token, sent: bool, frames: usize) -> Option<bool> {
        // Of a message that is done with, or nobody's.
        if token.0.wrapping_sub(self.first_token) >= self.tokens.wrapping_sub(self.first_token) {
            return None;
        }
        self.broken |= !sent;
        self.unanswered = self.unanswered.saturating_sub(1);
        if self.unanswered > 0 || !(self.broken || self.frame >= frames) {
            return None;
        }
        let whole = !self.broken;
        (self.frame, self.port, self.broken) = (0, 0, false);
        self.first_token = self.tokens;
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Ports = Ports::NONE.with(Port(0)).with(Port(3));

    #[test]
    fn each_frame_goes_to_every_port() {
        let mut way = Transmission::default();
        let mut seen = std::vec::Vec::new();
        while let Some(next) = way.next(2, BOTH, Ports::ALL) {
            seen.push((next.frame, next.port.0, next.token.0));
        }
        assert_eq!(seen, [(0, 0, 0), (0, 3, 1), (1, 0, 2), (1, 3, 3)]);
        assert_eq!(way.answered(Token(9), true, 2), None);
        for token in 0..3 {
            assert_eq!(way.answered(Token(token), true, 2), None);
        }
        assert_eq!(way.answered(Token(3), true, 2), Some(true));
        assert_eq!(way.next(1, BOTH, Ports::ALL).unwrap().token, Token(4));
    }

    #[test]
    fn what_was_taken_back_ends_the_message() {
        let mut way = Transmission::default();
        let room = Ports::NONE.with(Port(0));
        assert!(way.next(3, room, room).is_some());
        assert!(way.next(3, room, room).is_some());
        assert_eq!(way.answered(Token(0), false, 3), None);
        assert!(way.next(3, room, room).is_none());
        assert_eq!(way.answered(Token(1), true, 3), Some(false));
        assert!(way.next(3, room, room).is_some());
    }

    #[test]
    fn a_full_port_is_waited_for() {
        let mut way = Transmission::default();
        let room = Ports::NONE.with(Port(0));
        assert!(way.next(1, BOTH, room).is_some());
        assert!(way.next(1, BOTH, room).is_none());
        assert_eq!(way.answered(Token(0), true, 1), None);
        assert_eq!(way.next(1, BOTH, BOTH).unwrap().port, Port(3));
        assert_eq!(way.answered(Token(1), true, 1), Some(true));
    }
}
