//! An ECU whose software is an image on an emulated microcontroller, in lock step with the bus.
//!
//! The image runs ahead of the bus for nothing but its own computation: it meets the world in its
//! requests, and each takes effect at the moment that its count of instructions says. Frames that
//! arrive meanwhile wait in a receive mailbox. There are no receive interrupts.

mod boot;
mod failure;
mod mailboxes;
mod reports;

use waywarden_can::Frame;
use waywarden_can::node::{BusState, Input, Node, Output, Port, Ports, Retained, Slot, Token};
use waywarden_ecu::MessageObserver;
use waywarden_firmware_link::{Answer, MESSAGE_MAX, Request, Status, TimedRequest, VERSION};
use waywarden_vehicle_resources::{ImageFault, RunningImage};
use waywarden_vehicle_trace::{Fact, Facts, GroupKeyEvent};
use waywarden_work::{Duration, Instant};

use super::application::Application;
use super::authentication_role::AuthenticationContext;
use super::message_names::MessageNames;

pub use self::boot::ImageBoot;
pub use self::failure::FailedImage;
use self::mailboxes::Mailboxes;

/// The only port of an image.
const PORT: Port = Port(0);
/// Maximum number of requests in a window of an image's time. One that polls in a loop of 100
/// instructions at 100 MHz makes a fourth of that; more would take hours for a second of driving.
const REQUESTS_MAX: u32 = 4_096;
/// The longest part of a computation that is not reported.
const PART: Duration = Duration::from_millis(10);
/// The length of the window.
const WINDOW: Duration = Duration::from_millis(1);

/// The context of an image: observers of what it says, which a simulated ECU has, too.
pub struct ImageContext {
    /// Names its messages.
    pub names: MessageNames,
    /// Its part in an authentication, and the streams that its check knows.
    pub checks: Option<ImageChecks>,
    /// Its group, by its place in the vehicle file.
    pub group: Option<usize>,
    /// Its security module's network, by its place in the vehicle file.
    pub network: Option<usize>,
    /// The streams that it takes unchecked.
    pub application: Application,
    /// Recorder of its facts.
    pub facts: Facts,
}

/// The part of an image in an authentication.
pub struct ImageChecks {
    /// Its context.
    pub context: AuthenticationContext,
    /// Returns true for a frame that one of its receiving ends knows.
    pub knows: Box<dyn Fn(&Frame) -> bool + Send>,
}

/// The node of an ECU image.
pub struct FirmwareEcu {
    image: Box<dyn RunningImage>,
    boot: ImageBoot,
    context: ImageContext,
    state: State,
    /// The last request, as it came.
    message: Vec<u8>,
    buffer: Vec<u8>,
    /// The moment since which it has not waited, and the instructions executed until then.
    resumed: (Instant, u64),
    /// Instructions that were reported, and the moment until which they were.
    reported: (u64, Instant),
    mailboxes: Mailboxes,
    bus_state: BusState,
    /// True if something has changed that the image has not been answered since.
    is_news: bool,
    /// The frame that its check was handed last, by its stream.
    handed_in: Option<(usize, Frame)>,
    tokens: u32,
    /// The beginning of the window, and the requests in it.
    window: (Instant, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its last request takes effect at this moment.
    Computing { at: Instant },
    /// It waits for the bus, or for this moment.
    Waiting { until: Option<Instant> },
    /// It asked to keep a value over a reset.
    Storing { slot: Slot, value: Retained },
    /// The value is being written.
    Stored(Slot),
    /// It takes part no longer.
    Failed,
}

impl FirmwareEcu {
    /// Takes an image that has just been started.
    #[must_use]
    pub fn new(image: Box<dyn RunningImage>, boot: ImageBoot, context: ImageContext) -> Self {
        let mut ecu = FirmwareEcu {
            image,
            resumed: (boot.now, 0),
            reported: (0, boot.now),
            mailboxes: Mailboxes::new(boot.mailbox),
            window: (boot.now, 0),
            boot,
            context,
            state: State::Failed,
            message: Vec::with_capacity(MESSAGE_MAX),
            buffer: vec![0; MESSAGE_MAX],
            bus_state: BusState::Active,
            is_news: false,
            handed_in: None,
            tokens: 0,
        };
        ecu.await_request(None);
        ecu
    }

