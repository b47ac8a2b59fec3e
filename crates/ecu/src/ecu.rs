//! The parts of an ECU behind one [`Node`].

use waywarden_can::node::{Boot, Input, Node, Output, Ports, Token};
use waywarden_work::{Duration, Instant};

use crate::gateway::{Forwarded, Gateway, Route};
use crate::stream::{StreamState, Streams};

/// An ECU that sends periodic streams and routes between its ports.
///
/// Forwarded frames leave before own ones: they have waited longer.
#[derive(Debug)]
pub struct Ecu<S, R, Q> {
    streams: Streams<S>,
    gateway: Gateway<R, Q>,
    tokens: u32,
    waited: Duration,
}

impl<S, R, Q> Ecu<S, R, Q>
where
    S: AsMut<[StreamState]> + AsRef<[StreamState]>,
    R: AsRef<[Route]>,
    Q: AsMut<[Forwarded]>,
{
    /// Starts an ECU with these streams and routes; `queue` is storage for frames to forward.
    pub fn new(boot: &Boot<'_>, streams: S, routes: R, queue: Q) -> Self {
        Ecu {
            streams: Streams::new(streams, boot.now, &boot.seed),
            gateway: Gateway::new(routes, queue),
            tokens: 0,
            waited: Duration::ZERO,
        }
    }

    /// Returns how long the instance of a stream that was answered last had waited for room in its
    /// transmit queue; zero for a forwarded frame.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// Returns the streams.
    pub fn streams(&self) -> &Streams<S> {
        &self.streams
    }

    /// Returns the gateway.
    pub fn gateway(&self) -> &Gateway<R, Q> {
        &self.gateway
    }
}

impl<S, R, Q> Node for Ecu<S, R, Q>
where
    S: AsMut<[StreamState]> + AsRef<[StreamState]>,
    R: AsRef<[Route]>,
    Q: AsMut<[Forwarded]>,
{
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        if let Input::Frame { port, frame } = input {
            self.gateway.take(port, frame);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let forwarded = self.gateway.forward(room);
        let is_own = forwarded.is_none();
        let next = forwarded.or_else(|| self.streams.due(now, |port| room.contains(port)));
        let Some((port, frame)) = next else {
            let release = self.streams.next_release();
            return Output::Idle((release != Instant::MAX).then_some(release));
        };
        self.waited = match is_own {
            true => self.streams.waited(),
            false => Duration::ZERO,
        };
        self.tokens = self.tokens.wrapping_add(1);
        Output::Transmit {
            port,
            token: Token(self.tokens),
            frame,
        }
    }
}

#[cfg(test)]
#[path = "ecu/tests.rs"]
mod tests;
