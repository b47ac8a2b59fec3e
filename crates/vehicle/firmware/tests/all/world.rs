//! A world for one image: a bus on which a frame takes 250 us, and on which frames arrive at stated
//! times.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can::node::{BusState, Retained};
use waywarden_can::{Frame, MessageHandle};
use waywarden_firmware_link::{
    Answer, Link, MESSAGE_MAX, Record, Request, RetainedSlots, Status, TimedRequest, VERSION,
};
use waywarden_work::{Duration, Instant};

/// The time of a frame on the bus.
const FRAME_TIME: Duration = Duration::from_micros(250);

/// The surroundings of an image.
pub(crate) struct World {
    /// Picoseconds of an instruction.
    pub(crate) picoseconds: u32,
    /// Random bytes of the boot.
    pub(crate) seed: [u8; 32],
    /// Bytes of the record.
    pub(crate) record: Vec<u8>,
    /// Frames to arrive, in order of time.
    pub(crate) arrivals: VecDeque<(Instant, Frame)>,
    /// The longest that a wait takes, for no reason; none if there has to be one.
    pub(crate) wakes_every: Option<Duration>,
    /// The end of the run.
    pub(crate) end: Instant,
    /// The number of the exchange at which the power fails; none if it does not.
    pub(crate) fails_at: Option<usize>,
    /// True if the request of that exchange still takes effect.
    pub(crate) fails_after_effect: bool,
    /// The frames that were put into the transmit mailbox.
    pub(crate) handed: Vec<Frame>,
    /// The retained values, by slot.
    pub(crate) stored: BTreeMap<u8, Retained>,
    /// The frames that were sent.
    pub(crate) sent: Vec<Frame>,
    /// The reports, as text.
    pub(crate) reports: Vec<String>,
    /// Each request: its name, and the instructions since the one before.
    pub(crate) costs: Vec<(String, u64)>,
    /// Stack in use at the end.
    pub(crate) stack: Option<u32>,
    now: Instant,
    instructions: u64,
    received: VecDeque<Frame>,
    /// The frame on the bus, and its end.
    leaving: Option<(Instant, Frame)>,
    names: u32,
}

impl World {
    /// Makes a world for an ECU, until an instant.
    pub(crate) fn new(record: &impl Record, end: Instant) -> Self {
        let mut bytes = vec![0; MESSAGE_MAX];
        let length = record.encode(&mut bytes).expect("a record that fits");
        bytes.truncate(length);
        World {
            picoseconds: 1,
            seed: [7; 32],
            record: bytes,
            arrivals: VecDeque::new(),
            wakes_every: None,
            fails_at: None,
            fails_after_effect: false,
            handed: Vec::new(),
            end,
            stored: BTreeMap::new(),
            sent: Vec::new(),
            reports: Vec::new(),
            costs: Vec::new(),
            stack: None,
            now: Instant::ZERO,
            instructions: 0,
            received: VecDeque::new(),
            leaving: None,
            names: 0,
        }
    }

