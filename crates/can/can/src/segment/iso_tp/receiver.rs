//! The receiving end: reassembles a payload and controls the sender's flow.

use core::fmt;

use waywarden_work::{Duration, Instant};

use super::pdu::{FlowControl, FlowStatus, Pdu};
use super::{Ignored, IsoTpLink, SeparationTime, TIMEOUT};
use crate::segment::DataField;

/// Receives one payload at a time, of up to `N` bytes. How long a sender says its payload is never
/// makes it take more.
///
/// After each call of [`frame`](Self::frame), [`sent`](Self::sent) and
/// [`set_paused`](Self::set_paused), and when the time of `Idle` has come, call
/// [`poll`](Self::poll) until it answers `Idle`. Tell of a flow control [`sent`](Self::sent) before
/// handing in what was received after it.
#[derive(Clone, Debug)]
pub struct IsoTpReceiver<const N: usize> {
    link: IsoTpLink,
    parameters: FlowControlParameters,
    paused: bool,
    state: State,
    payload: [u8; N],
    length: usize,
    received: usize,
    /// RX_DL: data bytes of the first frame, and so of every consecutive one but the last.
    frame_bytes: usize,
    /// Of the next consecutive frame.
    sequence: u8,
    /// Consecutive frames until flow control is due, if a block size is set.
    block_left: Option<u8>,
    /// Wait frames sent in a row.
    waits: u8,
    /// Outcomes not yet polled; one frame can cause all three.
    interrupted: bool,
    failed: Option<ReceiveError>,
    announced: bool,
}

/// The flow that a receiver asks of a sender, and its timeouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowControlParameters {
    /// BS: consecutive frames between two flow controls, 0 for no more flow control.
    pub block_size: u8,
    /// STmin: the least time between two consecutive frames.
    pub separation: SeparationTime,
    /// N_WFTmax: wait frames in a row while paused.
    pub wait_frames_max: u8,
    /// Time between wait frames; well below the sender's N_Bs.
    pub wait_interval: Duration,
    /// N_Ar: until a flow control handed out is on the bus.
    pub transmit_timeout: Duration,
    /// N_Cr: until the next consecutive frame comes.
    pub consecutive_timeout: Duration,
}

/// An output of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverOutput {
    /// Send a frame with this data to the sender, then call [`IsoTpReceiver::sent`].
    Transmit(DataField),
    /// A payload is complete: [`IsoTpReceiver::payload`]. Reported once.
    Received,
    /// A payload was given up. Reported once.
    Failed(ReceiveError),
    /// Nothing until the next input, or until this instant.
    Idle(Option<Instant>),
}

/// Reason for giving up a payload; the names of the standard in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReceiveError {
    /// Flow control could not be sent in time (`N_TIMEOUT_A`).
    TransmitTimeout,
    /// The next consecutive frame did not come in time (`N_TIMEOUT_Cr`).
    ConsecutiveTimeout,
    /// A frame was lost, repeated or out of order (`N_WRONG_SN`).
    Sequence {
        /// The number the frame should have had, 0 to 15.
        expected: u8,
        /// The number it had.
        received: u8,
    },
    /// The sender began another payload (`N_UNEXP_PDU`).
    Interrupted,
    /// The payload is longer than the buffer; the sender is told (`N_BUFFER_OVFLW`).
    TooLong {
        /// The length of the payload.
        length: u32,
        /// The size of the buffer.
        capacity: usize,
    },
    /// The receiver was paused for more wait frames than it may send (`N_WFT_OVRN`).
    TooManyWaits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// Flow control that lets the sender go on, or wait, is to be handed out.
    FlowControlDue,
    /// So is flow control that refuses the payload.
    OverflowDue,
    /// Flow control is handed out, and lets the sender go on or not.
    Transmitting {
        deadline: Instant,
        goes_on: bool,
    },
    /// The next wait frame is due at this time.
    Paused {
        until: Instant,
    },
    Consecutive {
        deadline: Instant,
    },
}

