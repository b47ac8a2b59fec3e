//! An attacker that hears a stream and sends what fits the moment: it knows how frames are laid out
//! and has no key.

use std::collections::VecDeque;

use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_can::{Format, Frame, Id, StandardId};
use waywarden_can_auth::vatican::NonceGenerator;
use waywarden_can_sim::random::Random;
use waywarden_work::{Duration, Instant};

use super::application::{Handled, bytes, leia_id};
use waywarden_vehicle_file::{Protection, StreamAttack};

/// Limit on kept messages; further ones are not kept.
const KEPT_MAX: usize = 64;

/// Limit on frames that wait to be sent; a burst that is longer ends there.
const SENDING_MAX: usize = 2_048;

/// Plan of a forger.
#[derive(Clone, Debug)]
pub struct ForgeryPlan {
    /// The stream that it forges, by its port 0.
    pub stream: Handled,
    /// Kind of forgery.
    pub attack: StreamAttack,
    /// Number of repetitions.
    pub burst: usize,
    /// Time from its boot until it plays the kept messages.
    pub hold: Duration,
    /// End of its actions.
    pub until: Instant,
    /// Identifier of receivers' questions for an epoch; none if receivers ask none, or if an ECU
    /// checks the sender.
    pub questions: Option<StandardId>,
    /// Identifier of the announcements of the car's time.
    pub announcements: StandardId,
}

/// Hears a stream and sends what fits the moment.
#[derive(Debug)]
pub struct Forger {
    plan: ForgeryPlan,
    began: Instant,
    random: Random,
    /// The counter that the last message showed, if messages do.
    counter: u16,
    /// The data of a message whose tag is still to come.
    data: Option<Frame>,
    /// Messages that it keeps, oldest first.
    kept: Vec<Vec<Frame>>,
    has_played: bool,
    sending: VecDeque<Frame>,
    token: u32,
}

impl Forger {
    /// Begins at `now`.
    #[must_use]
    pub fn new(plan: ForgeryPlan, now: Instant, seed: u64) -> Self {
        Forger {
            plan,
            began: now,
            random: Random::new(seed),
            counter: 0,
            data: None,
            kept: Vec::new(),
            has_played: false,
            sending: VecDeque::new(),
            token: 0,
        }
    }

    /// Returns true if it keeps messages first.
    const fn keeps(&self) -> bool {
        matches!(
            self.plan.attack,
            StreamAttack::Reorder | StreamAttack::CounterJump | StreamAttack::OtherCounter
        )
    }

    fn say(&mut self, frames: impl IntoIterator<Item = Frame>) {
        let room = SENDING_MAX - self.sending.len();
        self.sending.extend(frames.into_iter().take(room));
    }

    /// Makes up a message that follows the last one.
    fn message(&mut self) -> Vec<Frame> {
        let counter = self.counter.wrapping_add(1);
        let frames = self.plan.stream.frames(&mut self.random, counter);
        frames.into_iter().map(|(_, frame)| frame).collect()
    }

    /// Reacts to the data of a message.
    fn heard_data(&mut self, frame: &Frame) {
        if let Id::Extended(id) = frame.id() {
            self.counter = id.raw() as u16;
        }
        if self.plan.attack == StreamAttack::DataBeforeTag {
            let frames = self.message();
            self.say(frames.into_iter().take(1));
        }
        match self.plan.stream.protection {
            Protection::Paired(_) | Protection::Separate { .. } => self.data = Some(*frame),
            _ => self.heard(vec![*frame]),
        }
    }

    /// Reacts to a whole message.
    fn heard(&mut self, message: Vec<Frame>) {
        if self.keeps() {
            if !self.has_played && self.kept.len() < KEPT_MAX {
                self.kept.push(message);
            }
            return;
        }
        for _ in 0..self.plan.burst {
            match self.plan.attack {
                StreamAttack::Messages => {
                    let frames = self.message();
                    self.say(frames);
                }
                StreamAttack::BareTag => {
                    let counter = self.counter.wrapping_add(1);
                    let tag = self.plan.stream.tag(&mut self.random, counter);
                    self.say(tag);
                }
                StreamAttack::EpochJump => {
                    let frames = self.far_ahead();
                    self.say(frames);
                }
                StreamAttack::Complaint => {
                    let frames = self.message();
                    self.say(frames);
                    let question = self.question();
                    self.say(question);
                }
                StreamAttack::DataBeforeTag
                | StreamAttack::Reorder
                | StreamAttack::CounterJump
                | StreamAttack::OtherCounter => {}
            }
        }
    }

