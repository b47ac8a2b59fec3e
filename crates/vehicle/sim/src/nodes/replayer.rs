//! An attacker that records frames and sends them again.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_can_sim::random::Random;
use waywarden_ecu::Matching;
use waywarden_work::{Duration, Instant};

use super::key_frames::KeyFrameMatcher;

/// Limit on recorded frames that wait to be sent; further ones are not recorded.
const RECORDED_MAX: usize = 4_096;

/// Selection of the frames to record.
#[derive(Debug)]
pub enum ReplaySelection {
    /// Those that one of these covers.
    Matching(Vec<Matching>),
    /// Those of a key protocol.
    Keys(KeyFrameMatcher),
}

impl ReplaySelection {
    fn covers(&mut self, frame: &Frame) -> bool {
        match self {
            ReplaySelection::Matching(list) => list.iter().any(|one| one.covers(frame.id())),
            ReplaySelection::Keys(matcher) => matcher.next(frame).is_some(),
        }
    }
}

/// Sends what it hears again, later and in another order.
#[derive(Debug)]
pub struct Replayer {
    which: ReplaySelection,
    delay: Duration,
    /// Number of frames that are shuffled together, at least 1.
    reorder: usize,
    until: Instant,
    random: Random,
    group: Vec<Frame>,
    recorded: VecDeque<(Instant, Frame)>,
    token: u32,
}

impl Replayer {
    /// Replays the frames that `which` covers `delay` after the last of each group of
    /// `reorder` was heard.
    #[must_use]
    pub fn new(
        which: ReplaySelection,
        delay: Duration,
        reorder: usize,
        until: Instant,
        seed: u64,
    ) -> Self {
        Replayer {
            which,
            delay,
            reorder: reorder.clamp(1, RECORDED_MAX),
            until,
            random: Random::new(seed),
            group: Vec::new(),
            recorded: VecDeque::new(),
            token: 0,
        }
    }

    fn shuffle(&mut self) {
        for at in (1..self.group.len()).rev() {
            let with = self.random.below(at as u64 + 1) as usize;
            self.group.swap(at, with);
        }
    }
}

impl Node for Replayer {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        let Input::Frame { frame, .. } = input else {
            return;
        };
        let wanted = self.which.covers(frame);
        if !wanted || now >= self.until || self.recorded.len() + self.group.len() >= RECORDED_MAX {
            return;
        }
        self.group.push(*frame);
        if self.group.len() == self.reorder {
            self.shuffle();
            let due = now + self.delay;
            self.recorded
                .extend(self.group.drain(..).map(|frame| (due, frame)));
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        match self.recorded.front() {
            Some(&(due, _)) if due > now => Output::Idle(Some(due)),
            Some(&(_, frame)) if room.contains(Port(0)) => {
                self.recorded.pop_front();
                self.token = self.token.wrapping_add(1);
                Output::Transmit {
                    port: Port(0),
                    token: Token(self.token),
                    frame,
                }
            }
            _ => Output::Idle(None),
        }
    }
}
