//! Messages that wait for verification, each client's in a queue of its own.
//!
//! Clients take turns, a message each. So what one client sends costs no other one a place, and no
//! more of the time than its turns. Within a client's queue the policy orders, and senders share.

use std::collections::{HashMap, VecDeque};

use waywarden_v2x_schedule::{Bounds, DropCause, Dropped, Ego, Features, Policy, Queue};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::service::ClientId;

/// Most queues of clients without waiting messages; they are kept for what their policy learned.
const IDLE_MAX: usize = 16;

/// A queue for each client. Each has the same [`Bounds`]; what all of them have is bounded by the
/// requests under way at the sockets.
pub(super) struct ClientQueues<T> {
    policy: Policy,
    bounds: Bounds,
    clients: HashMap<ClientId, Client<T>>,
    /// Clients of whom messages wait, each once; one of whom all have expired leaves at its turn.
    turns: VecDeque<ClientId>,
    /// Clients of whom none waits, the one that waits for longest first.
    idle: VecDeque<ClientId>,
    learns: bool,
    len: usize,
}

struct Client<T> {
    queue: Queue<T>,
    /// True if it is among the turns.
    has_turn: bool,
}

impl<T> ClientQueues<T> {
    /// Makes no queue yet. Each client gets one of these bounds.
    pub(super) fn new(policy: Policy, bounds: Bounds) -> Self {
        Self {
            policy,
            bounds,
            clients: HashMap::new(),
            turns: VecDeque::new(),
            idle: VecDeque::new(),
            learns: Queue::<T>::new(policy, bounds).learns(),
            len: 0,
        }
    }

    /// Returns the number of waiting messages.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes a message. Returns those of the same client that are dropped for it or have expired.
    pub(super) fn push(
        &mut self,
        (client, ego): (ClientId, Option<Ego>),
        item: T,
        features: &Features,
        now: Time64,
    ) -> Vec<Dropped<T>> {
        let (policy, bounds) = (self.policy, self.bounds);
        let new = || Client {
            queue: Queue::new(policy, bounds),
            has_turn: false,
        };
        let Client { queue, has_turn } = self.clients.entry(client).or_insert_with(new);
        let before = queue.len();
        let mut dropped = Vec::new();
        expire(queue, now, &mut dropped);
        queue.set_ego(ego);
        dropped.extend(queue.push(item, features, now));
        self.len = self.len - before + queue.len();
        match (*has_turn, queue.is_empty()) {
            (true, _) => {}
            (false, true) => self.rest(client),
            (false, false) => {
                *has_turn = true;
                self.turns.push_back(client);
                self.idle.retain(|other| *other != client);
            }
        }
        dropped
    }

    /// Takes the next message of the client whose turn it is. Adds to `dropped` what has expired.
    pub(super) fn pop(&mut self, now: Time64, dropped: &mut Vec<Dropped<T>>) -> Option<T> {
        while let Some(client) = self.turns.pop_front() {
            let Some(Client { queue, has_turn }) = self.clients.get_mut(&client) else {
                continue;
            };
            let before = queue.len();
            expire(queue, now, dropped);
            let next = queue.pop(now);
            self.len = self.len - before + queue.len();
            *has_turn = !queue.is_empty();
            match *has_turn {
                true => self.turns.push_back(client),
                false => self.rest(client),
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Returns true if the policy learns from what became of messages.
    pub(super) fn learns(&self) -> bool {
        self.learns
    }

    /// Takes what became of a message of a client: whether its signature is valid.
    pub(super) fn learn(
        &mut self,
        client: ClientId,
        features: &Features,
        received: Time64,
        is_valid: bool,
    ) {
        if let Some(known) = self.clients.get_mut(&client) {
            known.queue.learn(features, received, is_valid);
        }
    }

    /// Keeps the queue of a client without messages for a while if it has learned something.
    fn rest(&mut self, client: ClientId) {
        if !self.learns {
            self.clients.remove(&client);
            return;
        }
        self.idle.retain(|other| *other != client);
        self.idle.push_back(client);
        if self.idle.len() > IDLE_MAX
            && let Some(oldest) = self.idle.pop_front()
        {
            self.clients.remove(&oldest);
        }
    }
}

fn expire<T>(queue: &mut Queue<T>, now: Time64, dropped: &mut Vec<Dropped<T>>) {
    let expired = std::iter::from_fn(|| queue.pop_expired(now));
    dropped.extend(expired.map(|item| Dropped {
        item,
        cause: DropCause::Expired,
    }));
}

#[cfg(test)]
mod tests;
