//! The authenticator on the bus: inputs, outputs, and the streams it guards.

use waywarden_can::node::{Input, Node, Output, Port, Ports, Task, Ticket, Token};
use waywarden_can::{Format, Frame, Id};
use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::key_store::MacKeyStore;
use waywarden_can_auth::stream::{Check, PendingMessage, Protect};
use waywarden_work::{Instant, RecordedOperations};

use super::job::Completion;
use super::{Authenticator, End};
use crate::guard::{Guard, Withheld};

impl<V, P, C, S, R> Authenticator<V, P, C, S, R>
where
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    /// Has the next thing retained, if anything is to be; one at a time.
    fn retain(&mut self) -> Option<Output> {
        let memory = self.memory.as_ref().ok().filter(|own| own.is_at_rest())?;
        let wanted = self.wanted(memory);
        let (slot, value) = self.memory.as_mut().ok()?.write(wanted)?;
        Some(Output::Retain { slot, value })
    }

    /// Begins the next operation, or finishes what has none left.
    fn compute(&mut self) -> Option<Output> {
        while self.computing.is_none() {
            let job = self.jobs.first_mut()?;
            if let Some(operation) = job.next() {
                self.tickets = self.tickets.wrapping_add(1);
                let ticket = Ticket(self.tickets);
                self.computing = Some(ticket);
                return Some(Output::Work {
                    ticket,
                    task: Task::Crypto,
                    operation,
                });
            }
            if matches!(job.completion, Completion::Send(..)) && self.outbox.is_full() {
                return None;
            }
            if let Some(job) = self.jobs.pop() {
                self.finish(job.completion);
            }
        }
        None
    }

    fn transmit(&mut self, room: Ports) -> Option<Output> {
        let (port, frame) = self.outbox.pop(room)?;
        self.tokens = self.tokens.wrapping_add(1);
        Some(Output::Transmit {
            port,
            token: Token(self.tokens),
            frame,
        })
    }

    /// Returns the time at which the next event or frame is due. One that is due already waits for
    /// room, for a computation or for memory, and each of them comes with an input of its own.
    fn next_deadline(&self) -> Option<Instant> {
        let senders = self
            .senders
            .as_ref()
            .iter()
            .map(|end| end.end.next_deadline());
        let receivers = self
            .receivers
            .as_ref()
            .iter()
            .map(|end| end.end.next_deadline());
        let own = core::iter::once(self.timekeeper.next_deadline());
        let deadlines = own.chain(senders).chain(receivers).flatten();
        deadlines.filter(|at| *at > self.now).min()
    }
}

impl<V, P, C, S, R> Node for Authenticator<V, P, C, S, R>
where
    V: MacKeyStore,
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
            Input::Retained(slot) => self.retained(slot),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        loop {
            self.gather();
            if let Some(output) = self.retain() {
                return output;
            }
            if let Some(output) = self.transmit(room) {
                return output;
            }
            let waiting = self.jobs.length();
            if let Some(output) = self.compute() {
                return output;
            }
            // Each job that is done makes room for something that may be said; there are few.
            if self.jobs.length() == waiting {
                return Output::Idle(self.next_deadline());
            }
        }
    }
}

impl<V, P, C, S, R> Guard for Authenticator<V, P, C, S, R>
where
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    fn guards(&self, id: Id) -> bool {
        self.senders.as_ref().iter().any(|end| end.end.covers(id))
    }

    fn hears(&self, port: Port, frame: &Frame) -> bool {
        Authenticator::hears(self, port, frame)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let memory = self.memory.as_ref().map_err(|_| Withheld::Faulty)?;
        if !memory.has_begun() {
            return Err(Withheld::Unretained);
        }
        if self.jobs.is_full() || self.outbox.is_full() {
            return Err(Withheld::Busy);
        }
        let (id, moment) = (frame.id(), self.moment());
        let senders = self.senders.as_mut().iter_mut();
        let mut own = senders.filter(|end| end.port == port && end.end.covers(id));
        let sender = own.next().ok_or(Withheld::Unauthorized)?;
        let data = match frame.format() {
            Format::Classic | Format::Fd { .. } => frame.data(),
            Format::Remote => return Err(Withheld::Form),
        };
        let mut meter = RecordedOperations::new();
        let message = sender
            .end
            .protect(id, data, &moment, &mut self.keys, &mut meter);
        let PendingMessage { ahead, sealed } = message.map_err(|error| match error {
            ProtectError::Length(_) => Withheld::Form,
            ProtectError::Unsynchronised => Withheld::Unsynchronised,
            ProtectError::Unretained => Withheld::Unretained,
            ProtectError::Exhausted => Withheld::Exhausted,
            _ => Withheld::Unauthorized,
        })?;
        let ports = Ports::NONE.with(port);
        let named = |made: Frame| made.with_message(frame.message());
        if let Some(ahead) = ahead {
            self.finish(Completion::Send(ports, named(ahead)));
        }
        self.after(&mut meter, Completion::Send(ports, named(sealed)));
        Ok(())
    }
}
