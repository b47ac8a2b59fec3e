//! ISO-TP: payloads of up to 4 GiB over frames of 8 to 64 bytes, with a length, numbered frames,
//! and flow control by the receiver [ISO 15765-2:2016].
//!
//! An [`IsoTpSender`] and an [`IsoTpReceiver`] are two separate machines, each for one direction
//! between two nodes; a node that does both has one of each. They hold no clock: every call says
//! what time it is, and `Idle` says when to call again. Functional (one to many) addressing reaches
//! the receiver as single frames and needs nothing special. Normal and extended addressing are
//! here; mixed addressing looks the same on the wire.
//!
//! ```
//! use waywarden_can::segment::FrameCapacity;
//! use waywarden_can::segment::iso_tp::{
//!     FlowControlParameters, IsoTpLink, IsoTpReceiver, ReceiverOutput,
//! };
//! use waywarden_can::segment::iso_tp::{IsoTpSender, SenderLimits, SenderOutput};
//! use waywarden_work::Instant;
//!
//! let now = Instant::ZERO;
//! let link = IsoTpLink::normal(FrameCapacity::CLASSIC);
//! let mut sender = IsoTpSender::<100>::new(link, SenderLimits::STANDARD);
//! let mut receiver = IsoTpReceiver::<100>::new(link, FlowControlParameters::FASTEST);
//! sender.start(&[0x5A; 20]).unwrap();
//! loop {
//!     match sender.poll(now) {
//!         SenderOutput::Transmit(field) => {
//!             sender.sent(now);
//!             receiver.frame(now, &field).unwrap();
//!         }
//!         SenderOutput::Sent => break,
//!         SenderOutput::Failed(error) => panic!("{error}"),
//!         SenderOutput::Idle(_) => {}
//!     }
//!     while let ReceiverOutput::Transmit(field) = receiver.poll(now) {
//!         receiver.sent(now);
//!         sender.frame(now, &field).unwrap();
//!     }
//! }
//! assert_eq!(receiver.payload(), Some(&[0x5A; 20][..]));
//! ```

mod pdu;
mod receiver;
mod sender;

#[cfg(test)]
mod tests;

pub use pdu::Ignored;
pub use receiver::{FlowControlParameters, IsoTpReceiver, ReceiveError, ReceiverOutput};
pub use sender::{IsoTpSender, SendError, SenderLimits, SenderOutput, StartError};

use waywarden_work::Duration;

use super::FrameCapacity;

/// The timers N_As, N_Ar, N_Bs and N_Cr as the standard sets them: one second.
pub const TIMEOUT: Duration = Duration::from_millis(1_000);

/// The form of the frames between two nodes; both ends of one direction agree on it, with the
/// addresses swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IsoTpLink {
    /// TX_DL: data bytes of the frames sent. Received frames may be of any length.
    pub capacity: FrameCapacity,
    /// The address byte before the protocol's own bytes, if there is one.
    pub addressing: Addressing,
    /// Fills every frame up to 8 bytes. Without it frames of up to 8 bytes are as short as they can
    /// be. FD frames above 8 bytes are always filled, with this byte or with 0xCC.
    pub padding: Option<u8>,
}

/// The bytes before the protocol's own bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// No byte: the identifier is the whole address.
    Normal,
    /// One byte: N_TA in extended, N_AE in mixed addressing.
    Extended {
        /// The byte in frames sent.
        transmit: u8,
        /// The byte in frames received; others are not for this node.
        receive: u8,
    },
}

/// STmin: the least time between two consecutive frames, in the form it has on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeparationTime(u8);

impl IsoTpLink {
    /// Makes a link with normal addressing and no padding.
    #[must_use]
    pub const fn normal(capacity: FrameCapacity) -> Self {
        IsoTpLink {
            capacity,
            addressing: Addressing::Normal,
            padding: None,
        }
    }

    /// Bytes before the protocol's own.
    const fn address_length(&self) -> usize {
        match self.addressing {
            Addressing::Normal => 0,
            Addressing::Extended { .. } => 1,
        }
    }

    /// The longest payload of a single frame with `frame_bytes` data bytes, at least 8: one byte of
    /// control information up to 8, two above.
    const fn single_max(&self, frame_bytes: usize) -> usize {
        let control = if frame_bytes > 8 { 2 } else { 1 };
        frame_bytes - control - self.address_length()
    }
}

impl SeparationTime {
    /// No time between frames.
    pub const ZERO: SeparationTime = SeparationTime(0);

    /// Makes a separation time of 0 to 127 ms; above, there is none.
    #[must_use]
    pub const fn from_millis(millis: u8) -> Option<Self> {
        match millis {
            0..=0x7F => Some(SeparationTime(millis)),
            _ => None,
        }
    }

    /// Makes a separation time of 100 to 900 microseconds, given in hundreds: 1 to 9.
    #[must_use]
    pub const fn from_hundred_micros(hundreds: u8) -> Option<Self> {
        match hundreds {
            1..=9 => Some(SeparationTime(0xF0 + hundreds)),
            _ => None,
        }
    }

    /// Returns the time. Reserved values mean the longest time, 127 ms [ISO 15765-2:2016 §9.6.5].
    #[must_use]
    pub const fn duration(self) -> Duration {
        match self.0 {
            millis @ 0..=0x7F => Duration::from_millis(millis as u64),
            micros @ 0xF1..=0xF9 => Duration::from_micros((micros - 0xF0) as u64 * 100),
            _ => Duration::from_millis(0x7F),
        }
    }
}
