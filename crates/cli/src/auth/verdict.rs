//! What is said of a frame.

use waywarden_can_auth::event::Event;

/// What came of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
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

impl Verdict {
    /// In a word or two.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Verdict::Authentic => "authentic",
            Verdict::WrongTag => "wrong tag",
            Verdict::Replay => "replay",
            Verdict::Missing => "missing",
            Verdict::TagWithoutData => "tag without data",
            Verdict::OutOfStep => "out of step",
            Verdict::Unchecked => "unchecked",
            Verdict::Unknown => "unknown id",
        }
    }

    /// Takes what a receiver says of it.
    pub(super) fn of(event: &Event) -> Self {
        match event {
            Event::Authentic { .. } | Event::Resynced(_) => Verdict::Authentic,
            Event::Replay(_) => Verdict::Replay,
            Event::Missing(_) => Verdict::Missing,
            Event::UnexpectedTag(_) => Verdict::TagWithoutData,
            Event::Desync(_) => Verdict::OutOfStep,
            Event::UnknownId(_) => Verdict::Unknown,
            _ => Verdict::WrongTag,
        }
    }
}
