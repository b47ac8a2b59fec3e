//! What is said of a frame.

use waywarden_can_auth::event::Event;

/// What came of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameVerdict {
    /// From who it says, as it was sent, newer than all before.
    Authentic,
    /// The code is not that of the frame.
    WrongTag,
    /// The counter was there before.
    Replay,
    /// The tag never came.
    Missing,
    /// A tag to which there is no message.
    TagWithoutData,
    /// The state of the stream does not fit: no announcement was heard, or too much was lost.
    OutOfStep,
    /// A question about a stream, or an answer: no receiver here asked.
    Unchecked,
    /// Of no stream.
    Unknown,
}

impl FrameVerdict {
    /// In a word or two.
    pub(super) const fn label(self) -> &'static str {
        match self {
            FrameVerdict::Authentic => "authentic",
            FrameVerdict::WrongTag => "wrong tag",
            FrameVerdict::Replay => "replay",
            FrameVerdict::Missing => "missing",
            FrameVerdict::TagWithoutData => "tag without data",
            FrameVerdict::OutOfStep => "out of step",
            FrameVerdict::Unchecked => "unchecked",
            FrameVerdict::Unknown => "unknown id",
        }
    }

    /// Takes what a receiver says of it.
    pub(super) fn of(event: &Event) -> Self {
        match event {
            Event::Authentic { .. } | Event::Resynced(_) => FrameVerdict::Authentic,
            Event::Replay(_) => FrameVerdict::Replay,
            Event::Missing(_) => FrameVerdict::Missing,
            Event::UnexpectedTag(_) => FrameVerdict::TagWithoutData,
            Event::Desync(_) => FrameVerdict::OutOfStep,
            Event::UnknownId(_) => FrameVerdict::Unknown,
            _ => FrameVerdict::WrongTag,
        }
    }
}