    /// Sends an answer, and takes the next request.
    fn answer(&mut self, answer: &Answer<'_>) {
        match answer.encode(&mut self.buffer) {
            Ok(length) => self.await_request(Some(length)),
            Err(error) => self.fail(&ImageFault::Malformed(error.to_string())),
        }
    }

    fn await_request(&mut self, answer: Option<usize>) {
        let answer = answer.map(|length| &self.buffer[..length]);
        let taken = self.image.exchange(answer).map(|message| {
            self.message.clear();
            self.message.extend_from_slice(message);
        });
        let due = taken.and_then(|()| self.due());
        match due {
            Ok(at) => self.state = State::Computing { at },
            Err(fault) => self.fail(&fault),
        }
    }

    /// Returns the moment of the last request.
    fn due(&self) -> Result<Instant, ImageFault> {
        let malformed = |why: &str| Err(ImageFault::Malformed(why.to_owned()));
        let request = match TimedRequest::decode(&self.message) {
            Ok(request) => request,
            Err(error) => return malformed(&error.to_string()),
        };
        let (since, before) = self.resumed;
        let Some(executed) = request.instructions.checked_sub(before) else {
            return malformed("its count of instructions went back");
        };
        Ok(since + self.boot.duration(executed))
    }

    /// Has the last request take effect, whose moment has come.
    fn perform(&mut self, now: Instant) {
        let (begun, requests) = self.window;
        self.window = match now.since(begun) < WINDOW {
            true => (begun, requests + 1),
            false => (now, 1),
        };
        if self.window.1 > REQUESTS_MAX {
            return self.fail(&ImageFault::Flood(REQUESTS_MAX));
        }
        let message = std::mem::take(&mut self.message);
        match TimedRequest::decode(&message) {
            Ok(TimedRequest {
                instructions,
                request,
            }) => self.take_effect(now, instructions, &request),
            Err(error) => self.fail(&ImageFault::Malformed(error.to_string())),
        }
        // An answer has brought the next one already.
        if self.message.is_empty() {
            self.message = message;
        }
    }

    fn take_effect(&mut self, now: Instant, instructions: u64, request: &Request<'_>) {
        match *request {
            Request::Boot { version } => self.answer_boot(now, version),
            Request::Wait { until } => {
                self.report_executed(now, instructions, true);
                self.state = State::Waiting { until };
            }
            Request::Receive => self.hand_over(now),
            Request::Send(frame) => match self.mailboxes.put(frame) {
                Ok(()) => self.answer_status(now),
                Err(fault) => self.fail(&fault),
            },
            Request::Store { slot, value } => {
                self.report_executed(now, instructions, true);
                self.state = State::Storing { slot, value };
            }
            Request::Released { stream } => {
                let name = self.context.names.released(stream.into());
                self.answer(&Answer::Named(name));
            }
            Request::Sampled(name) => {
                self.context.names.sampled(name);
                self.answer_status(now);
            }
            Request::KeptBack { message, why } => {
                self.context.names.kept_back(message, why);
                self.answer_status(now);
            }
            Request::Checked(report) => {
                self.take_check(report);
                self.answer_status(now);
            }
            Request::NotChecked { is_full } => {
                self.take_refusal(is_full);
                self.answer_status(now);
            }
            Request::GroupBegun => self.report_group(now, GroupKeyEvent::Begun),
            Request::GroupKey { epoch, key } => {
                self.report_group(now, GroupKeyEvent::InUse { epoch, key });
            }
            Request::GroupEvent(event) => self.report_group(now, GroupKeyEvent::Role(event)),
            Request::Authorized(report) => match self.report_authorized(report) {
                Ok(()) => self.answer_status(now),
                Err(fault) => self.fail(&fault),
            },
            Request::Failed(text) => {
                self.report_executed(now, instructions, true);
                self.fail(&ImageFault::Panicked(text.to_owned()));
            }
            _ => self.fail(&ImageFault::Malformed(
                "a request that a run has no answer to".to_owned(),
            )),
        }
    }

