//! Outcomes of received frames.

use waywarden_can::frame::DATA_MAX;
use waywarden_can_auth::event::FrameOutcome;

/// Kind of a received frame.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// Nothing: a frame of others, or one whose second part is to come.
    None = 0,
    /// A message that is genuine, unchanged, and newer than any before. The only one whose payload
    /// may be used.
    Authentic = 1,
    /// The code does not belong to the message.
    WrongCode = 2,
    /// The freshness was taken before; no code was computed.
    Replay = 3,
    /// A message whose code did not come in time, or which others displaced.
    Missing = 4,
    /// A code without its message.
    CodeWithoutData = 5,
    /// The freshness of the receiver is not known, or not retained yet.
    OutOfStep = 6,
    /// The freshness of the receiver is known again.
    Resynchronised = 7,
    /// A frame of no stream.
    UnknownIdentifier = 8,
}

/// The outcome of a frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its kind.
    pub kind: OutcomeKind,
    /// Bytes of payload, 0 to 64; 0 unless authentic.
    pub length: u8,
    /// The payload; zeros unless authentic.
    pub payload: [u8; 64],
}

impl Outcome {
    /// A frame of others.
    pub(crate) const NOTHING: Self = Outcome {
        kind: OutcomeKind::None,
        length: 0,
        payload: [0; DATA_MAX],
    };
}

impl From<Option<FrameOutcome>> for Outcome {
    fn from(outcome: Option<FrameOutcome>) -> Self {
        let kind = match outcome {
            None => OutcomeKind::None,
            Some(FrameOutcome::Authentic { payload, .. }) => {
                let bytes = payload.as_bytes();
                let mut own = [0; DATA_MAX];
                own[..bytes.len()].copy_from_slice(bytes);
                return Outcome {
                    kind: OutcomeKind::Authentic,
                    length: bytes.len() as u8,
                    payload: own,
                };
            }
            Some(FrameOutcome::WrongTag(_)) => OutcomeKind::WrongCode,
            Some(FrameOutcome::Replay(_)) => OutcomeKind::Replay,
            Some(FrameOutcome::Missing(_)) => OutcomeKind::Missing,
            Some(FrameOutcome::TagWithoutData(_)) => OutcomeKind::CodeWithoutData,
            Some(FrameOutcome::OutOfStep(_)) => OutcomeKind::OutOfStep,
            Some(FrameOutcome::Resynced(_)) => OutcomeKind::Resynchronised,
            Some(_) => OutcomeKind::UnknownIdentifier,
        };
        Outcome {
            kind,
            ..Outcome::NOTHING
        }
    }
}
