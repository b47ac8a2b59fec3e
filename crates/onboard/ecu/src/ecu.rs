//! The streams, gateway and roles of an ECU behind one [`Node`].

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_work::Instant;

use crate::gateway::{ForwardedFrame, Gateway, GatewayRoute};
use crate::guard::Guard;
use crate::observer::MessageObserver;
use crate::role::{EcuRole, NoRole, Roles, earliest};
use crate::stream::{StreamState, Streams};

/// Number of tokens that the ECU itself uses; the others belong to its roles.
const OWN_TOKENS: u32 = 1 << 28;

/// An ECU that sends periodic streams, routes between its ports, and takes part in key exchanges.
///
/// Forwarded frames are sent first, as they have waited longest. Streams come next, because a role
/// can have all frames of a long message to send; the roles follow in turn. On the bus, the
/// identifiers decide.
///
/// Instances of a stream that a role [guards](Guard) go to that role, which sends them in its own
/// frames.
///
/// `S`, `R`, `Q` and `K` store streams, routes, frames to forward and roles; an ECU without roles
/// omits `K`. `O` observes the ECU's messages; it is `()` outside simulations.
#[derive(Debug)]
pub struct Ecu<S, R, Q, K = [EcuRole<NoRole>; 0], N = NoRole, O = ()> {
    streams: Streams<S>,
    gateway: Gateway<R, Q>,
    roles: Roles<K, N>,
    observer: O,
    tokens: u32,
    held: bool,
}

impl<S, R, Q> Ecu<S, R, Q>
where
    S: AsMut<[StreamState]> + AsRef<[StreamState]>,
    R: AsRef<[GatewayRoute]>,
    Q: AsMut<[ForwardedFrame]> + AsRef<[ForwardedFrame]>,
{
    /// Starts an ECU with these streams and routes; `queue` is storage for frames to forward.
    pub fn new(boot: &Boot<'_>, streams: S, routes: R, queue: Q) -> Self {
        Ecu::with_roles(boot, streams, routes, queue, [])
    }
}

impl<S, R, Q, K, N> Ecu<S, R, Q, K, N>
where
    S: AsMut<[StreamState]> + AsRef<[StreamState]>,
    R: AsRef<[GatewayRoute]>,
    Q: AsMut<[ForwardedFrame]> + AsRef<[ForwardedFrame]>,
    K: AsMut<[EcuRole<N>]>,
    N: Guard,
{
    /// Starts an ECU with key roles in addition: the first [`ROLES_MAX`](crate::ROLES_MAX) of
    /// `roles`. Each role must be created from its own seed.
    pub fn with_roles(boot: &Boot<'_>, streams: S, routes: R, queue: Q, roles: K) -> Self {
        Ecu {
            streams: Streams::new(streams, boot.now, &boot.seed),
            gateway: Gateway::new(routes, queue),
            roles: Roles::new(roles),
            observer: (),
            tokens: 0,
            held: false,
        }
    }

    /// Attaches an observer of the ECU's messages; call it before any other method.
    pub fn observed_by<O: MessageObserver>(self, observer: O) -> Ecu<S, R, Q, K, N, O> {
        Ecu {
            streams: self.streams,
            gateway: self.gateway,
            roles: self.roles,
            observer,
            tokens: self.tokens,
            held: self.held,
        }
    }
}

impl<S, R, Q, K, N, O> Ecu<S, R, Q, K, N, O>
where
    S: AsMut<[StreamState]> + AsRef<[StreamState]>,
    R: AsRef<[GatewayRoute]>,
    Q: AsMut<[ForwardedFrame]> + AsRef<[ForwardedFrame]>,
    K: AsMut<[EcuRole<N>]>,
    N: Guard,
    O: MessageObserver,
{
    /// Returns the observer of its messages.
    pub const fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Holds the streams back until [`Ecu::release_streams`]: for an ECU that sends nothing before
    /// it has its keys. Forwarding and roles continue.
    pub const fn hold_streams(&mut self) {
        self.held = true;
    }

    /// Starts streams that were held back, each at its offset from `now`; otherwise does nothing.
    pub fn release_streams(&mut self, now: Instant) {
        if self.held {
            self.held = false;
            self.streams.start(now);
        }
    }

    /// Returns the streams.
    pub fn streams(&self) -> &Streams<S> {
        &self.streams
    }

    /// Returns the streams, to change their payloads.
    pub fn streams_mut(&mut self) -> &mut Streams<S> {
        &mut self.streams
    }

    /// Returns the gateway.
    pub fn gateway(&self) -> &Gateway<R, Q> {
        &self.gateway
    }

    /// Returns the next stream instance that no role guards; instances before it go to the roles
    /// that guard them. Examines no stream more than twice.
    fn next_instance(&mut self, now: Instant, room: Ports) -> Option<(Port, Frame)> {
        loop {
            let has_room = |port| room.contains(port);
            let (port, frame) = self.streams.due(now, has_room, &mut self.observer)?;
            let Some(role) = self.roles.guard(frame.id()) else {
                return Some((port, frame));
            };
            if let Err(why) = role.send(port, &frame) {
                self.streams.withheld(why, &mut self.observer);
            }
        }
    }

    /// Returns the roles, to take their events and to command them; poll the ECU afterwards.
    pub fn roles_mut(&mut self) -> &mut [EcuRole<N>] {
        self.roles.all()
    }
}

impl<S, R, Q, K, N, O> Node for Ecu<S, R, Q, K, N, O>
where
    S: AsMut<[StreamState]> + AsRef<[StreamState]>,
    R: AsRef<[GatewayRoute]>,
    Q: AsMut<[ForwardedFrame]> + AsRef<[ForwardedFrame]>,
    K: AsMut<[EcuRole<N>]>,
    N: Guard,
    O: MessageObserver,
{
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Frame { port, frame } => {
                self.gateway.take(port, frame, &mut self.observer);
            }
            Input::Sent { token, .. } | Input::Withdrawn { token, .. } => {
                self.gateway.answered(token);
            }
            _ => {}
        }
        self.roles.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let token = Token((self.tokens + 1) % OWN_TOKENS);
        let mut next = self.gateway.forward(room, token);
        let mut release = Instant::MAX;
        if next.is_none() && !self.held {
            next = self.next_instance(now, room);
            release = self.streams.next_release();
        }
        let Some((port, frame)) = next else {
            let release = (release != Instant::MAX).then_some(release);
            return match self.roles.poll(now, room) {
                Output::Idle(next_deadline) => Output::Idle(earliest(next_deadline, release)),
                output => output,
            };
        };
        self.tokens = token.0;
        Output::Transmit { port, token, frame }
    }
}

#[cfg(test)]
#[path = "ecu/tests.rs"]
mod tests;
