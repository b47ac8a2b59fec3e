//! Disturbances of a network, chosen by bytes: rare, or no exchange would get far.

use std::collections::VecDeque;

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::node::{BusState, Input, Port, Slot, Ticket, Token};
use waywarden_can::{Frame, Id};
use waywarden_work::Duration;

use crate::seen::Seen;
use crate::source::{Source, changed, frame_of};
use crate::world::{Network, ROLES, World};

/// Count of frames that are remembered for a replay.
const RECORDED: usize = 128;

/// A world in which things go wrong at one role.
pub(crate) struct Disturbance<N> {
    pub(crate) world: World<N>,
    /// The role under test.
    target: usize,
    /// The last frames on the bus.
    recorded: VecDeque<Frame>,
}

/// Disturbance of a frame on its way to the role under test.
#[derive(Clone, Copy)]
pub(crate) enum Passage {
    Whole,
    Lost,
    Twice,
    Changed,
}

/// Runs a network on the bytes, whose disturbances strike one role.
pub(crate) fn run<N: Network>(network: N, mut source: Source<'_>, target: usize) -> Seen {
    let mut disturbance = Disturbance::new(network, target);
    // Each turn takes a byte.
    while !source.0.is_empty() {
        disturbance.turn(&mut source);
        disturbance.world.settle();
    }
    disturbance.world.seen
}

impl<N: Network> Disturbance<N> {
    pub(crate) fn new(network: N, target: usize) -> Self {
        Disturbance {
            world: World::new(network),
            target,
            recorded: VecDeque::with_capacity(RECORDED),
        }
    }

    fn turn(&mut self, source: &mut Source<'_>) {
        match source.byte() {
            0..=183 => self.deliver_some(source),
            184..=189 => self.deliver(Passage::Lost, source),
            190..=195 => self.deliver(Passage::Twice, source),
            196..=203 => self.deliver(Passage::Changed, source),
            204..=207 => self.inject_noise(source),
            208..=217 => self.inject_message(source),
            218..=225 => self.inject_recorded(source),
            226..=231 => {
                let time = Duration::from_micros(1 << (source.byte() % 24));
                self.world.pass(time);
            }
            232..=235 => self.hinder(source),
            236..=239 => self.answer_wrongly(source),
            240..=242 => self.world.reset(self.target),
            243..=247 => {
                let at = self.world.network.command(source);
                self.world.drain(at);
            }
            _ => {
                let at = self.world.network.call(source);
                self.world.drain(at);
            }
        }
    }

    /// Delivers frames; where messages have many, several at once.
    fn deliver_some(&mut self, source: &mut Source<'_>) {
        let count = match N::BURST {
            0..=1 => 1,
            most => 1 + source.byte() % most,
        };
        for _ in 0..count {
            self.deliver(Passage::Whole, source);
            self.world.settle();
        }
    }

    /// Delivers the oldest frame to all others; if there is none, time goes on.
    pub(crate) fn deliver(&mut self, passage: Passage, source: &mut Source<'_>) {
        let Some(waiting) = self.world.take() else {
            let station = &mut self.world.stations[self.target];
            (station.busy, station.full) = (false, false);
            self.world.drain(self.target);
            self.world.wait();
            return;
        };
        let is_own = waiting.from == self.target;
        let is_lost = matches!(passage, Passage::Lost);
        self.world.answer(&waiting, !(is_own && is_lost));
        if is_own && is_lost {
            return;
        }
        if self.recorded.len() == RECORDED {
            self.recorded.pop_front();
        }
        self.recorded.push_back(waiting.frame);
        for at in (0..ROLES).filter(|&at| at != waiting.from) {
            let frame = &waiting.frame;
            match passage {
                _ if at != self.target => self.world.frame(at, frame),
                Passage::Whole => self.world.frame(at, frame),
                Passage::Lost => {}
                Passage::Twice => {
                    self.world.frame(at, frame);
                    self.world.frame(at, frame);
                }
                Passage::Changed => self.world.frame(at, &changed(frame, source)),
            }
        }
    }

    fn inject(&mut self, frame: &Frame, source: &mut Source<'_>) {
        let is_everywhere = source.byte().is_multiple_of(4);
        for at in (0..ROLES).filter(|&at| is_everywhere || at == self.target) {
            self.world.frame(at, frame);
        }
        self.world.settle();
    }

    fn inject_noise(&mut self, source: &mut Source<'_>) {
        let (mut raw, mut data) = ([0_u8; 4], [0; DATA_MAX]);
        source.fill(&mut raw);
        let length = usize::from(source.choose(&FD_LENGTHS));
        source.fill(&mut data[..length]);
        let is_fd = source.byte().is_multiple_of(2);
        let id = Id::extended(u32::from_be_bytes(raw) >> 3);
        if let Some(Ok(frame)) = id.ok().map(|id| frame_of(id, &data[..length], is_fd)) {
            self.inject(&frame, source);
        }
    }

    /// Injects a whole message of the protocol with a forged payload.
    fn inject_message(&mut self, source: &mut Source<'_>) {
        for frame in self.world.network.forge(self.recorded.back(), source) {
            self.inject(&frame, source);
        }
    }

    /// Injects frames of earlier on, in order, some of them changed or in disguise.
    fn inject_recorded(&mut self, source: &mut Source<'_>) {
        let from = usize::from(source.byte());
        let disguised = self.world.network.disguise(source);
        for at in 0..usize::from(source.byte() % 24) {
            let Some(frame) = self.recorded.get((from + at) % RECORDED).copied() else {
                continue;
            };
            let frame = match source.byte() % 16 {
                0 => changed(&frame, source),
                _ => disguised(&frame),
            };
            self.inject(&frame, source);
        }
    }

    /// Makes work take long, or the controller have no room.
    fn hinder(&mut self, source: &mut Source<'_>) {
        let station = &mut self.world.stations[self.target];
        match source.byte() % 3 {
            0 => station.busy = true,
            1 => station.full = true,
            _ => (station.busy, station.full) = (false, false),
        }
        self.world.drain(self.target);
    }

    /// Answers requests that were never made. A request is answered once: that is the contract.
    fn answer_wrongly(&mut self, source: &mut Source<'_>) {
        let (port, number) = (Port(source.byte() % 2), u32::from(source.byte()));
        let (token, ticket) = (Token(!number), Ticket(!number));
        let input = match source.byte() % 5 {
            0 => Input::Sent { port, token },
            1 => Input::Withdrawn { port, token },
            2 => Input::Done(ticket),
            3 => Input::Retained(Slot(9)),
            _ => Input::Bus {
                port,
                state: BusState::Off,
            },
        };
        self.world.input(self.target, input);
    }
}

#[cfg(test)]
impl<N: Network> Disturbance<N> {
    /// Lets the network live for a while; the role under test does not receive `lost` frames.
    pub(crate) fn live(&mut self, millis: u64, lost: impl Fn(&Frame) -> bool) {
        let end = self.world.now + Duration::from_millis(millis);
        while self.world.now < end {
            let passage = match self.world.next() {
                Some(waiting) if waiting.from != self.target && lost(&waiting.frame) => {
                    Passage::Lost
                }
                _ => Passage::Whole,
            };
            self.deliver(passage, &mut Source(&[]));
            self.world.settle();
        }
    }

    /// Returns the last frames on the bus, in order.
    pub(crate) fn recorded(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        self.recorded.iter()
    }

    /// Has a role act on a command.
    pub(crate) fn act(&mut self, at: usize) {
        self.world.drain(at);
        self.world.settle();
    }
}
