//! Message authentication as a role of an ECU: it guards the streams that its protocols protect,
//! checks those it receives, and says what came of them.
//!
//! The frame with the data leaves while its tag is computed, and the next stream's too; tags are
//! computed one after another, in the order in which they were asked for, as one crypto unit does.
//! What a check found is said when its computation is done.

mod queue;
mod shield;
#[cfg(test)]
mod tests;

use core::marker::PhantomData;

use waywarden_can::node::{Input, Node, Output, Port, Ports, Task, Ticket, Token};
use waywarden_can::{Format, Frame, Id};
use waywarden_can_auth::event::Event;
use waywarden_can_auth::stream::{Check, Message, Protect};
use waywarden_can_auth::vault::Vault;
use waywarden_work::{Instant, Meter, Operation};

use self::queue::Queue;
pub use self::shield::Shield;
use crate::guard::{Guard, Withheld};

/// How many frames wait for room, and how many computations for their turn. A frame that finds no
/// place among them is not looked at, and counted.
pub const WAITING: usize = 16;
/// How many events wait to be taken; more displace the oldest, which is counted.
pub const EVENTS: usize = 32;
/// The most operations that one frame or message takes.
const OPERATIONS: usize = 8;

/// One end of a stream, and the port it is on.
#[derive(Clone, Debug)]
pub struct End<T> {
    /// The port.
    pub port: Port,
    /// The protocol's state.
    pub end: T,
}

/// Up to any number of streams of one ECU. `P` and `C` are storage of ends that
/// send (`S`) and receive (`R`), `V` has the keys.
pub struct Authenticator<V, P, C, S, R> {
    vault: V,
    senders: P,
    receivers: C,
    outbox: Queue<(Port, Frame), WAITING>,
    jobs: Queue<Job, WAITING>,
    /// What is being computed.
    computing: Option<Ticket>,
    events: Queue<(Port, Event), EVENTS>,
    tickets: u32,
    tokens: u32,
    now: Instant,
    dropped: u64,
    shield: Option<Shield>,
    ends: PhantomData<(S, R)>,
}

/// A computation that waits for its turn or is under way, and what comes of it.
#[derive(Clone, Copy, Debug)]
struct Job {
    port: Port,
    operations: [Option<Operation>; OPERATIONS],
    then: Then,
}

#[derive(Clone, Copy, Debug)]
enum Then {
    Send(Frame),
    Say(Event),
    Nothing,
}

