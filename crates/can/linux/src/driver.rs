//! The driver: one thread that turns what links, clock and store say into a node's inputs, and the
//! node's answers into frames, kept memory and waiting.
//!
//! It keeps the contract of `waywarden_can::node` clause by clause; the tests are in that order.
//! No socket here: links come through [`CanLink`], the clock and waiting through [`Host`].

use std::collections::VecDeque;

use waywarden_can::node::{Boot, BusState, Node, Output, Port, Ports};
use waywarden_work::{Duration, Instant};

use crate::error::DriverError;
use crate::link::{CanLink, Handed, Host, LinkEvent};
use crate::port::{Depth, Outgoing};
use crate::store::RetainedStore;

mod boot;
mod statistics;
mod stimulus;
#[cfg(test)]
mod tests;

use boot::boot;
pub use statistics::DriverStatistics;
use stimulus::Stimulus;

/// A node on its links.
///
/// Port `n` of the node is the link at place `n`. Nothing runs between two calls of
/// [`Driver::step`].
#[derive(Debug)]
pub struct Driver<H: Host, N, S> {
    host: H,
    links: Vec<H::Link>,
    ports: Vec<Outgoing>,
    node: N,
    store: S,
    /// Inputs that follow from answers; empty whenever the node is at rest.
    inputs: VecDeque<Stimulus>,
    /// The time of the next timeout that the node wants.
    next_deadline: Option<Instant>,
    /// The node may have something to say: it is new, or was touched from outside.
    stirred: bool,
    /// The time of the next look at interfaces that are down.
    look_at: Option<Instant>,
    statistics: DriverStatistics,
}

/// Answers to one event after which the node is taken to be in an endless loop. An honest node
/// gives one for each frame it has queued and each computation it did.
pub const ANSWERS_MAX: u32 = 10_000;

/// Frames taken from one link before the next link and the clock have their turn.
pub const BATCH_MAX: usize = 64;

/// The time between two looks at interfaces that are down.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The time between two checks of [`Driver::run_until`]'s condition when nothing happens.
const STOP_EVERY: Duration = Duration::from_millis(50);

