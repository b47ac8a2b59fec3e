//! The progress of a message on its way out: frame by frame, on every port that it is for.
//!
//! Each port goes at its own speed. A port that is far behind the others lags: the next message
//! does not wait for it. So a bus without a receiver, or a flooded one, holds up no other bus.

#[cfg(test)]
mod tests;

use waywarden_can::node::{Port, Ports, Token};
use waywarden_work::{Duration, Instant};

/// A port may take this many times as long as the first one that has sent a message: the ratio of
/// the fastest bit rate to the slowest.
const SLOWER: u64 = 8;

/// Maximum number of doublings of the time that no message waits for a lagging port.
const STRIKES_MAX: u8 = 6;

/// The frames of one message after the other. Tokens are numbers counted up; each frame that was
/// handed over is answered once.
pub struct Transmission {
    /// Frames of the message that each port has been handed.
    handed: [u16; PORTS],
    /// Frames without an answer on each port.
    unanswered: [u8; PORTS],
    /// The ports on which these are frames of messages before.
    stale: Ports,
    /// The ports on which the message is sent whole, on which a frame of it was taken back, and
    /// which are not given it.
    done: Ports,
    broken: Ports,
    left_out: Ports,
    /// The ports that no message waits for, and those of them that were reported.
    lagging: Ports,
    reported: Ports,
    /// Start of the message, later the time of its first answer; if that came; the end of the wait.
    begun: Option<Instant>,
    moves: bool,
    due: Instant,
    /// Time from which it waits for a lagging port again.
    retry_at: Instant,
    strikes: u8,
    tokens: u32,
    /// Those below belong to messages that are done with.
    first_token: u32,
}

const PORTS: usize = Ports::MAX as usize;

/// The ports of a message, and its patience with slow ones.
#[derive(Clone, Copy)]
pub struct TransmissionRoute {
    /// The ports that it is for.
    pub ports: Ports,
    /// The longest time that a port may be behind the first one that has sent a message.
    pub patience: Duration,
}

/// A frame to be handed over.
pub struct Next {
    /// The frame's index in the message.
    pub frame: usize,
    /// The port that it goes to.
    pub port: Port,
    /// The token that its answer has.
    pub token: Token,
}

impl Default for Transmission {
    fn default() -> Self {
        Transmission {
            handed: [0; PORTS],
            unanswered: [0; PORTS],
            stale: Ports::NONE,
            done: Ports::NONE,
            broken: Ports::NONE,
            left_out: Ports::NONE,
            lagging: Ports::NONE,
            reported: Ports::NONE,
            begun: None,
            moves: false,
            due: Instant::MAX,
            retry_at: Instant::ZERO,
            strikes: 0,
            tokens: 0,
            first_token: 0,
        }
    }
}

impl Transmission {
    /// Returns the next frame of a message of `frames` for a port with room. A frame for which
    /// `waits` is true follows when all before it are answered on its port.
    pub fn next(
        &mut self,
        now: Instant,
        frames: usize,
        (route, room): (&TransmissionRoute, Ports),
        waits: impl Fn(usize) -> bool,
    ) -> Option<Next> {
        if self.begun.is_none() && !self.begin(now, route.ports) {
            return None;
        }
        let may = |&port: &Port| {
            let (handed, unanswered) = (self.frame(port), self.unanswered[place(port)]);
            let open = !self.left_out.contains(port) && !self.broken.contains(port);
            let fits = room.contains(port) && unanswered < u8::MAX;
            open && fits && handed < frames && (unanswered == 0 || !waits(handed))
        };
        let port = each(route.ports).filter(may);
        let port = port.min_by_key(|&port| self.frame(port))?;
        let (frame, token) = (self.frame(port), Token(self.tokens));
        self.tokens = self.tokens.wrapping_add(1);
        self.handed[place(port)] += 1;
        self.unanswered[place(port)] += 1;
        Some(Next { frame, port, token })
    }

    /// Begins a message; false while every port is busy with one before.
    fn begin(&mut self, now: Instant, ports: Ports) -> bool {
        for port in each(self.lagging) {
            match !self.stale.contains(port) {
                true if now >= self.retry_at => self.lagging = self.lagging.without(port),
                true => {}
                false => self.left_out = self.left_out.with(port),
            }
        }
        let begins = each(ports).any(|port| !self.left_out.contains(port));
        match begins {
            true => self.begun = Some(now),
            false => self.left_out = Ports::NONE,
        }
        begins
    }

