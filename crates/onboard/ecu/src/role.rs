//! Key roles of an ECU: any number of [`Node`]s beside streams and gateway, distinguished by the
//! high bits of their tokens and tickets.

use core::marker::PhantomData;

use waywarden_can::Id;
use waywarden_can::node::{Input, Node, Output, Ports, Slot, Ticket, Token};
use waywarden_work::Instant;

use crate::guard::Guard;

/// Maximum number of roles of one ECU. An orchestrator on a gateway has one for each bus that it
/// keys.
pub const ROLES_MAX: usize = 8;

/// Number of low bits of a token or ticket that are a role's own; above them stands the role's
/// place, counted from 1. 0 is the ECU itself.
const OWN_BITS: u32 = 28;

const OWN: u32 = (1 << OWN_BITS) - 1;

/// A key role of an ECU, with its ports and its slots.
///
/// Its tokens and tickets count up from anywhere and wrap, as every role of `group-keys` and
/// `lasan` has them; at most 2^28 are under way.
#[derive(Debug)]
pub struct EcuRole<N> {
    node: N,
    ports: Ports,
    slot: Slot,
    /// The last token and the last ticket that it used.
    token: Token,
    ticket: Ticket,
    /// The time of its next timeout.
    next_deadline: Option<Instant>,
    /// The ports that had room when it came to rest; none if it is not at rest.
    rests_with: Option<Ports>,
}

impl<N: Node> EcuRole<N> {
    /// Puts a node on these ports; `slot` is the first it retains in. Those up to the next role's
    /// are its own as well: an authenticator has [`SLOTS`](crate::SLOTS).
    pub const fn new(node: N, ports: Ports, slot: Slot) -> Self {
        EcuRole {
            node,
            ports,
            slot,
            token: Token(0),
            ticket: Ticket(0),
            next_deadline: None,
            rests_with: None,
        }
    }

    /// Returns the node, to see how far it is.
    pub const fn node(&self) -> &N {
        &self.node
    }

    /// Returns the node, to tell it what to do next.
    pub const fn node_mut(&mut self) -> &mut N {
        self.rests_with = None;
        &mut self.node
    }

    /// Returns the node, to take its events: what is done to it here leaves it at rest.
    pub const fn events_mut(&mut self) -> &mut N {
        &mut self.node
    }

    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.rests_with = None;
        self.node.handle(now, input);
    }
}

/// No role: what an ECU without key roles is made of.
#[derive(Clone, Copy, Debug)]
pub enum NoRole {}

impl Node for NoRole {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {
        match *self {}
    }

    fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
        match *self {}
    }
}

impl Guard for NoRole {}

/// All roles of an ECU.
#[derive(Debug)]
pub(crate) struct Roles<K, N> {
    roles: K,
    /// The role that is asked first, so that none keeps the others from a transmit queue.
    first: usize,
    role: PhantomData<fn() -> N>,
}

impl<K: AsMut<[EcuRole<N>]>, N: Node> Roles<K, N> {
    pub(crate) const fn new(roles: K) -> Self {
        Roles {
            roles,
            first: 0,
            role: PhantomData,
        }
    }

    pub(crate) fn all(&mut self) -> &mut [EcuRole<N>] {
        let roles = self.roles.as_mut();
        let count = roles.len().min(ROLES_MAX);
        &mut roles[..count]
    }
}

