//! Payloads on their way out: one after the other, frame by frame, on every port of the group.

use waywarden_can::node::{Output, Port, Ports, Token};

use super::identifier::{Header, Step};
use super::settings::Transport;

/// How many payloads may wait. A member has at most one share, one confirmation, one
/// acknowledgement and one report; an orchestrator besides these an orchestration with its
/// freshness and the two payloads of a distribution.
const WAITING_MAX: usize = 8;

/// A payload and what it is.
#[derive(Clone, Copy)]
pub(super) struct Outgoing {
    pub(super) step: Step,
    pub(super) header: Header,
    pub(super) payload: [u8; 64],
}

/// A bounded queue. The first payload may be under way: some of its frames handed over, some of
/// those not yet answered.
pub(super) struct Outbox {
    waiting: [Option<Outgoing>; WAITING_MAX],
    /// The next frame of the first payload, and on which of the ports.
    frame: usize,
    port: u8,
    /// How many frames of the first payload are handed over and not answered.
    unanswered: u32,
    /// A frame of the first payload was taken back: the rest of it is not sent.
    broken: bool,
    /// Tokens are numbers counted up; those below belong to payloads that are done with.
    tokens: u32,
    first_token: u32,
    lost: u32,
}

impl Outbox {
    pub(super) const fn new() -> Self {
        Outbox {
            waiting: [None; WAITING_MAX],
            frame: 0,
            port: 0,
            unanswered: 0,
            broken: false,
            tokens: 0,
            first_token: 0,
            lost: 0,
        }
    }

    /// Adds a payload; with all places taken it is lost, and the exchange times out.
    pub(super) fn push(&mut self, step: Step, header: Header, payload: [u8; 64]) {
        let outgoing = Outgoing {
            step,
            header,
            payload,
        };
        match self.waiting.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(outgoing),
            None => self.lost += 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting[0].is_none()
    }

    /// Returns the next frame to be handed over.
    pub(super) fn poll(
        &mut self,
        ports: Ports,
        transport: Transport,
        room: Ports,
    ) -> Option<Output> {
        let outgoing = self.waiting[0].as_ref()?;
        if self.broken {
            return None;
        }
        let Outgoing {
            step,
            header,
            payload,
        } = outgoing;
        let payload = &payload[..step.payload_length()];
        let frame = transport.frame(*header, *step, payload, self.frame)?;
        while self.port < Ports::MAX && !ports.contains(Port(self.port)) {
            self.port += 1;
        }
        let port = Port(self.port);
        if self.port == Ports::MAX {
            (self.port, self.frame) = (0, self.frame + 1);
            return self.poll(ports, transport, room);
        }
        if !room.contains(port) {
            return None;
        }
        let token = Token(self.tokens);
        self.tokens = self.tokens.wrapping_add(1);
        self.unanswered += 1;
        self.port += 1;
        Some(Output::Transmit { port, token, frame })
    }

    /// A frame has been sent (or taken back); returns the payload if that was its last one.
    pub(super) fn answered(
        &mut self,
        token: Token,
        sent: bool,
        ports: Ports,
        transport: Transport,
    ) -> Option<Outgoing> {
        // Of a payload that is done with, or nobody's.
        if token.0.wrapping_sub(self.first_token) >= self.tokens.wrapping_sub(self.first_token) {
            return None;
        }
        self.broken |= !sent;
        self.unanswered = self.unanswered.saturating_sub(1);
        let outgoing = self.waiting[0]?;
        let frames = transport.frame_count(outgoing.step);
        let last_port = (0..Ports::MAX).rev().find(|&at| ports.contains(Port(at)));
        let all_out = self.frame >= frames
            || (self.frame + 1 == frames && last_port.is_some_and(|last| self.port > last));
        if self.unanswered > 0 || !(self.broken || all_out) {
            return None;
        }
        let whole = !self.broken;
        self.waiting[0] = None;
        self.waiting.rotate_left(1);
        (self.frame, self.port, self.broken) = (0, 0, false);
        self.first_token = self.tokens;
        whole.then_some(outgoing)
    }
}