    /// Answers a request; none after the last.
    pub(crate) fn answer(&mut self, timed: &TimedRequest<'_>) -> Option<Vec<u8>> {
        let executed = timed.instructions - self.instructions;
        self.instructions = timed.instructions;
        let text = format!("{:?}", timed.request);
        let name = text.split([' ', '(']).next().unwrap_or_default();
        self.costs.push((name.to_owned(), executed));
        if self.is_off() {
            return Some(self.fail(timed.request));
        }
        self.pass(Duration::from_nanos(
            executed * u64::from(self.picoseconds) / 1_000,
        ));
        let mut buffer = vec![0; MESSAGE_MAX];
        let length = match timed.request {
            Request::Boot { version } => {
                assert_eq!(version, VERSION);
                self.boot(&mut buffer)
            }
            Request::Stack(bytes) => {
                self.stack = Some(bytes);
                return None;
            }
            Request::Released { .. } => {
                self.reports.push(text);
                self.names += 1;
                Answer::Named(MessageHandle::new([self.names, 0, 0])).encode(&mut buffer)
            }
            Request::Receive => {
                let frame = self.received.pop_front();
                let status = self.status();
                Answer::Received { status, frame }.encode(&mut buffer)
            }
            Request::Wait { until } if !self.wait(until) => Answer::Finish.encode(&mut buffer),
            request => {
                match request {
                    Request::Wait { .. } => {}
                    Request::Send(frame) => {
                        assert!(self.leaving.is_none(), "the mailbox is full");
                        self.handed.push(frame);
                        self.leaving = Some((self.now + FRAME_TIME, frame));
                    }
                    Request::Store { slot, value } => {
                        self.stored.insert(slot.0, value);
                    }
                    _ => self.reports.push(text),
                }
                Answer::Status(self.status()).encode(&mut buffer)
            }
        };
        buffer.truncate(length.expect("an answer that fits"));
        Some(buffer)
    }

    /// Returns true if the power has failed.
    pub(crate) fn is_off(&self) -> bool {
        self.fails_at.is_some_and(|at| self.costs.len() >= at)
    }

    /// Takes what a last request does, and nothing of those after it.
    fn fail(&mut self, request: Request<'_>) -> Vec<u8> {
        if self.fails_at == Some(self.costs.len()) && self.fails_after_effect {
            match request {
                Request::Send(frame) => self.handed.push(frame),
                Request::Store { slot, value } => _ = self.stored.insert(slot.0, value),
                _ => {}
            }
        }
        let mut buffer = vec![0; MESSAGE_MAX];
        let length = Answer::Finish
            .encode(&mut buffer)
            .expect("an end that fits");
        buffer.truncate(length);
        buffer
    }

    fn boot(&self, buffer: &mut [u8]) -> Result<usize, waywarden_firmware_link::MessageError> {
        let entry = |(slot, value): (&u8, &Retained)| [&[*slot][..], &value[..]].concat();
        let entries: Vec<u8> = self.stored.iter().flat_map(entry).collect();
        Answer::Boot {
            status: self.status(),
            picoseconds: self.picoseconds,
            seed: self.seed,
            retained: RetainedSlots::new(&entries)?,
            record: &self.record,
        }
        .encode(buffer)
    }

    /// Returns the state of the world.
    pub(crate) fn status(&self) -> Status {
        Status {
            now: self.now,
            is_sent: self.leaving.is_none(),
            state: BusState::Active,
            has_frame: !self.received.is_empty(),
        }
    }

    /// Lets time pass, and what belongs to it happen.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        while self.arrivals.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, frame) = self.arrivals.pop_front().expect("it is there");
            self.received.push_back(frame);
        }
        if let Some((_, frame)) = self.leaving.take_if(|(at, _)| *at <= self.now) {
            self.sent.push(frame);
        }
    }

    /// Lets time pass until something happens; false at the end of the run.
    fn wait(&mut self, until: Option<Instant>) -> bool {
        if self.received.is_empty() {
            let arrival = self.arrivals.front().map(|(at, _)| *at);
            let sent = self.leaving.map(|(at, _)| at);
            let wakes = self.wakes_every.map(|time| self.now + time);
            let events = [until, arrival, sent, wakes, Some(self.end)];
            let next = events.into_iter().flatten().min().expect("the end is one");
            self.pass(next.since(self.now));
        }
        self.now < self.end
    }
}

/// A world as the link of an image that runs on this machine.
pub(crate) struct Native<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) answer: Vec<u8>,
}

impl Link for Native<'_> {
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_> {
        let timed = TimedRequest {
            instructions: 0,
            request: *request,
        };
        self.answer = self.world.answer(&timed).expect("no end is told here");
        Answer::decode(&self.answer).expect("our own answer")
    }

    fn instructions(&mut self) -> u64 {
        0
    }
}