impl FlowControlParameters {
    /// No flow control but the first, no separation; one second for each timer, as the standard
    /// has it; ten wait frames, half a second apart.
    pub const FASTEST: FlowControlParameters = FlowControlParameters {
        block_size: 0,
        separation: SeparationTime::ZERO,
        wait_frames_max: 10,
        wait_interval: Duration::from_millis(500),
        transmit_timeout: TIMEOUT,
        consecutive_timeout: TIMEOUT,
    };
}

impl<const N: usize> IsoTpReceiver<N> {
    /// Makes a receiver that waits for a payload.
    #[must_use]
    pub const fn new(link: IsoTpLink, parameters: FlowControlParameters) -> Self {
        IsoTpReceiver {
            link,
            parameters,
            paused: false,
            state: State::Idle,
            payload: [0; N],
            length: 0,
            received: 0,
            frame_bytes: 0,
            sequence: 0,
            block_left: None,
            waits: 0,
            interrupted: false,
            failed: None,
            announced: false,
        }
    }

    /// Takes a frame from the sender.
    ///
    /// # Errors
    /// [`Ignored`]; then nothing has changed.
    pub fn frame(&mut self, now: Instant, field: &[u8]) -> Result<(), Ignored> {
        self.fail_if_late(now);
        match Pdu::parse(&self.link, field)? {
            Pdu::Single { payload } => {
                self.begin(payload.len() as u32, field.len(), payload);
                Ok(())
            }
            Pdu::First { length, data } => {
                self.begin(length, field.len(), data);
                Ok(())
            }
            Pdu::Consecutive { sequence, data } => {
                self.consecutive(now, field.len(), sequence, data)
            }
            Pdu::FlowControl(_) => Err(Ignored::Unexpected),
        }
    }

    /// Takes note that the flow control last handed out is on the bus.
    pub fn sent(&mut self, now: Instant) {
        self.fail_if_late(now);
        if let State::Transmitting { goes_on, .. } = self.state {
            self.state = if goes_on {
                State::Consecutive {
                    deadline: now + self.parameters.consecutive_timeout,
                }
            } else {
                State::Paused {
                    until: now + self.parameters.wait_interval,
                }
            };
        }
    }