impl<H: Host, N: Node, S: RetainedStore> Driver<H, N, S> {
    /// Boots a node on these links: `make` is given the clock, the seed and what the store has.
    ///
    /// The seed must be fresh at each boot and unpredictable.
    ///
    /// # Errors
    /// [`DriverError::TooManyPorts`] for more than 32 links; [`DriverError::Store`] when the store
    /// cannot be read.
    pub fn new(
        host: H,
        links: Vec<H::Link>,
        mut store: S,
        seed: [u8; 32],
        make: impl FnOnce(Boot<'_>) -> N,
    ) -> Result<Self, DriverError> {
        if links.len() > usize::from(Ports::MAX) {
            return Err(DriverError::TooManyPorts(links.len()));
        }
        let node = boot(&host, &mut store, seed, make)?;
        Ok(Driver {
            host,
            ports: links
                .iter()
                .map(|_| Outgoing::new(Depth::default()))
                .collect(),
            links,
            node,
            store,
            inputs: VecDeque::new(),
            next_deadline: None,
            stirred: true,
            look_at: None,
            statistics: DriverStatistics::default(),
        })
    }

    /// Sets how many frames each port holds; to be called before the first step.
    #[must_use]
    pub fn with_depth(mut self, depth: Depth) -> Self {
        for port in &mut self.ports {
            *port = Outgoing::new(depth);
        }
        self
    }

    /// Resets the ECU: the node is replaced by one that `make` makes from a fresh seed and what
    /// the store has. Frames the kernel already has are sent all the same. Their echoes answer no
    /// node.
    ///
    /// # Errors
    /// [`DriverError::Store`] when the store cannot be read; the old node is then still there.
    pub fn reboot(
        &mut self,
        seed: [u8; 32],
        make: impl FnOnce(Boot<'_>) -> N,
    ) -> Result<(), DriverError> {
        self.node = boot(&self.host, &mut self.store, seed, make)?;
        self.ports.iter_mut().for_each(Outgoing::orphan);
        self.inputs.clear();
        self.next_deadline = None;
        self.stirred = true;
        Ok(())
    }

    /// Steps until `stop` says so; it is asked before each step, and at least every 50 ms.
    ///
    /// # Errors
    /// Those of [`Driver::step`].
    pub fn run_until(&mut self, mut stop: impl FnMut(&N) -> bool) -> Result<(), DriverError> {
        while !stop(&self.node) {
            self.step(Some(STOP_EVERY))?;
        }
        Ok(())
    }

    /// Waits until something happens, at most for `timeout` (`None`: without end), and lets the
    /// node deal with it.
    ///
    /// # Errors
    /// [`DriverError`]: one variant for each cause.
    pub fn step(&mut self, timeout: Option<Duration>) -> Result<(), DriverError> {
        if std::mem::take(&mut self.stirred) {
            self.rest(&mut 0)?;
            self.advance()?;
        }
        let now = self.host.now();
        let until = self.due().map(|due| due.since(now));
        let longest = until.into_iter().chain(timeout).min();
        self.host
            .wait(&self.links, longest)
            .map_err(DriverError::Wait)?;
        for port in 0..self.links.len() {
            self.receive(port)?;
        }
        self.keep_time()
    }

    /// Returns the node, to call what its role offers beyond the contract.
    ///
    /// The next step polls it first.
    pub fn node_mut(&mut self) -> &mut N {
        self.stirred = true;
        &mut self.node
    }

    /// Returns the node.
    pub fn node(&self) -> &N {
        &self.node
    }

    /// Returns the store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Returns what happened so far.
    pub fn statistics(&self) -> DriverStatistics {
        self.statistics
    }

    /// Returns the state of a port's controller as far as it is known; None for a port that does
    /// not exist. An interface that is down counts as bus-off.
    pub fn bus_state(&self, port: Port) -> Option<BusState> {
        self.ports.get(usize::from(port.0)).map(Outgoing::state)
    }

    /// The next instant at which something is to be done even if nothing is received.
    fn due(&self) -> Option<Instant> {
        let ports = self.ports.iter().filter_map(Outgoing::due);
        ports.chain(self.next_deadline).chain(self.look_at).min()
    }

    /// Takes what one link has received, and lets the node deal with it piece by piece.
    fn receive(&mut self, at: usize) -> Result<(), DriverError> {
        // Asked first, so that an echo that comes now also answers for those lost before it.
        let lost = self.links[at].lost()?;
        if lost > 0 {
            self.statistics.lost += u64::from(lost);
            self.ports[at].doubt(self.host.now());
        }
        for _ in 0..BATCH_MAX {
            let received = self.links[at].receive()?;
            if received == LinkEvent::Nothing {
                break;
            }
            self.take(at, received);
            self.advance()?;
        }
        Ok(())
    }

    /// Turns what a link said into inputs.
    fn take(&mut self, at: usize, received: LinkEvent) {
        let port = Port(at as u8);
        match received {
            LinkEvent::Nothing => {}
            LinkEvent::Frame(frame) => {
                self.statistics.received += 1;
                self.inputs.push_back(Stimulus::Frame { port, frame });
            }
            LinkEvent::Echo(frame) => {
                let (inputs, statistics) = (&mut self.inputs, &mut self.statistics);
                let known = self.ports[at].echo(&frame, |token, seen| {
                    statistics.sent += 1;
                    statistics.presumed_sent += u64::from(!seen);
                    inputs.push_back(Stimulus::Sent { port, token });
                });
                self.statistics.stray_echoes += u64::from(!known);
            }
            // Old news of an interface that went down: what counts is that it comes up again.
            LinkEvent::State(_) | LinkEvent::Restarted if !self.ports[at].is_up() => {}
            LinkEvent::State(BusState::Off) => self.stop(at),
            LinkEvent::State(state) => self.enter(at, state),
            LinkEvent::Restarted => {
                // The frames the controller had when it went off are gone, even if the error
                // frame that said so was lost.
                self.stop(at);
                self.enter(at, BusState::Active);
            }
            LinkEvent::Down => {
                self.ports[at].set_up(false);
                self.stop(at);
                self.look_at.get_or_insert(self.host.now() + LOOK_EVERY);
            }
            LinkEvent::Unreadable => self.statistics.unreadable += 1,
        }
    }

    /// The port cannot send any more: everything goes back to the node.
    fn stop(&mut self, at: usize) {
        let port = Port(at as u8);
        let (inputs, statistics) = (&mut self.inputs, &mut self.statistics);
        self.ports[at].give_back(|token| {
            statistics.withdrawn += 1;
            inputs.push_back(Stimulus::Withdrawn { port, token });
        });
        self.enter(at, BusState::Off);
    }

    fn enter(&mut self, at: usize, state: BusState) {
        if self.ports[at].enter(state) {
            let port = Port(at as u8);
            self.inputs.push_back(Stimulus::Bus { port, state });
        }
    }

    /// Does everything whose time has come.
    fn keep_time(&mut self) -> Result<(), DriverError> {
        let now = self.host.now();
        for (at, port) in self.ports.iter_mut().enumerate() {
            port.retry(now);
            port.give_up_doubted(now, |token| {
                self.statistics.sent += 1;
                self.statistics.presumed_sent += 1;
                let port = Port(at as u8);
                self.inputs.push_back(Stimulus::Sent { port, token });
            });
        }
        if self.look_at.is_some_and(|at| at <= now) {
            self.look(now);
        }
        self.advance()?;
        // A deadline set just now is left to the next step: the caller has its turn in between.
        if self
            .next_deadline
            .is_some_and(|next_deadline| next_deadline <= self.host.now())
        {
            self.next_deadline = None;
            self.inputs.push_back(Stimulus::Timeout);
            self.advance()?;
        }
        Ok(())
    }

    /// Looks whether interfaces that were down are up again.
    fn look(&mut self, now: Instant) {
        self.look_at = None;
        for at in 0..self.links.len() {
            if self.ports[at].is_up() {
                continue;
            }
            if self.links[at].is_up() {
                self.ports[at].set_up(true);
                self.enter(at, BusState::Active);
            } else {
                self.look_at = Some(now + LOOK_EVERY);
            }
        }
    }

    /// Hands the node every input that waits or follows, and its frames to the links.
    fn advance(&mut self) -> Result<(), DriverError> {
        let mut answers = 0;
        loop {
            while let Some(input) = self.inputs.pop_front() {
                self.node.handle(self.host.now(), input.as_input());
                self.rest(&mut answers)?;
            }
            // A link that goes down gives frames back.
            self.flush()?;
            if self.inputs.is_empty() {
                return Ok(());
            }
        }
    }

    /// Polls the node until it is at rest; counts its answers.
    fn rest(&mut self, answers: &mut u32) -> Result<(), DriverError> {
        loop {
            let output = self.node.poll(self.host.now(), self.room());
            if let Output::Idle(next_deadline) = output {
                self.next_deadline = next_deadline;
                return Ok(());
            }
            *answers += 1;
            if *answers > ANSWERS_MAX {
                return Err(DriverError::Runaway(ANSWERS_MAX));
            }
            self.apply(output)?;
        }
    }

    fn apply(&mut self, output: Output) -> Result<(), DriverError> {
        match output {
            // The computation took its time inside `handle` or `poll`.
            Output::Work { ticket, .. } => self.inputs.push_back(Stimulus::Done(ticket)),
            Output::Transmit { port, token, frame } => {
                match self.ports.get_mut(usize::from(port.0)) {
                    Some(queue) if queue.has_room() => queue.push(token, frame),
                    _ => return Err(DriverError::NoRoom(port)),
                }
            }
            Output::Withdraw { port, token } => {
                let queue = self.ports.get_mut(usize::from(port.0));
                if queue.is_some_and(|queue| queue.withdraw(token)) {
                    self.statistics.withdrawn += 1;
                    self.inputs.push_back(Stimulus::Withdrawn { port, token });
                }
            }
            Output::Retain { slot, value } => {
                self.store.keep(slot, &value)?;
                self.inputs.push_back(Stimulus::Retained(slot));
            }
            _ => return Err(DriverError::UnknownOutput),
        }
        Ok(())
    }

    fn room(&self) -> Ports {
        let open = self.ports.iter().enumerate();
        open.filter(|(_, queue)| queue.has_room())
            .fold(Ports::NONE, |room, (at, _)| room.with(Port(at as u8)))
    }

    /// Gives each link as many frames as it may have.
    fn flush(&mut self) -> Result<(), DriverError> {
        for at in 0..self.links.len() {
            while let Some((token, frame)) = self.ports[at].next() {
                match self.links[at].send(&frame)? {
                    Handed::Taken => self.ports[at].taken(token),
                    Handed::Full => {
                        self.statistics.full += 1;
                        self.ports[at].full(self.host.now());
                    }
                    Handed::Down => self.take(at, LinkEvent::Down),
                }
            }
        }
        Ok(())
    }
}