impl<V, P, C, S, R> Authenticator<V, P, C, S, R>
where
    V: Vault,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    /// Takes the ends of streams, and the keys they name.
    pub const fn new(vault: V, senders: P, receivers: C) -> Self {
        Authenticator {
            vault,
            senders,
            receivers,
            outbox: Queue::new(),
            jobs: Queue::new(),
            computing: None,
            events: Queue::new(),
            tickets: 0,
            tokens: 0,
            now: Instant::ZERO,
            dropped: 0,
            shield: None,
            ends: PhantomData,
        }
    }

    /// Has it shield a bus: authentic messages of the streams it receives go on there, and nothing
    /// else does.
    #[must_use]
    pub const fn shielding(mut self, shield: Shield) -> Self {
        self.shield = Some(shield);
        self
    }

    /// Returns the oldest event that was not taken, with the port of its stream.
    pub fn event(&mut self) -> Option<(Port, Event)> {
        self.events.pop()
    }

    /// How many frames and events found no place, ever.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the keys, to put others in.
    pub const fn vault_mut(&mut self) -> &mut V {
        &mut self.vault
    }

    /// Returns the receiving ends.
    pub fn receivers(&self) -> &[End<R>] {
        self.receivers.as_ref()
    }

    fn receive(&mut self, port: Port, frame: &Frame) {
        for sender in self.senders.as_mut() {
            if sender.port == port {
                sender.end.hear(frame);
            }
        }
        if self.jobs.is_full() {
            let own = self.receivers.as_ref().iter();
            let is_lost = own
                .into_iter()
                .any(|end| end.port == port && end.end.knows(frame));
            self.dropped += u64::from(is_lost);
            return;
        }
        let mut meter = Meter::new();
        let receivers = self.receivers.as_mut().iter_mut();
        let mut own = receivers.filter(|end| end.port == port);
        let Some(receiver) = own.find(|end| end.end.knows(frame)) else {
            return;
        };
        // A key that is not there yet: nothing can be said about the frame.
        let event = receiver
            .end
            .accept(self.now, frame, &mut self.vault, &mut meter)
            .unwrap_or(None);
        self.after(port, &mut meter, event.map_or(Then::Nothing, Then::Say));
    }

    /// Has something happen when what the meter says is computed; at once if that is nothing.
    fn after(&mut self, port: Port, meter: &mut Meter, then: Then) {
        let mut operations = [None; OPERATIONS];
        for (place, operation) in operations.iter_mut().zip(meter.drain()) {
            *place = Some(operation);
        }
        debug_assert!(meter.is_empty(), "more operations than a job has room for");
        let job = Job {
            port,
            operations,
            then,
        };
        if operations[0].is_none() && self.jobs.is_empty() && self.computing.is_none() {
            self.finish(&job);
        } else if self.jobs.push(job).is_err() {
            self.dropped += 1;
        }
    }

    fn finish(&mut self, job: &Job) {
        match job.then {
            Then::Send(frame) => self.leave(job.port, frame),
            Then::Say(event) => self.say(job.port, event),
            Then::Nothing => {}
        }
    }

    fn leave(&mut self, port: Port, frame: Frame) {
        if self.outbox.push((port, frame)).is_err() {
            self.dropped += 1;
        }
    }

    fn say(&mut self, port: Port, event: Event) {
        let now = self.now;
        let passed = self
            .shield
            .as_mut()
            .and_then(|shield| shield.pass(now, port, &event));
        if let Some((to, frame)) = passed {
            self.leave(to, frame);
        }
        if self.events.is_full() {
            self.events.pop();
            self.dropped += 1;
        }
        let _: Result<(), (Port, Event)> = self.events.push((port, event));
    }

    /// What senders and receivers have to say by now, as far as there is room for it.
    fn gather(&mut self) {
        for index in 0..self.receivers.as_ref().len() {
            let receiver = &mut self.receivers.as_mut()[index];
            let port = receiver.port;
            while let Some(event) = self.receivers.as_mut()[index].end.expire(self.now) {
                self.say(port, event);
            }
            if !self.outbox.is_full()
                && let Some(frame) = self.receivers.as_mut()[index].end.outgoing(self.now)
            {
                self.leave(port, frame);
            }
        }
        for index in 0..self.senders.as_ref().len() {
            while !self.jobs.is_full() {
                let mut meter = Meter::new();
                let sender = &mut self.senders.as_mut()[index];
                let port = sender.port;
                let said = sender.end.outgoing(self.now, &mut self.vault, &mut meter);
                let Ok(Some(frame)) = said else { break };
                self.after(port, &mut meter, Then::Send(frame));
            }
        }
    }

    /// Begins the next operation, or finishes what has none left.
    fn compute(&mut self) -> Option<Output> {
        while self.computing.is_none() {
            let job = self.jobs.first_mut()?;
            if let Some(operation) = job.operations[0].take() {
                job.operations.rotate_left(1);
                self.tickets = self.tickets.wrapping_add(1);
                let ticket = Ticket(self.tickets);
                self.computing = Some(ticket);
                return Some(Output::Work {
                    ticket,
                    task: Task::Crypto,
                    operation,
                });
            }
            if matches!(job.then, Then::Send(_)) && self.outbox.is_full() {
                return None;
            }
            if let Some(job) = self.jobs.pop() {
                self.finish(&job);
            }
        }
        None
    }

    fn transmit(&mut self, room: Ports) -> Option<Output> {
        let (port, frame) = self.outbox.take_first(|(port, _)| room.contains(*port))?;
        self.tokens = self.tokens.wrapping_add(1);
        Some(Output::Transmit {
            port,
            token: Token(self.tokens),
            frame,
        })
    }

    fn wish(&self) -> Option<Instant> {
        let senders = self.senders.as_ref().iter().map(|end| end.end.wish());
        let receivers = self.receivers.as_ref().iter().map(|end| end.end.wish());
        senders.chain(receivers).flatten().min()
    }
}

impl<V, P, C, S, R> Node for Authenticator<V, P, C, S, R>
where
    V: Vault,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        match input {
            Input::Frame { port, frame } => self.receive(port, frame),
            Input::Done(ticket) if self.computing == Some(ticket) => self.computing = None,
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        self.gather();
        if let Some(output) = self.transmit(room) {
            return output;
        }
        if let Some(output) = self.compute() {
            return output;
        }
        match self.transmit(room) {
            Some(output) => output,
            None => Output::Idle(self.wish()),
        }
    }
}

impl<V, P, C, S, R> Guard for Authenticator<V, P, C, S, R>
where
    V: Vault,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    fn guards(&self, id: Id) -> bool {
        self.senders.as_ref().iter().any(|end| end.end.covers(id))
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        if self.jobs.is_full() || self.outbox.is_full() {
            return Err(Withheld::Busy);
        }
        let senders = self.senders.as_mut().iter_mut();
        let mut own = senders.filter(|end| end.port == port && end.end.covers(frame.id()));
        let sender = own.next().ok_or(Withheld::Unauthorised)?;
        let mut meter = Meter::new();
        let data = match frame.format() {
            Format::Classic | Format::Fd { .. } => frame.data(),
            Format::Remote => return Err(Withheld::Unauthorised),
        };
        let message = sender.end.protect(data, &mut self.vault, &mut meter);
        let Message { ahead, sealed } = message.map_err(|_| Withheld::Unauthorised)?;
        if let Some(frame) = ahead {
            self.leave(port, frame);
        }
        self.after(port, &mut meter, Then::Send(sealed));
        Ok(())
    }
}