    /// Pauses: from the next flow control on, senders are asked to wait. Or resumes.
    ///
    /// Single frames come through all the same.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
        if !paused && matches!(self.state, State::Paused { .. }) {
            self.state = State::FlowControlDue;
        }
    }

    /// Answers with the next thing the receiver wants.
    pub fn poll(&mut self, now: Instant) -> ReceiverOutput {
        self.fail_if_late(now);
        if core::mem::take(&mut self.interrupted) {
            return ReceiverOutput::Failed(ReceiveError::Interrupted);
        }
        if let Some(error) = self.failed.take() {
            return ReceiverOutput::Failed(error);
        }
        if core::mem::take(&mut self.announced) {
            return ReceiverOutput::Received;
        }
        match self.state {
            State::Idle => ReceiverOutput::Idle(None),
            State::FlowControlDue => self.hand_out(now),
            State::Paused { until } if now >= until => self.hand_out(now),
            State::Paused { until } => ReceiverOutput::Idle(Some(until)),
            State::OverflowDue => {
                self.state = State::Idle;
                ReceiverOutput::Transmit(self.flow_control(FlowStatus::Overflow))
            }
            State::Transmitting { deadline, .. } | State::Consecutive { deadline } => {
                ReceiverOutput::Idle(Some(deadline))
            }
        }
    }

    /// Returns the payload once it is complete, until another one begins.
    #[must_use]
    pub fn payload(&self) -> Option<&[u8]> {
        let complete = self.length > 0 && self.received == self.length;
        complete.then(|| &self.payload[..self.length])
    }

    /// Returns true if a payload is under way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state != State::Idle
    }

    fn fail_if_late(&mut self, now: Instant) {
        let error = match self.state {
            State::Transmitting { deadline, .. } if now >= deadline => {
                ReceiveError::TransmitTimeout
            }
            State::Consecutive { deadline } if now >= deadline => ReceiveError::ConsecutiveTimeout,
            _ => return,
        };
        self.give_up(error);
    }

    fn give_up(&mut self, error: ReceiveError) {
        self.abandon();
        self.failed = Some(error);
    }

    fn abandon(&mut self) {
        self.state = State::Idle;
        (self.length, self.received) = (0, 0);
    }

    /// A single or first frame begins a payload, whatever was before [ISO 15765-2:2016 §9.8.3].
    fn begin(&mut self, length: u32, frame_bytes: usize, data: &[u8]) {
        if !matches!(self.state, State::Idle | State::OverflowDue) {
            self.interrupted = true;
        }
        let is_single = data.len() as u64 == length as u64;
        if length as u64 > N as u64 {
            self.give_up(ReceiveError::TooLong {
                length,
                capacity: N,
            });
            if !is_single {
                self.state = State::OverflowDue;
            }
            return;
        }
        self.payload[..data.len()].copy_from_slice(data);
        (self.length, self.received) = (length as usize, data.len());
        (self.frame_bytes, self.sequence, self.waits) = (frame_bytes, 1, 0);
        self.announced = is_single;
        self.state = if is_single {
            State::Idle
        } else {
            State::FlowControlDue
        };
    }

    fn consecutive(
        &mut self,
        now: Instant,
        frame_bytes: usize,
        sequence: u8,
        data: &[u8],
    ) -> Result<(), Ignored> {
        if !matches!(self.state, State::Consecutive { .. }) {
            return Err(Ignored::Unexpected);
        }
        let left = self.length - self.received;
        let full = self.frame_bytes - 1 - self.link.address_length();
        let fits = if left > full {
            frame_bytes == self.frame_bytes
        } else {
            data.len() >= left
        };
        if !fits {
            return Err(Ignored::ConsecutiveLength);
        }
        if sequence != self.sequence {
            self.give_up(ReceiveError::Sequence {
                expected: self.sequence,
                received: sequence,
            });
            return Ok(());
        }
        let part = &data[..data.len().min(left)];
        self.payload[self.received..self.received + part.len()].copy_from_slice(part);
        self.received += part.len();
        self.sequence = (self.sequence + 1) & 0xF;
        self.block_left = self.block_left.map(|left| left - 1);
        if self.received == self.length {
            self.announced = true;
            self.state = State::Idle;
        } else if self.block_left == Some(0) {
            self.state = State::FlowControlDue;
        } else {
            self.state = State::Consecutive {
                deadline: now + self.parameters.consecutive_timeout,
            };
        }
        Ok(())
    }

    /// Hands out flow control: go on, or wait while paused.
    fn hand_out(&mut self, now: Instant) -> ReceiverOutput {
        let status = if !self.paused {
            self.waits = 0;
            self.block_left =
                (self.parameters.block_size > 0).then_some(self.parameters.block_size);
            FlowStatus::ContinueToSend
        } else if self.waits < self.parameters.wait_frames_max {
            self.waits += 1;
            FlowStatus::Wait
        } else {
            self.abandon();
            return ReceiverOutput::Failed(ReceiveError::TooManyWaits);
        };
        self.state = State::Transmitting {
            deadline: now + self.parameters.transmit_timeout,
            goes_on: !self.paused,
        };
        ReceiverOutput::Transmit(self.flow_control(status))
    }

    fn flow_control(&self, status: FlowStatus) -> DataField {
        FlowControl {
            status,
            block_size: self.parameters.block_size,
            separation: self.parameters.separation,
        }
        .field(&self.link)
    }
}

impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReceiveError::TransmitTimeout => f.write_str("flow control could not be sent in time"),
            ReceiveError::ConsecutiveTimeout => f.write_str("the next frame did not come in time"),
            ReceiveError::Sequence { expected, received } => {
                write!(f, "frame {received} where frame {expected} was next")
            }
            ReceiveError::Interrupted => f.write_str("the sender began another payload"),
            ReceiveError::TooLong { length, capacity } => {
                write!(f, "a payload of {length} bytes, and room for {capacity}")
            }
            ReceiveError::TooManyWaits => {
                f.write_str("paused for longer than senders can be asked to wait")
            }
        }
    }
}

impl core::error::Error for ReceiveError {}
