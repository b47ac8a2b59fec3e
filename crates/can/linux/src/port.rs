//! One port's frames on their way out: what waits here, what the link has, and which token an
//! echo answers. No I/O, no clock.
//!
//! A frame waits here as long as it can, because here it can be withdrawn and overtaken by a more
//! urgent one; the kernel's queue allows neither. So the link has only a few at a time: one on the
//! wire, and one that follows it without a gap.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{BusState, Token};
use waywarden_work::{Duration, Instant};

#[cfg(test)]
mod tests;

/// The numbers of frames that a port holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Frames a node may have under way on the port, at least 1. The port has room below this.
    pub frames: usize,
    /// Number of these that the kernel has at a time, at least 1. An urgent frame waits behind at
    /// most this many of its own port's less urgent ones; with 1 the bus is free between two frames
    /// for as long as the process takes to wake up.
    pub in_flight: usize,
}

impl Default for Depth {
    fn default() -> Self {
        Depth {
            frames: 32,
            in_flight: 2,
        }
    }
}

/// A frame the link has.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// None where the node that sent it was reset meanwhile.
    token: Option<Token>,
    frame: Frame,
    /// Its echo may have been thrown away; from this instant on the port waits for it no longer.
    doubted_until: Option<Instant>,
}

/// The outgoing side of a port.
#[derive(Debug)]
pub(crate) struct Outgoing {
    depth: Depth,
    waiting: VecDeque<(Token, Frame)>,
    in_flight: VecDeque<InFlight>,
    state: BusState,
    up: bool,
    /// The link was full; it is asked again at this instant.
    retry_at: Option<Instant>,
}

/// The pause before a full link is tried again. A classic frame of 8 bytes takes 0.26 ms at 500
/// kbit/s.
pub(crate) const RETRY_AFTER: Duration = Duration::from_millis(1);

/// The wait for an echo that may have been thrown away.
pub(crate) const DOUBT: Duration = Duration::from_millis(200);

impl Outgoing {
    pub(crate) fn new(depth: Depth) -> Self {
        Outgoing {
            depth: Depth {
                frames: depth.frames.max(1),
                in_flight: depth.in_flight.max(1),
            },
            waiting: VecDeque::new(),
            in_flight: VecDeque::new(),
            state: BusState::Active,
            up: true,
            retry_at: None,
        }
    }

    /// Takes a frame from the node, which saw that there is room.
    pub(crate) fn push(&mut self, token: Token, frame: Frame) {
        self.waiting.push_back((token, frame));
    }

    /// Records that the link took the frame of this token.
    pub(crate) fn taken(&mut self, token: Token) {
        let at = self.waiting.iter().position(|&(of, _)| of == token);
        if let Some((token, frame)) = at.and_then(|at| self.waiting.remove(at)) {
            self.retry_at = None;
            self.in_flight.push_back(InFlight {
                token: Some(token),
                frame,
                doubted_until: None,
            });
        }
    }

    /// Records that the link is full.
    pub(crate) fn full(&mut self, now: Instant) {
        self.retry_at = Some(now + RETRY_AFTER);
    }

    /// Forgets that the link was full, if it was long enough ago.
    pub(crate) fn retry(&mut self, now: Instant) {
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
        }
    }

    /// Matches an echo with the oldest frame that looks the same, and calls `sent` for each token
    /// it answers, with whether its own echo was seen; false if no frame looks so.
    ///
    /// Frames before it whose echo may have been thrown away were sent too: a controller empties
    /// its queue in order.
    pub(crate) fn echo(&mut self, frame: &Frame, mut sent: impl FnMut(Token, bool)) -> bool {
        let Some(at) = self.in_flight.iter().position(|own| own.frame == *frame) else {
            return false;
        };
        self.retry_at = None;
        let mut place = 0;
        self.in_flight.retain(|own| {
            let seen = place == at;
            let done = seen || (place < at && own.doubted_until.is_some());
            place += 1;
            if let (true, Some(token)) = (done, own.token) {
                sent(token, seen);
            }
            !done
        });
        true
    }

    /// Records that echoes may have been thrown away: those of all frames the link has.
    pub(crate) fn doubt(&mut self, now: Instant) {
        for own in &mut self.in_flight {
            own.doubted_until.get_or_insert(now + DOUBT);
        }
    }

    /// Calls `sent` for each frame whose echo was waited for long enough.
    ///
    /// Choice: such a frame counts as sent. If it was not, a receiver misses one message; if it
    /// counted as withdrawn and was sent, a role could use a freshness value twice.
    pub(crate) fn give_up_doubted(&mut self, now: Instant, mut sent: impl FnMut(Token)) {
        self.in_flight.retain(|own| {
            let over = own.doubted_until.is_some_and(|until| until <= now);
            if let (true, Some(token)) = (over, own.token) {
                sent(token);
            }
            !over
        });
    }

    /// Takes back a frame that waits here; false if the link has it already, or if it is not known
    /// here.
    pub(crate) fn withdraw(&mut self, token: Token) -> bool {
        let at = self.waiting.iter().position(|&(of, _)| of == token);
        at.and_then(|at| self.waiting.remove(at)).is_some()
    }

    /// Takes back everything, also what the link lost, and calls `withdrawn` for each token.
    pub(crate) fn give_back(&mut self, mut withdrawn: impl FnMut(Token)) {
        for own in self.in_flight.drain(..) {
            own.token.into_iter().for_each(&mut withdrawn);
        }
        for (token, _) in self.waiting.drain(..) {
            withdrawn(token);
        }
        self.retry_at = None;
    }

    /// Forgets the tokens of a node that was reset; echoes of its frames answer no node.
    pub(crate) fn orphan(&mut self) {
        self.waiting.clear();
        for own in &mut self.in_flight {
            own.token = None;
        }
    }

    /// Sets the controller's state; true if it is another one.
    pub(crate) fn enter(&mut self, state: BusState) -> bool {
        let changed = self.state != state;
        self.state = state;
        changed
    }

    pub(crate) fn set_up(&mut self, up: bool) {
        self.up = up;
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up
    }

    pub(crate) fn state(&self) -> BusState {
        self.state
    }

    /// Returns true if the node may hand over another frame.
    pub(crate) fn has_room(&self) -> bool {
        self.may_send() && self.waiting.len() + self.in_flight.len() < self.depth.frames
    }

    /// Returns the frame that goes to the link next: the one that would win arbitration first,
    /// among equals the oldest. None while the link has enough, is full, or the bus is off.
    pub(crate) fn next(&self) -> Option<(Token, Frame)> {
        let open = self.may_send()
            && self.retry_at.is_none()
            && self.in_flight.len() < self.depth.in_flight;
        // `min_by_key` keeps the first of equals.
        open.then(|| {
            let urgent = |(_, frame): &&(Token, Frame)| frame.arbitration_key();
            self.waiting.iter().min_by_key(urgent).copied()
        })?
    }

    /// Returns the next instant at which [`Outgoing::retry`] or [`Outgoing::give_up_doubted`] has
    /// something to do.
    pub(crate) fn due(&self) -> Option<Instant> {
        let doubted = self.in_flight.iter().filter_map(|own| own.doubted_until);
        doubted.chain(self.retry_at).min()
    }

    fn may_send(&self) -> bool {
        self.up && self.state != BusState::Off
    }
}
