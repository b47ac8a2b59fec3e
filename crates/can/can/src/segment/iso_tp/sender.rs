//! The sending end: segments a payload and keeps to the receiver's flow control.

use core::fmt;

use waywarden_work::{Duration, Instant};

use super::pdu::{self, FlowControl, FlowStatus, Pdu, SHORT_LENGTH_MAX};
use super::{Ignored, IsoTpLink, SeparationTime, TIMEOUT};
use crate::segment::DataField;

/// Sends one payload at a time, of up to `N` bytes.
///
/// After each call of [`start`](Self::start), [`frame`](Self::frame) and [`sent`](Self::sent), and
/// when the time of `Idle` has come, call [`poll`](Self::poll) until it answers `Idle`. Tell of a
/// frame [`sent`](Self::sent) before handing in what was received after it.
#[derive(Clone, Debug)]
pub struct IsoTpSender<const N: usize> {
    link: IsoTpLink,
    limits: SenderLimits,
    state: State,
    payload: [u8; N],
    length: usize,
    /// Bytes that are in frames handed out.
    taken: usize,
    /// Of the next consecutive frame.
    sequence: u8,
    /// Consecutive frames until the next flow control, if the receiver wants one.
    block_left: Option<u8>,
    separation: SeparationTime,
    /// Wait frames since the last other flow control.
    waits: u8,
}

/// Timeouts of a sender, and its limit of wait frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SenderLimits {
    /// N_As: until a frame handed out is on the bus.
    pub transmit_timeout: Duration,
    /// N_Bs: until flow control comes.
    pub flow_control_timeout: Duration,
    /// Maximum number of wait frames in a row. The standard leaves it to the receiver to stop.
    pub wait_frames_max: u8,
}

/// An output of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderOutput {
    /// Send a frame with this data, then call [`IsoTpSender::sent`].
    Transmit(DataField),
    /// The whole payload is on the bus. Reported once.
    Sent,
    /// The payload was given up. Reported once.
    Failed(SendError),
    /// Nothing until the next input, or until this instant.
    Idle(Option<Instant>),
}

/// Reason that a payload cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// Another one is under way.
    Busy,
    /// An empty payload has no ISO-TP form.
    Empty,
    /// It is longer than the buffer, or than 4 GiB.
    TooLong {
        /// The length of the payload.
        length: usize,
        /// The longest that can be sent.
        max: usize,
    },
}

/// Reason for giving up a payload; the names of the standard in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// A frame could not be sent in time (`N_TIMEOUT_A`).
    TransmitTimeout,
    /// Flow control did not come in time (`N_TIMEOUT_Bs`).
    FlowControlTimeout,
    /// The receiver has no room for the payload (`N_BUFFER_OVFLW`).
    Overflow,
    /// The receiver sent a flow status that the standard reserves (`N_INVALID_FS`).
    InvalidFlowStatus(u8),
    /// The receiver asked for more delay than it is granted.
    TooManyWaits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// The first or only frame is next.
    Start,
    /// A consecutive frame is next, at this time or later.
    Consecutive {
        from: Instant,
    },
    /// A frame is handed out.
    Transmitting {
        deadline: Instant,
        awaits: Awaits,
    },
    FlowControl {
        deadline: Instant,
    },
    Sent,
    Failed(SendError),
}

/// The next event after the frame handed out is on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    End,
    FlowControl,
    Separation,
}

impl SenderLimits {
    /// One second for each timer, as the standard has it, and ten wait frames.
    pub const STANDARD: SenderLimits = SenderLimits {
        transmit_timeout: TIMEOUT,
        flow_control_timeout: TIMEOUT,
        wait_frames_max: 10,
    };
}

impl<const N: usize> IsoTpSender<N> {
    /// Payloads are never longer than the buffer, nor than 32 bits can say.
    const LENGTH_MAX: usize = if N as u64 > u32::MAX as u64 {
        u32::MAX as usize
    } else {
        N
    };

    /// Makes a sender with nothing to send.
    #[must_use]
    pub const fn new(link: IsoTpLink, limits: SenderLimits) -> Self {
        IsoTpSender {
            link,
            limits,
            state: State::Idle,
            payload: [0; N],
            length: 0,
            taken: 0,
            sequence: 0,
            block_left: None,
            separation: SeparationTime::ZERO,
            waits: 0,
        }
    }

    /// Begins to send a payload, which is copied.
    ///
    /// # Errors
    /// [`StartError`]; then nothing has changed.
    pub fn start(&mut self, payload: &[u8]) -> Result<(), StartError> {
        if self.is_busy() {
            return Err(StartError::Busy);
        }
        if payload.is_empty() {
            return Err(StartError::Empty);
        }
        if payload.len() > Self::LENGTH_MAX {
            return Err(StartError::TooLong {
                length: payload.len(),
                max: Self::LENGTH_MAX,
            });
        }
        self.payload[..payload.len()].copy_from_slice(payload);
        (self.length, self.taken) = (payload.len(), 0);
        (self.sequence, self.waits) = (1, 0);
        self.state = State::Start;
        Ok(())
    }

    /// Gives up the payload under way, silently. Of a frame still handed out do not tell any more.
    pub const fn cancel(&mut self) {
        self.state = State::Idle;
    }

    /// Takes a frame from the receiver: flow control.
    ///
    /// # Errors
    /// [`Ignored`] for every other frame, and where no flow control is awaited; then nothing has
    /// changed.
    pub fn frame(&mut self, now: Instant, field: &[u8]) -> Result<(), Ignored> {
        let Pdu::FlowControl(flow) = Pdu::parse(&self.link, field)? else {
            return Err(Ignored::Unexpected);
        };
        self.fail_if_late(now);
        if !matches!(self.state, State::FlowControl { .. }) {
            return Err(Ignored::Unexpected);
        }
        self.flow_control(now, flow);
        Ok(())
    }