impl<K: AsMut<[EcuRole<N>]>, N: Guard> Roles<K, N> {
    /// Hands an input to whom it concerns, under the numbers that the role knows.
    pub(crate) fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Sent { port, token } => self.answer(now, token.0, |role| {
                let token = Token(own(token.0, role.token.0));
                Input::Sent { port, token }
            }),
            Input::Withdrawn { port, token } => self.answer(now, token.0, |role| {
                let token = Token(own(token.0, role.token.0));
                Input::Withdrawn { port, token }
            }),
            Input::Done(ticket) => self.answer(now, ticket.0, |role| {
                Input::Done(Ticket(own(ticket.0, role.ticket.0)))
            }),
            Input::Frame { port, frame } => self.tell(now, input, |role| {
                role.ports.contains(port) && role.node.hears(port, frame)
            }),
            Input::Bus { port, .. } => {
                self.tell(now, input, |role| role.ports.contains(port));
            }
            Input::Retained(slot) => {
                let slots = self.all().iter().map(|role| role.slot);
                let own = slots.filter(|own| *own <= slot).max();
                self.tell(now, input, |role| Some(role.slot) == own);
            }
            // For each role whose deadline has come: a timeout is never early.
            Input::Timeout => self.tell(now, input, |role| {
                role.next_deadline.is_some_and(|at| at <= now)
            }),
            _ => self.tell(now, input, |_| true),
        }
    }

    fn tell(&mut self, now: Instant, input: Input<'_>, concerned: impl Fn(&EcuRole<N>) -> bool) {
        for role in self.all().iter_mut().filter(|role| concerned(role)) {
            role.handle(now, input);
        }
    }

    /// Hands an answer to the role whose number it carries.
    fn answer(&mut self, now: Instant, number: u32, input: impl Fn(&EcuRole<N>) -> Input<'static>) {
        let place = (number >> OWN_BITS) as usize;
        let owner = place.checked_sub(1).and_then(|at| self.all().get_mut(at));
        if let Some(role) = owner {
            let input = input(role);
            role.handle(now, input);
        }
    }

    /// Returns the next output of a role, or the earliest deadline of all. A role that is at rest
    /// costs a look: it has nothing new before an input, its deadline, or more room.
    pub(crate) fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let (count, first) = (self.all().len(), self.first);
        let mut next_deadline: Option<Instant> = None;
        for turn in 0..count {
            let at = (first + turn) % count;
            let role = &mut self.all()[at];
            if role.is_at_rest(now, room) {
                next_deadline = earliest(next_deadline, role.next_deadline);
                continue;
            }
            match role.node.poll(now, room) {
                Output::Idle(next) => {
                    role.rests_with = Some(room);
                    role.next_deadline = next;
                    next_deadline = earliest(next_deadline, next);
                }
                output => {
                    let output = role.mark(at, output);
                    self.first = (at + 1) % count;
                    return output;
                }
            }
        }
        Output::Idle(next_deadline)
    }

    /// Returns the role that has the last word on frames with this identifier.
    pub(crate) fn guard(&mut self, id: Id) -> Option<&mut N> {
        let mut roles = self.all().iter_mut();
        roles
            .find(|role| role.node.guards(id))
            .map(EcuRole::node_mut)
    }
}

impl<N: Guard> EcuRole<N> {
    /// Returns true if polling it would bring nothing but the same deadline again.
    fn is_at_rest(&self, now: Instant, room: Ports) -> bool {
        let has_more_room = || self.rests_with.is_some_and(|had| !room.is_within(had));
        self.rests_with.is_some()
            && self
                .next_deadline
                .is_none_or(|next_deadline| next_deadline > now)
            && !has_more_room()
            && !self.node.is_stirred()
    }
}

impl<N> EcuRole<N> {
    /// Writes the role's place into what it sends and computes.
    fn mark(&mut self, at: usize, output: Output) -> Output {
        let place = (at as u32 + 1) << OWN_BITS;
        match output {
            Output::Transmit { port, token, frame } => {
                self.token = token;
                let token = Token(place | token.0 & OWN);
                Output::Transmit { port, token, frame }
            }
            Output::Withdraw { port, token } => Output::Withdraw {
                port,
                token: Token(place | token.0 & OWN),
            },
            Output::Work {
                ticket,
                task,
                operation,
            } => {
                self.ticket = ticket;
                Output::Work {
                    ticket: Ticket(place | ticket.0 & OWN),
                    task,
                    operation,
                }
            }
            other => other,
        }
    }
}

/// Returns the role's own number: the newest one, up to its last, that ends in these bits.
const fn own(number: u32, last: u32) -> u32 {
    last.wrapping_sub(last.wrapping_sub(number) & OWN)
}

/// Returns the earlier of two deadlines.
pub(crate) fn earliest(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