    /// Everything that any protocol says of a new time: an epoch of LeiA's, or of the hardened
    /// protocols, with a tag; the nonce of all; an announcement of trip and reset.
    fn far_ahead(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        if let Id::Standard(id) = self.plan.stream.id {
            let epoch = 0x00F0_0000_0000_0000_u64 | self.random.below(1 << 32);
            let said = [
                (leia_id(id.raw(), 2, 1), epoch.to_le_bytes().to_vec()),
                (leia_id(id.raw() | 1, 3, 1), bytes(&mut self.random, 8)),
            ];
            let said = said.into_iter();
            frames.extend(said.filter_map(|(id, data)| Frame::classic(id?, &data).ok()));
        }
        frames.push(NonceGenerator::frame(u32::MAX - 1));
        // The last four bits belong to a code of 28 bits and are zeros behind one of 24.
        let mut announced = bytes(&mut self.random, 8);
        announced[..2].fill(0xFE);
        announced[7] &= 0xF0;
        frames.extend(Frame::classic(self.plan.announcements, &announced));
        frames
    }

    /// A question about the stream that no receiver asked.
    fn question(&mut self) -> Option<Frame> {
        let Id::Standard(id) = self.plan.stream.id else {
            return None;
        };
        let asks = self.plan.questions?.raw();
        let mut asked = id.raw().to_le_bytes().to_vec();
        asked.extend(bytes(&mut self.random, 6));
        Frame::classic(leia_id(asks, 2, self.counter)?, &asked).ok()
    }

    /// Plays what it kept.
    fn play(&mut self) {
        self.has_played = true;
        let kept = std::mem::take(&mut self.kept);
        match self.plan.attack {
            StreamAttack::Reorder => {
                for message in kept.iter().rev().chain(kept.iter().rev()) {
                    self.say(message.iter().copied());
                }
            }
            StreamAttack::CounterJump => {
                for _ in 0..self.plan.burst {
                    self.say(kept.last().into_iter().flatten().copied());
                }
            }
            StreamAttack::OtherCounter => {
                let changed = kept.iter().flatten().map(|frame| self.relabelled(frame));
                let changed: Vec<Frame> = changed.collect();
                self.say(changed);
            }
            _ => {}
        }
    }

    /// A frame with another counter, or what is nearest to one, where it shows that of a tag.
    fn relabelled(&self, frame: &Frame) -> Frame {
        let stream = &self.plan.stream;
        let at = match (stream.protection, frame.id()) {
            (Protection::Paired(_), Id::Extended(id)) if stream.is_tag(frame) => {
                let other = Id::extended(id.raw() ^ 0x100).unwrap_or(frame.id());
                return Frame::classic(other, frame.data()).unwrap_or(*frame);
            }
            (Protection::Paired(_) | Protection::Separate { .. }, _) if stream.is_tag(frame) => 0,
            (Protection::Trailer(_), _) => usize::from(stream.length),
            _ => return *frame,
        };
        let mut data = frame.data().to_vec();
        if let Some(byte) = data.get_mut(at) {
            *byte ^= 0x80;
        }
        let made = match frame.format() {
            Format::Classic => Frame::classic(frame.id(), &data),
            _ => Frame::fd(frame.id(), &data),
        };
        made.unwrap_or(*frame)
    }
}

impl Node for Forger {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        let Input::Frame { frame, .. } = input else {
            return;
        };
        if now >= self.plan.until {
            return;
        }
        if self.plan.stream.carries(frame) {
            self.heard_data(frame);
        } else if self.plan.stream.is_tag(frame)
            && let Some(data) = self.data.take()
        {
            self.heard(vec![data, *frame]);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let due = self.began + self.plan.hold;
        let waits = self.keeps() && !self.has_played;
        if waits && now >= due {
            self.play();
        }
        if !room.contains(Port(0)) {
            return Output::Idle((waits && now < due).then_some(due));
        }
        let Some(frame) = self.sending.pop_front() else {
            return Output::Idle((waits && now < due).then_some(due));
        };
        self.token = self.token.wrapping_add(1);
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame,
        }
    }
}
