//! The contract of the `Node` seam, clause by clause, over a bus in memory.

use std::cell::RefCell;
use std::rc::Rc;

use waywarden_can::node::{Input, Retained, Slot, Task, Ticket, Token};
use waywarden_can::{Frame, Id};
use waywarden_testkit::Random;
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::*;
use crate::error::StoreError;
use crate::memory::{MemoryBus, MemoryHost, MemoryLink};
use crate::store::Volatile;

mod contract;
mod disturbance;

/// The inputs and polls of a probe, in a form that outlives the call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ProbeNotice {
    Frame(Port, Frame),
    Sent(Port, Token),
    Withdrawn(Port, Token),
    Bus(Port, BusState),
    Done(Ticket),
    Retained(Slot),
    Timeout,
    /// A poll that was answered by `Idle`.
    Rest,
}

/// A node that sends scripted outputs and records its inputs.
#[derive(Debug, Default)]
struct Probe {
    /// Given out one a poll, then `Idle(next_deadline)`.
    outputs: VecDeque<Output>,
    /// Given out one a poll, as far as there is room.
    frames: VecDeque<(Port, Token, Frame)>,
    next_deadline: Option<Instant>,
    /// Repeats its deadline until the timeout comes, as a real node does.
    repeats_deadline: bool,
    notices: Vec<(Instant, ProbeNotice)>,
    room: Ports,
    /// Sends received frames back with their identifier plus one.
    answering: bool,
    next_token: u32,
}

impl Probe {
    fn send(&mut self, port: u8, frame: Frame) -> Token {
        let token = Token(self.next_token);
        self.next_token += 1;
        self.frames.push_back((Port(port), token, frame));
        token
    }

    fn notices(&self) -> Vec<ProbeNotice> {
        let notices = self.notices.iter().map(|&(_, notice)| notice);
        notices
            .filter(|notice| *notice != ProbeNotice::Rest)
            .collect()
    }
}

impl Node for Probe {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        let notice = match input {
            Input::Frame { port, frame } => {
                if self.answering {
                    let id = Id::standard(frame.id().raw() as u16 + 1).unwrap();
                    let answer = Frame::classic(id, frame.data()).unwrap();
                    self.send(port.0, answer);
                }
                ProbeNotice::Frame(port, *frame)
            }
            Input::Sent { port, token } => ProbeNotice::Sent(port, token),
            Input::Withdrawn { port, token } => ProbeNotice::Withdrawn(port, token),
            Input::Bus { port, state } => ProbeNotice::Bus(port, state),
            Input::Done(ticket) => ProbeNotice::Done(ticket),
            Input::Retained(slot) => ProbeNotice::Retained(slot),
            Input::Timeout => ProbeNotice::Timeout,
            _ => panic!("an input this probe does not know"),
        };
        let last = self.notices.last().map(|&(_, notice)| notice);
        assert!(
            matches!(last, None | Some(ProbeNotice::Rest)),
            "two inputs without a poll to rest in between"
        );
        self.notices.push((now, notice));
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.room = room;
        if let Some(output) = self.outputs.pop_front() {
            return output;
        }
        let open = self
            .frames
            .iter()
            .position(|&(port, ..)| room.contains(port));
        if let Some((port, token, frame)) = open.and_then(|at| self.frames.remove(at)) {
            return Output::Transmit { port, token, frame };
        }
        let last = self.notices.last().map(|&(_, notice)| notice);
        if last == Some(ProbeNotice::Rest) {
            self.notices.pop();
        }
        self.notices.push((now, ProbeNotice::Rest));
        let next_deadline = self.next_deadline;
        if !self.repeats_deadline || last == Some(ProbeNotice::Timeout) {
            self.next_deadline = None;
        }
        Output::Idle(next_deadline)
    }
}

type Tested = Driver<MemoryHost, Probe, Volatile>;

const FRAME_TIME: Duration = Duration::from_micros(250);

fn driver(bus: &MemoryBus, links: Vec<MemoryLink>) -> Tested {
    Driver::new(bus.host(), links, Volatile::default(), [7; 32], |_| {
        Probe::default()
    })
    .unwrap()
}

fn bus() -> MemoryBus {
    MemoryBus::new(FRAME_TIME)
}

fn frame(id: u16, byte: u8) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), &[byte]).unwrap()
}

fn step(driver: &mut Tested) {
    driver.step(Some(Duration::from_micros(100))).unwrap();
}

fn steps(driver: &mut Tested, count: usize) {
    for _ in 0..count {
        step(driver);
    }
}