    /// Takes note that the frame last handed out is on the bus.
    pub fn sent(&mut self, now: Instant) {
        self.fail_if_late(now);
        let State::Transmitting { awaits, .. } = self.state else {
            return;
        };
        self.state = match awaits {
            Awaits::End => State::Sent,
            Awaits::FlowControl => State::FlowControl {
                deadline: now + self.limits.flow_control_timeout,
            },
            Awaits::Separation => State::Consecutive {
                from: now + self.separation.duration(),
            },
        };
    }

    /// Answers with the next thing the sender wants.
    pub fn poll(&mut self, now: Instant) -> SenderOutput {
        self.fail_if_late(now);
        match self.state {
            State::Idle => SenderOutput::Idle(None),
            State::Start => {
                let (field, awaits) = self.first_field();
                self.hand_out(now, field, awaits)
            }
            State::Consecutive { from } if now >= from => {
                let (field, awaits) = self.consecutive_field();
                self.hand_out(now, field, awaits)
            }
            State::Consecutive { from } => SenderOutput::Idle(Some(from)),
            State::Transmitting { deadline, .. } | State::FlowControl { deadline } => {
                SenderOutput::Idle(Some(deadline))
            }
            State::Sent => {
                self.state = State::Idle;
                SenderOutput::Sent
            }
            State::Failed(error) => {
                self.state = State::Idle;
                SenderOutput::Failed(error)
            }
        }
    }

    /// Returns true if a payload is under way, or its outcome not yet polled.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state != State::Idle
    }

    fn fail_if_late(&mut self, now: Instant) {
        match self.state {
            State::Transmitting { deadline, .. } if now >= deadline => {
                self.state = State::Failed(SendError::TransmitTimeout);
            }
            State::FlowControl { deadline } if now >= deadline => {
                self.state = State::Failed(SendError::FlowControlTimeout);
            }
            _ => {}
        }
    }

    fn flow_control(&mut self, now: Instant, flow: FlowControl) {
        self.state = match flow.status {
            FlowStatus::ContinueToSend => {
                self.waits = 0;
                self.block_left = (flow.block_size > 0).then_some(flow.block_size);
                self.separation = flow.separation;
                State::Consecutive { from: now }
            }
            FlowStatus::Wait if self.waits == self.limits.wait_frames_max => {
                State::Failed(SendError::TooManyWaits)
            }
            FlowStatus::Wait => {
                self.waits += 1;
                State::FlowControl {
                    deadline: now + self.limits.flow_control_timeout,
                }
            }
            FlowStatus::Overflow => State::Failed(SendError::Overflow),
            FlowStatus::Invalid(status) => State::Failed(SendError::InvalidFlowStatus(status)),
        };
    }

    fn hand_out(&mut self, now: Instant, field: DataField, awaits: Awaits) -> SenderOutput {
        let deadline = now + self.limits.transmit_timeout;
        self.state = State::Transmitting { deadline, awaits };
        SenderOutput::Transmit(field)
    }

    /// The single frame, where the payload fits one; else the first frame, which is full.
    fn first_field(&mut self) -> (DataField, Awaits) {
        let mut field = pdu::start(&self.link);
        if self.length <= self.link.single_max(8) {
            field.extend(&[self.length as u8]);
        } else if self.length <= self.link.single_max(self.link.capacity.bytes()) {
            field.extend(&[0, self.length as u8]);
        } else {
            let length = (self.length as u32).to_be_bytes();
            if self.length <= SHORT_LENGTH_MAX {
                field.extend(&[0x10 | length[2], length[3]]);
            } else {
                field.extend(&[0x10, 0]);
                field.extend(&length);
            }
            return (self.with_payload(field), Awaits::FlowControl);
        }
        (self.with_payload(field), Awaits::End)
    }

    fn consecutive_field(&mut self) -> (DataField, Awaits) {
        let mut field = pdu::start(&self.link);
        field.extend(&[0x20 | self.sequence]);
        self.sequence = (self.sequence + 1) & 0xF;
        let field = self.with_payload(field);
        self.block_left = self.block_left.map(|left| left - 1);
        let awaits = match (self.taken == self.length, self.block_left) {
            (true, _) => Awaits::End,
            (false, Some(0)) => Awaits::FlowControl,
            (false, _) => Awaits::Separation,
        };
        (field, awaits)
    }

    /// Fills the rest of a frame with the next bytes of the payload.
    fn with_payload(&mut self, mut field: DataField) -> DataField {
        let room = self.link.capacity.bytes() - field.len();
        let end = self.length.min(self.taken + room);
        field.extend(&self.payload[self.taken..end]);
        self.taken = end;
        pdu::finish(&self.link, field)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Busy => f.write_str("another payload is under way"),
            StartError::Empty => f.write_str("an empty payload has no ISO-TP form"),
            StartError::TooLong { length, max } => {
                write!(f, "a payload of {length} bytes, and room for {max}")
            }
        }
    }
}

impl core::error::Error for StartError {}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::TransmitTimeout => f.write_str("a frame could not be sent in time"),
            SendError::FlowControlTimeout => f.write_str("flow control did not come in time"),
            SendError::Overflow => f.write_str("the receiver has no room for the payload"),
            SendError::InvalidFlowStatus(status) => write!(f, "flow status {status} is reserved"),
            SendError::TooManyWaits => f.write_str("the receiver asked for delay too often"),
        }
    }
}

impl core::error::Error for SendError {}