    fn answer_boot(&mut self, now: Instant, version: u16) {
        if version != VERSION {
            let why = format!("it speaks version {version} of the messages, and not {VERSION}");
            return self.fail(&ImageFault::Malformed(why));
        }
        let status = self.status(now);
        let mut buffer = std::mem::take(&mut self.buffer);
        let encoded = self.boot.answer(status).and_then(|answer| {
            let length = answer.encode(&mut buffer);
            length.map_err(|error| ImageFault::Malformed(error.to_string()))
        });
        self.buffer = buffer;
        match encoded {
            Ok(length) => self.await_request(Some(length)),
            Err(fault) => self.fail(&fault),
        }
    }

    fn answer_status(&mut self, now: Instant) {
        let status = self.status(now);
        self.answer(&Answer::Status(status));
    }

    /// Lets the image go on after it has waited.
    fn resume(&mut self, now: Instant) {
        let instructions = TimedRequest::decode(&self.message).map(|last| last.instructions);
        let instructions = instructions.unwrap_or(self.resumed.1);
        (self.resumed, self.reported) = ((now, instructions), (instructions, now));
        self.answer_status(now);
    }

    /// Returns the state of the world, of which the image knows then.
    fn status(&mut self, now: Instant) -> Status {
        self.is_news = false;
        Status {
            now,
            is_sent: self.mailboxes.is_free(),
            state: self.bus_state,
            has_frame: self.mailboxes.has_frame(),
        }
    }

    /// Puts a frame into the receive mailbox.
    fn take_in(&mut self, port: Port, frame: &Frame) {
        if !self.mailboxes.receive(frame) {
            let message = frame.message();
            self.context.facts.push(Fact::Overrun { port, message });
        }
    }

    /// Hands over the oldest frame of the receive mailbox.
    fn hand_over(&mut self, now: Instant) {
        let frame = self.mailboxes.take();
        if let Some(frame) = &frame {
            self.context.application.receive(PORT, frame);
            self.handed_in = self.context.checks.as_ref().and_then(|checks| {
                let stream = (checks.knows)(frame).then(|| checks.context.stream_of(PORT, frame));
                let stream = stream.flatten()?;
                checks.context.report_handed_in(stream, frame.message());
                Some((stream, *frame))
            });
        }
        let status = self.status(now);
        self.answer(&Answer::Received { status, frame });
    }

    fn fail(&mut self, fault: &ImageFault) {
        self.state = State::Failed;
        self.context.facts.push(Fact::ImageFailed {
            why: fault.to_string(),
        });
    }

    /// Returns true if an image that waits goes on.
    fn goes_on(&self, now: Instant, until: Option<Instant>) -> bool {
        self.is_news || self.mailboxes.has_frame() || until.is_some_and(|until| until <= now)
    }
}

impl Node for FirmwareEcu {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        if self.state == State::Failed {
            return;
        }
        match input {
            Input::Frame { port, frame } => self.take_in(port, frame),
            Input::Sent { .. } | Input::Withdrawn { .. } => {
                self.mailboxes.free();
                self.is_news = true;
            }
            Input::Bus { state, .. } => {
                self.bus_state = state;
                self.is_news = true;
            }
            Input::Retained(slot) if self.state == State::Stored(slot) => {
                self.state = State::Waiting { until: None };
                self.is_news = true;
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        loop {
            if let Some(frame) = self.mailboxes.offered(room.contains(PORT)) {
                self.tokens = self.tokens.wrapping_add(1);
                return Output::Transmit {
                    port: PORT,
                    token: Token(self.tokens),
                    frame,
                };
            }
            match self.state {
                State::Computing { at } if at <= now => self.perform(now),
                State::Computing { at } => {
                    if now.since(self.reported.1) >= PART {
                        self.report_part(now);
                    }
                    return Output::Idle(Some(at.min(now + PART)));
                }
                State::Waiting { until } if self.goes_on(now, until) => self.resume(now),
                State::Waiting { until } => return Output::Idle(until),
                State::Storing { slot, value } => {
                    self.state = State::Stored(slot);
                    return Output::Retain { slot, value };
                }
                State::Stored(_) | State::Failed => return Output::Idle(None),
            }
        }
    }
}