    /// Returns the number of frames of the message that a port has been handed.
    fn frame(&self, port: Port) -> usize {
        usize::from(self.handed[place(port)])
    }

    /// A frame was sent or taken back on a port. Returns whether the message was sent whole once it
    /// is done with; the next one can then begin.
    pub fn answered(
        &mut self,
        now: Instant,
        (port, token, sent): (Port, Token, bool),
        frames: usize,
        route: &TransmissionRoute,
    ) -> Option<bool> {
        let behind = self.first_token.wrapping_sub(token.0);
        if behind > 0 && behind <= u32::MAX / 2 {
            if self.stale.contains(port) && self.take_one(port) == 0 {
                self.stale = self.stale.without(port);
            }
            return None;
        }
        let is_own =
            token.0.wrapping_sub(self.first_token) < self.tokens.wrapping_sub(self.first_token);
        if !route.ports.contains(port) || self.stale.contains(port) || !is_own {
            return None;
        }
        let unanswered = self.take_one(port);
        if !self.moves {
            // What no port could send before says nothing about how fast they are.
            (self.moves, self.begun) = (true, Some(now));
        }
        if !sent {
            self.broken = self.broken.with(port);
        }
        let whole = unanswered == 0 && self.frame(port) >= frames;
        if whole && !self.broken.contains(port) {
            self.done = self.done.with(port);
            let took = now.since(self.begun.unwrap_or(now)).times(SLOWER);
            let due = now + route.patience.max(took);
            self.due = self.due.min(due);
        }
        self.time_out(now, route)
    }

    /// Counts one frame less on a port, and returns how many are left.
    fn take_one(&mut self, port: Port) -> u8 {
        let unanswered = &mut self.unanswered[place(port)];
        *unanswered = unanswered.saturating_sub(1);
        *unanswered
    }

    /// Returns whether the message was sent whole once it is done with: sent on all ports that do
    /// not lag. Those that are not through by the time that is set lag from now on.
    pub fn time_out(&mut self, now: Instant, route: &TransmissionRoute) -> Option<bool> {
        self.begun?;
        let some_follow = each(route.ports).any(|port| !self.lagging.contains(port));
        let awaits = |port: &Port| match some_follow {
            true => !self.lagging.contains(*port),
            false => !self.left_out.contains(*port) && self.done == Ports::NONE,
        };
        let is_through = |port: Port| {
            let given_up = self.broken.contains(port) && self.unanswered[place(port)] == 0;
            given_up || self.done.contains(port)
        };
        let mut late = each(route.ports).filter(awaits);
        let late = late.by_ref().filter(|&port| !is_through(port));
        let late = late.fold(Ports::NONE, Ports::with);
        if late != Ports::NONE {
            if now < self.due {
                return None;
            }
            self.lagging = each(late).fold(self.lagging, Ports::with);
            self.strikes = (self.strikes + 1).min(STRIKES_MAX);
            self.retry_at = now + route.patience.times(1 << self.strikes);
        } else if self.lagging == Ports::NONE {
            self.strikes = 0;
        }
        let whole = self.done != Ports::NONE;
        self.handed = [0; PORTS];
        let busy = each(route.ports).filter(|&port| self.unanswered[place(port)] > 0);
        self.stale = busy.fold(Ports::NONE, Ports::with);
        (self.done, self.broken, self.left_out) = (Ports::NONE, Ports::NONE, Ports::NONE);
        (self.begun, self.moves, self.due) = (None, false, Instant::MAX);
        self.first_token = self.tokens;
        Some(whole)
    }

    /// Returns the time until which it waits for ports that are behind.
    pub fn due(&self) -> Option<Instant> {
        Some(self.due).filter(|&due| due < Instant::MAX)
    }

    /// Returns a port that lags now and did not, or does not any more.
    pub fn change(&mut self) -> Option<(Port, bool)> {
        if self.lagging == self.reported {
            return None;
        }
        let differs = |port: &Port| self.lagging.contains(*port) != self.reported.contains(*port);
        let port = each(Ports::ALL).find(differs)?;
        let lags = self.lagging.contains(port);
        self.reported = match lags {
            true => self.reported.with(port),
            false => self.reported.without(port),
        };
        Some((port, lags))
    }
}

const fn place(port: Port) -> usize {
    port.0 as usize % PORTS
}

fn each(ports: Ports) -> impl Iterator<Item = Port> {
    let all = (0..Ports::MAX).map(Port);
    all.filter(move |&port| ports.contains(port))
}
