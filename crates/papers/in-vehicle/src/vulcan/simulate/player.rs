//! An ECU of the test bench: one sends pings, the other answers each with a pong, at once.
//!
//! Data leave first and their code is computed meanwhile. A receiver of the published protocols
//! computes the code as soon as it has the data; one of the others when it has the tag. One thing
//! is computed after another.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Task, Ticket, Token};
use waywarden_can_auth::mac::Mac;
use waywarden_random::split_mix;
use waywarden_work::{Duration, Instant, Meter, Operation, RecordedOperations};

use super::super::ends::{Ends, Heard};
use super::super::study::MODULE_CALL;

/// From one ping to the next: longer than any round trip of the paper.
pub(super) const PERIOD: Duration = Duration::from_millis(100);

/// Limit on frames of its own that a protocol sends at a time: questions and answers.
const OWN_FRAMES_MAX: usize = 4;

/// Measurements of an ECU, on its own clock.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Pings: from the call to the acknowledgement of the last frame.
    pub(super) sends: Vec<(Instant, Instant)>,
    /// Pings that were answered: from the call to the pong.
    pub(super) trips: Vec<(Instant, Instant)>,
    /// First error of a protocol; none is expected here.
    pub(super) fault: Option<String>,
}

/// Locks the measurements, which are complete after each change, whatever panicked elsewhere.
pub(super) fn locked(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An ECU.
pub(super) struct Player<M> {
    ends: Ends<M>,
    /// Time of the next ping, and the time from one to the next; none for the ECU that answers.
    ping: Option<(Instant, Duration)>,
    began: Option<Instant>,
    length: usize,
    /// Operation of a code that is computed as soon as the data are there; a frame with the tag
    /// follows the data's frame.
    ahead: Option<Operation>,
    /// True if a module computes the codes of its messages, which a sender calls.
    has_modules: bool,
    expects_tag: bool,
    outbox: VecDeque<(Frame, bool)>,
    jobs: VecDeque<Job>,
    computing: Option<Ticket>,
    tickets: u32,
    tokens: u32,
    /// The token of a message's last frame.
    last: Option<Token>,
    /// Makes payloads.
    random: u64,
    log: Arc<Mutex<Log>>,
}

/// A computation and the action that follows it.
struct Job {
    operations: VecDeque<Operation>,
    completion: Completion,
}

enum Completion {
    /// The module has been called: it makes the message.
    Protect,
    /// The last frame of a message, or one of the protocol's own.
    Send(Frame, bool),
    Hear(Heard),
}

impl<M: Mac> Player<M> {
    /// Makes an ECU with payloads of `length` bytes, which pings once a `period` or else answers;
    /// `ahead` as it computes codes before tags come, `has_modules` where a module computes those
    /// of its own messages.
    pub(super) fn new(
        ends: Ends<M>,
        period: Option<Duration>,
        (length, ahead, has_modules): (usize, Option<Operation>, bool),
        log: &Arc<Mutex<Log>>,
    ) -> Self {
        Player {
            ends,
            ping: period.map(|period| (Instant::ZERO + period, period)),
            began: None,
            length,
            ahead,
            has_modules,
            expects_tag: false,
            outbox: VecDeque::new(),
            jobs: VecDeque::new(),
            computing: None,
            tickets: 0,
            tokens: 0,
            last: None,
            random: u64::from(period.is_some()),
            log: Arc::clone(log),
        }
    }

    fn fault<T>(&self, result: Result<T, String>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(fault) => {
                locked(&self.log).fault.get_or_insert(fault);
                None
            }
        }
    }

    fn job(&mut self, meter: &mut RecordedOperations, completion: Completion) {
        let operations = meter.drain().collect();
        self.jobs.push_back(Job {
            operations,
            completion,
        });
    }

    /// Sends a message: at once, or after the call of the module that makes it.
    fn send(&mut self, now: Instant) {
        self.began = Some(now);
        if !self.has_modules {
            return self.protect();
        }
        self.jobs.push_back(Job {
            operations: VecDeque::from([MODULE_CALL]),
            completion: Completion::Protect,
        });
    }

    fn protect(&mut self) {
        let payload = split_mix(&mut self.random).to_le_bytes();
        let mut meter = RecordedOperations::new();
        let message = self.ends.protect(&payload[..self.length], &mut meter);
        let Some(message) = self.fault(message) else {
            return;
        };
        if let Some(frame) = message.ahead {
            self.outbox.push_back((frame, false));
        }
        self.job(&mut meter, Completion::Send(message.sealed, true));
    }

    fn receive(&mut self, now: Instant, frame: &Frame) {
        let mut meter = RecordedOperations::new();
        let heard = self.ends.accept(now, frame, &mut meter);
        let Some(heard) = self.fault(heard) else {
            return;
        };
        if let Some(operation) = self.ahead {
            self.expects_tag = !self.expects_tag;
            if self.expects_tag {
                meter.record(operation);
            } else if meter.drain().any(|own| own != operation) {
                let fault = "a check took something else than was computed ahead";
                self.fault::<()>(Err(fault.to_owned()));
            }
        }
        self.job(&mut meter, Completion::Hear(heard));
    }

    /// Handles a message for the application: answers a ping, or logs the round trip of a pong.
    fn process(&mut self, now: Instant, heard: Heard) {
        let Heard::Message(_) = heard else {
            return;
        };
        match self.ping {
            None => self.send(now),
            Some(_) => {
                if let Some(began) = self.began.take() {
                    locked(&self.log).trips.push((began, now));
                }
            }
        }
    }

    /// Begins the next operation, or finishes a job that has none left; false if there is none, or
    /// something is being computed.
    fn compute(&mut self, now: Instant) -> (bool, Option<Output>) {
        if self.computing.is_some() {
            return (false, None);
        }
        let Some(job) = self.jobs.front_mut() else {
            return (false, None);
        };
        if let Some(operation) = job.operations.pop_front() {
            self.tickets += 1;
            let ticket = Ticket(self.tickets);
            self.computing = Some(ticket);
            let work = Output::Work {
                ticket,
                task: Task::Crypto,
                operation,
            };
            return (true, Some(work));
        }
        match self.jobs.pop_front().map(|job| job.completion) {
            Some(Completion::Send(frame, last)) => self.outbox.push_back((frame, last)),
            Some(Completion::Protect) => self.protect(),
            Some(Completion::Hear(heard)) => self.process(now, heard),
            None => {}
        }
        (true, None)
    }

    fn transmit(&mut self, room: Ports) -> Option<Output> {
        if !room.contains(Port(0)) {
            return None;
        }
        let (frame, last) = self.outbox.pop_front()?;
        self.tokens += 1;
        let token = Token(self.tokens);
        if last {
            self.last = Some(token);
        }
        Some(Output::Transmit {
            port: Port(0),
            token,
            frame,
        })
    }

    fn acknowledged(&mut self, now: Instant) {
        let sent = self.ends.sent();
        self.fault(sent);
        if let (Some(began), Some(_)) = (self.began, self.ping) {
            locked(&self.log).sends.push((began, now));
        }
    }

    /// Sends what is due: a ping, and frames of the protocol itself.
    fn due(&mut self, now: Instant) {
        if let Some((ping, period)) = self.ping.filter(|(ping, _)| *ping <= now) {
            self.ping = Some((ping + period, period));
            self.send(now);
        }
        for _ in 0..OWN_FRAMES_MAX {
            let mut meter = RecordedOperations::new();
            let frame = self.ends.outgoing(now, &mut meter);
            let Some(Some(frame)) = self.fault(frame) else {
                return;
            };
            self.job(&mut meter, Completion::Send(frame, false));
        }
    }
}

impl<M: Mac> Node for Player<M> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Frame { frame, .. } => self.receive(now, frame),
            Input::Sent { token, .. } if self.last == Some(token) => self.acknowledged(now),
            Input::Done(ticket) if self.computing == Some(ticket) => self.computing = None,
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.due(now);
        // Frames first: the data's leaves before its code is computed.
        loop {
            if let Some(output) = self.transmit(room) {
                return output;
            }
            match self.compute(now) {
                (_, Some(output)) => return output,
                (true, None) => {}
                (false, None) => {
                    let ping = self.ping.map(|(ping, _)| ping);
                    let deadlines = ping.into_iter().chain(self.ends.next_deadline());
                    return Output::Idle(deadlines.min());
                }
            }
        }
    }
}
